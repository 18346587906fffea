"""Tasks that courses share, with right and wrong answers, as the files in tasks/ have them."""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

FOLDER = Path(__file__).parent / "tasks"
PRELUDE = "import math\nimport torch\nimport torch.nn.functional as F\nfrom torch import nn\n"
RTOL, ATOL = 1e-4, 1e-5


@dataclass(frozen=True)
class Answer:
    """One answer to a task.

    Attributes:
        name: the answer's own, below its task's.
        about: the idiom of a right answer, the fault of a wrong one.
        code: what somebody would hand in; it defines a function called like the task.
        right: whether it is.
        seen: where somebody reported such a fault, or "".
        needs: the part of the task that the fault is about, or "": a course that doesn't ask for that part
            can't be blamed for accepting it.
    """

    name: str
    about: str
    code: str
    right: bool
    seen: str = ""
    needs: str = ""


@dataclass(frozen=True)
class Task:
    """A task: its name, what it promises, its answers, and code that defines `truth` and `inputs`."""

    name: str
    says: str
    truth: str
    inputs: str
    answers: tuple[Answer, ...]


def tasks() -> list[Task]:
    """All tasks, by name.

    Raises:
        ValueError: a change doesn't fit exactly one place of exactly one right answer.
    """
    return [_read(path) for path in sorted(FOLDER.glob("*.toml"))]


def _read(path: Path) -> Task:
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    right = [Answer(name, each["idiom"], each["code"], True) for name, each in data["right"].items()]
    wrong = [_wrong(name, each, right, path) for name, each in data["wrong"].items()]
    return Task(path.stem, data["says"], data["truth"], data["inputs"], (*right, *wrong))


def _wrong(name: str, each: Mapping[str, Any], right: list[Answer], path: Path) -> Answer:
    """A wrong answer: code of its own, or a right answer in which some texts have become others."""
    code = each.get("code") or changed(
        each["change"], [answer.code for answer in right], f"{path.name}: {name}"
    )
    return Answer(name, each["fault"], code, False, each.get("seen", ""), each.get("needs", ""))


def changed(change: list[str], codes: list[str], where: str) -> str:
    """The code that has the old texts, each at one place, with the new ones instead."""
    pairs = list(zip(change[::2], change[1::2], strict=True))
    found = [code for code in codes if all(old in code for old, _ in pairs)]
    if len(found) != 1 or any(found[0].count(old) != 1 for old, _ in pairs):
        raise ValueError(f"{where}: the change doesn't fit one place of one right answer")
    for old, new in pairs:
        found[0] = found[0].replace(old, new)
    return found[0]


def defined(code: str, name: str) -> Any:
    """What the code calls so, run beside the imports that every answer has."""
    names: dict[str, Any] = {"__name__": "answer"}
    exec(PRELUDE + code, names)
    return names[name]


def outcomes(task: Task, code: str, name: str) -> Iterator[Any]:
    """What an answer gives for each of the task's inputs, or the exception it raises."""
    torch.manual_seed(0)
    for inputs in list(defined(task.inputs, "inputs")()):
        try:
            yield defined(code, name)(*inputs)
        except Exception as error:
            yield error


def same(given: Any, expected: Any) -> bool:
    """Whether two outcomes are the same up to rounding: their kinds, shapes and numbers."""
    if isinstance(expected, torch.Tensor):
        if not isinstance(given, torch.Tensor) or given.shape != expected.shape:
            return False
        if given.is_floating_point() != expected.is_floating_point():
            return False
        return torch.allclose(given.double(), expected.double(), rtol=RTOL, atol=ATOL)
    if isinstance(expected, tuple | list):
        return (
            isinstance(given, tuple | list)
            and len(given) == len(expected)
            and all(map(same, given, expected))
        )
    if isinstance(expected, float):
        return isinstance(given, float | int | torch.Tensor) and same(
            torch.as_tensor(float(given)), torch.as_tensor(expected)
        )
    return type(given) is type(expected) and given == expected
