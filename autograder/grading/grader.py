"""Submissions -> workers -> verdicts -> gradebook.

A submission is graded by one function, `Grader.grade`, in a process of this machine or another (`places.py`);
the gradebook is written here, in one thread, as results come in.
"""

import contextlib
import hmac
import json
import os
import queue
import secrets
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field, fields, replace
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbgrader.coursedir import CourseDirectory
from traitlets.config import Config
from traitlets.config.loader import PyFileConfigLoader

from autograder import lessons
from autograder.exercise import Verdict
from autograder.grading.clean import clean_code, clean_words
from autograder.grading.gradebook import Book, Graded, Paper, read_time
from autograder.grading.judge import CELL_SECONDS, judge, not_run
from autograder.grading.lesson import Lesson, exercise_id, installation
from autograder.grading.plain import merge_plain
from autograder.grading.submission import Canonical, Submission, canonical, is_answer
from autograder.grading.workers import Ended, Worker
from autograder.sheets import HiddenSheets


@dataclass(frozen=True)
class Prepared:
    """A submission as read.

    Attributes:
        submission: where it lies.
        digest: of all that decides its grade.
        content: a digest of what was handed in alone, which decides the hidden cases it gets.
        forms: its notebooks in canonical form.
        known: verdicts of before, by exercise. Those that follow from the same stand.
    """

    submission: Submission
    digest: str
    content: str
    forms: dict[str, Canonical]
    known: dict[str, Verdict] = field(default_factory=dict)


@dataclass
class Grader:
    """Grades submissions of one lesson. Any number of threads may call `grade` at once.

    It can be sent to another process, which then starts workers of its own.
    """

    lesson: Lesson
    secret: bytes
    sandboxed: bool = True
    cell_seconds: float = CELL_SECONDS

    def __post_init__(self) -> None:
        self.workers: list[Worker] = []
        self._idle: queue.SimpleQueue[Worker] = queue.SimpleQueue()
        self._hidden = HiddenSheets(self.secret)

    def __getstate__(self) -> tuple[str, dict]:
        return installation(), {each.name: getattr(self, each.name) for each in fields(self)}

    def __setstate__(self, state: tuple[str, dict]) -> None:
        if state[0] != installation():  # a machine that joined a cluster later than the others
            raise RuntimeError("its Headstart is another version: install the same on all machines")
        self.__init__(**state[1])

    def __del__(self) -> None:
        if hasattr(self, "workers"):  # not where __setstate__ refused
            self.close()

    def grade(
        self, submission: Submission, known_digest: str = "", known: dict[str, Verdict] | None = None
    ) -> Graded | None:
        """Grade one submission.

        Args:
            submission: where it lies.
            known_digest: of what was graded last; equal to this one's, there is nothing to do.
            known: the verdicts it got, by exercise. Those that follow from the same stand.

        Returns:
            The result, or None if it would be the same as last time.
        """
        prepared = self.prepare(submission)
        return None if prepared.digest == known_digest else self.run(replace(prepared, known=known or {}))

    def prepare(self, submission: Submission) -> Prepared:
        """Read what was handed in. Nothing of a student's is run."""
        forms = {name: self._canonical(submission, name) for name in self.lesson.skeletons}
        content = self._digest(submission.student, *(form.digest for form in forms.values()))
        return Prepared(submission, self._digest(content, self.lesson.version), content, forms)

    def _digest(self, *parts: str) -> str:
        return hmac.new(self.secret, "/".join(parts).encode(errors="replace"), "sha256").hexdigest()

    def run(self, prepared: Prepared) -> Graded:
        """Run what was handed in, and judge it. It needs nothing but what it is given, on any machine."""
        papers, ended = [], Ended()
        for name, form in prepared.forms.items():
            paper, ended = self._paper(name, form, prepared)
            papers.append(paper)
        forms = prepared.forms.values()
        files = {name: content for form in forms for name, content in form.files.items()}
        files |= next(iter(forms)).records
        return Graded(prepared.submission.student, prepared.digest, tuple(papers), files, ended)

    def _canonical(self, submission: Submission, name: str) -> Canonical:
        lesson = self.lesson
        only = "" if len(lesson.skeletons) == 1 and name == submission.lesson else name
        return canonical(
            submission, lesson.skeletons[name], only, merge=merge_plain if lesson.plain else None
        )

    def _paper(self, name: str, form: Canonical, prepared: Prepared) -> tuple[Paper, Ended]:
        """Grade one notebook."""
        lesson, exercises = self.lesson, self.lesson.exercises_of(name)
        keys = {id: self._digest(prepared.content, version) for id, version in lesson.versions.items()}
        blank = frozenset(_blank(form.notebook, lesson.skeletons[name]))
        if form.problem:
            verdicts = {
                id: not_run(exercise, form.problem, "unreadable") for id, exercise in exercises.items()
            }
            notebook = _finish(form.notebook, name, lesson.plain, {}, verdicts, [form.problem, *form.notes])
            return Paper(name, json.dumps(notebook), tuple(verdicts.values()), blank, form.problem), Ended()
        kept = {id: verdict for id, verdict in prepared.known.items() if _stands(verdict, keys.get(id))}
        cells, sheets = lesson.cells(form.notebook, name), (lesson.visible, self._hidden)
        with self._worker() as worker:
            for _ in range(2):
                result = judge(
                    worker, cells, exercises, *sheets, prepared.content, form.files,
                    kept=kept, cell_seconds=self.cell_seconds,
                )  # fmt: skip
                if not result.ended.failed:  # if so, the worker's end, and no student's fault: once more
                    break
        if result.ended.failed and not result.outputs:
            raise RuntimeError(f"the sandbox doesn't start: {result.ended.failed}")
        remarks = [*form.notes, *([result.stopped] if result.stopped else [])]
        if (stamp := form.records.get("timestamp.txt", b"").strip()) and read_time(stamp) is None:
            remarks.append("timestamp.txt holds no time: the submission counts as in time")
        notebook = _finish(form.notebook, name, lesson.plain, result.outputs, result.verdicts, remarks)
        verdicts = tuple(replace(v, key=keys.get(id, "")) for id, v in result.verdicts.items())
        return Paper(name, json.dumps(notebook), verdicts, blank, "", tuple(remarks)), result.ended

    @contextlib.contextmanager
    def _worker(self) -> Iterator[Worker]:
        try:
            worker = self._idle.get_nowait()
        except queue.Empty:
            worker = self.lesson.new_worker(self.sandboxed)
            self.workers.append(worker)
        try:
            yield worker
        finally:
            self._idle.put(worker)

    def close(self) -> None:
        """End all workers."""
        for worker in self.workers:
            worker.stop()


