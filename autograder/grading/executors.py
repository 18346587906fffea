"""Where grading runs: in processes on this machine, or on a Dask cluster.

Here each worker has a judge in a process of its own, forked from the grader. Workers are forked, too, from
one that gets warm while the grader imports: so a class waits for one process's imports. A judge reads a
submission, has it run, and sends back verdicts and the finished notebook as text. With judges in threads,
which wait for each other to run Python, two cores did 1.5 to 1.7 times the work of one; with processes they
do 1.9 times. Judges end with the grader, however it ends. One that is killed is replaced, and its submission
is graded again, once. A judge makes the hidden cases that a submission gets, which takes longer than judging
by them. So of those that wait, it takes one whose cases it has already, or else one whose cases no judge has
yet.
"""

import contextlib
import multiprocessing
import os
import queue
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection, wait
from typing import TYPE_CHECKING

from autograder.grading.cgroups import shared_limits
from autograder.grading.grader import Grader
from autograder.grading.handed_in import Submission
from autograder.grading.versions import RUNNING
from autograder.grading.workers import Worker
from autograder.programs import sandbox_problem
from autograder.results import Graded, Verdict

if TYPE_CHECKING:
    from distributed import Client

CONNECT_SECONDS = 60


@dataclass(frozen=True)
class Executor:
    """What grades submissions, several at once.

    Attributes:
        submit: takes a submission, the digest of what was graded last and its verdicts by exercise; answers
            with a future of what `Grader.grade` returns for them.
        number: how many submissions it grades at once.
    """

    submit: Callable[[Submission, str, dict[str, Verdict]], Future]
    number: int


def open_executor(grader: Grader, workers: int, cluster: str | None) -> AbstractContextManager[Executor]:
    """Open what grades a lesson's submissions, and leave nothing of it behind.

    Args:
        grader: of the lesson.
        workers: how many at once on this machine.
        cluster: the address of a Dask scheduler instead, `tcp://HOST:PORT`.

    Raises:
        LookupError: there is no such cluster, or it can't be trusted to grade as this machine would.
    """
    return _cluster(grader, cluster) if cluster else _bounded(grader, workers)


# -- this machine ----------------------------------------------------------------------------------------


@contextlib.contextmanager
def _bounded(grader: Grader, number: int) -> Iterator[Executor]:
    """Processes, in cgroups where that can be."""
    limits = shared_limits(number) if grader.sandboxed else contextlib.nullcontext()
    with limits as grader.groups, _processes(grader, number) as executor:
        yield executor


@contextlib.contextmanager
def _processes(grader: Grader, number: int) -> Iterator[Executor]:
    """A judge in a process of its own for each worker: threads would wait for each other to run Python."""
    judges: list[_Judge] = []
    idle: queue.SimpleQueue[_Judge] = queue.SimpleQueue()
    waiting: list[_Waiting] = []
    closing, changing = False, threading.Lock()

    def start() -> _Judge:
        judges.append(judge := _Judge(grader))
        return judge

    def grade_next() -> None:
        judge = idle.get()
        try:
            with changing:
                task = _take(waiting, judge, judges)
            try:
                graded = judge.grade(*task.what)
            except JudgeEnded:
                if closing:
                    raise
                with changing:  # in turn: a judge forked meanwhile would hold this one's pipe open
                    dead, judge = judge, start()
                    judges.remove(dead)
                graded = judge.grade(*task.what)
            task.future.set_result(graded)
        except Exception as error:
            task.future.set_exception(error)
        finally:
            idle.put(judge)

    def submit(submission: Submission, *known: object) -> Future:
        task = _Waiting((submission, *known), grader.draw(submission))
        with changing:
            waiting.append(task)
        threads.submit(grade_next)
        return task.future

    threads = ThreadPoolExecutor(number)  # each waits for one judge
    try:
        grader.get_ready()
        for _ in range(number):  # now, while this process has no other threads
            idle.put(start())
        yield Executor(submit, number)
    finally:  # all is done, or it was interrupted
        closing = True
        threads.shutdown(wait=False, cancel_futures=True)
        for judge in judges:
            judge.process.terminate()
        for judge in judges:
            judge.stop()
        threads.shutdown()
        grader.close()


@dataclass(frozen=True)
class _Waiting:
    """A submission that waits for a judge: what `Grader.grade` takes, and the number of its hidden draw."""

    what: tuple
    draw: int
    future: Future = field(default_factory=Future)


def _take(waiting: list[_Waiting], judge: "_Judge", judges: list["_Judge"]) -> _Waiting:
    """Take what a judge is to grade next: what needs no cases made, or else no cases made twice."""
    made = {draw for each in judges for draw in each.draws}
    task = min(waiting, key=lambda task: (task.draw not in judge.draws, task.draw in made))
    waiting.remove(task)
    judge.draws.add(task.draw)
    return task


