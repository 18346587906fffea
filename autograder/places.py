"""Where grading runs: in threads of this machine, or on a Dask cluster."""

import contextlib
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor

from autograder.doctor import sandbox_problem
from autograder.grade import Grader
from autograder.lesson import installation

CONNECT_SECONDS = 20


@contextlib.contextmanager
def places(grader: Grader, workers: int, cluster: str | None) -> Iterator[tuple[Executor, object, int]]:
    """An executor, what stands for the grader there, and how many submissions it can grade at once.

    Args:
        grader: of the lesson.
        workers: how many at once on this machine; each is a process of its own that a thread drives.
        cluster: the address of a Dask scheduler instead, `tcp://HOST:PORT`.

    Raises:
        LookupError: there is no such cluster, or it can't be trusted to grade as this machine would.
    """
    if not cluster:
        with ThreadPoolExecutor(workers, thread_name_prefix="grade") as executor:
            yield executor, grader, workers
        return
    with _connected(cluster) as client:
        if not (threads := client.nthreads()):
            raise LookupError(f"{cluster} has no workers: start some with `dask worker {cluster}`")
        for address, problem in client.run(_unfit, installation(), grader.sandboxed).items():
            if problem:
                raise LookupError(f"the worker {address} can't grade: {problem}")
        # Sent once, and kept by each worker with its warm processes; all have a copy, should one be lost.
        remote = client.scatter(grader, broadcast=True, hash=False)
        with client.get_executor(pure=False, retries=3) as executor:
            yield executor, remote, sum(threads.values())


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
