"""nbgrader's settings for this course. nbgrader reads them when it is started in this folder."""

import os
import shutil
import sys

c = get_config()  # noqa: F821  (nbgrader defines it)

c.CourseDirectory.course_id = "foundations"
# A model to send home (`headstart share`) is nothing to hand in.
c.CourseDirectory.ignore = [
    ".ipynb_checkpoints", "*.pyc", "__pycache__", "feedback", ".DS_Store", "my_model.html",
]  # fmt: skip

# nbgrader starts `alembic` by name. It lies beside Python, also where the environment isn't activated.
if shutil.which("alembic") is None:
    os.environ["PATH"] = os.pathsep.join([os.path.dirname(sys.executable), os.environ.get("PATH", "")])

# The course's time zone: due dates are read and shown in it, in formgrader and on students' pages as well.
c.NbGraderAPI.timezone = "UTC"  # such as "Europe/Berlin"
# Minutes after the due date that still count as on time; days late that cost nothing, per student and term.
c.Headstart.grace_minutes = 0
c.Headstart.late_days = 0

# What stands in the place of a solution. The checks answer NotImplementedError with "not written yet".
c.ClearSolutions.code_stub = {"python": "# YOUR CODE HERE\nraise NotImplementedError()"}
c.ClearSolutions.text_stub = "YOUR ANSWER HERE"

# Whoever has answered a written question can compare that with a model answer. If you grade these questions,
# set False and run `headstart build`: then nothing that students get has model answers and rubrics.
c.Headstart.model_answers = True

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
except ImportError:  # students' nbgrader may read this file too, where there is no grader
    pass
else:
    c.HTMLExporter.extra_template_basedirs = TEMPLATES
    c.GenerateFeedback.exporter_class = "autograder.classroom.pages.FeedbackExporter"
    c.GenerateFeedback.preprocessors = [
        "autograder.classroom.feedback.Summary",
        "nbconvert.preprocessors.CSSHTMLHeaderPreprocessor",
    ]
    c.HTMLExporter.filters = {"markdown2html": "autograder.classroom.pages.words"}
