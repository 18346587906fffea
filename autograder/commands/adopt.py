"""`headstart adopt`: an nbgrader notebook with solutions and asserts, as a lesson with first specs."""

import argparse
import os
import sys
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.description = (
        "Make a lesson of a source notebook of nbgrader: solutions become references, and the inputs of its "
        "asserts become cases. Says which mutants its own tests let pass, and what isn't taken over. The "
        "notebook runs in the sandbox; read what is written before you build it, since a build runs it."
    )
    parser.add_argument("notebook", type=Path, metavar="NOTEBOOK", help="such as source/ps1/problem1.ipynb")
    parser.add_argument("--no-sandbox", action="store_true", help="run the notebook with your own rights")


def run(options: argparse.Namespace) -> int:
    """Write the lesson, say what became of the notebook, and return the exit code."""
    from autograder.courses import current

    root, notebook = current().root, options.notebook.absolute()
    os.chdir(root)
    from autograder.classroom.adopting.adopting import adopt, unlisted
    from autograder.lessons import counted

    lesson, adopted, lost, written = adopt(notebook, root, not options.no_sandbox)
    for each in adopted:
        cases = counted(len(each.calls), "case")
        print(f"headstart: {each.name} (cell {each.part.number}): {cases}. {each.tried}")
    for missing in sorted(lost, key=lambda each: each.number):
        print(f"headstart: cell {missing.number} isn't taken over: {missing.text}", file=sys.stderr)
    print("headstart: wrote " + ", ".join(path.relative_to(root).as_posix() for path in written))
    if packages := unlisted(written, current().packages):
        print(f"headstart: add to `packages` in course.toml: {', '.join(map(repr, packages))}")
    print(f"headstart: read these files, since a build runs them; then `headstart build {lesson}`")
    return 0
