"""Settings of every nbgrader in this environment: its own commands run nothing of a student's folder.

nbgrader executes `nbgrader_config.py` of the folder it is called in, and imports from there rather than from
what is installed. It reads this file first. A course's root still counts, named or as that folder.
"""

import os
import re
import sys
from pathlib import Path

from nbgrader.apps.baseapp import NbGrader

here, program = Path.cwd(), Path(sys.argv[0])
sys.path[:] = [place for place in sys.path if place != str(here)]  # before anything of ours is imported

from autograder.classroom.course import no_course  # noqa: E402

named = re.search(r"^--(?:course-dir|CourseDirectory\.root)[=\n](.+)$", "\n".join(sys.argv), re.MULTILINE)
students = {"fetch", "fetch_assignment", "fetch_feedback", "list", "submit", "validate"} & {*sys.argv[1:2]}
problem = no_course(here)
settings = [*here.glob("nbgrader_config.*")]
# A model to send home (`headstart share`) is nothing to hand in.
get_config().CourseDirectory.ignore.append("my_model.html")  # type: ignore[name-defined]  # noqa: F821
if not named and (students or not problem):  # students call theirs in a folder of their own
    sys.path.insert(0, str(here))
else:
    NbGrader.load_cwd_config = False
    if settings and named:
        os.chdir(named[1])  # it looks for the root once before it has read which one is named
    elif settings and "nbgrader" in (program.stem, program.parent.name):  # not in JupyterLab
        sys.exit(f"headstart: {problem}")
