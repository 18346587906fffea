"""Starting, watching and replacing workers, from the judge's side."""

import contextlib
import functools
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NoReturn

from autograder.child import sandbox, wire
from autograder.courses import ENGINE
from autograder.grading.cgroups import Group, Groups
from autograder.grading.clock import Times, claim_core, stalled
from autograder.limits import GRACE_SECONDS
from autograder.results import Ended

# Wall time, since a worker that ends is noticed at once: only what hangs takes it, and no machine is so busy.
START_SECONDS = 1800
ANSWER_SECONDS = 120.0  # in which a worker that still runs answers
FEW = 10  # submissions after which it pays that a worker gets ready for many: about a second
SENDER = struct.Struct("3i")  # what the kernel says of who sent something: process, user, group
# What of the engine a worker may see.
CHILD, LIMITS = Path(sandbox.__file__).parent, ENGINE / "autograder" / "limits.py"
FACE = ENGINE / "headstart"  # from which a lesson may import `check`: nothing but names


def _change(step: Callable[["Worker"], None]) -> Callable[["Worker"], None]:
    """A step in which no signal may end this process: a folder that was just made would stay."""

    @functools.wraps(step)
    def changing(worker: "Worker") -> None:
        before, worker.changing = worker.changing, True
        try:
            step(worker)
        finally:
            worker.changing = before

    return changing


