"""A gradebook in SQLite that another program has locked is waited for, and a sentence says so.

From its import on, this module sees to that in the whole process, so for what nbgrader does as well. SQLite
refuses what needs the lock and does nothing of it, so it can be asked again, for a commit as well. A server,
such as JupyterLab's with formgrader in it, gets the error as before, since others wait for it meanwhile.
"""

import asyncio
import sqlite3
import sys
import time
from collections.abc import Callable
from typing import Any

from sqlalchemy import Dialect, Engine, event

SECONDS = 2.0  # of SQLite's own patience, before anything is said
PAUSE = 0.05  # where it has none, since the other program waits for us
WAITING = "headstart: the gradebook is in use by another program; waiting until it is free"


class _Cursor(sqlite3.Cursor):
    def execute(self, *what: Any) -> "_Cursor":
        return _when_free(super().execute, *what)

    def executemany(self, *what: Any) -> "_Cursor":
        return _when_free(super().executemany, *what)


class _Connection(sqlite3.Connection):
    def cursor(self, *_: Any) -> _Cursor:  # type: ignore[override]
        return super().cursor(_Cursor)

    def commit(self) -> None:
        _when_free(super().commit)


def _when_free(call: Callable, *what: Any) -> Any:
    said = False
    while True:
        try:
            return call(*what)
        except sqlite3.OperationalError as error:
            if getattr(error, "sqlite_errorcode", None) != sqlite3.SQLITE_BUSY or _serves():
                raise
            if not said:
                print(WAITING, file=sys.stderr, flush=True)
            said = True
            time.sleep(PAUSE)


def _serves() -> bool:
    """Whether this is a call in a server."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


@event.listens_for(Engine, "do_connect")
def _connect(dialect: Dialect, _record: object, _arguments: object, options: dict[str, Any]) -> None:
    """Have SQLAlchemy connect as it would, but patiently."""
    if dialect.name == "sqlite" and dialect.driver == "pysqlite":
        options.setdefault("factory", _Connection)
        options.setdefault("timeout", SECONDS)
