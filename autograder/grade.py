"""Submissions -> workers -> verdicts -> gradebook.

A submission is graded by one function, `Grader.grade`, which an executor runs wherever it likes; the
gradebook is written here, in one thread, as results come in.
"""

import contextlib
import hashlib
import hmac
import os
import queue
import secrets
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import ComputeChecksums
from traitlets.config import Config
from traitlets.config.loader import PyFileConfigLoader

from autograder import exercises as specs
from autograder import lessons
from autograder.clean import clean_words
from autograder.exercise import Exercise
from autograder.gradebook import Book, Graded
from autograder.judge import CELL_SECONDS, Cell, judge, not_run
from autograder.sheets import HiddenSheets
from autograder.stubs import ClearAnswers
from autograder.submission import Submission, canonical, is_answer
from autograder.workers import Worker
from helpers.checks import Sheet, load_sheet

ENGINE_VERSION = "1"  # raised when a change of the engine can change a grade


@dataclass(frozen=True)
class Lesson:
    """What grading one lesson takes.

    Attributes:
        name: such as `01_attention`.
        folder: its source folder, with the notebook and `checks.json`.
        skeleton: the released notebook, made from the source notebook: student copies prove nothing.
        exercises: its specifications by id.
        visible: its students' sheets by exercise.
        version: changes when anything does that can change a grade.
    """

    name: str
    folder: Path
    skeleton: NotebookNode
    exercises: dict[str, Exercise]
    visible: dict[str, Sheet]
    version: str

    @classmethod
    def load(cls, name: str, root: Path, config: Config) -> "Lesson":
        """Read a lesson from the course's `source/` folder.

        Raises:
            FileNotFoundError: it isn't built.
            LookupError: nothing specifies its exercises.
        """
        source = lessons.load_source_notebook(name, root)
        folder = lessons.source_path(name, root).parent
        found = specs.load(lessons.topic(name))
        wanted = [lessons.exercise_of(cell) for cell in source.cells if lessons.kind(cell) == "check"]
        if missing := [id for id in wanted if id not in found]:
            raise LookupError(f"{name} checks {missing[0]!r}, which autograder/exercises doesn't specify")
        digest = hashlib.sha256(ENGINE_VERSION.encode())
        helpers = sorted((lessons.ROOT / "helpers").glob("*.py"))
        for path in (lessons.source_path(name, root), folder / "checks.json", *_spec_files(name), *helpers):
            digest.update(path.read_bytes())
        skeleton = release(source, config)
        visible = {id: load_sheet(id, folder) for id in wanted}
        return cls(name, folder, skeleton, {id: found[id] for id in wanted}, visible, digest.hexdigest())

    def new_worker(self, sandboxed: bool) -> Worker:
        """A worker that shows student code what this lesson's students have, and nothing else."""
        helpers, hide = tuple(lessons.helper_files(self.name)), (self.folder.parents[1], lessons.ROOT)
        return Worker(helpers, self.folder / "checks.json", hide, sandboxed)

    def cells(self, notebook: NotebookNode) -> list[Cell]:
        """The cells of a canonical notebook that are to be run."""
        answers = {
            lessons.exercise_of(cell): Cell(cell.id, cell.source)
            for cell in notebook.cells
            if lessons.kind(cell) == "exercise"
        }
        return [
            Cell(cell.id, cell.source, exercise, answers.get(exercise))
            for cell in notebook.cells
            if cell.cell_type == "code" and lessons.kind(cell) != "draw"
            for exercise in [lessons.exercise_of(cell) if lessons.kind(cell) == "check" else ""]
        ]


def _spec_files(name: str) -> list[Path]:
    return sorted(Path(specs.__file__).parent.glob(f"{lessons.topic(name)}*.py"))


def release(source: NotebookNode, config: Config) -> NotebookNode:
    """A source notebook as students get it, with nbgrader's checksums, which tell an answer from a blank."""
    resources: dict = {}
    for step in (ClearAnswers(config=config), ComputeChecksums(config=config)):
        source, resources = step.preprocess(source, resources)
    return source


