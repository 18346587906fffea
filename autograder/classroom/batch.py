"""A whole class: hands submissions out and writes results into the gradebook as they come, in one thread."""

from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, wait

from autograder.classroom.gradebook import Book
from autograder.grading.handed_in import Submission
from autograder.results import UNREADABLE, Graded, Verdict
from helpers.checking.finding import Status


def unchanged(book: Book, submissions: list[Submission], digest: Callable[[Submission], str]) -> set[str]:
    """The students whose submissions would be graded as they are recorded.

    Args:
        book: where results were recorded.
        submissions: what was handed in.
        digest: of all that decides a submission's grade, as `Grader.digest` gives it.
    """
    recorded = book.recorded()
    return {
        submission.student
        for submission in submissions
        if (before := _before(book, submission.student, recorded)[0]) and before == digest(submission)
    }


def grade_all(
    book: Book, submissions: list[Submission], submit: Callable[..., Future], *, at_once: int,
    force: bool = False, progress: Callable[[Submission, Graded | None, str], None] = lambda *_: None,
    record: Callable[[Submission, Graded], None] | None = None,
) -> None:  # fmt: skip
    """Grade submissions and record each as it comes.

    Args:
        book: where results go.
        submissions: what to grade.
        submit: has a submission graded, as `Executor.submit` does.
        at_once: how many are graded at once; a few more are kept waiting, to choose from, but not all, so
            that memory doesn't grow with the class.
        force: grade again what is recorded already.
        progress: told of each submission: its result, None where nothing had changed, and what went wrong
            with the grader itself, if something did.
        record: what is done with each result; if None, `book` records it.
    """
    recorded = {} if force else book.recorded()
    waiting = iter(submissions)
    running: dict[Future, Submission] = {}
    while True:
        while len(running) < 4 * at_once and (submission := next(waiting, None)):
            try:
                book.expect(submission.student)
                running[submit(submission, *_before(book, submission.student, recorded))] = submission
            except Exception as error:  # ours as well
                progress(submission, None, f"{type(error).__name__}: {error}")
        if not running:
            return
        done, _ = wait(running, return_when=FIRST_COMPLETED)
        for future in done:
            submission = running.pop(future)
            try:
                if graded := future.result():
                    record(submission, graded) if record else book.record(graded)
            except Exception as error:  # ours, not the student's: say so, and go on with the others
                progress(submission, None, f"{type(error).__name__}: {error}")
                continue
            progress(submission, graded, "")


def _before(book: Book, student: str, recorded: dict[str, str]) -> tuple[str, dict[str, Verdict]]:
    """What a submission was graded from last, "" where it is to be graded anyway, and its verdicts."""
    digest = recorded.get(student, "")
    known = book.known(student) if student in recorded else {}
    there = all(book.path(student, name).is_file() for name in book.pages)
    # defence: digest: not run
    return digest if there and not any(map(_may_run, known.values())) else "", known


def _may_run(verdict: Verdict) -> bool:
    """Whether it was not run, and might be another time: not what can't be read, or was tried twice."""
    return verdict.status == Status.NOT_RUN and verdict.cause != UNREADABLE and not verdict.again
