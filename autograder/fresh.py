"""Answers as they were defined: what calls leave in a class or in a default is gone before the next sheet.

Wrong answers keep state where their students did: in a class attribute that all objects share, in a default
that is a list. Within one sheet it stays from case to case, as in a student's notebook.
"""

import contextlib
import copy
import inspect
from collections.abc import Callable, Iterator
from typing import Any


@contextlib.contextmanager
def as_defined(answer: Any) -> Iterator[None]:
    """Afterwards an answer is as before: its class's attributes, its functions' defaults and attributes.

    Args:
        answer: a function or class, or choices, which keep nothing.
    """
    kept = [*_kept(answer)]
    try:
        yield
    finally:
        for put_back in kept:
            put_back()


def _kept(answer: Any) -> Iterator[Callable[[], None]]:
    """What puts each piece back."""
    if inspect.isfunction(answer):
        yield _of_function(answer)
    elif isinstance(answer, type):
        for kind in answer.__mro__:
            if kind.__module__ == answer.__module__:  # and not Python's or a package's
                yield _of_class(kind)
                yield from (_of_function(each) for each in vars(kind).values() if inspect.isfunction(each))


def _of_function(function: Any) -> Callable[[], None]:
    defaults, keywords = _copied(function.__defaults__), _copied(function.__kwdefaults__)
    attributes = {name: _copied(value) for name, value in vars(function).items()}

    def put_back() -> None:
        function.__defaults__, function.__kwdefaults__ = defaults, keywords
        vars(function).clear()
        vars(function).update(attributes)

    return put_back


def _of_class(kind: type) -> Callable[[], None]:
    attributes = {name: _copied(value) for name, value in _data(kind).items()}

    def put_back() -> None:
        for name in _data(kind).keys() - attributes.keys():
            delattr(kind, name)
        for name, value in attributes.items():
            setattr(kind, name, value)

    return put_back


def _data(kind: type) -> dict[str, Any]:
    """A class's attributes but for its methods, and what Python keeps there."""
    return {
        name: value
        for name, value in vars(kind).items()
        if not name.startswith("__") and not hasattr(value, "__get__")
    }


def _copied(value: Any) -> Any:
    try:
        return copy.deepcopy(value)
    except Exception:  # a module, say, which no answer changes
        return value