@dataclass
class Grader:
    """Grades submissions of one lesson. Any number of threads may call `grade` at once."""

    lesson: Lesson
    secret: bytes
    sandboxed: bool = True
    cell_seconds: float = CELL_SECONDS

    def __post_init__(self) -> None:
        self._all: list[Worker] = []
        self._idle: queue.SimpleQueue[Worker] = queue.SimpleQueue()
        self._hidden = HiddenSheets(self.secret)

    def grade(self, submission: Submission, known_digest: str = "") -> Graded | None:
        """Grade one submission.

        Args:
            submission: where it lies.
            known_digest: of what was graded last; equal to this one's, there is nothing to do.

        Returns:
            The result, or None if it would be the same as last time.
        """
        form = canonical(submission, self.lesson.skeleton)
        parts = (form.digest, self.lesson.version, submission.student)
        digest = hmac.new(self.secret, "/".join(parts).encode(errors="replace"), "sha256").hexdigest()
        if digest == known_digest:
            return None
        files = form.files | form.records
        blank = frozenset(_blank(form.notebook, self.lesson.skeleton))
        if form.problem:
            verdicts = {
                id: not_run(exercise, form.problem, "unreadable")
                for id, exercise in self.lesson.exercises.items()
            }
            notebook = _finish(form.notebook, {}, verdicts, form.problem, form.notes)
            return Graded(
                submission.student, digest, notebook, tuple(verdicts.values()), blank, files, form.problem
            )
        with self._worker() as worker:
            result = judge(
                worker,
                self.lesson.cells(form.notebook),
                self.lesson.exercises,
                self.lesson.visible,
                self._hidden,
                digest,
                form.files,
                cell_seconds=self.cell_seconds,
            )
        remarks = [*form.notes, *([result.stopped] if result.stopped else [])]
        notebook = _finish(form.notebook, result.outputs, result.verdicts, "", remarks)
        return Graded(
            submission.student, digest, notebook, tuple(result.verdicts.values()), blank, files, "",
            tuple(remarks), result.ended,
        )  # fmt: skip

    @contextlib.contextmanager
    def _worker(self) -> Iterator[Worker]:
        try:
            worker = self._idle.get_nowait()
        except queue.Empty:
            worker = self.lesson.new_worker(self.sandboxed)
            self._all.append(worker)
        try:
            yield worker
        finally:
            self._idle.put(worker)

    def close(self) -> None:
        """End all workers."""
        for worker in self._all:
            worker.stop()


def _blank(notebook: NotebookNode, skeleton: NotebookNode) -> Iterator[str]:
    released = {cell.id: cell.source.strip() for cell in skeleton.cells}
    for cell in notebook.cells:
        if is_answer(cell) and cell.source.strip() == released[cell.id]:
            yield cell.metadata.nbgrader.grade_id


def _finish(
    notebook: NotebookNode, outputs: dict, verdicts: dict, problem: str, remarks: list[str]
) -> NotebookNode:
    """Write outputs and verdicts into a notebook, for formgrader and feedback."""
    number = 0
    for cell in notebook.cells:
        if cell.cell_type == "code" and cell.id in outputs:
            number += 1
            cell.execution_count = number
            cell.outputs = [nbformat.from_dict(output) for output in outputs[cell.id]]
        theirs = lessons.kind(cell) == "written" or cell.metadata.get("headstart", {}).get("added")
        if theirs and cell.cell_type == "markdown":
            clean_words(cell)
        if cell.cell_type == "code" and lessons.kind(cell) == "check":
            verdict = verdicts[lessons.exercise_of(cell)]
            data = {"text/plain": verdict.message, "text/html": verdict.html}
            cell.outputs = [nbformat.from_dict({"output_type": "display_data", "data": data, "metadata": {}})]
    if said := [problem] * bool(problem) + list(remarks):
        text = "**About this submission**\n\n" + "\n".join(f"- {line}" for line in said)
        notebook.cells.insert(0, nbformat.v4.new_markdown_cell(text, id="grading-remarks"))
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
    return [
        Submission(name, lesson, folder) for name, folder in folders if folder.exists() or folder.is_symlink()
    ]


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
    grader: Grader, book: Book, submissions: list[Submission], executor: Executor, *, workers: int,
    force: bool = False, progress: Callable[[Submission, Graded | None, str], None] = lambda *_: None,
) -> None:  # fmt: skip
    """Grade submissions and record each as it comes.

    Args:
        grader: of the lesson.
        book: where results go.
        submissions: what to grade.
        executor: where grading runs.
        workers: how many at once; a few more are kept waiting, so that memory doesn't grow with the class.
        force: grade again what is recorded already.
        progress: told of each submission: its result, None where nothing had changed, and what went wrong
            with the grader itself, if something did.
    """
    recorded = {} if force else book.recorded()
    waiting = iter(submissions)
    running: dict[Future, Submission] = {}
    while True:
        while len(running) < 2 * workers and (submission := next(waiting, None)):
            known = recorded.get(submission.student, "") if book.path(submission.student).is_file() else ""
            running[executor.submit(grader.grade, submission, known)] = submission
        if not running:
            return
        done, _ = wait(running, return_when=FIRST_COMPLETED)
        for future in done:
            submission = running.pop(future)
            try:
                graded = future.result()
            except Exception as error:  # ours, not the student's: say so, and go on with the others
                progress(submission, None, f"{type(error).__name__}: {error}")
                continue
            if graded:
                book.record(graded)
            progress(submission, graded, "")


def local_executor(workers: int) -> ThreadPoolExecutor:
    """Threads, each driving a worker process of its own."""
    return ThreadPoolExecutor(workers, thread_name_prefix="grade")
