"""The engine as a course has it: its lessons and its settings, for every command that grades."""

import contextlib
from pathlib import Path

from nbgrader.api import MissingEntry
from nbgrader.coursedir import CourseDirectory
from traitlets.config import Config

from autograder.classroom.gradebook import opened
from autograder.grading.lesson import Lesson


def load_lesson(name: str, course: CourseDirectory, config: Config) -> Lesson:
    """Read one of a course's lessons, with the tests that nbgrader has written for its AUTOTEST comments.

    Args:
        name: of the lesson or assignment, such as `01_attention`.
        course: its folder and gradebook.
        config: nbgrader's settings.

    Raises:
        FileNotFoundError, LookupError: as `Lesson.load`.
    """

    def written_test(notebook: str, grade_id: str) -> str:
        with opened(course) as gradebook, contextlib.suppress(MissingEntry):
            return gradebook.find_source_cell(grade_id, notebook, name).source
        return ""

    return Lesson.load(name, Path(course.root), config, written_test)
