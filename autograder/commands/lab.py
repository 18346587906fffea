"""Open the lessons in JupyterLab: build them, give the student their own copies, start the server.

The student works in work/, never in release/, where a later build, or an update of Headstart, would
overwrite their work. A file in work/ is replaced only while it is still as it was handed out.
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

from autograder.courses import ENGINE, FILE, current
from autograder.lessons import names, source_path
from autograder.programs import is_root
from helpers.checking import progress

SOURCES = ("notebooks", "exercises", "helpers")  # what a build reads of a course
KERNEL = "helpers/*/kernel.py"  # what a course lets each kernel begin with, where it has one
HIDDEN = ("checks.json", "__pycache__", "*.pyc", ".DS_Store", "*~")  # in the list of files
# JupyterLab answers these and ends.
QUESTIONS = {"--version", "--help-all", "--show-config", "--show-config-json", "--generate-config"}
DESCRIPTION = (
    "Build what changed in the lessons, copy what is new into work/, and open it in JupyterLab. All other "
    "options go to JupyterLab, such as --no-browser or --port=9000; --help-all lists them."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments: none of its own."""
    parser.description, parser.usage = DESCRIPTION, "headstart lab [-h] [...]"


def run(options: argparse.Namespace) -> int:
    """Become JupyterLab."""
    os.chdir(current().root)
    lab(options.rest)
    return 0


def lab(arguments: list[str]) -> None:
    """Build what changed, hand it out and become JupyterLab on the start page.

    Args:
        arguments: further options for JupyterLab, such as "--no-browser".
    """
    root = current().root
    work = root / "work"
    if not QUESTIONS & {*arguments}:
        build(root)
        for name in hand_out(root / "release", work):
            print(
                f"headstart: there is a newer {name}, but you changed yours: move it away to get the new one"
            )

    for path in root.glob(KERNEL):
        os.environ.setdefault("PYTHONSTARTUP", str(path))
    first = next(iter(names(root)), "")
    # Its labconfig/ leaves out what only teachers need, and questions about JupyterLab's news; that of alone/
    # also what leads to assignments on a machine that teacher and students share.
    here = Path(__file__).parent
    paths = [str(here / "alone"), str(here), *filter(None, [os.environ.get("JUPYTER_CONFIG_PATH")])]
    os.environ["JUPYTER_CONFIG_PATH"] = os.pathsep.join(paths)
    from jupyterlab.labapp import main

    main(
        [
            f"--ServerApp.root_dir={work}",
            f"--LabApp.default_url=/lab/tree/{first}/{first}.ipynb",
            *(f"--ContentsManager.hide_globs={name}" for name in HIDDEN),
            *(["--allow-root"] if is_root() else []),  # as in most containers
            *arguments,
        ]
    )


def build(root: Path) -> None:
    """Run `headstart build`, unless what it made is there and nothing it reads has changed since."""
    read = [
        root / FILE,
        root / "nbgrader_config.py",
        *(path for name in SOURCES for path in files(root / name)),
    ]
    read += files(ENGINE / "autograder")
    now = digest(*(f"{path} {digest(path.read_bytes())}".encode() for path in read if path.is_file()))
    built = root / "release" / ".built"
    there = all(source_path(lesson, root).is_file() for lesson in names(root))
    if there and built.exists() and built.read_text() == now:
        return
    print("headstart: building the lessons", flush=True)
    if subprocess.call([sys.executable, "-m", "autograder", "build"], cwd=root):
        sys.exit(1)
    built.write_text(now)


def hand_out(release: Path, work: Path) -> list[str]:
    """Copy the released files that are new, or that the student has not touched.

    A file the student deleted comes back, which is how to start a lesson again.

    Returns:
        The files left alone although release has a newer one, since the student changed theirs.
    """
    record = work / ".handed_out.json"
    handed_out = renumber(work, json.loads(record.read_text()) if record.exists() else {}, release)
    kept = []
    for source in (path for path in files(release) if path.parent != release):  # no zips
        name = source.relative_to(release).as_posix()
        target = work / name
        new, theirs = digest(source.read_bytes()), digest(target.read_bytes()) if target.exists() else None
        if theirs in (None, handed_out.get(name)):
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(source.read_bytes())
        elif theirs != new:
            if handed_out.get(name) != new:
                kept.append(name)
            continue
        handed_out[name] = new
    work.mkdir(exist_ok=True)
    record.write_text(json.dumps(handed_out, indent=1))
    return kept


def renumber(work: Path, handed_out: dict[str, str], release: Path) -> dict[str, str]:
    """Move work under a number that its lesson had before to where the lesson is now.

    Nothing is written over: where there is work under the new number too, the old folder stays as it is.

    Args:
        work: the student's folder.
        handed_out: by name below it, the digest of each file as it was handed out.
        release: the lessons as they are numbered now.

    Returns:
        The same under the new names.
    """
    released = {path.name[3:]: path.name for path in release.glob("[0-9][0-9]_*") if path.is_dir()}
    for folder in sorted(work.glob("[0-9][0-9]_*")):
        now = released.get(folder.name[3:], folder.name)
        if now == folder.name or not folder.is_dir() or (work / now).exists():
            continue
        old, notebook = f"{folder.name}/", folder / f"{folder.name}.ipynb"
        if notebook.exists():
            notebook.rename(folder / f"{now}.ipynb")
        folder.rename(work / now)
        progress.move(folder, work / now)
        handed_out = {
            f"{now}/{name.removeprefix(old).replace(folder.name, now)}"
            if name.startswith(old)
            else name: seen
            for name, seen in handed_out.items()
        }
        print(f"headstart: {folder.name} is now {now}, and your work has moved with it")
    return handed_out


def files(folder: Path) -> list[Path]:
    """The files under a folder in a fixed order, without hidden ones and caches."""
    names = sorted(path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return [
        folder / name for name in names if name.suffix != ".pyc" and not f"/{name.as_posix()}".count("/.")
    ]


def digest(*parts: bytes) -> str:
    """A short name for some bytes, the same only for the same ones."""
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


if __name__ == "__main__":
    from autograder.commands.cli import main

    sys.exit(main(["lab", *sys.argv[1:]]))
