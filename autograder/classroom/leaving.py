"""Students who leave, or whose id changes.

What is a student's in a course: rows of the gradebook, folders by step and lesson, lines in our records,
pages that name them, and what is in the exchange. A submission there belongs to the student's account, so
often only root can delete it. It would bring the student back with the next collect; `gone` keeps it out.

The rows of the gradebook go last: a call that was stopped can be repeated.
"""

import fcntl
import json
import os
import shlex
import shutil
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from urllib.parse import quote

import sqlalchemy as sa
from nbgrader.api import Gradebook, Student, SubmittedAssignment
from nbgrader.coursedir import CourseDirectory
from nbgrader.exchange.default import Exchange
from nbgrader.utils import notebook_hash

from autograder.classroom.course import GONE, ever_gone, odd_name
from autograder.classroom.database import opened
from autograder.classroom.groups import change_member
from autograder.classroom.intake import KEPT, REPLACED
from autograder.classroom.marking.marks import forget_the_gone
from autograder.classroom.roster import FORBIDDEN
from autograder.classroom.school_csv import harmless
from autograder.classroom.watching import LOCK, STATE
from autograder.grading.handed_in import RECORDS, read_record, read_time
from autograder.lessons import counted
from helpers.storage import write_whole

RECORDED = (KEPT, STATE)  # JSON, by lesson and student
STEPS = ("submitted", "autograded", "feedback")
REPEAT = "nothing was changed: the same command with --yes does it"
Folders = dict[tuple[str, str], Path]
"""A student's folders, by step and lesson."""


def remove(student: str, course: CourseDirectory, *, do: bool) -> int:
    """Delete all of a student's, or say what that would be.

    Args:
        student: their id.
        course: from which they leave.
        do: whether to do it.

    Returns:
        The exit code: 1 if something of theirs remains, which is named.

    Raises:
        LookupError: there is nothing of theirs, it is no id, or a watch is running.
    """
    _refuse_paths(student)
    with nobody_watches(course), opened(course) as book:
        theirs = [
            *folders(course, student).values(),
            *_beside(course, student),
            *_in_exchange(course, student),
        ]
        handed_in = book.db.query(SubmittedAssignment).filter_by(student_id=student).count()
        if not theirs and book.db.get(Student, student) is None:
            raise LookupError(f"there is nothing of {student!r} in this course")
        _say("delete", [*theirs, *_pages(course)], course)
        print(f"  delete from the gradebook: {harmless(student)} with {counted(handed_in, 'submission')}")
        if not do:
            print(f"headstart: {REPEAT}. Nothing brings it back")
            return 0
        _add_gone(course, student)
        left = [path for path in (*theirs, *_pages(course)) if not _deleted(path)]
        _change_records(course, student)
        _delete_rows(book, student)
    print(f"headstart: {harmless(student)} is removed; `headstart report` makes the pages of the class anew")
    if left:
        print(
            "headstart: the rest belongs to another account, and is no longer collected. Root can delete it: "
            f"sudo rm -r {harmless(shlex.join(map(str, left)))}",
            file=sys.stderr,
        )
    return 1 if left else 0


def rename(old: str, new: str, course: CourseDirectory, *, do: bool) -> int:
    """Give a student another id, or say what that would change.

    Where both ids are in the course, they become one. Of a lesson that both handed in, the later submission
    counts; the other moves to `replaced/`, and its grades are deleted.

    Args:
        old: the id until now.
        new: the one from now on.
        course: in which they are.
        do: whether to do it.

    Returns:
        The exit code, 0.

    Raises:
        LookupError: there is nobody of this id, the new one can't be one, or a watch is running.
    """
    _refuse_paths(old)
    if why := odd_name(new) or "it has / or +" * bool(FORBIDDEN & {*new}) or "it is the same" * (old == new):
        raise LookupError(f"{new!r} can't be the new id: {why}")
    with nobody_watches(course), opened(course) as book:
        if book.db.get(Student, old) is None:
            raise LookupError(f"the gradebook has no student {old!r}")
        earlier = _earlier(book, course, old, new)
        _say_moves(book, course, old, new, earlier)
        if not do:
            print(f"headstart: {REPEAT}")
            return 0
        _add_gone(course, old)
        for lesson, loser in earlier.items():
            _set_aside(book, course, lesson, loser, new)
        _move_folders(course, old, new)
        for path in (*_beside(course, old), *_pages(course)):
            _deleted(path)
        _change_records(course, old, new)
        _move_rows(book, old, new)
    again = "hidden cases differ from student to student, so the next `headstart grade` judges anew"
    print(f"headstart: {harmless(old)} is {harmless(new)} now; {again}")
    return 0


