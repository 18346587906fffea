"""A whole class: hands submissions out and writes results into the gradebook as they come, in one thread."""

from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, wait

from autograder.classroom.gradebook import Book
from autograder.grading.submission import Submission
from autograder.results import UNREADABLE, Graded, Verdict
from helpers.checking.finding import Status


def grade_all(
    book: Book, submissions: list[Submission], submit: Callable[..., Future], *, at_once: int,
    force: bool = False, progress: Callable[[Submission, Graded | None, str], None] = lambda *_: None,
) -> None:  # fmt: skip
    """Grade submissions and record each as it comes.

    Args:
        book: where results go.
        submissions: what to grade.
        submit: has a submission graded, as `Executor.submit` does.
        at_once: how many are graded at once; a few more are kept waiting, so that memory doesn't grow with
            the class.
        force: grade again what is recorded already.
        progress: told of each submission: its result, None where nothing had changed, and what went wrong
            with the grader itself, if something did.
    """
    recorded = {} if force else book.recorded()
    waiting = iter(submissions)
    running: dict[Future, Submission] = {}
    while True:
        while len(running) < 2 * at_once and (submission := next(waiting, None)):
            try:
                book.expect(submission.student)
                digest = recorded.get(submission.student, "")
                known = book.known(submission.student) if digest else {}
                # defence: digest: not run
                if any(map(_may_run, known.values())):
                    digest = ""
                there = all(book.path(submission.student, name).is_file() for name in book.pages)
                running[submit(submission, digest if there else "", known)] = submission
            except Exception as error:  # ours as well
                progress(submission, None, f"{type(error).__name__}: {error}")
        if not running:
            return
        done, _ = wait(running, return_when=FIRST_COMPLETED)
        for future in done:
            submission = running.pop(future)
            try:
                if graded := future.result():
                    book.record(graded)
            except Exception as error:  # ours, not the student's: say so, and go on with the others
                progress(submission, None, f"{type(error).__name__}: {error}")
                continue
            progress(submission, graded, "")


def _may_run(verdict: Verdict) -> bool:
    """Whether it was not run, and might be another time. What can't be read is the same each time."""
    return verdict.status == Status.NOT_RUN and verdict.cause != UNREADABLE