@dataclass
class Worker:
    """A warm process for one lesson. Not shared between threads: each takes its own.

    Attributes:
        helpers: the files of helpers that the lesson's students have, by the path that they get.
        given: what students have beside the notebook, such as `checks.json`, by relative path.
        hide: folders that student code must not see, wherever they lie.
        sandboxed: False runs student code with the user's own rights.
        foreign: whether student code gets to see neither helpers nor any module of ours.
        groups: what bounds it together with other workers, where there is such a thing.
        late: whether the lesson's cells need what torch imports late, by `import_late` in the worker.
        packages: modules that it imports before the first submission.
        few: submissions after which it gets ready for many more, unless it was told before.
        changing: whether it is getting or losing its process and its folder, which nobody else knows of.
    """

    helpers: Mapping[str, Path]
    given: dict[str, bytes] = field(default_factory=dict)
    hide: tuple[Path, ...] = ()
    sandboxed: bool = True
    foreign: bool = False
    groups: Groups | None = None
    late: bool = False
    packages: tuple[str, ...] = ("matplotlib.pyplot", "torch")
    few: int = FEW
    changing: bool = field(default=False, init=False, repr=False)
    _process: subprocess.Popen | None = field(default=None, init=False, repr=False)
    _control: socket.socket | None = field(default=None, init=False, repr=False)
    _stage: tempfile.TemporaryDirectory | None = field(default=None, init=False, repr=False)
    _folders: str | None = field(default=None, init=False, repr=False)  # for children's, without a sandbox
    _warm: bool = field(default=False, init=False, repr=False)
    _many: bool = field(default=False, init=False, repr=False)  # whether it got ready for many
    _ended: dict = field(default_factory=dict, init=False, repr=False)
    _core: tuple[int, socket.socket] | None = field(default=None, init=False, repr=False)
    _begun: int = field(default=0, init=False, repr=False)
    _stalled: float | None = field(default=None, init=False, repr=False)  # `stalled()` at a child's start
    _group: Group | None = field(default=None, init=False, repr=False)

    def start(self) -> None:
        """Have a process that runs and is warm. Does nothing where there is one.

        Raises:
            RuntimeError: it doesn't start; the message holds what it printed.
        """
        if self._warm and self._runs():
            return
        if self._warm or not self._control or not self._is_warm():
            self.launch()
            if not self._is_warm():
                self._give_up()
        self._core, self._begun, self._warm = claim_core(), 0, True

    def _is_warm(self) -> bool:
        """Wait until its process is; False if that ends before."""
        control = self._control
        assert control, "it has been launched"
        try:
            if not self._process and self.groups and (group := self.groups.add()):
                self._group = group
                group.take_in(_sender(control))  # a twin is born in the other's
            wire.receive(control, seconds=START_SECONDS)
        except (wire.WireError, OSError):
            return False
        return True

    def _runs(self) -> bool:
        """Whether its process is there: a twin's shows that by not hanging up."""
        if self._process or not self._control:
            return self._process is not None and self._process.poll() is None
        self._control.setblocking(False)
        try:
            return self._control.recv(1, socket.MSG_PEEK) != b""
        except OSError as error:
            return isinstance(error, BlockingIOError)

    @_change
    def launch(self) -> None:
        """Start the process, and don't wait for it."""
        self.stop()
        self._stage = tempfile.TemporaryDirectory(prefix="headstart-", ignore_cleanup_errors=True)
        self._folders = self._stage.name
        stage = Path(self._stage.name)
        self._fill(stage)
        ours, theirs = socket.socketpair()
        argv = [sys.executable, "-m", "autograder.child.worker", str(theirs.fileno())]
        if self.sandboxed:
            argv, environment, cwd = sandbox.command(stage, [*argv, "sandboxed"], self.hide), None, None
        else:
            (stage / "home").mkdir()
            argv, environment = [*argv, "open"], sandbox.environment(str(stage), str(stage / "home"))
            cwd = stage
        if self.groups and (group := self.groups.add()):
            self._group, argv = group, group.enter(argv)
        with open(stage / "log", "wb") as log:
            self._process = subprocess.Popen(
                argv,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                # defence: worker: no descriptors of the grader's
                pass_fds=[theirs.fileno()],
                env=environment,
                cwd=cwd,
            )
        theirs.close()
        self._control = ours

    def _give_up(self) -> NoReturn:
        said = ""
        if self._process and self._stage:
            self._process.kill()
            self._process.wait()
            said = Path(self._stage.name, "log").read_text(errors="replace").strip()[-2000:]
        self.stop()
        raise RuntimeError(f"the worker doesn't start: {said or 'it printed nothing'}") from None

    def get_ready(self) -> None:
        """Have its process get ready for many submissions, once it is warm. Its answer isn't waited for."""
        assert self._control, "it has been launched"
        wire.send(self._control, {"many": True, "late": self.late}, seconds=START_SECONDS)
        self._many = True

    def twin(self) -> "Worker":
        """A worker that is forked from this one once that is warm, so that nothing is imported twice.

        Not waited for: `start` does that, in whatever process. If there is no twin, that launches another.
        """
        assert self._control, "it has been launched"
        twin = replace(self)
        twin._folders, twin._many = self._folders, self._many
        twin._control, theirs = socket.socketpair()
        if self.groups:
            twin._control.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        with theirs:
            wire.send(self._control, {"twin": True}, seconds=START_SECONDS)
            socket.send_fds(self._control, [b"."], [theirs.fileno()])
        return twin

    def leave(self) -> None:
        """Leave a twin to a process that was forked with it: while others have its channel, it can't end."""
        if self._control:
            self._control.close()

    def _fill(self, stage: Path) -> None:
        no_caches = shutil.ignore_patterns("__pycache__")
        # defence: worker: nothing of the engine but the child's
        shutil.copytree(CHILD, stage / "autograder" / CHILD.name, ignore=no_caches)
        (stage / "autograder" / "__init__.py").touch()
        shutil.copy(LIMITS, stage / "autograder")
        shutil.copytree(FACE, stage / FACE.name, ignore=no_caches)
        for name, path in self.helpers.items():
            target = stage / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target)
        for name, content in self.given.items():
            (stage / "given" / name).parent.mkdir(parents=True, exist_ok=True)
            (stage / "given" / name).write_bytes(content)
        (stage / "packages").write_text("\n".join(self.packages))
        (stage / "matplotlib").mkdir()
        try:
            import matplotlib  # here: most commands start no worker
        except ImportError:  # no lesson of this course draws
            return
        for cache in Path(matplotlib.get_cachedir()).glob("fontlist-*.json"):  # seconds, if made anew
            shutil.copy(cache, stage / "matplotlib")

    def begin(self, files: dict[str, bytes] | None = None) -> socket.socket:
        """Fork a child for one submission.

        Args:
            files: what the student handed in beside the notebook, written into the child's folder.

        Returns:
            The channel to the child. The caller closes it, then calls `end`.
        """
        self.start()
        control = self._control
        assert control, "a worker that has started has one"
        ours, theirs = socket.socketpair()
        folder = tempfile.mkdtemp(dir=self._folders) if not self.sandboxed else ""
        # defence: worker: what is handed in doesn't pass through it
        request = {"folder": folder, "foreign": self.foreign, "core": self._core and self._core[0]}
        # To the child itself: what passes through the worker, a later child could find in its memory.
        handed_in = {name: content.hex() for name, content in (files or {}).items()}
        self._begun, self._stalled = self._begun + 1, stalled()
        with theirs:
            if self._begun > self.few and not self._many:
                self.get_ready()
                wire.receive(control, seconds=START_SECONDS)
            wire.send(control, request, seconds=START_SECONDS)
            try:
                socket.send_fds(control, [b"."], [theirs.fileno()])
            except OSError as error:
                raise wire.WireError(f"the worker is gone: {error}") from None
        wire.send(ours, {"files": handed_in}, seconds=START_SECONDS)
        return ours

    def interrupt(self) -> None:
        """Send the child what Ctrl-C would, and wait until it has got it.

        Raises:
            WireError: the worker doesn't answer.
        """
        self._ask("interrupt")

    def times(self) -> Times:
        """The times of the child so far.

        Raises:
            WireError: the worker doesn't answer.
        """
        answer, now = self._ask("none"), stalled()
        others = answer["others_queued"]
        known = others is not None and now is not None and self._stalled is not None
        held = others + now - self._stalled if known else None
        return Times(answer["used"], answer["queued"], held)

    def _ask(self, signal: str) -> dict[str, Any]:
        if self._control is None:
            raise wire.WireError("the worker didn't start")
        wire.send(self._control, {"signal": signal}, seconds=ANSWER_SECONDS)
        answer = wire.receive(self._control, seconds=ANSWER_SECONDS)
        if "ended" in answer:  # the child, meanwhile
            self._ended = answer
            raise wire.WireError("the child has ended")
        return answer

    def end(self) -> Ended:
        """Kill the child if it still runs, and say how it ended. A worker that doesn't answer is replaced."""
        if self._control is None:
            return Ended(failed="the worker didn't start")
        try:
            if not (answer := self._ended):
                wire.send(self._control, {"signal": "kill"}, seconds=ANSWER_SECONDS)
                answer = wire.receive(self._control, seconds=ANSWER_SECONDS)
            return Ended(**answer["ended"], out_of_memory=bool(self._group and self._group.ran_out()))
        # defence: worker: one that is silent is replaced
        except (wire.WireError, KeyError, TypeError):
            self.stop()
            return Ended(failed="the worker stopped answering and was replaced")
        finally:
            self._ended = {}

    @_change
    def stop(self) -> None:
        """End the process and all that it started: by hanging up, or if it doesn't hear that, by force."""
        # Taken out first: an exception may end this at any moment, and what called it stop it once more.
        control, process, stage, core = self._control, self._process, self._stage, self._core
        group = self._group
        self._process = self._control = self._stage = self._core = self._group = None
        self._warm = self._many = False
        if core:
            core[1].close()
        if control:
            control.close()
        if process:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(GRACE_SECONDS)
            process.kill()
            process.wait()
        if group:
            group.remove()
        if stage:
            with contextlib.suppress(OSError):
                stage.cleanup()


def _sender(control: socket.socket) -> int:
    """The process, by its number here, that sends what arrives first; all of that is left to be received."""
    found = control.recvmsg(1, socket.CMSG_SPACE(SENDER.size), socket.MSG_PEEK)[1]
    control.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 0)
    if not found:
        raise OSError("it has ended")
    return SENDER.unpack(found[0][2])[0]
