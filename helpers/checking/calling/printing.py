"""What an answer prints while it is called: kept, so that it can be shown once and after what was found.

The finding shows what was printed in one case, folded: the case that failed, else the first that printed
anything. Figures are closed, and named.

Methods of the streams are replaced, and not the streams. So a logger or a progress bar that holds a stream is
heard, too, and who keeps one for later, such as a debugger, writes to where it always did.
"""

import builtins
import contextlib
import functools
import os
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

from helpers.checking.limits import KEPT

HALF = KEPT // 2


class Printed:
    """What was printed, as far as it is kept."""

    def __init__(self) -> None:
        self.is_kept = True
        self.clear()

    def clear(self) -> None:
        self._begin = self._end = ""
        self._left_out = 0

    def add(self, text: str) -> None:
        room = HALF - len(self._begin)
        self._begin, rest = self._begin + text[:room], text[room:]
        end = (self._end + rest[-HALF:])[-HALF:]
        self._left_out += len(self._end) + len(rest) - len(end)
        self._end = end

    def __str__(self) -> str:
        cut = f"\n… {self._left_out:,} characters left out …\n" if self._left_out else ""
        return f"{self._begin}{cut}{self._end}"


@contextlib.contextmanager
def captured() -> Iterator[Printed]:
    """Keep what this block prints, warns, logs or displays, and the names of the figures that it draws.

    That goes for this thread and those that it starts; others, such as a training in the background, print as
    before. When the block asks for input, as a debugger does, it is let through from there on, with what was
    kept: nobody could answer what they can't see. What C code and other programs print isn't kept.
    """
    printed, process = Printed(), os.getpid()
    others = {thread.ident for thread in threading.enumerate()} - {threading.get_ident()}
    stdout, figures = sys.stdout, _figures()
    original_write = getattr(stdout, "write", None)

    def ours() -> bool:
        return printed.is_kept and threading.get_ident() not in others and os.getpid() == process

    def write(original: Callable, text: Any) -> Any:
        if not ours() or not isinstance(text, str):
            return original(text)
        printed.add(text)
        return len(text)

    def publish(original: Callable, data: Any, *args: Any, **kwargs: Any) -> Any:
        if not ours():
            return original(data, *args, **kwargs)
        if not kwargs.get("update"):
            printed.add(f"{data.get('text/plain', '')}\n")

    def clear_output(original: Callable, *args: Any, **kwargs: Any) -> Any:
        return printed.clear() if ours() else original(*args, **kwargs)

    def ask(original: Callable, *args: Any, **kwargs: Any) -> Any:
        if ours():
            printed.is_kept = False
            if original_write:
                original_write(str(printed))
            printed.clear()
        return original(*args, **kwargs)

    with contextlib.ExitStack() as stack:
        for stream in [stdout, sys.stderr][: 1 if stdout is sys.stderr else 2]:
            _replace(stack, stream, "write", write)
        if publisher := _publisher():
            _replace(stack, publisher, "publish", publish)
            _replace(stack, publisher, "clear_output", clear_output)
        _replace(stack, builtins, "input", ask)
        try:
            yield printed
        finally:
            _close(_figures() - figures, printed)
            printed.is_kept = False  # whoever still has one of these methods prints as ever


def _replace(stack: contextlib.ExitStack, owner: Any, name: str, substitute: Callable) -> None:
    """Have a method of an object do something else until the stack ends, where the object allows that."""
    with contextlib.suppress(AttributeError, TypeError):  # None, for one, which pythonw has for a stream
        original, own = getattr(owner, name), name in vars(owner)
        setattr(owner, name, functools.partial(substitute, original))
        stack.callback(_put_back, owner, name, original if own else None)


def _put_back(owner: Any, name: str, original: Callable | None) -> None:
    with contextlib.suppress(AttributeError):
        setattr(owner, name, original) if original else delattr(owner, name)


def _publisher() -> Any:
    """Where `display` goes in a notebook."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    return getattr(shell, "display_pub", None)


def _figures() -> set[int]:
    pyplot = sys.modules.get("matplotlib.pyplot")
    return {*pyplot.get_fignums()} if pyplot else set()


def _close(figures: set[int], printed: Printed) -> None:
    """Close figures, or a notebook would show them under the check, one for each call."""
    for number in sorted(figures) if printed.is_kept else ():
        printed.add(f"{sys.modules['matplotlib.pyplot'].figure(number)!r}\n")
        sys.modules["matplotlib.pyplot"].close(number)
