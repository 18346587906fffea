"""Each lesson's zip, unpacked by itself, solved and run from top to bottom: every check has to pass.

python -m tests.bundles [--torch VERSION] [--at FOLDER] [--here] [--quick] [--fresh] [LESSON ...]

Without --torch that is done twice: in a new environment with the pinned torch and the other pinned packages, and
in one with the newest of everything that pip would install. Nothing is installed but what a lesson's first cell asks
for, and a kernel. torch is the CPU build, or none, unless HEADSTART_ALLOW_CUDA is set. --at keeps the
environments, below FOLDER, for the next call. --here takes this environment as it is. --quick shortens trainings,
after which figures show little. A call that was stopped goes on where it was. Build first: `headstart build`.
"""

import argparse
import ast
import hashlib
import os
import re
import subprocess
import sys
import tempfile
import time
import venv
import zipfile
from pathlib import Path

import nbformat

import bootstrap
from autograder import lessons
from autograder.lessons import ROOT
from tests.rows import Rows, add_option

KERNEL = ("ipykernel", "nbclient")
INSIDE = bootstrap.PYTHON.relative_to(bootstrap.ROOT / ".venv")  # where an environment has its Python
RUN = """
import sys, nbclient, nbformat
notebook = nbformat.read(sys.argv[1], as_version=4)
try:
    nbclient.NotebookClient(notebook, timeout=None, startup_timeout=1800, kernel_name="python3").execute()
finally:
    nbformat.write(notebook, sys.argv[1])
"""


def main(arguments: list[str]) -> int:
    """Run the bundles in each environment, and say what passed."""
    parser = argparse.ArgumentParser("python -m tests.bundles", description=__doc__)
    parser.add_argument("--torch", action="append", metavar="VERSION")
    parser.add_argument("--at", type=Path, metavar="FOLDER")
    parser.add_argument("--here", action="store_true")
    parser.add_argument("--quick", action="store_true")
    add_option(parser)
    parser.add_argument("lessons", nargs="*", metavar="LESSON")
    options = parser.parse_args(arguments)
    names = [lessons.find(name) for name in options.lessons] or lessons.names()
    failed = 0
    with Rows("bundles", options) as rows, tempfile.TemporaryDirectory() as folder:
        if options.here:
            return int(any([kept(rows, name, Path(sys.executable), options.quick) for name in names]))
        for version in options.torch or (pinned(), "newest"):
            place = (options.at or Path(folder)).resolve() / version
            try:
                python = environment(place, version, names)
            except bootstrap.SetupError as error:
                print(f"torch {version}: {error}", flush=True)
                failed += 1
                continue
            failed += sum(kept(rows, name, python, options.quick) for name in names)
    return int(failed > 0)


def kept(rows: Rows, lesson: str, python: Path, quick: bool) -> bool:
    """Run a lesson, or take what came of it in a call that was stopped; print that, and say whether it failed."""
    has = bootstrap.quietly(python, "-m", "pip", "freeze").stdout
    zipped = (ROOT / "release" / f"{lesson}.zip").read_bytes()
    depends = hashlib.sha256(has.encode() + zipped).hexdigest()
    line = rows(lesson, depends, make=lambda: came_of(lesson, python, quick))
    print(line, flush=True)
    return line.startswith("✗")


def pinned() -> str:
    """The version of torch that the course is made with."""
    [version] = re.findall(r"^torch==(\S+)", (ROOT / "requirements.txt").read_text(), re.MULTILINE)
    return version


