"""A warm process that forks one child for each submission.

It imports what lessons import, and nothing secret: it is given one lesson's student helpers, and no
exercise, expected value or seed ever reaches it. The judge, in another process on the other side of the
wire, says which cell to run and asks for outcomes of cases; whatever comes back is a stranger's word.

    judge                      worker (no student code)          child (student code)
      | -- start, a channel ------> | -- fork, walls up -----------> |
      | -- run this cell ------------------------------------------> |
      | <--------------------------------------- ask: check() called |
      | -- cases --------------------------------------------------> |
      | <--------------------------------------------------- outcomes|
      | <------------------------------------------------ done, outputs
      | -- interrupt, kill --------> | -- signal ------------------> |
      | <-- what it has used         |
      | <-- ended: how, CPU, memory  |

With several judges, one worker imports all this, runs nothing, and forks one for each judge.

A fresh kernel spends its time on imports; here a submission costs one fork. Before it runs any student code,
the child enters namespaces of its own, as process 1 of a new PID namespace, drops all rights and installs the
filter of system calls. After 10 submissions, or before the first where more are coming, the worker imports
what many answers need and gathers its memory in large pages: for a few submissions, that takes longer than it
saves. It does so before the first, too, if the lesson's own cells need what torch imports late.
"""

import contextlib
import ctypes
import dataclasses
import functools
import gc
import importlib
import io
import json
import os
import select
import shutil
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn

from autograder.child import errors, output_files, outside, sandbox, wire
from autograder.child.interrupts import Interrupts
from autograder.child.shell import NotebookShell, Recorder, make_shell, run_cell, unshown
from autograder.child.times import Meter
from autograder.limits import COPIED_BYTES

# What lessons do, done once: it fills the caches of torch and IPython, loads what they load late, and reads
# /proc/cpuinfo, which children can't.
OF_TORCH = (
    "import math, torch",
    "x = torch.randn(8, 8, requires_grad=True)",
    "(torch.einsum('ij,kj->ik', x, x).softmax(-1) @ x).norm().backward()",
    "torch.autograd.functional.jacobian(lambda v: v * v, x.detach()[0])",
    "x.grad[0], x.detach()[:2, :2]",
    "print(x.shape)",
)
WARM_UP = ("print(1)", "1 / 0")


# What code finds that reads its command line: a kernel's.
KERNELS_ARGUMENTS = ["ipykernel_launcher.py", "-f", "kernel.json", "--HistoryManager.hist_file=:memory:"]
MADV_COLLAPSE, LARGE_PAGE = 25, 2 << 20
STAGE = Path(__file__).resolve().parents[2]  # where `workers.py` has put what a worker may see


def main(control_fd: int, sandboxed: bool) -> None:
    """Import, tell that it is warm, then fork a child for each request until the judge hangs up.

    A request names the child's folder, where no sandbox gives it one, and says if the lesson is `foreign`;
    the channel to the judge comes after it. `many` says that there have been some, so that more are likely.
    `twin` asks for a second worker; the channel to its judge comes after it.
    """
    if sandboxed:
        sandbox.own_namespaces()  # before torch, which leaves threads behind
    control = socket.socket(fileno=control_fd)
    interrupts = Interrupts()
    # defence: interrupts: from the fork on
    interrupts.listen()  # here: one that comes just after a fork would end a child that doesn't listen yet
    shell = _warm_up(sandboxed)
    wire.send(control, {"warm": True})
    with contextlib.suppress(wire.WireError):
        while True:
            request = wire.receive(control)
            if "folder" in request:  # and not a signal that crossed with the end of its child
                _start(control, shell, request, sandboxed, interrupts)
            elif "many" in request:
                _get_ready_for_many(late=request["late"])
                wire.send(control, {"many": True})
            elif "twin" in request:
                control = _twin(control)


def _twin(control: socket.socket) -> socket.socket:
    """Fork a worker for another judge, so that nothing is imported twice.

    Returns:
        The channel to its judge, in the twin and in this process.
    """
    _, fds, _, _ = socket.recv_fds(control, 1, 1)
    theirs = socket.socket(fileno=fds[0])
    if os.fork():
        theirs.close()
        return control
    control.close()
    wire.send(theirs, {"warm": True})
    return theirs


def _start(
    control: socket.socket, shell: NotebookShell, request: dict, sandboxed: bool, interrupts: Interrupts
) -> None:
    """Run one submission in a child, from its start to its end."""
    _, fds, _, _ = socket.recv_fds(control, 1, 1)
    report, write_end = os.pipe()
    with socket.socket(fileno=fds[0]) as channel:
        if (keeper := os.fork()) == 0:
            # defence: child: not the worker's channel
            control.close()
            # defence: child: not its keeper's pipe, to read
            os.close(report)
            student = functools.partial(_student, channel, write_end, shell, request, sandboxed, interrupts)
            _keep(student, write_end, sandboxed)
        os.close(write_end)
        _watch(control, report, keeper)


