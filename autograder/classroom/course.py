"""A course's folder: its settings, the submissions in it, and its secret.

nbgrader's own application reads the settings, except those in the current folder, which may be a student's.
`enter` leaves that folder before a command imports what it needs; for `python -m` and
nbgrader's own commands, the set-up puts the two files of `commands/environment/` into the environment.
"""

import contextlib
import difflib
import os
import secrets
import sys
import unicodedata
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from jupyter_core.application import JupyterApp
from nbgrader.api import Student
from nbgrader.apps.autogradeapp import AutogradeApp
from nbgrader.coursedir import CourseDirectory
from traitlets.config import Config

from autograder import lessons
from autograder.classroom.database import has_gradebook, opened
from autograder.courses import current
from autograder.grading.handed_in import Submission

ROOT_SETTING = "--CourseDirectory.root="
MARKS = ("source", "submitted", "gradebook.db")  # a folder that has one of these may be a course's root
HANDED_IN = ("submitted", "downloaded", "autograded", "feedback")  # beside a course's source/
GONE = ".headstart_left"  # ids of students who left, or have another id now: one per line
SHORTEST = 32  # bytes of a secret; those that we make have 64


class Settings(AutogradeApp):
    """nbgrader's reading of its settings, without the folder it is called in, which may be a student's."""

    def init_syspath(self) -> None:
        """Leave the path as it is: nbgrader puts the current folder first."""

    def load_config_file(self, **options: Any) -> None:
        """Read the user's files and the system's. nbgrader reads the course's root by itself, afterwards."""
        JupyterApp.load_config_file(self, **options)
        if "root" not in self.config.CourseDirectory and (problem := no_course(Path.cwd())):
            raise LookupError(problem)


def course_directory(
    root: Path | None = None, settings: Sequence[str] = ()
) -> tuple[CourseDirectory, Config]:
    """A course, and all settings that hold for it.

    nbgrader itself reads them, from `nbgrader_config.py` of Jupyter's folders, such as `~/.jupyter` and
    `/etc/jupyter`, and of the course's root. Unlike nbgrader's own commands, nothing is read or imported from
    the current folder, unless that is the root: the grader may be in a student's folder.

    Args:
        root: the course's folder. Without it, that of the settings, or else the current one.
        settings: as on nbgrader's command line, `--CourseDirectory.db_url=...`. They come before all files.

    Raises:
        LookupError: no root is named, and the current folder isn't a course's.
    """
    app = Settings()
    named = [] if root is None else [f"{ROOT_SETTING}{root}"]
    app.initialize([_absolute(setting) for setting in (*named, *settings)])
    app.config.CourseDirectory.root = app.coursedir.root
    if app.coursedir.root not in sys.path:
        sys.path.append(app.coursedir.root)  # a course may have plugins of its own for nbgrader
    return CourseDirectory(config=app.config), app.config


def enter(settings: Sequence[str]) -> tuple[CourseDirectory, Config]:
    """A course and its settings. Its folder becomes the current one, before anything else is imported.

    The folder that a command is called in may be a student's, and libraries read the current folder unasked:
    Matplotlib its style, nbconvert its templates.

    Args:
        settings: as on nbgrader's command line.

    Raises:
        LookupError: there is no such course.
    """
    course, config = course_directory(settings=settings)
    try:
        os.chdir(course.root)
    except OSError as error:
        raise LookupError(f"there is no course in {course.root}: {error.strerror}") from error
    return course, config


def find_lesson(name: str, course: CourseDirectory) -> str:
    """A lesson's full name, of those in a course; in the folder of its masters, also of those not built.

    Raises:
        LookupError: there is none of that name; the text says which there are.
    """
    place = Path(course.format_path(course.source_directory, ".", "lesson")).parent
    there = [each for each in _names(place) if (place / each).is_dir()]
    if name in there:
        return name
    if Path(course.root).resolve() == current().root:
        return lessons.find(name)
    return lessons.find_among(there, name, place)


def _names(folder: Path) -> list[str]:
    """What is in a folder, sorted; nothing if there is no such folder.

    Raises:
        LookupError: we may not look. To Path.is_dir, in Python 3.14, that is the same as no folder.
    """
    try:
        return sorted(os.listdir(folder))
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise LookupError(f"{folder} can't be read: {error.strerror}") from None


def _absolute(setting: str) -> str:
    """The same setting, with the whole path where it names the root: commands leave the current folder."""
    if not setting.startswith(ROOT_SETTING):
        return setting
    return ROOT_SETTING + os.path.abspath(os.path.expanduser(setting.removeprefix(ROOT_SETTING)))


def no_course(folder: Path) -> str:
    """Why a folder that nobody named isn't taken for a course's root; "" where it is one.

    A root's `nbgrader_config.py` is executed, and in what was handed in that would be a student's.
    """
    cure = "call it in the course's folder, or name that with --CourseDirectory.root=FOLDER"
    for inner in (folder, *folder.parents):
        beside = {"inbound": "outbound", **dict.fromkeys(HANDED_IN, "source")}.get(inner.name)
        if beside and (inner.parent / beside).is_dir():
            return f"{folder} holds submissions, so it isn't taken for a course: {cure}"
    if any((folder / mark).exists() for mark in MARKS):
        return ""
    if lessons.names(folder):
        return f"{folder} has no source/ yet: build the lessons with `headstart build`"
    return f"{folder} isn't a course, since it has no {lessons.listed(MARKS, 'or')}: {cure}"


LONGEST_ID = 128  # characters, as the gradebook's tables have room for
FORMULA = "=+-@\t\r\n"  # what a spreadsheet takes for a formula begins with one of these
# Formgrader writes ids into its pages and addresses as they are, and nbgrader's commands take patterns.
SIGNS = '<>"&\\*?[%#'