class JudgeEnded(RuntimeError):
    """A judge's process was killed; what it had in hand was not graded."""


class _Judge:
    """A process that grades one submission after another, the pipe to it, and the draws that it has made."""

    def __init__(self, grader: Grader) -> None:
        # Forked, so that nothing is imported again, nor the lesson read.
        context = multiprocessing.get_context("fork")
        self.draws: set[int] = set()
        self.pipe, theirs = context.Pipe()
        twin = grader.first.twin() if grader.first else None
        self.process = context.Process(target=_serve, args=(theirs, grader, twin), daemon=True)
        self.process.start()
        theirs.close()  # so that the pipe ends with the judge, even in the middle of a result
        if twin:
            twin.leave()

    def grade(self, *what: object) -> Graded | None:
        """Have a submission graded there, by `Grader.grade`."""
        try:
            self.pipe.send(what)
            result, problem = self.pipe.recv()
        except (EOFError, OSError):
            raise JudgeEnded("its judge was killed; the next call grades it") from None
        if problem:
            raise RuntimeError(problem)
        return result

    def stop(self) -> None:
        """Have it end its worker, and itself."""
        while self.process.is_alive():  # again: a signal just before it falls asleep doesn't wake it
            self.process.terminate()
            self.process.join(0.1)


def _serve(pipe: Connection, grader: Grader, worker: Worker | None) -> None:
    """Be a judge, until told to end or until the process that started it is gone."""
    grader.employ(worker)
    main, parent = threading.get_ident(), multiprocessing.parent_process()
    assert parent is not None, "a judge is forked from a grader"
    first = iter([True])

    def end(*_: object) -> None:
        if any(worker.changing for worker in grader.workers):
            return  # whoever tells it so does it again, a moment later
        if next(first, False):  # and is let finish, if told so once more
            try:
                grader.close()
                if os.getppid() != parent.pid and grader.first:
                    grader.first.stop()  # nobody else removes its folder
            finally:
                os._exit(0)

    def end_with(parent: int, sentinel: int) -> None:
        while os.getppid() == parent:  # other judges hold the sentinel's other end, too
            wait([sentinel], 1)
        while True:  # in the main thread, which would go on meanwhile
            signal.pthread_kill(main, signal.SIGTERM)
            time.sleep(0.1)

    signal.signal(signal.SIGTERM, end)
    for number in (signal.SIGINT, signal.SIGHUP):  # a terminal sends these to all of its processes
        signal.signal(number, signal.SIG_IGN)
    threading.Thread(target=end_with, args=(parent.pid, parent.sentinel), daemon=True).start()
    with contextlib.suppress(EOFError, OSError):
        while True:
            what = pipe.recv()
            try:
                answer = grader.grade(*what), ""
            except Exception as error:
                answer = None, f"{type(error).__name__}: {error}"
            pipe.send(answer)
    end()


# -- a cluster -------------------------------------------------------------------------------------------


@contextlib.contextmanager
def _cluster(grader: Grader, address: str) -> Iterator[Executor]:
    """Dask's workers. Submissions are read here, and sent: no other machine has to see the course."""
    with _connected(address) as client:
        if not (threads := client.nthreads()):
            raise LookupError(f"{address} has no workers: start some with `dask worker {address}`")
        found = client.run(_unfit, RUNNING, grader.sandboxed, on_error="return")
        for worker, problem in found.items():  # an exception, where Headstart isn't there at all
            if problem:
                raise LookupError(f"the worker {worker} can't grade: {problem}")
        # Sent once, and kept by each worker with its warm processes; all have a copy, should one be lost.
        remote = client.scatter(grader, broadcast=True, hash=False)
        with client.get_executor(pure=False, retries=3) as executor:

            def submit(submission: Submission, known_digest: str, known: dict[str, Verdict]) -> Future:
                prepared = grader.prepare(submission)
                if prepared.digest != known_digest:
                    return executor.submit(Grader.run, remote, replace(prepared, known=known))
                same: Future = Future()
                same.set_result(None)
                return same

            try:
                yield Executor(submit, sum(threads.values()))
            except BaseException:
                executor.shutdown(wait=False)  # Dask's forgets what is queued or running
                raise


@contextlib.contextmanager
def _connected(address: str) -> Iterator["Client"]:
    try:
        from distributed import Client
    except ImportError:
        raise LookupError(
            "grading on a cluster needs Dask: `pip install --constraint requirements-test.txt distributed`"
        ) from None
    try:
        client = Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:  # the last where TLS has no certificate
        raise LookupError(f"no Dask scheduler answers at {address}: {error!s:.100}") from None
    with client:
        yield client


def _unfit(wanted: str, sandboxed: bool) -> str:
    """Why this process can't grade for another; empty if it can."""
    if wanted != RUNNING:
        return "it has another version of Headstart: install the same one on all machines"
    return (sandbox_problem() or "") if sandboxed else ""
