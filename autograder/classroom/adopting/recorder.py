"""What runs beside a notebook in the sandbox: notes the calls that its tests make. Sent there as text.

It stands below the text of `formats/literals.py`, from which it has `literal`, and imports nothing of ours.
"""

import contextlib
import functools
import io
import json
import signal
import sys
from typing import Any

LONGEST = 20_000  # characters of a value
MOST = 12  # calls of one function
SECONDS = 1.0  # of computing, for all tests of one mutant

calls: list[dict] = []
passing: list[list] = []
inside = [0]  # how deep in calls that are noted


def watch(names: dict, wanted: list[str], cell: int) -> None:
    """Note the calls of some functions until `unwatch`."""
    for name in wanted:
        if callable(names.get(name)) and not hasattr(names[name], "unwatched"):
            names[name] = noting(names[name], name, cell)


def unwatch(names: dict, wanted: list[str]) -> None:
    """Put the functions back."""
    for name in wanted:
        if name in names and hasattr(names[name], "unwatched"):
            names[name] = names[name].unwatched


def noting(function: Any, name: str, cell: int) -> Any:
    """A function that notes each call from outside: what went in, what came out."""

    @functools.wraps(function)
    def noted(*args: Any, **kwargs: Any) -> Any:
        if inside[0]:
            return function(*args, **kwargs)
        made = {"name": name, "cell": cell, "line": sys._getframe(1).f_lineno}
        made["args"], made["kwargs"] = said(list(args)), said(kwargs)
        calls.append(made)
        inside[0] += 1
        try:
            result = function(*args, **kwargs)
        except BaseException as error:
            made["raised"] = type(error).__name__
            raise
        finally:
            inside[0] -= 1
        made["result"], made["after"] = said(result), said(list(args))
        return result

    noted.unwatched = function  # type: ignore[attr-defined]
    return noted


def said(value: Any) -> dict:
    """A value as code, or why there is none."""
    try:
        text = literal(value)  # type: ignore[name-defined]  # noqa: F821
    except Exception as error:
        return {"no": str(error)[:100]}
    return {"code": text} if len(text) <= LONGEST else {"no": "value that is too large"}


def attempt(names: dict, function: str, number: int, code: str, tests: list[str]) -> None:
    """Run tests on a mutant: in a copy of the notebook's names, without what they print."""
    room = dict(names)

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            exec(code, room)
            for test in tests:
                exec(test, room)
        passing.append([function, number])
    except BaseException:  # it fails, as it should
        return
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def write(path: str) -> None:
    """Leave all that was noted in a file."""
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"calls": calls, "passing": passing}, file)
