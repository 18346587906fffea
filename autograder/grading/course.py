"""A course's folder: its settings, the submissions in it, and its secret."""

import contextlib
import os
import secrets
from pathlib import Path

from nbgrader.coursedir import CourseDirectory
from traitlets.config import Config
from traitlets.config.loader import PyFileConfigLoader

from autograder import lessons
from autograder.grading.submission import Submission

SHORTEST = 32  # bytes of a secret; those that we make have 64


def course_directory(root: Path) -> tuple[CourseDirectory, Config]:
    """The course in a folder as nbgrader sees it, with the settings of its `nbgrader_config.py`, if any."""
    config = Config()
    for place in (root, lessons.ROOT):
        if (place / "nbgrader_config.py").is_file():
            config = PyFileConfigLoader("nbgrader_config.py", path=str(place)).load_config()
            break
    config.CourseDirectory.root = str(root)
    return CourseDirectory(config=config), config


def find_submissions(course: CourseDirectory, lesson: str, students: list[str]) -> list[Submission]:
    """The submissions of a lesson, by student. `students` narrows them down; none means all."""
    marker = "\0"
    pattern = course.format_path(course.submitted_directory, marker, lesson)
    before, _, after = pattern.partition(marker)
    base = Path(before)
    names = students or (sorted(p.name for p in base.iterdir() if p.name[0] != ".") if base.is_dir() else [])
    folders = [(name, Path(before + name + after)) for name in names]
    return [Submission(name, lesson, folder) for name, folder in folders if _handed_in(folder)]


def _handed_in(folder: Path) -> bool:
    """Whether there is something, be it a link to nowhere. What can't be looked at gets its reason later."""
    try:
        folder.lstat()
    except OSError as error:
        return isinstance(error, PermissionError)
    return True


def hidden_secret(course: CourseDirectory) -> bytes:
    """The course's secret, from which all hidden cases come. Made when first asked for; its owner's alone.

    Raises:
        LookupError: what is there is too short to be one, or can't be read.
    """
    path = Path(course.root, ".headstart_secret")
    if not path.exists():
        temporary = path.with_name(f".headstart_secret.{os.getpid()}")
        with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(secrets.token_hex(32))
        with contextlib.suppress(FileExistsError):
            os.link(temporary, path)
        temporary.unlink()
    try:
        secret = path.read_bytes().strip()
    except OSError as error:
        raise LookupError(f".headstart_secret can't be read: {error.strerror}") from None
    if len(secret) < SHORTEST:
        cure = "put its content back, or delete it: then everything is graded anew, by other hidden cases"
        raise LookupError(f".headstart_secret is empty or cut short; {cure}")
    return secret


def draws_folder(course: CourseDirectory) -> Path:
    """Where a course keeps which of its hidden draws are fit to judge by, beside its secret."""
    return Path(course.root, ".headstart_draws")