def find_submissions(course: CourseDirectory, lesson: str, students: list[str]) -> list[Submission]:
    """The submissions of a lesson, by student. `students` narrows them down; none means all who haven't left.

    So do nbgrader's settings `student_id`, a pattern, and `student_id_exclude`.

    Raises:
        LookupError: the folder of all submissions can't be read.
    """
    marker = "\0"
    pattern = course.format_path(course.submitted_directory, marker, lesson)
    before, _, after = pattern.partition(marker)
    if not students:
        left = gone(course)
        # defence: course: students who have left
        there = [name for name in _names(Path(before)) if not odd_name(name) and name not in left]
        students = [name for name in there if fnmatchcase(name, course.student_id)]
    # defence: settings: student_id_exclude
    names = [name for name in students if name not in course.student_id_exclude.split(",")]
    folders = [(name, Path(before + name + after)) for name in names]
    return [Submission(name, lesson, folder) for name, folder in folders if _handed_in(folder)]


def not_handed_in(course: CourseDirectory, lesson: str, student: str) -> str:
    """What to say of a student without a submission, and whom one may have meant."""
    there = [submission.student for submission in find_submissions(course, lesson, [])]
    near = [] if student in _known(course) else difflib.get_close_matches(student, there, n=1)
    hint = f"; did you mean {near[0]}?" if near else f"; {lessons.counted(len(there), 'student')} did"
    return f"{student} hasn't handed in {lesson}{hint}"


def gone(course: CourseDirectory) -> set[str]:
    """The ids of students who have left or have another id now, and that aren't in the gradebook again.

    What they handed in is neither collected nor graded: that would bring them back.
    """
    left = ever_gone(course)
    return left - _known(course) if left else left


def _known(course: CourseDirectory) -> set[str]:
    """The ids of those who are in the gradebook."""
    if not has_gradebook(course):
        return set()
    with opened(course) as book:
        return {str(id) for (id,) in book.db.query(Student.id)}


def ever_gone(course: CourseDirectory) -> set[str]:
    """The ids of all who ever left or got another id."""
    with contextlib.suppress(OSError):
        return {*Path(course.root, GONE).read_text(encoding="utf-8").splitlines()}
    return set()


def is_formula(text: str) -> bool:
    """Whether a spreadsheet may take a text for a formula: full-width signs, too, are the same to some."""
    # defence: course: full-width signs
    return unicodedata.normalize("NFKC", text[:1])[:1] in tuple(FORMULA)


def odd_name(name: str) -> str:
    """Why a folder's name can't be a student's id; "" if it can.

    Later steps put ids into a database, into file names and on a terminal.
    """
    # defence: course: names with a dot in front
    if name.startswith("."):
        return "its name begins with a dot"
    # defence: course: names that are formulas or options
    if not name or is_formula(name):
        return "its name begins like a spreadsheet's formula or a command's option"
    # defence: course: names that can't be printed
    if not name.isprintable():  # what isn't UTF-8 comes as characters that can't be printed, either
        return "its name has characters that can't be printed"
    # defence: course: names that are HTML or patterns
    if found := sorted({*name} & {*SIGNS}):
        return f"its name has a character that pages or commands treat specially: {' '.join(found)}"
    # defence: course: long names
    return "its name has more than 128 characters" if len(name) > LONGEST_ID else ""


def refused_names(course: CourseDirectory, lesson: str) -> list[tuple[str, str]]:
    """Folders with a submission of a lesson that nobody in the course has, each with what to say of it."""
    marker = "\0"
    before, _, after = course.format_path(course.submitted_directory, marker, lesson).partition(marker)
    left = gone(course)
    why = {
        name: f"{odd}; rename the folder to the student's id"
        for name in _names(Path(before))
        if (odd := odd_name(name))
    }
    why |= {
        name: f"they have left the course; `nbgrader db student add {name}` takes them in again"
        for name in left - why.keys()
    }
    return [
        (name[:LONGEST_ID], f"not graded: {why[name]}")
        for name in sorted(why)
        if _handed_in(Path(before + name + after))
    ]


def _handed_in(folder: Path) -> bool:
    """Whether there is something, be it a link to nowhere. What can't be looked at gets its reason later."""
    try:
        folder.lstat()
    except OSError as error:
        return isinstance(error, PermissionError)
    return True


def hidden_secret(course: CourseDirectory) -> bytes:
    """The course's secret, from which all hidden cases come. Made when first asked for.

    It is its owner's alone, or the group's where `CourseDirectory.groupshared` says that a group teaches.

    Raises:
        LookupError: what is there is too short to be one, or can't be read.
    """
    path = Path(course.root, ".headstart_secret")
    if not path.exists():
        temporary = path.with_name(f".headstart_secret.{os.getpid()}")
        with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(secrets.token_hex(32))
            if course.groupshared:
                os.fchmod(file.fileno(), 0o640)
        with contextlib.suppress(FileExistsError):
            os.link(temporary, path)
        temporary.unlink()
    try:
        secret = path.read_bytes().strip()
    except OSError as error:
        raise LookupError(f".headstart_secret can't be read: {error.strerror}") from None
    # defence: secret: not cut short
    if len(secret) < SHORTEST:
        cure = "restore it, or delete it: then everything is graded again, on different hidden cases"
        raise LookupError(f".headstart_secret is empty or cut short; {cure}")
    return secret


def draws_folder(course: CourseDirectory) -> Path:
    """Where a course keeps which of its hidden draws are fit to judge by: beside its secret, as private."""
    folder = Path(course.root, ".headstart_draws")
    if course.groupshared:
        with contextlib.suppress(OSError):  # another teacher has made it
            folder.mkdir(exist_ok=True)
            folder.chmod(0o2770)
    return folder
