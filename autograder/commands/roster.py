"""Students from the school's own gradebook, Canvas's or Moodle's CSV, into nbgrader's."""

import sys
from typing import NamedTuple

from nbgrader.api import Gradebook, MissingEntry
from nbgrader.coursedir import CourseDirectory

from autograder.grading.exports import read_table
from autograder.grading.gradebook import opened
from autograder.lessons import counted

# By a column that only this kind of file has: where ids may be, the first that is there and filled.
KINDS = {
    "SIS Login ID": ("SIS Login ID", "SIS User ID", "ID"),
    "Email address": ("Username", "ID number", "Email address"),
}
FORBIDDEN = set("/\\+\0")  # in an id: it names folders, and the exchange parts names at plus signs


class Member(NamedTuple):
    """One row of a roster."""

    id: str
    first_name: str
    last_name: str
    email: str


def add_students(path: str, course: CourseDirectory, column: str = "") -> int:
    """Add the students of a file, and change names and e-mails of those who are there.

    Args:
        path: of the file, as Canvas or Moodle exports it.
        course: whose gradebook is written to.
        column: in which ids are; found by its name if empty.

    Returns:
        The exit code: 2 if something can't be read, which is said in a sentence; nothing is written then.
    """
    try:
        members = read_roster(path, column)
    except (LookupError, OSError, UnicodeDecodeError) as error:
        print(f"headstart: {error.args[0] if isinstance(error, LookupError) else error}", file=sys.stderr)
        return 2
    with opened(course) as book:
        done = [_add(book, member) for member in members]
    counts = {kind: done.count(kind) for kind in ("new", "changed", "as before")}
    print(
        f"headstart: {counted(len(done), 'student')}: "
        + ", ".join(f"{n} {kind}" for kind, n in counts.items())
    )
    return 0


def read_roster(path: str, column: str = "") -> list[Member]:
    """The students of a file. Canvas's test student is none.

    Raises:
        LookupError: it is no roster, or there are rows without an id, with one that names no folder, or with
            one that another row has.
        OSError: it can't be read.
        UnicodeDecodeError: it isn't UTF-8.
    """
    header, *rows = read_table(path)
    kind = next((kind for kind in KINDS if kind in header), None)
    if kind is None:
        raise LookupError(f"{path} has neither the column {' nor '.join(map(repr, KINDS))}")
    if column and column not in header:
        raise LookupError(f"{path} has no column {column!r}; it has {', '.join(filter(None, header))}")
    wanted = [column] if column else [name for name in KINDS[kind] if name in header]
    canvas = kind == "SIS Login ID"
    members, wrong, seen = [], [], set()
    for number, row in enumerate(rows, 2):
        cells = dict(zip(header, (cell.strip() for cell in row), strict=True))
        if canvas and (not cells.get("ID") or cells["Student"] in ("Student, Test", "Test Student")):
            continue  # the points possible, or nobody
        id = next((cells[name] for name in wanted if cells[name]), "")
        last, first = (
            _names(cells["Student"]) if canvas else (cells.get("Last name"), cells.get("First name"))
        )
        email = cells["SIS Login ID" if canvas else "Email address"]
        if not id or FORBIDDEN & {*id} or id[0] in ".-" or not id.isprintable() or id in seen:
            wrong.append(f"row {number}, {first or ''} {last or ''}, {id or 'without an id'}")
        seen.add(id)
        members.append(Member(id, first or "", last or "", email if "@" in email else ""))
    if wrong:
        raise LookupError(
            f"{path}: an id is missing, is there twice or can't name a folder, by {' or '.join(wanted)}: "
            f"{'; '.join(wrong)}. Nobody was added. --id COLUMN takes another column"
        )
    return members


def _names(student: str) -> tuple[str, str]:
    """Last and first name of Canvas's "Lovelace, Ada", or of "Ada Lovelace"."""
    last, comma, first = student.partition(", ")
    if comma:
        return last, first
    first, _, last = student.rpartition(" ")
    return last, first


def _add(book: Gradebook, member: Member) -> str:
    known = {"first_name": member.first_name, "last_name": member.last_name, "email": member.email}
    given = {name: text for name, text in known.items() if text}
    try:
        there = book.find_student(member.id)
    except MissingEntry:
        book.add_student(member.id, **given)
        return "new"
    if all(getattr(there, name) == text for name, text in given.items()):
        return "as before"
    book.update_or_create_student(member.id, **given)
    return "changed"
