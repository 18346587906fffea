"""Each lesson's zip, unpacked by itself, solved and run from top to bottom.

python -m tests.long.bundles [--versions NAME] [--at FOLDER] [--here] [--quick] [--fresh] [LESSON ...]

Every check has to pass, and every explorer has to be shown: as a live widget with a still picture, or computing in
the page. That is done in three new environments: with the pinned versions of all packages ("pinned"), with those of
Google Colab, which tests/support/colab.txt names ("colab"), and with the newest that pip would install ("newest"). As
Colab does, the second opens each notebook in an empty folder, and its first cell fetches the lesson from a server. Nothing is installed
but what a lesson's first cell asks for, and a kernel. torch is the CPU build, or none, unless HEADSTART_ALLOW_CUDA
is set. --at keeps the environments, below FOLDER, for the next call. --here takes this environment as it is.
--quick shortens trainings, after which figures show little. A call that was stopped resumes where it was, unless
--fresh is given. Build first: `headstart build`.
"""

import argparse
import ast
import contextlib
import functools
import hashlib
import http.server
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
import venv
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import nbformat

import bootstrap
from autograder import lessons
from autograder.lessons import ROOT
from tests.long.rows import Rows, add_option

KERNEL = ("ipykernel", "nbclient")
# By name, the file of constraints that says which version of each package; if None, the newest.
VERSIONS = {
    "pinned": ROOT / "requirements.txt",
    "colab": ROOT / "tests" / "support" / "colab.txt",
    "newest": None,
}
SHOWN = ("torch", "numpy", "matplotlib", "ipywidgets", "ipython", "ipykernel")
ASK = (
    "import platform; from importlib.metadata import version; "
    f"print('Python', platform.python_version(), *(f'· {{name}} {{version(name)}}' for name in {SHOWN}))"
)
WIDGETS = "application/vnd.jupyter.widget-{}+json"
ON_COLAB = "import sys, types\nsys.modules['google.colab'] = types.ModuleType('google.colab')\n"
INSIDE = bootstrap.PYTHON.relative_to(bootstrap.ROOT / ".venv")  # where an environment has its Python
RUN = """
import sys, nbclient, nbformat
notebook = nbformat.read(sys.argv[1], as_version=4)
try:
    nbclient.NotebookClient(notebook, timeout=None, startup_timeout=1800, kernel_name="python3").execute()
finally:
    nbformat.write(notebook, sys.argv[1])
"""


class Ran(NamedTuple):
    """What came of a lesson: what went wrong, and how many checks and explorers it has."""

    problems: list[str]
    checks: int
    explorers: int
    seconds: float

    @property
    def row(self) -> str:
        """Its part of a table's row."""
        return f"{self.checks} | {self.explorers} | {self.seconds:.0f} | {len(self.problems) or 'none'} |"


def main(arguments: list[str]) -> int:
    """Run the bundles in each environment, and say what passed."""
    parser = argparse.ArgumentParser("python -m tests.long.bundles", description=__doc__)
    parser.add_argument("--versions", action="append", choices=VERSIONS)
    parser.add_argument("--at", type=Path, metavar="FOLDER")
    parser.add_argument("--here", action="store_true")
    parser.add_argument("--quick", action="store_true")
    add_option(parser)
    parser.add_argument("lessons", nargs="*", metavar="LESSON")
    options = parser.parse_args(arguments)
    names = [lessons.find(name) for name in options.lessons] or lessons.names()
    failed = False
    with Rows("bundles", options) as rows, tempfile.TemporaryDirectory() as folder:
        if options.here:
            return int(table(rows, names, Path(sys.executable), options.quick, colab=False))
        for versions in options.versions or VERSIONS:
            try:
                python = environment((options.at or Path(folder)).resolve() / versions, versions, names)
            except bootstrap.SetupError as error:
                print(f"{versions}: {error}", flush=True)
                failed = True
                continue
            failed |= table(rows, names, python, options.quick, colab=versions == "colab")
    return int(failed)


def table(rows: Rows, names: list[str], python: Path, quick: bool, *, colab: bool) -> bool:
    """Run lessons with a Python, and print a table of what came of them.

    Args:
        rows: of the program, with those of a call that was stopped.
        names: of the lessons.
        python: of the environment.
        quick: whether trainings are short.
        colab: whether each is opened as Colab opens it.

    Returns:
        Whether something failed.
    """
    print("", bootstrap.quietly(python, "-c", ASK).stdout.strip(), "", sep="\n")
    print("| lesson | checks | explorers | seconds | problems |\n| --- | --- | --- | --- | --- |", flush=True)
    every = []
    has = bootstrap.quietly(python, "-m", "pip", "freeze").stdout
    for name in names:
        zipped = (ROOT / "release" / f"{name}.zip").read_bytes()
        depends = hashlib.sha256(f"{has}{colab}".encode() + zipped).hexdigest()
        every.append(Ran(*rows(name, depends, make=functools.partial(run, name, python, quick, colab=colab))))
        print(f"| {name} | {every[-1].row}", *every[-1].problems, sep="\n  ", flush=True)
    problems = [problem for ran in every for problem in ran.problems]
    sums = (sum(numbers) for numbers in zip(*(ran[1:] for ran in every), strict=True))
    print(f"| all {len(names)} | {Ran(problems, *sums).row}", flush=True)
    return bool(problems)


