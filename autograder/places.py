"""Where grading runs: in processes of this machine, or on a Dask cluster."""

import contextlib
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from multiprocessing.connection import wait

from autograder.doctor import sandbox_problem
from autograder.exercise import Verdict
from autograder.grade import Grader
from autograder.gradebook import Graded
from autograder.lesson import installation
from autograder.submission import Submission

CONNECT_SECONDS = 20


@dataclass(frozen=True)
class Place:
    """Somewhere to grade.

    Attributes:
        submit: takes a submission, the digest of what was graded last and its verdicts by exercise; answers
            with a future of what `Grader.grade` returns for them.
        number: how many submissions it grades at once.
    """

    submit: Callable[[Submission, str, dict[str, Verdict]], Future]
    number: int


@contextlib.contextmanager
def places(grader: Grader, workers: int, cluster: str | None) -> Iterator[Place]:
    """Open the place where a lesson's submissions are graded, and leave nothing of it behind.

    Args:
        grader: of the lesson.
        workers: how many at once on this machine.
        cluster: the address of a Dask scheduler instead, `tcp://HOST:PORT`.

    Raises:
        LookupError: there is no such cluster, or it can't be trusted to grade as this machine would.
    """
    with _cluster(grader, cluster) if cluster else _processes(grader, workers) as place:
        yield place


# -- this machine ----------------------------------------------------------------------------------------


@contextlib.contextmanager
def _processes(grader: Grader, number: int) -> Iterator[Place]:
    """A judge in a process of its own for each worker: threads would wait for each other to run Python."""

    def start() -> ProcessPoolExecutor:
        # Forked, so that nothing is imported again, nor the lesson read.
        context = multiprocessing.get_context("fork")
        pool = ProcessPoolExecutor(number, context, initializer=_begin, initargs=(grader,))
        pool.submit(os.getpid)  # forks them all, now that this process has no other threads
        return pool

    pool = start()

    def submit(*what: object) -> Future:
        nonlocal pool
        try:
            return pool.submit(_grade, *what)
        except BrokenProcessPool:  # one was killed; what was being graded is told to have failed
            pool = start()
            return pool.submit(_grade, *what)

    try:
        yield Place(submit, number)
    finally:  # all is done, or it was interrupted
        pool.shutdown(wait=False, cancel_futures=True)
        for judge in multiprocessing.active_children():
            judge.terminate()
        pool.shutdown()


_own: list[Grader] = []  # of this process, if it is a judge's


def _begin(grader: Grader) -> None:
    """Make this process a judge's, which ends when it is told to or when the process that started it does."""
    first = iter([True])

    def end(*_: object) -> None:
        if next(first, False):  # and is let finish, if told so once more
            try:
                grader.close()
            finally:
                os._exit(0)

    def end_with(parent: int) -> None:
        wait([parent])
        end()

    _own[:] = [grader]
    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to all of a terminal's processes
    parent = multiprocessing.parent_process().sentinel
    threading.Thread(target=end_with, args=(parent,), daemon=True).start()


def _grade(*what: object) -> Graded | None:
    return _own[0].grade(*what)


# -- a cluster -------------------------------------------------------------------------------------------


@contextlib.contextmanager
def _cluster(grader: Grader, address: str) -> Iterator[Place]:
    """Dask's workers. Submissions are read here, and sent: no other machine has to see the course."""
    with _connected(address) as client:
        if not (threads := client.nthreads()):
            raise LookupError(f"{address} has no workers: start some with `dask worker {address}`")
        for worker, problem in client.run(_unfit, installation(), grader.sandboxed).items():
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
                yield Place(submit, sum(threads.values()))
            except BaseException:
                executor.shutdown(wait=False, cancel_futures=True)
                raise


@contextlib.contextmanager
def _connected(address: str) -> Iterator[object]:
    try:
        from distributed import Client
    except ImportError:
        raise LookupError("grading on a cluster needs Dask: `pip install distributed`") from None
    try:
        client = Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        raise LookupError(f"no Dask scheduler answers at {address}: {error!s:.100}") from None
    with client:
        yield client


def _unfit(wanted: str, sandboxed: bool) -> str:
    """Why this process can't grade for another; empty if it can."""
    if installation() != wanted:
        return "its Headstart is another version: install the same on all machines"
    return (sandbox_problem() or "") if sandboxed else ""
