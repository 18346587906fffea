"""Where what is raised is the point of a test: any other exception is a failed assertion, and not an error.

`python -m tests.long.defences` counts assertions alone.
"""

import contextlib
from collections.abc import Iterator

import pytest


@contextlib.contextmanager
def raises_only(
    kind: type[BaseException], match: str | None = None
) -> Iterator[pytest.ExceptionInfo[BaseException]]:
    """`pytest.raises`, for tests of code that may let nothing but one kind of exception out."""
    with nothing_else_raised(), pytest.raises(kind, match=match) as raised:
        yield raised


@contextlib.contextmanager
def nothing_else_raised() -> Iterator[None]:
    """For tests of code that may let no exception out, whatever it is given."""
    try:
        yield
    except AssertionError:
        raise
    except Exception as error:
        raise AssertionError(f"it let an exception out: {error!r}") from error
