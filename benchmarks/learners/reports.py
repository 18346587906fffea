"""Reading the reports, and what the check says of each."""

import ast
import functools
import itertools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from autograder import exercises
from autograder.authoring.mutating import verified
from autograder.authoring.trials import checked, notebook
from autograder.sheets import one_thread
from benchmarks import strangers
from helpers.checking.explaining.causes import ONE_CHANGE
from helpers.checking.finding import Finding, Status

FOLDER = Path(__file__).parent
SECRET = b"what learners reported"
IMPORTS = "import math\nimport torch\nimport torch.nn.functional as F\nfrom torch import nn\n"
MARKER = re.compile(r'# %% exercise="(?P<exercise>[\w.]+)"(?P<kept> kept)?')
SOURCE = re.compile(r"# (?P<url>https?://\S+\w/?): (?P<fault>.+)")
READINGS = ("named", "true", "nothing", "misleading")
READ = re.compile(rf"# ({'|'.join(READINGS)}): (.+)")
VERDICTS = ("named", "true relation", "nothing", "misleading", "unread")
UNKNOWN = "None of the mistakes we know"  # how a message begins that names none


@dataclass(frozen=True)
class Report:
    """A bug that somebody reported, and the answer that its author would hand in.

    Attributes:
        exercise: the id.
        kept: whether nothing may be changed because of it.
        url: where it was reported.
        fault: what is wrong, in a sentence.
        named: the misconceptions that would be the truth.
        true, nothing, misleading: how messages begin that somebody read and found to be so.
        code: the answer; the last name that it binds is called.
        place: file and line.
    """

    exercise: str
    kept: bool
    url: str
    fault: str
    named: tuple[str, ...]
    true: tuple[str, ...]
    nothing: tuple[str, ...]
    misleading: tuple[str, ...]
    code: str
    place: str


@dataclass(frozen=True)
class Judged:
    """What an answer gets: whether it is rejected, one of `VERDICTS`, and the message."""

    rejected: bool
    verdict: str
    finding: Finding


def reports(lesson: str) -> list[Report]:
    """A lesson's reports; none if it has no file.

    Raises:
        ValueError: a report isn't in the form that README.md describes.
    """
    path = FOLDER / f"{lesson}.py"
    if not path.is_file():
        return []
    lines = path.read_text(encoding="utf-8").split("\n")
    starts = [number for number, line in enumerate(lines) if line.startswith("# %%")]
    ends = [*starts[1:], len(lines)]
    return [_read(lines[a:b], f"{path.name}:{a + 1}") for a, b in zip(starts, ends, strict=True)]


def _read(lines: list[str], place: str) -> Report:
    marker, source = MARKER.fullmatch(lines[0]), SOURCE.fullmatch(lines[1])
    if not marker or not source:
        raise ValueError(f'{place}: begin with `# %% exercise="…"`, and `# https://…: the fault`')
    read = list(itertools.takewhile(bool, map(READ.fullmatch, lines[2:])))
    found = {name: [match[2].strip() for match in read if match and match[1] == name] for name in READINGS}
    return Report(
        exercise=marker["exercise"],
        kept=bool(marker["kept"]),
        url=source["url"],
        fault=source["fault"],
        named=tuple(name.strip() for text in found["named"] for name in text.split(",")),
        true=tuple(found["true"]),
        nothing=tuple(found["nothing"]),
        misleading=tuple(found["misleading"]),
        code="\n".join(lines[2 + len(read) :]).strip("\n") + "\n",
        place=place,
    )


def judged(report: Report) -> Judged:
    """What the check says of a report's answer, and whether the grader rejects it.

    It is rejected if it fails the cases that students see, or each of the hidden draws.
    """
    id = report.exercise
    with one_thread():
        answer = _answer(report)
        finding = checked(strangers.exercise(id), answer, strangers.visible(id))
        rejected = finding.status == Status.FAILED or not any(strangers.passes(id, answer, SECRET))
    return Judged(rejected, verdict(report, finding), finding)


def verdict(report: Report, finding: Finding) -> str:
    """How true the message is, as far as somebody has read it: one of `VERDICTS`.

    One change to a right answer names the fault as well as a known mistake does, if it is that change.
    """
    if finding.cause in report.named:
        return "named"
    if not finding.meaning or finding.meaning.startswith((UNKNOWN, *report.nothing)):
        return "nothing"
    if finding.meaning.startswith(report.true):
        return "named" if finding.relation.startswith(ONE_CHANGE) else "true relation"
    return "misleading" if finding.meaning.startswith(report.misleading) else "unread"


def _answer(report: Report) -> Any:
    """What the code of a report defines, run where a student's would be."""
    names = dict(_names(report.exercise))
    torch.manual_seed(0)
    strangers.run(report.code, f"<{report.place}>", names)
    return names[bound(report.code)]


def bound(code: str) -> str:
    """The last name that code binds at its top level."""
    last = ast.parse(code).body[-1]
    if isinstance(last, ast.FunctionDef | ast.ClassDef):
        return last.name
    if isinstance(last, ast.Assign) and isinstance(last.targets[0], ast.Name):
        return last.targets[0].id
    raise ValueError("a report's code ends with its answer: a function, a class or an assignment")


@functools.cache
def _names(id: str) -> Mapping[str, Any]:
    """What an answer finds in its notebook: imports, what the lesson defines, other answers."""
    exercise = strangers.exercise(id)
    given = IMPORTS + verified.given(exercise.topic).code
    return {**notebook(exercise, given, exercises.load), "__name__": "learner"}