def _refuse_paths(student: str) -> None:
    """Stop at what would lead to other folders than a student's.

    Raises:
        LookupError: it would.
    """
    # defence: leaving: ids that are paths
    if "/" in student or student in ("", ".", ".."):
        raise LookupError(f"{student!r} is no student's id")


def _earlier(book: Gradebook, course: CourseDirectory, old: str, new: str) -> dict[str, str]:
    """By lesson that both ids have something of, the one whose submission doesn't count."""
    mine, others = folders(course, old), folders(course, new)
    both = {lesson for _, lesson in mine} & {lesson for _, lesson in others}
    both |= _graded(book, old) & _graded(book, new)
    return {lesson: old if _when(mine, lesson) < _when(others, lesson) else new for lesson in sorted(both)}


def _say_moves(book: Gradebook, course: CourseDirectory, old: str, new: str, earlier: dict[str, str]) -> None:
    for lesson, loser in earlier.items():
        place = f"{REPLACED}/{harmless(new)}"
        print(f"  {lesson}: {harmless(loser)} handed in earlier: to {place}, without its grades")
    for (step, lesson), path in sorted(folders(course, old).items()):
        if earlier.get(lesson) != old:
            target = _short(_folder(course, step, new, lesson), course)
            print(f"  {harmless(_short(path, course))} → {harmless(target)}")
    _say("delete", _pages(course), course)
    moved = counted(len(_graded(book, old) - {*earlier}), "submission")
    print(f"  in the gradebook: {harmless(old)} → {harmless(new)}, with {moved}")


# -- finding ---------------------------------------------------------------------------------------------


def folders(course: CourseDirectory, student: str) -> Folders:
    """A student's folders in the course."""
    found = {}
    for step in STEPS:
        before, _, after = str(_folder(course, step, student, "\0")).partition("\0")
        with suppress(OSError):
            for name in os.listdir(os.path.dirname(before)):
                if Path(path := os.path.join(os.path.dirname(before), name + after)).is_dir():
                    found[step, name] = Path(path)
    return found


def _folder(course: CourseDirectory, step: str, student: str, lesson: str) -> Path:
    return Path(course.format_path(getattr(course, f"{step}_directory"), student, lesson))


def _beside(course: CourseDirectory, student: str) -> list[Path]:
    """What else is a student's alone: what was replaced, their page, and the emptied folders of the steps."""
    root = Path(course.root)
    page = root / "reports" / "students" / f"{quote(student, safe='@')}.html"
    around = [_folder(course, step, student, "\0").parent for step in STEPS]
    return [
        path for path in (root / REPLACED / student, page, *around) if path.exists() and path.name != "\0"
    ]


def _pages(course: CourseDirectory) -> list[Path]:
    """Pages and zips of the whole class, which may name anybody and can be made anew."""
    reports = Path(course.root, "reports")
    return sorted([*reports.glob("*.html"), *reports.glob("*_feedback_*.zip")])


def exchange_of(course: CourseDirectory) -> Path:
    """The course's folder in the exchange."""
    return Path(Exchange(config=course.config).root, course.course_id)


def _in_exchange(course: CourseDirectory, student: str) -> list[Path]:
    """A student's submissions in the exchange, and the pages of feedback that only they can find there."""
    exchange = exchange_of(course)
    inbound: list[Path] = []
    with suppress(OSError):
        there = (exchange / "inbound").iterdir()
        inbound = sorted(path for path in there if path.name.rsplit("+", 3)[0] == student)
    mine = folders(course, student)
    secrets = {
        read_record(folder / RECORDS[1]).decode(errors="replace")
        for folder in (*inbound, *(path for (step, _), path in mine.items() if step == STEPS[0]))
    } - {""}  # of what wasn't handed in through the exchange
    notebooks = {path.stem for folder in inbound for path in _files(folder, "*.ipynb")}
    notebooks |= {path.stem for folder in mine.values() for path in _files(folder, "*.[ih][pt]*")}
    names = {
        f"{notebook_hash(secret=secret, notebook_id=name)}.html" for secret in secrets for name in notebooks
    }
    pages = {exchange / "feedback" / name for name in names}
    return [*inbound, *sorted(page for page in pages if page.exists())]


def _files(folder: Path, pattern: str) -> list[Path]:
    with suppress(OSError):
        return list(folder.glob(pattern))
    return []


def _graded(book: Gradebook, student: str) -> set[str]:
    return {str(one.name) for one in book.db.query(SubmittedAssignment).filter_by(student_id=student)}


def _when(theirs: Folders, lesson: str) -> tuple[bool, datetime]:
    """When a lesson was handed in; before all others where it wasn't."""
    folder = theirs.get((STEPS[0], lesson))
    time = read_time(read_record(folder / RECORDS[0])) if folder else None
    return folder is not None, time or datetime.min


# -- changing --------------------------------------------------------------------------------------------


