"""The end of a term: all that is its own moves into a folder that is a course root by itself."""

import shlex
import shutil
from pathlib import Path

import sqlalchemy as sa
from nbgrader.coursedir import CourseDirectory

from autograder import courses
from autograder.classroom.course import GONE
from autograder.classroom.groups import GROUPS
from autograder.classroom.intake import REPLACED
from autograder.classroom.leaving import RECORDED, REPEAT, STEPS, exchange_of, nobody_watches

# A term's own, in the course root. The next one starts without.
OF_A_TERM = (
    "gradebook.db*", *STEPS, "downloaded", REPLACED, "reports", "simulated", "*.csv", ".headstart_secret",
    ".headstart_draws", *RECORDED, GONE, GROUPS,
)  # fmt: skip
WITH_IT = ("source", "release", "nbgrader_config.py")  # by which it can still be graded
JUDGED_BY = (courses.FILE, "exercises", "helpers", "notebooks")  # and those of a course of one's own


def archive(folder: Path, course: CourseDirectory, *, do: bool) -> int:
    """Move a term into a new folder, or say what that would be.

    Args:
        folder: the new one.
        course: whose term ends.
        do: whether to do it.

    Returns:
        The exit code, 0.

    Raises:
        LookupError: the folder has something of that name already or is in the course, there is nothing to
            move, or a watch is running.
    """
    root = Path(course.root).resolve()
    if folder.is_relative_to(root):
        raise LookupError(f"{folder} is inside the course; name a folder outside")
    with nobody_watches(course):
        moved = sorted(path for pattern in OF_A_TERM for path in root.glob(pattern))
        if not moved:
            raise LookupError(f"{root} has nothing of a term")
        if taken := [path.name for path in moved if (folder / path.name).exists()]:
            raise LookupError(f"{folder} has {taken[0]} already; name another folder")
        own = courses.current()
        judging = () if own.is_engines else (own.root / name for name in JUDGED_BY)
        copied = [path for path in (*(root / name for name in WITH_IT), *judging) if path.exists()]
        print(f"  move to {folder}: {', '.join(path.name for path in moved)}")
        print(f"  copy to {folder}: {', '.join(path.name for path in copied)}")
        if not do:
            print(f"headstart: {REPEAT}")
            return 0
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for path in copied:
            if path.is_dir():
                shutil.copytree(path, folder / path.name, dirs_exist_ok=True)
            else:
                shutil.copy2(path, folder)
        if not own.is_engines:
            courses.remember(folder)
        for path in moved:
            shutil.move(path, folder / path.name)
    _say_what_is_left(course, folder)
    return 0


def _say_what_is_left(course: CourseDirectory, folder: Path) -> None:
    """What the archive doesn't do: settings that name a folder, a server's database, and the exchange."""
    print(
        f"headstart: the term is in {folder}, with its own secret. Commands work there as before; if your "
        "settings name a course's folder, as on a Hub, add " + shlex.quote(f"--CourseDirectory.root={folder}")
    )
    print("headstart: here the next `headstart grade` makes a new secret, and so other hidden cases")
    if sa.engine.make_url(course.db_url).get_backend_name() != "sqlite":
        print("headstart: the gradebook is on a server, and stays there: give the next term a new database")
    if (exchange := exchange_of(course)).is_dir():
        print(
            "headstart: the exchange still has this term's submissions, which the next one would collect: "
            + shlex.join(["mv", str(exchange), f"{exchange}-{folder.name}"])
        )
