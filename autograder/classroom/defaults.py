"""What every course's `nbgrader_config.py` sets; a course's own settings follow it there, and override it."""

import os
import shutil
import sys

from traitlets.config import Config


def nbgrader_settings(c: Config) -> None:
    """Set up nbgrader for a course whose lessons have these checks.

    What a course sets after it, in its `nbgrader_config.py`:

    - `c.CourseDirectory.course_id = "averages"`: the course's name in the exchange.
    - `c.NbGraderAPI.timezone = "Europe/Berlin"`: due dates are read and shown in it, in formgrader and on
      students' pages as well. Without it, UTC.
    - `c.Headstart.grace_minutes = 10`: minutes after the due date that still count as on time; without
      it, none.
    - `c.Headstart.late_days = 5`: days late that cost nothing, per student and term; without it, none.
    - `c.Headstart.model_answers = False`: after the next `headstart build`, nothing that students get has
      model answers and rubrics. Set it if you grade written questions; without it, whoever has answered one
      can compare that with a model answer.

    Args:
        c: nbgrader's settings, which change.
    """
    # nbgrader starts `alembic` by name. It lies beside Python, also where the environment isn't activated.
    if shutil.which("alembic") is None:
        os.environ["PATH"] = os.pathsep.join([os.path.dirname(sys.executable), os.environ.get("PATH", "")])
    _release(c)
    _grade(c)


def _release(c: Config) -> None:
    # A model to send home (`headstart share`) is nothing to hand in.
    c.CourseDirectory.ignore = [
        ".ipynb_checkpoints", "*.pyc", "__pycache__", "feedback", ".DS_Store", "my_model.html",
    ]  # fmt: skip
    # What stands in the place of a solution. The checks answer NotImplementedError with "not written yet".
    c.ClearSolutions.code_stub = {"python": "# YOUR CODE HERE\nraise NotImplementedError()"}
    c.ClearSolutions.text_stub = "YOUR ANSWER HERE"
    # nbgrader's own steps in their own order; ours leaves the slots of a choice to be filled in.
    c.GenerateAssignment.preprocessors = [
        "nbgrader.preprocessors.IncludeHeaderFooter",
        "nbgrader.preprocessors.InstantiateTests",
        "nbgrader.preprocessors.LockCells",
        "autograder.stubs.ClearAnswers",
        "nbgrader.preprocessors.ClearOutput",
        "nbgrader.preprocessors.CheckCellMetadata",
        "nbgrader.preprocessors.ComputeChecksums",
        "nbgrader.preprocessors.SaveCells",
        "nbgrader.preprocessors.ClearHiddenTests",
        "nbgrader.preprocessors.ClearMarkScheme",
        "nbgrader.preprocessors.ComputeChecksums",
        "nbgrader.preprocessors.CheckCellMetadata",
    ]


def _grade(c: Config) -> None:
    # `nbgrader autograde` and formgrader's Autograde buttons run the engine that `headstart grade` runs.
    c.Autograde.sanitize_preprocessors = ["autograder.classroom.plugin.LeaveAlone"]
    c.Autograde.autograde_preprocessors = ["autograder.classroom.plugin.Grade"]
    c.Autograde.pre_convert_hook = "autograder.classroom.plugin.leave_links_out"
    # nbgrader's own collect follows links, with your rights. So anybody could hand in what only you may read.
    c.ExchangeFactory.collect = "autograder.classroom.collect.Collect"
    # Says how many written answers wait for their points, before students read their feedback.
    c.ExchangeFactory.release_feedback = "autograder.classroom.release.ReleaseFeedback"
    # Says the same of points in `grades.csv`.
    c.ExportApp.plugin_class = "autograder.classroom.exports.Csv"
    # Feedback and formgrader draw formulas without a network, and keep what a student wrote in its own place.
    try:
        import autograder.classroom.dates  # (nbgrader drops time zones that it can't read)
        import autograder.classroom.locked  # noqa: F401  (it waits for a gradebook that another program has locked)
        from autograder.classroom.pages import TEMPLATES
    except ImportError:  # `headstart[authoring]` builds lessons and grades nothing
        return
    c.HTMLExporter.extra_template_basedirs = TEMPLATES
    c.GenerateFeedback.exporter_class = "autograder.classroom.pages.FeedbackExporter"
    c.GenerateFeedback.preprocessors = [
        "autograder.classroom.feedback.Summary",
        "nbconvert.preprocessors.CSSHTMLHeaderPreprocessor",
    ]
    c.HTMLExporter.filters = {"markdown2html": "autograder.classroom.pages.words"}