def _warm_up(sandboxed: bool) -> NotebookShell:
    gc.disable()  # until all is imported: what is imported stays, and is looked through again and again
    shutil.copytree(STAGE / "matplotlib", os.environ["MPLCONFIGDIR"])  # a list of fonts takes seconds to make
    # Imported once here, so that no submission pays for it.
    packages = (STAGE / "packages").read_text().split()
    for name in packages:
        importlib.import_module(name)
    has_torch = "torch" in packages
    if not has_torch:
        sys.modules["torch"] = None  # type: ignore[assignment]  # what needs it serves other courses
    for path in sorted((STAGE / "helpers").rglob("*.py")):
        module = ".".join(path.relative_to(STAGE).with_suffix("").parts).removesuffix(".__init__")
        with contextlib.suppress(*([] if has_torch else [ImportError])):
            importlib.import_module(module)
    if numpy := sys.modules.get("numpy"):
        numpy.random.get_state()  # imported once somebody asks for it, as each check does
    if not has_torch:
        del sys.modules["torch"]
    shell, recorder = make_shell()
    # defence: alike: programs
    outside.leave_out_programs(shell)
    if has_torch:
        _warm_up_torch()
    for cell in (*(OF_TORCH if has_torch else ()), *WARM_UP):
        run_cell(shell, recorder, cell)
    gc.freeze()  # reset() looks for garbage, through all that was imported
    shell.loop.close()
    shell.reset()
    shell.execution_count = 1
    _given()
    if sandboxed:
        sandbox.rehearse()
    gc.collect()
    gc.freeze()
    gc.enable()
    return shell


def _warm_up_torch() -> None:
    import torch

    from helpers.checking.calling import compiling, forbidding_torch

    # defence: alike: torch.compile
    outside.compile_eagerly()
    forbidding_torch.operators_by_word()
    compiling.functions_by_word()
    torch.set_num_threads(1)


def _get_ready_for_many(*, late: bool) -> None:
    """Do what makes each submission cheaper, and would cost a few of them more than it saves."""
    if torch := sys.modules.get("torch"):
        from helpers.checking.calling import compiling

        torch.ones(2, requires_grad=True).backward(torch.ones(2))  # for such gradients, it imports sympy
        if late:
            import_late()
        compiling.functions_by_word()  # of all that is imported by now
    gc.collect()
    gc.freeze()
    _use_large_pages()


def import_late() -> None:
    """Have torch import what vmap and layers on the meta device need: a thousand modules, most of a second.

    Each child of a lesson whose cells need them would otherwise do so by itself.
    """
    import torch

    torch.func.vmap(torch.func.grad(lambda v: v.softmax(-1).max()))(torch.eye(2))