def _stands(verdict: Verdict, key: str | None) -> bool:
    """Whether judging again would say the same. What didn't run may run another time."""
    return verdict.key == key and verdict.status != "not run"


def _blank(notebook: NotebookNode, skeleton: NotebookNode) -> Iterator[str]:
    released = {cell.id: cell.source.strip() for cell in skeleton.cells}
    for cell in notebook.cells:
        if is_answer(cell) and cell.source.strip() == released[cell.id]:
            yield cell.metadata.nbgrader.grade_id


def _finish(
    notebook: NotebookNode, name: str, plain: bool, outputs: dict, verdicts: dict, remarks: list[str]
) -> NotebookNode:
    """Write outputs and verdicts into a notebook, for formgrader and feedback."""
    number = 0
    for cell in notebook.cells:
        if cell.cell_type == "code" and cell.id in outputs:
            number += 1
            cell.execution_count = number
            cell.outputs = [nbformat.from_dict(output) for output in outputs[cell.id]]
        added = cell.metadata.get("headstart", {}).get("added")
        if added or is_answer(cell):
            (clean_words if cell.cell_type == "markdown" else clean_code)(cell)
        if added and cell.cell_type == "markdown":  # or it could look like a remark of ours
            cell.source = f"*A cell that the student added:*\n\n{cell.source}"
        if verdict := verdicts.get(exercise_id(cell, name, plain)):
            data = {"text/plain": verdict.message, "text/html": verdict.html}
            shown = nbformat.from_dict({"output_type": "display_data", "data": data, "metadata": {}})
            cell.outputs = [*cell.outputs, shown] if plain else [shown]
    if remarks:
        remarks = [" ".join(remark.split()) for remark in remarks]  # a file's name may have lines in it
        text = "**About this submission**\n\n" + "\n".join(f"- {line}" for line in remarks)
        notebook.cells.insert(0, nbformat.v4.new_markdown_cell(text, id="grading-remarks"))
        clean_words(notebook.cells[0])  # names of files and first lines of cells are in it
    return notebook


# -- a whole class ---------------------------------------------------------------------------------------


def course_directory(root: Path) -> tuple[CourseDirectory, Config]:
    """The course in a folder as nbgrader sees it, with the settings of its `nbgrader_config.py`, if any."""
    config = Config()
    for place in (root, lessons.ROOT):
        if (place / "nbgrader_config.py").is_file():
            config = PyFileConfigLoader("nbgrader_config.py", path=str(place)).load_config()
            break
    config.CourseDirectory.root = str(root)
    return CourseDirectory(config=config), config


def find_submissions(course: CourseDirectory, lesson: str, students: list[str]) -> list[Submission]:
    """The submissions of a lesson, by student. `students` narrows them down; none means all."""
    marker = "\0"
    pattern = course.format_path(course.submitted_directory, marker, lesson)
    before, _, after = pattern.partition(marker)
    base = Path(before)
    names = students or (sorted(p.name for p in base.iterdir() if p.name[0] != ".") if base.is_dir() else [])
    folders = [(name, Path(before + name + after)) for name in names]
    return [Submission(name, lesson, folder) for name, folder in folders if _handed_in(folder)]


def _handed_in(folder: Path) -> bool:
    """Whether there is something, be it a link to nowhere. What can't be looked at gets its reason later."""
    try:
        folder.lstat()
    except OSError as error:
        return isinstance(error, PermissionError)
    return True


def hidden_secret(course: CourseDirectory) -> bytes:
    """The course's secret, from which all hidden cases come. Made when first asked for; its owner's alone."""
    path = Path(course.root, ".headstart_secret")
    if not path.exists():
        temporary = path.with_name(f".headstart_secret.{os.getpid()}")
        with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(secrets.token_hex(32))
        with contextlib.suppress(FileExistsError):
            os.link(temporary, path)
        temporary.unlink()
    return path.read_text().strip().encode()


def grade_all(
    book: Book, submissions: list[Submission], submit: Callable[..., Future], *, at_once: int,
    force: bool = False, progress: Callable[[Submission, Graded | None, str], None] = lambda *_: None,
) -> None:  # fmt: skip
    """Grade submissions and record each as it comes.

    Args:
        book: where results go.
        submissions: what to grade.
        submit: has a submission graded, as `Place.submit` does.
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
                digest = recorded.get(submission.student, "")
                known = book.known(submission.student) if digest else {}
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
