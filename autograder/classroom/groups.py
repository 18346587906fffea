"""Groups that hand in one notebook: each member gets a copy of the latest one, and is graded by it."""

import json
import sys
from collections import defaultdict
from datetime import datetime
from pathlib import Path

from nbgrader.api import Student
from nbgrader.coursedir import CourseDirectory

from autograder.classroom.collect import whole
from autograder.classroom.course import find_submissions
from autograder.classroom.database import opened
from autograder.classroom.intake import REPLACED
from autograder.classroom.roster import KINDS
from autograder.classroom.school_csv import harmless, read_table
from autograder.grading.handed_in import RECORDS, read_record, read_time
from autograder.lessons import counted, first_of
from helpers.storage import write_whole

GROUPS = ".headstart_groups.json"  # by lesson, lists of ids
IDS = (
    "student",
    "id",
    "login_id",
    "username",
    *(name.casefold() for names in KINDS.values() for name in names),
)
NAMES = ("group", "group_name", "groups")
"""Columns of ids and of groups, in any case: our own, Canvas's of a group set, Moodle's of participants."""


def share(path: str, lesson: str, course: CourseDirectory) -> int:
    """Give all members of each group what one of them handed in.

    Args:
        path: of a CSV file with a column of groups and one of ids. Who is in no group stands for themselves.
        lesson: its name.
        course: whose submissions these are.

    Returns:
        The exit code: 1 if nothing says what counts in some group, which is named.

    Raises:
        LookupError: the file can't be read, or has ids that the gradebook doesn't know.
    """
    groups = _read(path, course)
    _keep(course, lesson, list(groups.values()))
    found, copied, unclear, without = _handed_in(course, lesson), 0, [], []
    for name, members in groups.items():
        last = _last(members, found)
        if not last:
            without.append(name)
        elif tied := _tied(last, found):
            unclear.append(f"{name}: {tied}")
        else:
            copied += _copy_to_all(members, last[0], found, lesson, course)
    print(f"headstart: {counted(len(groups), 'group')}, {counted(copied, 'submission')} copied to members")
    if without:
        print(f"headstart: nobody has handed in of {harmless(first_of(without))}")
    for line in unclear:
        print(f"headstart: {harmless(line)}", file=sys.stderr)
    return 1 if unclear else 0


def share_again(lesson: str, course: CourseDirectory) -> list[str]:
    """Do the same for the groups that the course knows already. What is unclear, a line per group."""
    groups, unclear = mates(course, lesson), []
    found = _handed_in(course, lesson) if groups else {}
    for members in groups:
        if last := _last(members, found):
            if tied := _tied(last, found):
                unclear.append(tied)
            else:
                _copy_to_all(members, last[0], found, lesson, course)
    return unclear


def mates(course: CourseDirectory, lesson: str) -> list[list[str]]:
    """The groups of a lesson, each a list of ids."""
    return _kept(course).get(lesson, [])


def change_member(course: CourseDirectory, student: str, new: str = "") -> None:
    """Give a student another id in all groups, or take them out."""
    kept = {
        lesson: [
            [*dict.fromkeys(new if who == student else who for who in members if new or who != student)]
            for members in groups
        ]
        for lesson, groups in _kept(course).items()
    }
    if kept:
        _write(course, kept)


def _kept(course: CourseDirectory) -> dict[str, list[list[str]]]:
    try:
        return json.loads(Path(course.root, GROUPS).read_text())
    except (OSError, ValueError):
        return {}


def _keep(course: CourseDirectory, lesson: str, groups: list[list[str]]) -> None:
    _write(course, {**_kept(course), lesson: groups})


def _write(course: CourseDirectory, kept: dict[str, list[list[str]]]) -> None:
    write_whole(Path(course.root, GROUPS), json.dumps(kept, indent=1, ensure_ascii=False).encode())


def _read(path: str, course: CourseDirectory) -> dict[str, list[str]]:
    """The members of each group."""
    table = read_table(path)
    names = [name.strip().casefold() for name in table.names]
    ids = [names.index(name) for name in IDS if name in names]
    group = next((names.index(name) for name in NAMES if name in names), None)
    if not ids or group is None:
        raise LookupError(
            f"{path} needs a column group, and one of ids, such as student; it has {', '.join(names)}"
        )
    with opened(course) as book:
        known = {str(one.id) for one in book.db.query(Student)}
    found: dict[str, list[str]] = defaultdict(list)
    wrong = []
    for number, row in zip(table.numbers[1:], table.rows[1:], strict=True):
        who = next((row[place].strip() for place in ids if row[place].strip() in known), "")
        if not row[group].strip():
            continue
        if not who or any(who in members for members in found.values()):
            why = "is in two groups" if who else "is nobody in the gradebook"
            wrong.append(f"row {number}, {who or row[ids[0]].strip() or 'without an id'}, {why}")
        found[row[group].strip()].append(who)
    if wrong:
        raise LookupError(f"{path}: {first_of(wrong)}. Nothing was copied")
    return found


def _handed_in(course: CourseDirectory, lesson: str) -> dict[str, Path]:
    """By student, the folder of what they handed in."""
    # defence: groups: what links point to
    return {
        one.student: one.folder for one in find_submissions(course, lesson, []) if not one.folder.is_symlink()
    }


def _last(members: list[str], found: dict[str, Path]) -> list[str]:
    """Those members whose submission is the group's latest."""
    times = {who: _when(found[who]) for who in members if who in found}
    return [who for who, time in times.items() if time == max(times.values())]


def _tied(last: list[str], found: dict[str, Path]) -> str:
    """Between whom nothing decides, in words; "" if what they handed in is the same."""
    if len(last) == 1 or len({_content(found[who]) for who in last}) == 1:
        return ""
    return f"nothing says whether {' or '.join(last)} handed in last"


def _copy_to_all(
    members: list[str], last: str, found: dict[str, Path], lesson: str, course: CourseDirectory
) -> int:
    """Copy a submission to the other members. How many needed it."""
    return sum(_copy(found[last], who, lesson, course) for who in members if who != last)


def _when(folder: Path) -> datetime:
    return read_time(read_record(folder / RECORDS[0])) or datetime.min


def _content(folder: Path) -> frozenset[tuple[str, bytes]]:
    """What was handed in, without nbgrader's records."""
    paths = [path for path in folder.rglob("*") if path.is_file() and not path.is_symlink()]
    files = {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}
    return frozenset((name, content) for name, content in files.items() if name not in RECORDS)


def _copy(source: Path, student: str, lesson: str, course: CourseDirectory) -> bool:
    """Put a copy into a member's place, and what is there aside; whether that was needed."""
    place = Path(course.format_path(course.submitted_directory, student, lesson))
    if place.is_dir() and _when(place) == _when(source) and _content(place) == _content(source):
        return False
    aside = Path(course.root, REPLACED, student, lesson)

    def write(part: str) -> None:
        for name, content in (*_content(source), (RECORDS[0], read_record(source / RECORDS[0]))):
            if content or name != RECORDS[0]:
                Path(part, name).parent.mkdir(parents=True, exist_ok=True)
                Path(part, name).write_bytes(content)
        if place.exists():
            aside.mkdir(parents=True, exist_ok=True)
            place.rename(aside / str(1 + len(list(aside.iterdir()))))

    place.parent.mkdir(parents=True, exist_ok=True)
    whole(str(place), write)
    return True