@contextmanager
def nobody_watches(course: CourseDirectory) -> Iterator[None]:
    """No `headstart watch` works on the course meanwhile.

    Raises:
        LookupError: one does.
    """
    with open(Path(course.root, LOCK), "w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise LookupError("`headstart watch` is running in this course: stop it first") from None
        yield


def _add_gone(course: CourseDirectory, student: str) -> None:
    lines = sorted({*ever_gone(course), student})
    write_whole(Path(course.root, GONE), "".join(f"{line}\n" for line in lines).encode())


def _deleted(path: Path) -> bool:
    """Delete a file or folder; whether it is gone."""
    with suppress(OSError):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    return not os.path.lexists(path)


def _set_aside(book: Gradebook, course: CourseDirectory, lesson: str, loser: str, new: str) -> None:
    """Move a submission that doesn't count to `replaced/`, and delete what was made of it."""
    for (step, name), path in folders(course, loser).items():
        if name == lesson and step == STEPS[0]:
            aside = Path(course.root, REPLACED, new, lesson)
            aside.mkdir(parents=True, exist_ok=True)
            shutil.move(path, aside / str(1 + len(list(aside.iterdir()))))
        elif name == lesson:
            _deleted(path)
    if lesson in _graded(book, loser):
        book.remove_submission(lesson, loser)
    for table in _tables(book):
        if "assignment" in table.c:
            mine = (table.c.student == loser) & (table.c.assignment == lesson)
            book.db.execute(sa.delete(table).where(mine))
    forget_the_gone(book.db)


def _move_folders(course: CourseDirectory, old: str, new: str) -> None:
    for (step, lesson), path in folders(course, old).items():
        target = _folder(course, step, new, lesson)
        target.parent.mkdir(parents=True, exist_ok=True)
        path.rename(target)
    for path in sorted(Path(course.root, REPLACED, old).glob("*/*")):
        aside = Path(course.root, REPLACED, new, path.parent.name)
        aside.mkdir(parents=True, exist_ok=True)
        path.rename(aside / str(1 + len(list(aside.iterdir()))))


def _change_records(course: CourseDirectory, student: str, new: str = "") -> None:
    """Rename a student in what we keep by lesson and student and in the groups, or take them out."""
    for path in (Path(course.root, name) for name in RECORDED):
        with suppress(OSError, ValueError):
            kept = json.loads(path.read_text())
            for by_student in kept.values():
                about = by_student.pop(student, None)
                if new and about is not None:
                    by_student.setdefault(new, about)
            write_whole(path, json.dumps(kept, indent=1, ensure_ascii=False).encode())
    change_member(course, student, new)


def _delete_rows(book: Gradebook, student: str) -> None:
    """Delete all rows of a student, and what graders did to their answers."""
    for table in _tables(book):
        book.db.execute(sa.delete(table).where(table.c.student == student))
    if book.db.get(Student, student):
        book.remove_student(student)
    forget_the_gone(book.db)


def _tables(book: Gradebook) -> list[sa.Table]:
    """Our own tables in the gradebook that have rows of students."""
    connection = book.db.connection()  # a second one would end what this one has begun
    names = [name for name in sa.inspect(connection).get_table_names() if name.startswith("headstart_")]
    tables = [sa.Table(name, sa.MetaData(), autoload_with=connection) for name in names]
    return [table for table in tables if "student" in table.c]


def _move_rows(book: Gradebook, old: str, new: str) -> None:
    """Have all rows of one student be the other's; of two that can't both be, the other's stays."""
    one = book.db.get(Student, old)
    known = {name: getattr(one, name) for name in ("first_name", "last_name", "email", "lms_user_id")}
    if book.db.get(Student, new) is None:
        book.db.execute(sa.insert(Student.__table__), {"id": new, **known})
    for table in _tables(book):
        key = [column for column in table.primary_key if column.name != "student"]
        taken = {tuple(row) for row in book.db.execute(sa.select(*key).where(table.c.student == new))}
        for row in book.db.execute(sa.select(*key).where(table.c.student == old)).all():
            mine = sa.and_(table.c.student == old, *(c == value for c, value in zip(key, row, strict=True)))
            change = sa.delete(table) if tuple(row) in taken else sa.update(table).values(student=new)
            book.db.execute(change.where(mine))
    theirs = SubmittedAssignment.__table__
    book.db.execute(sa.update(theirs).where(theirs.c.student_id == old).values(student_id=new))
    book.db.execute(sa.delete(Student.__table__).where(Student.__table__.c.id == old))
    book.db.commit()


def _say(what: str, paths: Iterable[Path], course: CourseDirectory) -> None:
    for path in paths:
        print(f"  {what} {harmless(_short(path, course))}")


def _short(path: Path, course: CourseDirectory) -> str:
    return str(path.relative_to(course.root) if path.is_relative_to(course.root) else path)
