"""What a class got right and wrong, as tables."""

import itertools
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from statistics import mean

from nbgrader.api import Student
from rich.console import Group
from rich.table import Table
from rich.text import Text

from autograder.exercise import Outline
from autograder.lessons import counted
from autograder.results import Verdict
from helpers.checking.finding import Status

Row = tuple[str, str, list[Verdict]]  # student, problem, verdicts
MOST = 10
REST = (Status.FAILED, Status.NOT_WRITTEN, Status.NOT_RUN)


def natural(text: str) -> list[str | int]:
    """A key that sorts names as people do: 2 before 10, whether in capitals, with accents, or not."""
    text = "".join(char for char in unicodedata.normalize("NFKD", text) if not unicodedata.combining(char))
    return [
        int(part) if number else part.casefold()
        for part, number in zip(re.split(r"(\d+)", text), itertools.cycle((False, True)))
    ]


def called(students: Iterable[Student]) -> dict[str, str]:
    """By id, how students are called; with the id where two are called the same. 2 comes before 10."""
    names = {
        str(one.id): ", ".join(filter(None, (one.last_name, one.first_name))) or str(one.id)
        for one in students
    }
    often = Counter(names.values())
    order = sorted(names, key=lambda id: (natural(names[id]), natural(id)))
    return {id: f"{names[id]} ({id})" if often[names[id]] > 1 else names[id] for id in order}


def summary(rows: Iterable[Row], exercises: Mapping[str, Outline]) -> Group:
    """The class in two tables: exercises by how many failed them, misconceptions by how many made them."""
    rows = list(rows)
    if not rows:
        return Group(Text("No submission has been graded."))
    scores = [sum(verdict.points for verdict in verdicts) for _, _, verdicts in rows]
    best = sum(exercise.points for exercise in exercises.values())
    spread = f"lowest {min(scores):g} · highest {max(scores):g}"
    heading = (
        f"{counted(len(rows), 'student')} · mean {mean(scores):.1f} of {best:g} points from checks · {spread}"
    )
    verdicts = [verdict for _, _, verdicts in rows for verdict in verdicts]
    parts: list[Text | Table] = [Text(heading, style="bold"), _exercises(verdicts, exercises)]
    if (misconceptions := _misconceptions(verdicts, exercises)).row_count:
        parts.append(misconceptions)
    if (rest := _unexplained(verdicts, exercises)).row_count:
        parts.append(rest)
    return Group(*parts)


def _exercises(verdicts: list[Verdict], exercises: Mapping[str, Outline]) -> Table:
    table = Table("Exercise", title="What failed most", title_justify="left")
    names = [Status.PASSED, *[Status.PARTLY] * any(v.status == Status.PARTLY for v in verdicts), *REST]
    for name in names:
        table.add_column(name, justify="right")
    counts = {id: Counter(v.status for v in verdicts if v.exercise == id) for id in exercises}
    for id in sorted(exercises, key=lambda id: counts[id][Status.PASSED]):
        numbers = [str(counts[id][name] or "·") for name in names]
        table.add_row(Text(exercises[id].title), *numbers)
    return table


def _misconceptions(verdicts: list[Verdict], exercises: Mapping[str, Outline]) -> Table:
    sentences = {
        (id, m.name): m.sentence for id, exercise in exercises.items() for m in exercise.misconceptions
    }
    found = Counter((v.exercise, v.cause) for v in verdicts if (v.exercise, v.cause) in sentences)
    title = f"Misconceptions recognised{_cut(len(found))}"
    table = Table("Exercise", "Misconception", title=title, title_justify="left")
    table.add_column("students", justify="right")
    for key, count in found.most_common(MOST):
        table.add_row(Text(exercises[key[0]].title), Text(sentences[key]), str(count))
    return table


KINDS = {  # of problems that no misconception explains, by a verdict's cause
    "": "A different answer is expected.",
    "type": "The result is of the wrong kind.",
    "structure": "The result has the wrong parts, or none.",
    "shape": "The result has the wrong shape.",
    "dtype": "The result has the wrong dtype.",
    "nan": "There is NaN in the result.",
    "value": "The values are wrong, as by no mistake that is known.",
    "raised": "It raises an exception.",
    "forbidden": "It uses what is forbidden.",
    "timeout": "It takes too long.",
    "unusable": "It can't be called as the exercise asks.",
    "needs": "An earlier answer is wrong.",
    "inputs_unchanged": "It changes its arguments.",
    "shares_nothing": "The result shares memory with the arguments.",
    "gradient_reaches_inputs": "Gradients don't arrive, or have wrong numbers.",
    "rows_sum_to_one": "Rows don't sum to 1.",
    "whole_numbers_in_int64": "Whole numbers aren't in int64.",
    "stays_small": "A tensor on the way is too large.",
}


def unexplained(verdicts: Iterable[Verdict], exercises: Mapping[str, Outline]) -> dict[str, list[Verdict]]:
    """The failed verdicts that no misconception explains, by exercise, those with most of them first."""
    known = {(id, m.name) for id, exercise in exercises.items() for m in exercise.misconceptions}
    found: dict[str, list[Verdict]] = {}
    failed = (
        v for v in verdicts if v.status == Status.FAILED and v.exercise in exercises
    )  # and none of before
    for verdict in failed:
        if (verdict.exercise, verdict.cause) not in known:
            found.setdefault(verdict.exercise, []).append(verdict)
    return dict(sorted(found.items(), key=lambda item: -len(item[1])))


def most_common(verdicts: list[Verdict]) -> str:
    """What is true of most of some verdicts' numbers, or else the kind of problem that most have."""
    relations = Counter(verdict.relation for verdict in verdicts if verdict.relation)
    kinds = Counter(KINDS.get(verdict.cause, verdict.cause.replace("_", " ")) for verdict in verdicts)
    [(said, count)] = (relations or kinds).most_common(1)
    return f"{said} ({count} of {len(verdicts)})"


def _unexplained(verdicts: list[Verdict], exercises: Mapping[str, Outline]) -> Table:
    all_found = unexplained(verdicts, exercises)
    title = f"Unexplained{_cut(len(all_found))}"
    table = Table("Exercise", "Most common", title=title, title_justify="left")
    table.add_column("students", justify="right")
    for id, found in list(all_found.items())[:MOST]:
        table.add_row(Text(exercises[id].title), Text(most_common(found)), str(len(found)))
    return table


def _cut(rows: int) -> str:
    """What a title says where its table hasn't all rows."""
    return f": the {MOST} most common of {rows}; the page of `headstart report` has all" * (rows > MOST)


def problems(named: Iterable[tuple[str, str]]) -> Table:
    """Submissions that need a look, each with its cause."""
    table = Table("Student", "What happened", title="Submissions to look at", title_justify="left")
    for student, text in named:
        # A file's name, for one, may hold what would steer the terminal.
        shown = ("".join(c if c.isprintable() else "�" for c in part) for part in (student, text))
        table.add_row(*map(Text, shown))
    return table