def environment(place: Path, version: str, names: list[str]) -> Path:
    """A new environment with what the first cells of some lessons ask for; its Python.

    Args:
        place: where it goes.
        version: of torch; "newest" for the newest of every package.
        names: of the lessons.
    """
    if not (place / "pyvenv.cfg").is_file():
        venv.create(place, with_pip=True)
    bootstrap.PYTHON = place / INSIDE
    bootstrap.install_torch(newest() if version == "newest" else version)
    pins = [] if version == "newest" else ["--constraint", str(pins_without_torch(place))]
    wanted = {package for name in names for package in asked_for(name)} | {*KERNEL}
    bootstrap.pip("install", "--quiet", *pins, *sorted(wanted))
    shown = "import platform, torch; print('Python', platform.python_version(), 'torch', torch.__version__)"
    print(bootstrap.quietly(bootstrap.PYTHON, "-c", shown).stdout.strip(), flush=True)
    return Path(bootstrap.PYTHON)


def newest() -> str:
    """The newest torch that pip, as it is configured, would install."""
    return bootstrap.what_pip_would_install("torch")["version"].partition("+")[0]


def pins_without_torch(place: Path) -> Path:
    """requirements.txt as constraints, of which torch, installed before, isn't one."""
    lines = (ROOT / "requirements.txt").read_text().splitlines(keepends=True)
    path = place / "constraints.txt"
    path.write_text("".join(line for line in lines if not line.startswith("torch==")))
    return path


def asked_for(lesson: str) -> list[str]:
    """The packages that a lesson's first cell asks for."""
    notebook = nbformat.read(lessons.release_path(lesson), as_version=4)
    [cell] = [cell for cell in notebook.cells if lessons.kind(cell) == "bundle"]
    [call] = [node.value for node in ast.parse(cell.source).body if isinstance(node, ast.Expr)]
    return ast.literal_eval(call.args[1])


def came_of(lesson: str, python: Path, quick: bool, bundle: Path | None = None) -> str:
    """Unpack a lesson, solve it, run it with another Python and say what came of it.

    Args:
        lesson: its name.
        python: of the environment.
        quick: whether trainings are short.
        bundle: its zip; if None, the one in `release/`.

    Returns:
        A line that begins with ✓, or with ✗ and then has a line for each problem.
    """
    with tempfile.TemporaryDirectory() as folder:
        with zipfile.ZipFile(bundle or ROOT / "release" / f"{lesson}.zip") as packed:
            packed.extractall(folder)
        path = Path(folder, lesson, f"{lesson}.ipynb")
        notebook = solve(nbformat.read(path, as_version=4), lesson)
        nbformat.write(notebook, path)
        kept = {
            name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "HEADSTART"))
        }
        # The home of somebody who begins: nothing is kept there, and no other packages are.
        alone = kept | {"HOME": folder, "OMP_NUM_THREADS": "1"} | ({"HEADSTART_QUICK": "60"} if quick else {})
        begun = time.monotonic()
        done = subprocess.run(
            [python, "-c", RUN, path], cwd=path.parent, env=alone, capture_output=True, text=True
        )
        problems = wrong(nbformat.read(path, as_version=4))
    if done.returncode:
        problems.append(done.stderr.strip()[-2000:])
    result = "✗" if problems else "✓"
    return "\n  ".join([f"{result} {lesson} {time.monotonic() - begun:.0f} s", *problems])


def solve(notebook: nbformat.NotebookNode, lesson: str) -> nbformat.NotebookNode:
    """A released notebook with the answers in its answer cells."""
    answers = {cell.id: cell.source for cell in lessons.load_source_notebook(lesson).cells}
    for cell in notebook.cells:
        if cell.metadata.get("nbgrader", {}).get("solution"):
            cell.source = "\n".join(line for line in answers[cell.id].splitlines() if " SOLUTION" not in line)
    return notebook


def wrong(notebook: nbformat.NotebookNode) -> list[str]:
    """What didn't pass in a notebook that ran."""
    found = []
    for cell in notebook.cells:
        texts = [output.get("data", {}).get("text/plain", "") for output in cell.get("outputs", [])]
        if lessons.kind(cell) == "check" and not any(text.startswith("✓") for text in texts):
            found.append(f"{lessons.exercise_of(cell)}: {' '.join(texts) or 'no check ran'}")
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