def environment(place: Path, versions: str, names: list[str]) -> Path:
    """A new environment with what the first cells of some lessons ask for; its Python.

    Args:
        place: where it goes.
        versions: which, as in `VERSIONS`.
        names: of the lessons.
    """
    if not (place / "pyvenv.cfg").is_file():
        venv.create(place, with_pip=True)
    bootstrap.PYTHON = place / INSIDE
    pins, constraints = VERSIONS[versions], list[str]()
    if pins is None:
        bootstrap.install_torch(newest())
    else:
        [torch] = re.findall(r"^torch==(\S+)", pins.read_text(), re.MULTILINE)
        bootstrap.install_torch(torch)
        constraints = ["--constraint", str(pins_without_torch(pins, place))]
    wanted = {package for name in names for package in asked_for(name)} | {*KERNEL}
    bootstrap.pip("install", "--quiet", *constraints, *sorted(wanted))
    return Path(bootstrap.PYTHON)


def newest() -> str:
    """The newest torch that pip, as it is configured, would install."""
    return bootstrap.what_pip_would_install("torch")["version"].partition("+")[0]


def pins_without_torch(pins: Path, place: Path) -> Path:
    """A file of constraints without torch, which was installed before."""
    lines = pins.read_text().splitlines(keepends=True)
    path = place / "constraints.txt"
    path.write_text("".join(line for line in lines if not line.startswith("torch==")))
    return path


def asked_for(lesson: str) -> list[str]:
    """The packages that a lesson's first cell asks for."""
    notebook = nbformat.read(lessons.release_path(lesson), as_version=4)
    [cell] = [cell for cell in notebook.cells if lessons.kind(cell) == "bundle"]
    [call] = [node.value for node in ast.parse(cell.source).body if isinstance(node, ast.Expr)]
    return ast.literal_eval(call.args[1])


def run(lesson: str, python: Path, quick: bool, bundle: Path | None = None, *, colab: bool = False) -> Ran:
    """Unpack a lesson, solve it and run it with another Python.

    Args:
        lesson: its name.
        python: of the environment.
        quick: whether trainings are short.
        bundle: its zip; if None, the one in `release/`.
        colab: whether to begin as Colab does: with the notebook alone, and a server that has the zip.
    """
    bundle = bundle or ROOT / "release" / f"{lesson}.zip"
    with tempfile.TemporaryDirectory() as folder, served(bundle.parent) as address:
        with zipfile.ZipFile(bundle) as packed:
            if colab:
                packed.extract(f"{lesson}/{lesson}.ipynb", folder)
            else:
                packed.extractall(folder)
        path = Path(folder, lesson, f"{lesson}.ipynb")
        notebook = solve(nbformat.read(path, as_version=4), lesson)
        nbformat.write(notebook, path)
        kept = {
            name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "HEADSTART"))
        }
        # The home of somebody who begins: nothing is kept there, and no other packages are.
        alone = kept | {"HOME": folder, "OMP_NUM_THREADS": "1"} | ({"HEADSTART_QUICK": "60"} if quick else {})
        if colab:
            startup = Path(folder, "startup.py")
            startup.write_text(ON_COLAB)
            alone |= {"PYTHONSTARTUP": str(startup), "HEADSTART_URL": address, "no_proxy": "127.0.0.1"}
        begun = time.monotonic()
        done = subprocess.run(
            [python, "-c", RUN, path], cwd=path.parent, env=alone, capture_output=True, text=True
        )
        seconds = time.monotonic() - begun
        notebook = nbformat.read(path, as_version=4)
    problems = wrong(notebook) + ([done.stderr.strip()[-2000:]] if done.returncode else [])
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    checks = sum(lessons.kind(cell) == "check" for cell in code)
    return Ran(problems, checks, sum(map(explores, code)), seconds)


@contextlib.contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a folder's files on this machine. Yields the address."""

    class Silent(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            """Say nothing."""

    handler = functools.partial(Silent, directory=folder)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def solve(notebook: nbformat.NotebookNode, lesson: str) -> nbformat.NotebookNode:
    """A released notebook with the answers in its answer cells."""
    answers = {cell.id: cell.source for cell in lessons.load_source_notebook(lesson).cells}
    for cell in notebook.cells:
        if cell.metadata.get("nbgrader", {}).get("solution"):
            cell.source = "\n".join(line for line in answers[cell.id].splitlines() if " SOLUTION" not in line)
    return notebook


def wrong(notebook: nbformat.NotebookNode) -> list[str]:
    """What didn't pass in a notebook that ran, and which explorers weren't shown."""
    found = []
    states = notebook.metadata.get("widgets", {}).get(WIDGETS.format("state"), {}).get("state", {})
    for cell in notebook.cells:
        shown = [output.get("data", {}) for output in cell.get("outputs", [])]
        texts = [data.get("text/plain", "") for data in shown]
        if lessons.kind(cell) == "check" and not any(text.startswith("✓") for text in texts):
            found.append(f"{lessons.exercise_of(cell)}: {' '.join(texts) or 'no check ran'}")
        if cell.cell_type == "code" and explores(cell):
            live = [
                data[WIDGETS.format("view")]["model_id"] in states
                for data in shown
                if WIDGETS.format("view") in data
            ]
            pages = [data.get("text/html", "") for data in shown]
            still = ["headstart-still" in page for page in pages]
            in_the_page = any(page.startswith('<div class="headstart-live"') for page in pages)
            if (live, sum(still), in_the_page) not in (([True], 1, False), ([], 0, True)):
                found.append(f"{cell.source.splitlines()[-1]}: {live}, {still}, {' '.join(texts)[:200]}")
    return found


def explores(cell: nbformat.NotebookNode) -> bool:
    """Whether a cell of code shows an explorer."""
    with contextlib.suppress(SyntaxError):  # a line for IPython: no explorer stands beside one
        calls = [node.func for node in ast.walk(ast.parse(cell.source)) if isinstance(node, ast.Call)]
        return any(ast.unparse(call).endswith(("_explorer", "live_slider")) for call in calls)
    return False


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
