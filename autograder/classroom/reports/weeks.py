"""What a class's records say over the weeks: shares, times, exercises, and misconceptions that came back."""

import statistics
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from autograder.classroom.reports.tables import natural
from autograder.exercise import Exercise
from autograder.recall import Recall
from autograder.results import Verdict
from helpers.checking.finding import Status

FEW = 10  # students below which an exercise's numbers say little
EASY, HARD, FLAT = 0.95, 0.2, 0.1


@dataclass
class Handed:
    """What one student has in one lesson."""

    points: float
    possible: float
    waiting: bool
    late_days: float
    verdicts: list[Verdict] = field(default_factory=list)
    at: datetime | None = None  # UTC
    problem: str = ""  # why it couldn't be graded as a whole

    @property
    def late(self) -> str:
        """How late, in the unit in which it says something."""
        if self.late_days >= 1:
            return f"{self.late_days:.1f} days"
        minutes = max(1, round(self.late_days * 1440))
        return f"{minutes} min" if minutes < 60 else f"{minutes / 60:.0f} h"


@dataclass
class Item:
    """One exercise over the class."""

    lesson: str
    title: str
    students: int
    right: float
    separates: float | None

    @property
    def remark(self) -> str:
        """What an author should look at; empty for most, and for few students."""
        if self.students < FEW:
            return ""
        if self.right >= EASY:
            return "too easy?"
        if self.right <= HARD:
            return "too hard?"
        low = self.separates is not None and self.separates < FLAT
        return "doesn't separate" if low else ""


class Line(NamedTuple):
    """One student: their points in each lesson, and what is missing."""

    name: str
    file: str
    lessons: list[Handed | None]
    points: float
    missing: list[str]


class Again(NamedTuple):
    """A misconception that came back in another lesson."""

    sentence: str
    lessons: list[str]
    students: list[str]
    whose: Sequence[str] = ()  # their ids


class Times(NamedTuple):
    """How long a lesson took, from its release to each hand-in."""

    lesson: str
    released: datetime
    minutes: list[float]

    @property
    def shown(self) -> list[int]:
        """The quickest, the median and the slowest, in whole minutes."""
        return [
            round(each) for each in (min(self.minutes), statistics.median(self.minutes), max(self.minutes))
        ]


def shares(
    handed: dict[str, dict[str, Handed]], order: Sequence[str], students: int
) -> dict[str, list[float]]:
    """By lesson, and how many handed it in, each one's points in per cent of what it has."""
    found = {}
    for lesson in order:
        there = [of[lesson] for of in handed.values() if lesson in of and of[lesson].possible > 0]
        if there:
            waits = " +" * any(one.waiting for one in there)
            label = f"{lesson}{waits} · {len(there)} of {students}"
            found[label] = [100 * one.points / one.possible for one in there]
    return found


def times(
    handed: dict[str, dict[str, Handed]], order: Sequence[str], released: dict[str, datetime | None]
) -> list[Times]:
    """Minutes between release and hand-in, for each lesson that is in the exchange."""
    found = []
    for lesson in order:
        begun = released[lesson]
        ends = [of[lesson].at for of in handed.values() if lesson in of]
        minutes = [(at - begun).total_seconds() / 60 for at in ends if begun and at and at > begun]
        if begun and minutes:
            found.append(Times(lesson, begun, minutes))
    return found


def items(
    handed: dict[str, dict[str, Handed]], order: Sequence[str], asked: dict[str, dict[str, Exercise]]
) -> list[Item]:
    """Each exercise over those who handed it in: the share of right answers, and whether it separates."""
    found = []
    for lesson in order:
        papers = [of[lesson].verdicts for of in handed.values() if lesson in of and of[lesson].verdicts]
        for id, exercise in asked[lesson].items():
            right, rest = [], []
            for paper in papers:
                own = [verdict for verdict in paper if verdict.exercise == id]
                if own:
                    right.append(float(own[0].status == Status.PASSED))
                    rest.append(sum(verdict.points for verdict in paper) - own[0].points)
            if right:
                share = statistics.mean(right)
                varied = len({*right}) > 1 and len({*rest}) > 1
                separates = statistics.correlation(right, rest) if varied else None
                found.append(Item(lesson, exercise.title, len(right), share, separates))
    return found


def again(
    names: dict[str, str],
    handed: dict[str, dict[str, Handed]],
    order: Sequence[str],
    asked: dict[str, dict[str, Exercise]],
) -> list[Again]:
    """Misconceptions in two lessons of a student, and exercises whose slip was overlooked later as well."""
    sentences = {
        (lesson, m.name): m.sentence
        for lesson, of in asked.items()
        for exercise in of.values()
        if not isinstance(exercise, Recall)  # whose causes are lines and inputs
        for m in exercise.misconceptions
    }
    back: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for student, of in handed.items():
        wrong = {
            verdict.exercise: (lesson, verdict.cause)
            for lesson, one in of.items()
            for verdict in one.verdicts
            if verdict.status == Status.FAILED
        }
        for id, (lesson, cause) in wrong.items():
            exercise = asked[lesson].get(id)
            if isinstance(exercise, Recall) and exercise.about in wrong:
                first = wrong[exercise.about][0]
                title = asked[first][exercise.about].title
                back[f"{title}: wrong at first, and the same slip missed later"][student] |= {first, lesson}
            elif (lesson, cause) in sentences:
                back[cause][student].add(lesson)
    found = []
    for what, whose in back.items():
        twice = {student: where for student, where in whose.items() if len(where) > 1}
        if twice:
            where = [lesson for lesson in order if any(lesson in each for each in twice.values())]
            said = sentences.get((where[0], what), what)
            ids = [student for student in names if student in twice]
            found.append(Again(said, where, sorted((names[id] for id in ids), key=natural), ids))
    return found
