"""What a cell asks of the world outside its process: other programs, packages, a compiler.

A submission has none of them. What a course's cells ask of them without need, such as `!pip install`, is left
out with a remark, so that what stands beside it counts; what they do need says why it can't be had.
"""

import os
import selectors
import subprocess
import sys
from collections.abc import Callable
from typing import Any, NoReturn

from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.text import SList

INSTALLERS = ("pip", "conda", "mamba", "micromamba", "uv")
PACKAGES = "it has the course's own packages, and no others."
PROGRAMS = "it starts no other programs."
NO_PROCESS = "grading starts no other programs or processes; the code has to do without"


def leave_out_programs(shell: InteractiveShell) -> None:
    """Let `!`, `%pip` and cells of other languages do nothing but say so."""

    def system(command: str) -> None:
        shell.user_ns["_exit_code"] = 0
        _remark(f"!{command}")

    def getoutput(command: str, split: bool = True, depth: int = 0) -> SList | str:
        _remark(f"!{command}")
        return SList() if split else ""

    for name, instead in {
        "system": system,
        "system_raw": system,
        "system_piped": system,
        "getoutput": getoutput,
    }.items():
        setattr(shell, name, instead)
    register = shell.magics_manager.register_function
    for name in INSTALLERS:
        register(_installing(name), "line", name)
    scripts = shell.magics_manager.registry["ScriptMagics"]
    scripts.shebang = lambda line, cell: _remark(f"%%{line}")
    register(lambda line, cell: _remark(f"%%script {line}"), "cell", "script")


def _installing(name: str) -> Callable[[str], None]:
    return lambda line: _remark(f"%{name} {line}")


def _remark(line: str) -> None:
    """Say that a line was left out."""
    words = line.lstrip("!%").split()
    installs = any(os.path.basename(word) in INSTALLERS for word in words)
    print(f"Grading left out `{line.strip()}`: {PACKAGES if installs else PROGRAMS}", file=sys.stderr)


def refuse_processes() -> None:
    """Let what starts a process say in a sentence what the filter of system calls would say by number.

    An event loop, which no filter need refuse, does without `epoll`.
    """
    for name in ("fork", "forkpty", "posix_spawn", "posix_spawnp", "system", "execv", "execve"):
        setattr(os, name, _refuse)
    for name, value in (("_fork_exec", _refuse), ("_USE_POSIX_SPAWN", False)):
        setattr(subprocess, name, value)
    setattr(selectors, "DefaultSelector", selectors.PollSelector)  # noqa: B010  (a class isn't to be assigned)


def _refuse(*_: Any, **__: Any) -> NoReturn:
    raise PermissionError(NO_PROCESS)


def compile_eagerly() -> None:
    """Let torch.compile give back what it is given: a compiler is another program, and changes no result."""
    import torch

    def compile(model: Any = None, **_: Any) -> Any:
        return (lambda function: function) if model is None else model

    for owner, instead in ((torch, compile), (torch.nn.Module, lambda self, *_, **__: None)):
        setattr(owner, "compile", instead)  # noqa: B010  (a function isn't to be assigned)