def _use_large_pages() -> None:
    """Gather this process's memory in pages of 2 MiB: a fork copies the list of them, short then."""
    maps, libc = Path("/proc/self/maps"), ctypes.CDLL(None)
    for line in maps.read_text().splitlines() if maps.exists() else ():
        span, rights, *_, inode, name = [*line.split(), ""][:6]
        start, end = (int(edge, 16) for edge in span.split("-"))
        start, end = -(-start // LARGE_PAGE) * LARGE_PAGE, end // LARGE_PAGE * LARGE_PAGE
        if rights == "rw-p" and inode == "0" and name in ("", "[heap]") and start < end:
            # Linux before 6.1 refuses, and forks take longer there.
            libc.madvise(ctypes.c_void_p(start), ctypes.c_size_t(end - start), MADV_COLLAPSE)


def _keep(student: Callable[[], None], report: int, sandboxed: bool) -> NoReturn:
    """Fork a child, wait for it, say how it ended, and end.

    It is a process, since a process can ask only once for what it asks for: that its next child be process 1
    of a new namespace. A thread can ask too, but since Python 3.13, what a thread forks never hears a signal.
    """
    try:
        if sandboxed:
            sandbox.new_processes()
        pid = os.fork()
        if pid == 0:
            student()
        _say(report, pid=pid)
        _, code, usage = os.wait4(pid, 0)
        _say(
            report,
            signal=os.WTERMSIG(code) if os.WIFSIGNALED(code) else 0,
            cpu_seconds=usage.ru_utime + usage.ru_stime,
            peak_mb=usage.ru_maxrss / 1024,
        )
    except Exception as error:
        _say(report, failed=f"{type(error).__name__}: {error}")
    finally:
        os._exit(0)


def _say(report: int, **what: object) -> None:
    os.write(report, json.dumps(what).encode() + b"\n")


def _watch(control: socket.socket, report: int, keeper: int) -> None:
    """Pass the judge's signals on to the child, and the child's end to the judge."""
    said, asked = b"", list[str]()
    ended: dict[str, Any] = {}
    meter: Meter | None = None
    with os.fdopen(report, "rb", buffering=0) as pipe:
        while True:
            sources: list[socket.socket | io.FileIO] = [control, pipe]
            ready, _, _ = select.select(sources, [], [])
            if control in ready:
                try:
                    request = wire.receive(control)
                except wire.WireError:  # the judge is gone: without a sandbox its child would stay
                    request = {}
                asked.append(request.get("signal", "kill"))
            if pipe in ready:
                if not (part := pipe.read(4096)):
                    break
                *lines, said = (said + part).split(b"\n")
                for line in lines:
                    ended |= json.loads(line)
            if "pid" in ended:
                meter = meter or Meter(ended["pid"])
            while meter and asked:
                _do(asked.pop(0), meter, control)
    os.waitpid(keeper, 0)
    pid = ended.pop("pid", None)
    if pid and "signal" not in ended:  # the system ended the keeper, for want of memory say
        os.kill(pid, signal.SIGKILL)
    wire.send(control, {"ended": {**ended, "worker_seconds": sum(os.times()[:4])}})


SIGNALS = {"interrupt": signal.SIGINT, "kill": signal.SIGKILL}


def _do(what: str, child: Meter, control: socket.socket) -> None:
    """Send the child a signal, or none, and unless it is to end, say how long it has run, and queued to run.

    So the judge knows that a signal has arrived before it says anything else to the child.
    """
    times: dict[str, float | None] = {"used": 0.0, "queued": 0.0, "others_queued": None}
    with contextlib.suppress(OSError):  # it has ended
        if what in SIGNALS:
            os.kill(child.pid, SIGNALS[what])
        times = child.read()
    if what != "kill":
        with contextlib.suppress(wire.WireError):
            wire.send(control, times)


def _student(
    channel: socket.socket,
    report: int,
    shell: NotebookShell,
    request: dict,
    sandboxed: bool,
    interrupts: Interrupts,
) -> None:
    """The child: puts up the walls and runs cells as told, until told to end."""
    try:
        _get_ready(request, wire.receive(channel)["files"], sandboxed)
    except Exception as error:
        _say(report, failed=f"{type(error).__name__}: {error}")
        os._exit(1)
    # defence: child: not its keeper's pipe, to write
    os.close(report)
    try:  # from here on, nothing in this process is trusted
        _serve(channel, shell, interrupts, with_checks=not request["foreign"])
    finally:
        os._exit(0)  # no clean-up hook of a student's runs, and none of ours


def _get_ready(request: dict, files: dict[str, str], sandboxed: bool) -> None:
    """All that comes before a student's code: bounds, walls, the folder with its files."""
    # defence: child: a session of its own
    os.setsid()  # or the group that it could send a signal to would be the worker's
    # defence: child: bounds
    sandbox.bound_resources(sandboxed)
    # defence: child: one core
    if request["core"] is not None:
        os.sched_setaffinity(0, {request["core"]})
    if sandboxed:
        # defence: child: namespaces
        sandbox.enter_namespaces()
    nowhere = os.open(os.devnull, os.O_RDWR)
    for fd in range(3):
        # defence: child: not the worker's log
        os.dup2(nowhere, fd)
    folder = sandbox.WRITABLE if sandboxed else request["folder"]
    os.makedirs(folder, exist_ok=True)
    os.chdir(folder)
    _lay_out(files, copies=request["foreign"])
    if request["foreign"]:
        # defence: foreign: tests see that they are graded
        os.environ["NBGRADER_EXECUTION"] = "autograde"  # as nbgrader sets it: tests may ask
        # defence: child: no modules of ours in a foreign assignment
        _forget_ours()
    sys.path[:] = [place for place in sys.path if place not in ("", folder)]
    sys.path.insert(_first_packages(), "")
    sys.argv = KERNELS_ARGUMENTS.copy()
    if sandboxed:
        outside.refuse_processes()
        # defence: child: doors closed
        sandbox.close_doors()


def _first_packages() -> int:
    """Where a kernel has its folder on the path: behind the standard library, which it then can't hide."""
    names = [os.path.basename(place) for place in sys.path]
    return min([names.index(name) for name in ("site-packages", "dist-packages") if name in names], default=0)


def _lay_out(files: dict[str, str], *, copies: bool) -> None:
    """Fill the child's folder: what was given out, then the student's files, which replace nothing of it.

    Args:
        files: those that the student handed in.
        copies: whether code may write to what was given out, as it may under nbgrader, unless it is large.
    """
    given = dict(_given())
    for name, path in given.items():
        if "/" in name:
            os.makedirs(os.path.dirname(name), exist_ok=True)
        if copies and os.path.getsize(path) <= COPIED_BYTES:
            shutil.copyfile(path, name)
        else:
            os.symlink(path, name)
    for name, content in files.items():
        with contextlib.suppress(OSError):  # something given out stands in the way, or the folder is full
            Path(name).parent.mkdir(parents=True, exist_ok=True)
            # defence: child: what was given out stays
            if name not in given:
                Path(name).write_bytes(bytes.fromhex(content))


@functools.cache
def _given() -> list[tuple[str, str]]:
    """What was given out beside the notebook: names, and where they lie."""
    given = STAGE / "given"
    return [(str(p.relative_to(given)), str(p)) for p in sorted(given.rglob("*")) if p.is_file()]


def _forget_ours() -> None:
    """Leave no module of ours where an assignment of somebody else could find it under a name of its own."""
    ours = ("autograder", "headstart", "helpers")
    for name in [name for name in sys.modules if name.partition(".")[0] in ours]:
        del sys.modules[name]
    sys.path[:] = [place for place in sys.path if place and Path(place).resolve() != STAGE]


def _serve(
    channel: socket.socket, shell: NotebookShell, interrupts: Interrupts, *, with_checks: bool
) -> None:
    recorder, put_back, as_written = shell.recorder, None, errors.as_written(shell)
    if with_checks:
        from helpers import checks
        from helpers.checking.code import running

        running.watch(shell)
        setattr(checks, "check", _make_check(channel, recorder, interrupts))  # noqa: B010  (a function isn't to be assigned)
    else:
        put_back = errors.keeper(
            shell, recorder, shell.display_pub, shell.displayhook, shell.input_transformer_manager, shell.loop
        )
    folder = os.getcwd()
    before = {} if with_checks else output_files.state(folder)
    while True:
        message = wire.receive(channel)
        if "files" in message:
            found, left_out = output_files.changed(folder, before, **message)
            wire.send(channel, {"output_files": found, "left_out": left_out})
            continue
        if "run" not in message:
            return
        interrupts.forget()
        if put_back:
            # defence: foreign: what runs cells is put back
            put_back()
        # defence: foreign: tests run as written
        with as_written() if message.get("test") else contextlib.nullcontext():
            outputs = interrupts.run(functools.partial(run_cell, shell, recorder, message["run"]))
        if outputs is None:  # interrupted, or code of the student's says so: then it raised
            # defence: foreign: an interrupt of the student's own is an error
            outputs = [*recorder.outputs, unshown(KeyboardInterrupt())]
        wire.send(channel, {"done": outputs})


def _make_check(
    channel: socket.socket, recorder: Recorder, interrupts: Interrupts
) -> Callable[[str, object], None]:
    """The `check` of the grader: it decides nothing and shows nothing. The judge gets to see the answer."""
    from helpers.checking.code import running
    from helpers.checking.code.tracing import cells_so_far, not_made_anew

    def check(exercise: str, answer: object) -> None:
        name = str(exercise)[:200]
        # As in a notebook: an answer of before is none.
        # defence: alike: what a cell made before it failed
        if problem := not_made_anew(
            cells_so_far(), name, running.failures(), getattr(answer, "__name__", "")
        ):
            raise CellFailed(problem)

        def converse() -> None:
            wire.send(channel, {"ask": name})
            recorder.muted = True  # what an answer displays while it is judged, drivers apart, shows nowhere
            try:
                while (request := wire.receive(channel)) != {"cases": []}:
                    if request == {"anew": True}:  # a call that was interrupted is made again, with more time
                        interrupts.forget()
                        continue
                    wire.send(channel, {"outcomes": list(_outcomes(request, answer, interrupts))})
            finally:
                recorder.muted = False

        interrupts.keep_back(converse)

    return check


class CellFailed(Exception):
    """There is no answer to judge."""


def _outcomes(request: dict, answer: object, interrupts: Interrupts) -> Iterator[dict]:
    from helpers.checking.calling.drivers import run
    from helpers.checking.calling.forbidding import replaced
    from helpers.checking.calling.outcome import ENDS, CallStatus, Case, Outcome
    from helpers.checking.calling.surroundings import generators_kept

    forbidden = tuple(request["forbidden"])
    with replaced(forbidden), generators_kept():
        for case in request["cases"]:
            call = functools.partial(
                run,
                request["driver"],
                answer,
                Case.from_json(case),
                gradients=request["gradients"],
                forbidden=forbidden,
            )
            begun = time.process_time()
            outcome = interrupts.run(call) or Outcome(CallStatus.INTERRUPTED)
            if outcome.status == CallStatus.INTERRUPTED:
                outcome = dataclasses.replace(outcome, seconds=time.process_time() - begun)
            yield outcome.to_json()
            if outcome.status in ENDS:
                return


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2] == "sandboxed")
    os._exit(0)  # at once: there is nothing to clean up, and the judge waits
