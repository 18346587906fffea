"""`nbgrader release_feedback` that says what is missing in the feedback, and holds up nobody.

`nbgrader fetch_feedback` looks for a page for each notebook in the student's own copy of what they handed in,
by the notebook's name. So a page is released under each of these names, whichever notebook was graded.
"""

import glob
import os
import shutil
from collections import defaultdict
from pathlib import Path

from nbgrader.coursedir import CourseDirectory
from nbgrader.exchange.default import ExchangeReleaseFeedback
from nbgrader.utils import notebook_hash

from autograder.classroom.by_hand import left_to_grade
from autograder.classroom.collect import MADE
from autograder.classroom.database import opened
from autograder.grading.handed_in import RECORDS, read_record
from autograder.lessons import first_of

MOST_NAMES = 20  # of one submission's notebooks: each has a copy of the page


class ReleaseFeedback(ExchangeReleaseFeedback):
    """nbgrader's, with a warning where written answers have no points yet."""

    src_path: str
    dest_path: str

    def init_src(self) -> None:
        """Look for the pages to release, as nbgrader does, and say what they lack."""
        super().init_src()
        lesson = self.coursedir.assignment_id
        one = "" if self.coursedir.student_id == "*" else self.coursedir.student_id
        with opened(self.coursedir) as gradebook:
            if said := left_to_grade(gradebook.db, lesson, one):
                self.log.warning("%s in %s: its feedback says that points are to come", said, lesson)

    def copy_files(self) -> None:
        """Release the feedback of each student by itself: one that can't be released holds up no other."""
        everyone = self.src_path
        lost = defaultdict(list)
        for folder in sorted(glob.glob(everyone)):
            self.src_path = glob.escape(folder)
            student = self._student(folder)
            if student in self.coursedir.student_id_exclude.split(","):
                continue
            try:
                if why := why_not_fetched(self.coursedir, self.coursedir.assignment_id, student):
                    lost[why].append(ascii(student))
                if not Path(folder, RECORDS[1]).exists():
                    continue  # that is such a reason
                super().copy_files()
                self._release_under_other_names(Path(folder), student)
            # defence: release: one at a time
            except Exception as error:  # a record is missing that `nbgrader submit` writes, say
                self.log.error("%a was not released: %s", folder, error)
        self.src_path = everyone
        for why, students in lost.items():
            self.log.warning("%s: %s", first_of(students, ", "), why)

    def _student(self, folder: str) -> str:
        marker = "\0"
        lesson = self.coursedir.assignment_id
        before, _, after = self.coursedir.format_path(
            self.coursedir.feedback_directory, marker, lesson
        ).partition(marker)
        return folder.removeprefix(before).removesuffix(after)

    def _release_under_other_names(self, folder: Path, student: str) -> None:
        """Release a lesson's only page under the names of all notebooks that were handed in, too."""
        lesson = self.coursedir.assignment_id
        pages = list(folder.glob("*.html"))
        if len(pages) != 1:
            return
        secret = (folder / RECORDS[1]).read_text()
        # defence: release: names without end
        for name in notebooks(self.coursedir, lesson, student)[:MOST_NAMES]:
            if name != pages[0].stem:
                page = Path(self.dest_path, f"{notebook_hash(secret=secret, notebook_id=name)}.html")
                part = page.with_name(f"{page.stem}-tmp.html")
                shutil.copy(pages[0], part)
                os.replace(part, page)


def notebooks(course: CourseDirectory, lesson: str, student: str) -> list[str]:
    """The notebooks of a submission that `nbgrader fetch_feedback` asks for, without their endings."""
    folder = Path(course.format_path(course.submitted_directory, student, lesson))
    names = (path.name for path in folder.glob("*.ipynb") if not path.name.startswith("."))
    return sorted(name.removesuffix(".ipynb") for name in names if name.isprintable())


def why_not_fetched(course: CourseDirectory, lesson: str, student: str) -> str:
    """Why a student can't fetch their feedback from the exchange; "" where they can."""
    folder = Path(course.format_path(course.submitted_directory, student, lesson))
    cure = "`headstart feedback` writes a zip with the page"
    secret = read_record(folder / RECORDS[1])
    if not secret:
        return f"didn't hand in through the exchange, so `nbgrader fetch_feedback` finds nothing; {cure}"
    if secret.startswith(MADE.encode()):
        return f"handed in without {RECORDS[1]}, so `nbgrader fetch_feedback` finds nothing; {cure}"
    if not notebooks(course, lesson, student):
        why = "handed in no .ipynb file, or only in a folder"
        return f"{why}, so `nbgrader fetch_feedback` finds nothing; {cure}"
    return ""
