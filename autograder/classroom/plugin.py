"""Our engine behind `nbgrader autograde` and formgrader's *Autograde* buttons: two steps for its lists.

nbgrader converts a submitted notebook twice: first to restore its own cells, then to run it and save the
grades. Here the first step leaves it alone, since the engine reads what was handed in, and the second grades
it.
"""

import os
import shutil
import stat
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbconvert.exporters.exporter import ResourcesDict
from nbformat import NotebookNode
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import NbGraderPreprocessor

from autograder.classroom.changes import changed, changed_by_hand, lines
from autograder.classroom.course import find_submissions
from autograder.classroom.engine import Options, open_grader
from autograder.classroom.gradebook import Book
from autograder.grading.grader import Grader
from autograder.grading.handed_in import STEERING
from autograder.results import Graded


class LeaveAlone(NbGraderPreprocessor):
    """In the place of nbgrader's sanitizing, which ends at notebooks that the engine can grade."""

    def preprocess(self, nb: NotebookNode, resources: ResourcesDict) -> tuple[NotebookNode, ResourcesDict]:
        return nb, resources


def leave_links_out(assignment: str, student: str, notebooks: list[str]) -> None:
    """Remove what isn't a plain file from a submission before nbgrader copies it: a device never ends.

    And what has a name that would steer the terminal, where nbgrader prints it. Collecting leaves such things
    behind. They come with archives that are unpacked by hand.
    """
    for folder in {Path(notebook).parent for notebook in notebooks}:
        for place, folders, names in os.walk(folder, topdown=False):
            for path in (Path(place, name) for name in [*folders, *names]):
                # defence: autograde: names that steer a terminal
                steers, kind = STEERING.search(path.name), path.lstat().st_mode
                if stat.S_ISDIR(kind) and steers:
                    shutil.rmtree(path)
                elif steers or not (stat.S_ISDIR(kind) or stat.S_ISREG(kind)):
                    # defence: autograde: links and pipes
                    path.unlink()


@dataclass
class _Warm:
    """What is kept from one submission to the next: a grader with its worker, and what it graded last."""

    grader: Grader
    last: Graded | None = None


_warm: dict[tuple[str, str], _Warm] = {}


class Grade(NbGraderPreprocessor):
    """Grades the submission that a notebook belongs to, and writes it into the gradebook."""

    def preprocess(self, nb: NotebookNode, resources: ResourcesDict) -> tuple[NotebookNode, ResourcesDict]:
        """Return the graded notebook.

        Raises:
            FileNotFoundError, LookupError: as `open_grader`.
        """
        names = resources["nbgrader"]
        # That of the converter, which calls through nbconvert's exporter: its root may be in no setting.
        course = getattr(getattr(self.parent, "parent", None), "coursedir", None)
        course = course or CourseDirectory(config=self.config)
        warm = self._engine(course, names["assignment"])
        lesson = warm.grader.lesson
        [submission] = find_submissions(course, names["assignment"], [names["student"]])
        known = warm.last.digest if warm.last and warm.last.student == names["student"] else ""
        graded = warm.grader.grade(submission, known)
        warm.last = last = graded or warm.last  # None for another notebook of the same submission
        assert last is not None, "only what was graded last is skipped"
        book = Book(course, names["assignment"], lesson.skeletons, self.config, lesson.own_files)
        try:
            # nbgrader has copied all that was handed in, and what links in it point to.
            if graded:
                for line in lines([*changed_by_hand(book), *changed(book, graded, lesson.outlines)]):
                    self.log.warning(line)
                book.record(graded, lesson.given)
                book.charge_lateness(self.config)
            else:
                book.put_files(last, lesson.given)
        finally:
            book.close()
        [paper] = [paper for paper in last.papers if paper.name == names["notebook"]]
        return nbformat.reads(paper.notebook, as_version=4), resources

    def _engine(self, course: CourseDirectory, assignment: str) -> _Warm:
        key = (str(Path(course.root).resolve()), assignment)
        grader = open_grader(assignment, course, self.config, Options(), by_nbgrader=True)
        warm = _warm.get(key)
        if not warm or _decides(warm.grader) != _decides(grader):
            if warm:
                warm.grader.close()
            warm = _warm[key] = _Warm(grader)
        return warm


def _decides(grader: Grader) -> tuple[str, float]:
    """What another grader of the same lesson has to share in order to give the same grades."""
    return grader.lesson.version, grader.cell_seconds
