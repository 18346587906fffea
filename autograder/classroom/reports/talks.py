"""Who needs a talk first, and why: what a teacher of many would find out by reading every line."""

import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol

from autograder.classroom.feedback import told
from autograder.classroom.reports.tables import natural
from autograder.lessons import counted
from autograder.results import Verdict
from helpers.checking.finding import Status

LEAST, PART = 0.25, 0.1  # of one lesson's points, and of all lessons': who is less behind isn't listed
APART = 0.25  # of a lesson's points, from the median or from the lessons before: less isn't named
SAID = {Status.FAILED: "wrong", Status.NOT_WRITTEN: "not written", Status.NOT_RUN: "not run"}


class Work(Protocol):
    """What one student has in one lesson."""

    points: float
    possible: float
    late_days: float
    verdicts: list[Verdict]
    problem: str  # why it couldn't be graded as a whole, or ""


class Talk(NamedTuple):
    """A student, how far behind the class's median they are, in lessons, and the reasons."""

    student: str
    behind: float
    why: list[str]


def talks(
    students: Iterable[str],
    handed: Mapping[str, Mapping[str, Work]],
    order: Sequence[str],
    known: Mapping[str, Sequence[str]],
) -> list[Talk]:
    """The students who are furthest behind the class, most first.

    A lesson that most have handed in and they haven't counts as one without points.

    Args:
        students: all of the class, by id.
        handed: by student and lesson.
        order: the lessons.
        known: by student, further reasons, such as a misconception that came back.
    """
    students = list(students)
    given = Counter(lesson for of in handed.values() for lesson in of)
    due = [lesson for lesson in order if 2 * given[lesson] > len(students)]
    medians = {
        lesson: statistics.median(share(of[lesson]) for of in handed.values() if lesson in of)
        for lesson in due
    }
    found = []
    for student in students:
        of = handed.get(student, {})
        shares = {lesson: share(of[lesson]) if lesson in of else 0.0 for lesson in due}
        behind = sum(max(0.0, medians[lesson] - shares[lesson]) for lesson in due)
        if behind >= max(LEAST, PART * len(due)):
            found.append(Talk(student, behind, [*_why(of, due, medians), *known.get(student, ())]))
    return sorted(found, key=lambda talk: (-talk.behind, natural(talk.student)))


def share(work: Work) -> float:
    """Points as a share of what there is."""
    return work.points / work.possible if work.possible > 0 else 1.0


def said_once(failed: Sequence[Verdict], titles: Mapping[str, str]) -> list[tuple[str, str]]:
    """What to look at next: exercise and reason; exercises that share the reason for not being run as one."""
    found: dict[tuple[str, str], list[str]] = {}
    for number, verdict in enumerate(failed):
        title, case, cause = told(verdict.message)
        title = title or titles.get(verdict.exercise, verdict.exercise)
        reason = ". ".join(filter(None, (case or verdict.status, cause)))
        key = "" if verdict.status in (Status.NOT_RUN, Status.NOT_WRITTEN) else str(number)
        found.setdefault((key, reason), []).append(title)
    return [
        (titles[0] + (f" and {len(titles) - 1} more" if len(titles) > 1 else ""), reason)
        for (_, reason), titles in found.items()
    ]


def _why(of: Mapping[str, Work], due: Sequence[str], medians: Mapping[str, float]) -> list[str]:
    missing = [lesson for lesson in due if lesson not in of]
    why = []
    if missing:
        why.append("nothing handed in" if not of else f"not handed in: {', '.join(missing)}")
    before: list[float] = []
    for lesson in [lesson for lesson in due if lesson in of]:
        mine = share(of[lesson])
        if medians[lesson] - mine >= APART:
            fell = (
                f", in earlier lessons {mean:.0%}"
                if before and (mean := statistics.mean(before)) - mine >= APART
                else ""
            )
            how = _how(of[lesson].verdicts) + (f": {of[lesson].problem}" if of[lesson].problem else "")
            why.append(f"{lesson}: {mine:.0%} of the points (median {medians[lesson]:.0%}{fell}){how}")
        before.append(mine)
    if (late := sum(work.late_days > 0 for work in of.values())) > 1:
        why.append(f"late {late} times")
    return why


def _how(verdicts: Sequence[Verdict]) -> str:
    """What became of the exercises without points."""
    counts = Counter(verdict.status for verdict in verdicts)
    parts = [f"{counts[status]} {words}" for status, words in SAID.items() if counts[status]]
    return f"; of {counted(len(verdicts), 'exercise')}, {', '.join(parts)}" if parts else ""
