"""`nbgrader release_feedback` that says what is missing in the feedback, and holds up nobody."""

import glob

from nbgrader.exchange.default import ExchangeReleaseFeedback

from autograder.classroom.gradebook import left_to_grade, opened


class ReleaseFeedback(ExchangeReleaseFeedback):
    """nbgrader's, with a warning where written answers have no points yet."""

    src_path: str

    def init_src(self) -> None:
        """Look for the pages to release, as nbgrader does, and say what they lack."""
        super().init_src()
        lesson = self.coursedir.assignment_id
        with opened(self.coursedir) as gradebook:
            if said := left_to_grade(gradebook.db, lesson):
                self.log.warning("%s in %s: its feedback says that points are to come", said, lesson)

    def copy_files(self) -> None:
        """Release the feedback of each student by itself: one that can't be released holds up no other."""
        everyone = self.src_path
        for folder in sorted(glob.glob(everyone)):
            self.src_path = glob.escape(folder)
            try:
                super().copy_files()
            # defence: release: one at a time
            except Exception as error:  # a record is missing that `nbgrader submit` writes, say
                self.log.error("%a was not released: %s", folder, error)
        self.src_path = everyone
