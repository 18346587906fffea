"""The engine as a course has it: its lessons and its settings, for every command that grades."""

import contextlib
import os
import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from nbgrader.api import MissingEntry
from nbgrader.coursedir import CourseDirectory
from traitlets.config import Config

from autograder import courses
from autograder.classroom.course import draws_folder, hidden_secret
from autograder.classroom.database import opened
from autograder.classroom.settings import cell_seconds, refuse_settings
from autograder.grading.grader import Grader
from autograder.grading.lesson import Lesson
from autograder.kept import KeptDigests
from autograder.programs import sandbox_problem


@dataclass(frozen=True)
class Options:
    """How to grade, as the command line says it.

    Attributes:
        sandboxed: if not, student code runs with the grader's own rights.
        seconds: CPU time that one cell may take; None for the course's own limit.
        workers: how many submissions are graded at once on this machine.
        cluster: the address of a Dask scheduler that grades instead, `tcp://HOST:PORT`.
        force: whether to grade again what is already recorded.
        dry_run: whether to record nothing, and say whose points would change.
    """

    sandboxed: bool = True
    seconds: float | None = None
    workers: int = 1
    cluster: str | None = None
    force: bool = False
    dry_run: bool = False


def open_grader(
    name: str, course: CourseDirectory, config: Config, options: Options, *, by_nbgrader: bool = False
) -> Grader:
    """Open the grader of one of a course's lessons. Use it in a `with` statement, or close it.

    Args:
        name: of the lesson or assignment, such as `01_attention`.
        course: its folder, gradebook and secret, which is made if there is none.
        config: nbgrader's settings.
        options: how to grade.
        by_nbgrader: whether nbgrader calls. Its process may be a Jupyter server, whose kernels inherit the
            environment, so this process's threads and GPU are left as they are.

    Raises:
        FileNotFoundError: the lesson isn't built.
        LookupError: no sandbox can start, a setting can't be followed, or the lesson can't be graded.
    """
    if options.sandboxed and not options.cluster and (problem := sandbox_problem()):
        cure = "" if by_nbgrader else "; or grade code that you trust with --no-sandbox"
        raise LookupError(f"{problem}{cure}")
    refuse_settings(config, by_nbgrader=by_nbgrader)
    if not by_nbgrader:
        os.environ["OMP_NUM_THREADS"] = "1"  # for torch, once it is imported: the cores are for the workers
        if torch := sys.modules.get("torch"):  # or a judge, forked without its threads, waits for them
            torch.set_num_threads(1)
        os.environ["CUDA_VISIBLE_DEVICES"] = ""  # where autograd has seen a GPU, no judge can be forked
    lesson = load_lesson(name, course, config)
    seconds = options.seconds or cell_seconds(config, lesson.foreign)
    return Grader(lesson, hidden_secret(course), options.sandboxed, seconds, draws_folder(course))


def load_lesson(name: str, course: CourseDirectory, config: Config) -> Lesson:
    """Read one of a course's lessons, with the tests that nbgrader has written for its AUTOTEST comments.

    Args:
        name: of the lesson or assignment, such as `01_attention`.
        course: its folder and gradebook.
        config: nbgrader's settings.

    Raises:
        FileNotFoundError, LookupError: as `Lesson.load`.
    """
    root, chosen = Path(course.root).resolve(), courses.VARIABLE in os.environ
    if (root / courses.FILE).is_file() and not chosen:  # nbgrader calls, which has executed its settings
        courses.use(root)

    def written_test(notebook: str, grade_id: str) -> str:
        with opened(course) as gradebook, contextlib.suppress(MissingEntry):
            return gradebook.find_source_cell(grade_id, notebook, name).source
        return ""

    kept = KeptDigests(draws_folder(course), partial(hidden_secret, course))
    return Lesson.load(name, Path(course.root), config, written_test, kept)
