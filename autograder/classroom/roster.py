"""Students from the school's own gradebook, Canvas's or Moodle's CSV, into nbgrader's."""

import re
import sys
from typing import NamedTuple

from nbgrader.api import Gradebook, Student
from nbgrader.coursedir import CourseDirectory

from autograder.classroom.course import odd_name
from autograder.classroom.database import opened
from autograder.classroom.school_csv import Table, harmless, read_table
from autograder.lessons import counted, first_of

# By a column that only this kind of file has: where ids may be, the first that is there and filled.
KINDS = {
    "SIS Login ID": ("SIS Login ID", "SIS User ID", "ID"),
    "Email address": ("Username", "ID number", "Email address"),
}
FORBIDDEN = set("/+")  # in an id, beside what `odd_name` says: it names folders, and + parts exchange's names
NUMBER = re.compile(r"\d[.,]?\d*E\+\d+")  # what Excel makes of a long number


class Member(NamedTuple):
    """One row of a roster."""

    id: str
    first_name: str
    last_name: str
    email: str
    lms_user_id: str = ""  # Canvas's number, by which its downloads name files


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
        with opened(course) as book:
            done = _add(book, members)
    except (LookupError, OSError) as error:
        said = str(error.args[0] if isinstance(error, LookupError) else error)
        print(f"headstart: {harmless(said)}", file=sys.stderr)
        return 2
    counts = {kind: done.count(kind) for kind in ("new", "changed", "as before")}
    print(
        f"headstart: {counted(len(done), 'student')}: "
        + ", ".join(f"{n} {kind}" for kind, n in counts.items())
    )
    return 0


def read_roster(path: str, column: str = "") -> list[Member]:
    """The students of a file. Canvas's test student isn't one of them.

    Args:
        path: of the file. Where ids are in a column that is named, it may be any CSV file.
        column: its name; found if empty.

    Raises:
        LookupError: it is no roster, or there are rows without an id, with one that names no folder, or with
            one that another row has.
        OSError: it can't be read.
    """
    file = read_table(path)
    kind = next((kind for kind in KINDS if kind in file.names), "")
    names, wanted = _where(file, kind, column, path)
    english = file.names[::-1]  # so that of two columns of one name the first counts
    members, wrong = [], []
    seen: set[str] = set()
    for number, row in zip(file.numbers[1:], file.rows[1:], strict=True):
        texts = [cell.strip() for cell in row]
        cells = dict(zip(english, texts[::-1], strict=True))
        own = dict(zip(names, texts, strict=True))
        if kind == "SIS Login ID" and _nobody(cells):
            continue
        member = _member(next((own[name] for name in wanted if own[name]), ""), cells)
        if said := _refused(member.id, seen):
            wrong.append(f"row {number}, {member.first_name} {member.last_name}, {said}")
        seen.add(member.id.casefold())
        members.append(member)
    if wrong:
        raise LookupError(
            f"{path}: an id is missing, appears twice or can't be a folder's name, in {' or '.join(wanted)}: "
            f"{first_of(wrong)}. Nobody was added. --id COLUMN takes a different column"
        )
    return members


def _where(file: Table, kind: str, column: str, path: str) -> tuple[list[str], list[str]]:
    """The columns' names, and those in which ids may be."""
    names = file.names
    if column and column not in names:
        names = [name.strip() for name in file.rows[0]]  # in the file's own language
    shown = f"it has {', '.join(filter(None, names))}"
    if column and column not in names:
        raise LookupError(f"{path} has no column {column!r}; {shown}")
    if not column and not kind:
        kinds = " nor ".join(map(repr, KINDS))
        raise LookupError(f"{path} has neither the column {kinds}; --id COLUMN says where ids are: {shown}")
    wanted = [column] if column else [name for name in KINDS[kind] if name in names]
    if twice := [name for name in wanted if names.count(name) > 1]:
        raise LookupError(f"{path} has more than one column {twice[0]!r}")
    return names, wanted


def _refused(id: str, seen: set[str]) -> str:
    """Why this can't be an id; empty where it may."""
    if not id:
        return "without an id"
    if id.casefold() in seen:
        return f"{id}: an earlier row has it"
    if NUMBER.fullmatch(id):
        return f"{id}: a spreadsheet has cut a number short"
    if signs := sorted(FORBIDDEN & {*id}):
        return f"{id}: it has {' '.join(signs)}"
    return f"{id}: {odd_name(id)}" if odd_name(id) else ""


def _nobody(cells: dict[str, str]) -> bool:
    """Canvas's rows of points possible, of how grades are posted, and of its test student."""
    name = cells.get("Student", f"{cells.get('LastName', '')}, {cells.get('FirstName', '')}".strip(", "))
    known = any(cells.get(column) for column in KINDS["SIS Login ID"])
    return not (name or known) or name in ("Points Possible", "Student, Test", "Test Student")


def _member(id: str, cells: dict[str, str]) -> Member:
    """Of a row by its columns' names."""
    if "Student" in cells and "SIS Login ID" in cells:
        last, first = _names(cells["Student"])
    else:
        last = cells.get("Last name") or cells.get("LastName", "")
        first = cells.get("First name") or cells.get("FirstName", "")
    email = cells.get("Email address") or cells.get("SIS Login ID", "")
    # defence: roster: names that steer a terminal
    first, last, email = map(harmless, (first, last, email))
    number = cells.get("ID", "") if "SIS Login ID" in cells else ""
    return Member(id, first, last, email if "@" in email else "", number)


def _names(student: str) -> tuple[str, str]:
    """Last and first name of Canvas's "Lovelace, Ada", or of "Ada Lovelace"."""
    last, comma, first = student.partition(", ")
    if comma:
        return last, first
    first, _, last = student.rpartition(" ")
    return last, first


def _add(book: Gradebook, members: list[Member]) -> list[str]:
    """Add or change them, all or none, and say which it was for each."""
    there = {one.id: one for one in book.db.query(Student)}
    spelled = {id.casefold(): id for id in there}
    others = [(one.id, spelled.get(one.id.casefold(), one.id)) for one in members if one.id not in there]
    if wrong := [f"{new}, there as {old}" for new, old in others if new != old]:
        raise LookupError(f"the gradebook spells some ids differently: {first_of(wrong)}. Nobody was added")
    done = []
    for member in members:
        given = {name: text for name, text in member._asdict().items() if text}
        one = there.get(member.id)
        if one is None:
            book.db.add(Student(**given))
            done.append("new")
        elif all(getattr(one, name) == text for name, text in given.items()):
            done.append("as before")
        else:
            for name, text in given.items():
                setattr(one, name, text)
            done.append("changed")
    book.db.commit()
    return done
