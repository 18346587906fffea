"""What of a course other users of the machine could read, by the modes of it and of all folders above it.

To import it takes only the standard library. Access lists (ACLs) aren't looked at.
"""

import shlex
import stat
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nbgrader.coursedir import CourseDirectory

STEPS = ("source", "source_with_tests", "solution", "submitted", "autograded", "feedback")
# Beside them: grades, what hidden cases follow from, and solutions, if Headstart is the course root.
PRIVATE = (
    "gradebook.db", "grades.csv", "reports", "simulated", ".headstart_secret", ".headstart_draws",
    ".headstart_downloads.json", ".headstart_groups.json", ".headstart_left", "replaced", "notebooks",
    "exercises",
)  # fmt: skip
AS_ROOT = "you are root, and so is the grader: grade as an ordinary user, so that a flaw in it does less harm"
READ, WRITE, ENTER = 0o4, 0o2, 0o1


def places(course: "CourseDirectory") -> list[Path]:
    """All that is private in a course and is there, wherever its settings put it."""
    folders = [getattr(course, f"{step}_directory") for step in STEPS]
    found = [Path(course.root, name) for name in (*folders, *PRIVATE)]
    if course.db_url.startswith("sqlite:///"):
        found.append(Path(course.db_url.removeprefix("sqlite:///")))
    return list(dict.fromkeys(path for path in found if path.exists()))


def is_open(path: Path, *, to_group: bool = True) -> bool:
    """Whether somebody else on this machine could read a file or folder, write to it, or guess names in it.

    Args:
        path: of the file or folder.
        to_group: whether members of its group are somebody else; not where a group shares a course.
    """
    path = path.resolve()
    rights = (READ, WRITE, ENTER) if path.is_dir() else (READ, WRITE)
    # defence: privacy: folders above
    return all(_allows(above, ENTER, to_group) for above in path.parents) and any(
        _allows(path, right, to_group) for right in rights
    )


def _allows(path: Path, right: int, to_group: bool) -> bool:
    status = path.stat()
    if status.st_mode & right:
        return True
    # defence: privacy: the group
    return to_group and bool(status.st_mode >> 3 & right) and _is_shared(status.st_gid, status.st_uid)


def _is_shared(group: int, owner: int) -> bool:
    """Whether a group has members besides root and the owner of a file."""
    import grp
    import pwd

    users = pwd.getpwall()
    named = next((each.gr_mem for each in grp.getgrall() if each.gr_gid == group), [])
    members = {user.pw_uid for user in users if user.pw_gid == group or user.pw_name in named}
    return bool(members - {0, owner})


def warning(course: "CourseDirectory") -> str:
    """What others can read, in a sentence with the cure; "" where all is private."""
    found = [path for path in places(course) if is_open(path, to_group=not course.groupshared)]
    if not found:
        return ""
    root = Path(course.root)
    names = ", ".join(str(path.relative_to(root) if path.is_relative_to(root) else path) for path in found)
    rights = "o-rwx" if course.groupshared else "go-rwx"
    targets = [root, *(path for path in found if not path.is_relative_to(root))]
    cure = shlex.join(["chmod", rights, *map(str, targets)])
    return f"other users of this machine can get at {names}: call `{cure}`"


def exchange_problem(folder: Path) -> str:
    """Why students can't hand in through nbgrader's exchange; "" if they can, or if there is none."""
    mode = stat.S_IMODE(folder.stat().st_mode) if folder.is_dir() else 0o777
    if mode & 0o777 == 0o777:
        return ""
    return (
        f"nbgrader's exchange {folder} has mode {mode:04o}, so students can't hand in: "
        f"ask its owner to call `chmod 1777 {shlex.quote(str(folder))}`"
    )
