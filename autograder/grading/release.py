"""`nbgrader release_feedback` that says what is missing in the feedback."""

from nbgrader.exchange.default import ExchangeReleaseFeedback

from autograder.grading.gradebook import left_to_grade, opened


class ReleaseFeedback(ExchangeReleaseFeedback):
    """nbgrader's, with a warning where written answers have no points yet."""

    def init_src(self) -> None:
        """Look for the pages to release, as nbgrader does, and say what they lack."""
        super().init_src()
        lesson = self.coursedir.assignment_id
        with opened(self.coursedir) as gradebook:
            if said := left_to_grade(gradebook.db, lesson):
                self.log.warning("%s in %s: its feedback says that points are to come", said, lesson)
