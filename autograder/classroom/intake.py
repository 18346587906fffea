"""`headstart collect`: what a learning platform's "download all submissions" gives, into `submitted/`.

Of each student the latest counts. What is there already and is replaced goes to `replaced/`, and what has no
student is listed, so nothing is lost. Where each came from is kept for the way back (`returns.py`).
"""

import json
import re
import shutil
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path, PurePosixPath

from nbgrader.api import MissingEntry, Student
from nbgrader.coursedir import CourseDirectory

from autograder.classroom.archives import open_download
from autograder.classroom.collect import FULL, whole
from autograder.classroom.database import opened
from autograder.classroom.lateness import Policy
from autograder.classroom.placing import People, Piece, place
from autograder.classroom.school_csv import harmless
from autograder.grading.alone import alone_in
from autograder.grading.archives import TooLarge, Unfit, unpacked
from autograder.grading.handed_in import RECORDS, read_record, read_time
from autograder.lessons import counted
from autograder.limits import MAX_ENTRIES, MAX_FILES_DEPTH
from helpers.storage import write_whole

KEPT = ".headstart_downloads.json"
REPLACED = "replaced"
TIMELESS = {"canvas": "Canvas", "moodle": "Moodle"}  # which write the time of the download into their zips
TOO_MUCH = "it holds more than the course takes (CourseDirectory.max_dir_size)"
OLDER = "older than what is there, which stays"
COPY = re.compile(r"(?:[ _]?\((\d+)\)|-(\d+))?$")  # which browsers and Canvas add to a name that is taken


@dataclass
class HandIn:
    """What one student handed in at one time.

    Attributes:
        student: their id.
        pieces: its files.
        files: the same as they will lie in the submission's folder, and their bytes.
        time: when, in UTC; None if nothing says so.
        downloaded: when its newest file was put into the download, where the platform says no time.
    """

    student: str
    pieces: list[Piece]
    files: dict[PurePosixPath, bytes] = field(default_factory=dict)
    time: datetime | None = None
    downloaded: datetime | None = None

    @property
    def order(self) -> tuple[datetime, int]:
        """By which the latest is known."""
        return self.time or self.downloaded or datetime.min, max(piece.order for piece in self.pieces)


@dataclass
class Report:
    """What was done.

    Attributes:
        done: for each student who has a hand-in in the download, what became of it.
        lost: files that nobody could be found for or that can't be taken, and why.
        said: which hand-ins were superseded by a later one in the same download.
        late: students whose hand-in is marked as late, without saying by how much.
        timeless: platforms in whose download there are no times.
    """

    done: dict[str, str] = field(default_factory=dict)
    lost: list[tuple[str, str]] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    late: list[str] = field(default_factory=list)
    timeless: set[str] = field(default_factory=set)


def collect_download(path: Path, lesson: str, course: CourseDirectory) -> int:
    """Put the hand-ins of a download into `submitted/`, and print what was done.

    Args:
        path: of the zip or folder.
        lesson: its name.
        course: whose gradebook says who there is.

    Returns:
        The exit code: 1 if a file could not be placed, which is listed.

    Raises:
        LookupError: it is no download, or the gradebook has no students.
        OSError: the disk is full.
    """
    policy = Policy.of(course.config)
    download = open_download(path, policy.zone)
    with opened(course) as book:
        students = book.db.query(Student).all()
        try:
            due = book.find_assignment(lesson).duedate
        except MissingEntry:
            due = None
        due = due and due + policy.grace
        people = People(students)
    if not people.ids:
        raise LookupError("the gradebook has no students: add them with `headstart roster FILE` first")
    pieces, lost = place(download, people, lesson, policy.zone)
    report = Report(lost=lost)
    kept = read_kept(course)
    try:
        for own in _by_student(pieces).values():
            _take(own, lesson, course, due, kept.setdefault(lesson, {}), report)
    finally:
        write_whole(Path(course.root, KEPT), json.dumps(kept, indent=1, ensure_ascii=False).encode())
    _say(report, lesson, due, policy.grace)
    return 1 if report.lost else 0


def _by_student(pieces: Iterable[Piece]) -> dict[str, dict[str, list[Piece]]]:
    """Each student's pieces, by hand-in."""
    found: dict[str, dict[str, list[Piece]]] = defaultdict(lambda: defaultdict(list))
    for piece in pieces:
        found[piece.student][piece.origin].append(piece)
    return found


def _take(
    own: dict[str, list[Piece]],
    lesson: str,
    course: CourseDirectory,
    due: datetime | None,
    kept: dict[str, dict[str, str]],
    report: Report,
) -> None:
    """Put a student's latest hand-in into its place. One that can't be put there holds up no other."""
    hand_ins = [_hand_in(pieces, due) for pieces in own.values()]
    *older, last = sorted(hand_ins, key=lambda one: one.order)
    student = last.student
    if older and older[-1].order == last.order:
        names = " and ".join(str(one.pieces[0].entry.path) for one in (older[-1], last))
        report.lost.append((names, f"both are {student}'s, and nothing says which came last"))
        return
    for one in older:
        report.said.append(f"{student}: {one.pieces[0].entry.path} came before {last.pieces[0].entry.path}")
    try:
        last.files = _files(last, _expected(lesson, course), 1000 * course.max_dir_size, report)
        place = Path(course.format_path(course.submitted_directory, student, lesson))
        with alone_in(place.parent):
            report.done[student] = _put(last, place, Path(course.root, REPLACED, student, lesson), kept)
    except (Unfit, OSError) as error:  # such as a name that is too long for a file
        if getattr(error, "errno", None) in FULL:
            raise
        why = TOO_MUCH if isinstance(error, TooLarge) else getattr(error, "strerror", None) or str(error)
        report.lost.append((str(last.pieces[0].entry.path), why))
        return
    report.late += [student] * any(piece.late for piece in last.pieces)
    if last.pieces[0].form in TIMELESS:
        report.timeless.add(last.pieces[0].form)


def _hand_in(pieces: list[Piece], due: datetime | None) -> HandIn:
    """A hand-in with its time."""
    times = [piece.time for piece in pieces if piece.time]
    time = max(times, default=None)
    if any(piece.late for piece in pieces) and due:
        time = due + timedelta(minutes=1)  # Canvas doesn't say by how much: as little as can be
    downloaded = max((piece.entry.time for piece in pieces if piece.entry.time), default=None)
    return HandIn(pieces[0].student, pieces, time=time, downloaded=downloaded)


def _expected(lesson: str, course: CourseDirectory) -> list[str]:
    """The names of the lesson's notebooks."""
    source = Path(course.format_path(course.source_directory, ".", lesson))
    return sorted(path.name for path in source.glob("*.ipynb")) or [f"{lesson}.ipynb"]


def _files(
    hand_in: HandIn, expected: Sequence[str], limit: int, report: Report
) -> dict[PurePosixPath, bytes]:
    """The files of a hand-in, each where the grader looks for it.

    Raises:
        Unfit: it holds too much.
    """
    pieces = _opened(hand_in.pieces, limit)
    # defence: intake: files without end
    if len(pieces) > MAX_ENTRIES:
        raise Unfit(f"it holds more than {MAX_ENTRIES:,} files")
    chosen = _notebooks(pieces, expected)
    around = {piece.inner.parent for piece in chosen.values()}
    base = around.pop() if len(around) == 1 else PurePosixPath()
    names = {id(piece): PurePosixPath(name) for name, piece in chosen.items()}
    files: dict[PurePosixPath, bytes] = {}
    folders: set[PurePosixPath] = set()
    for piece in sorted(pieces, key=lambda piece: id(piece) not in names):
        inner = names.get(id(piece)) or (
            piece.inner.relative_to(base) if piece.inner.is_relative_to(base) else piece.inner
        )
        # defence: intake: records that a student wrote
        if str(inner) in RECORDS:  # of another course's exchange, or made up
            continue
        # defence: intake: paths that lead out
        if ".." in inner.parts:
            report.lost.append((str(piece.entry.path), "its path leads out of the submission"))
            continue
        if len(inner.parts) > MAX_FILES_DEPTH:
            report.lost.append((str(piece.entry.path), f"it is over {MAX_FILES_DEPTH} folders deep"))
            continue
        content = piece.entry.read(limit)
        limit -= len(content)
        inner = _free(inner, files, folders)
        files[inner] = content
        folders |= {*inner.parents}
    return files


def _opened(pieces: list[Piece], limit: int) -> list[Piece]:
    """The pieces; if no notebook is among them, those in the zips that are."""
    if any(_is_notebook(piece.inner) for piece in pieces):
        return pieces
    found: list[Piece] = []
    for piece in pieces:
        if piece.inner.suffix.lower() != ".zip":
            found.append(piece)
            continue
        try:
            content = piece.entry.read(limit)
            limit -= len(content)  # it stays in memory
            inside = unpacked(content, piece.inner.name)
        except (LookupError, Unfit):  # graded as it is: with a reason that the student sees
            found.append(piece)
            continue
        found += [replace(piece, inner=entry.path, entry=entry) for entry in inside.entries]
    return found


def _is_notebook(path: PurePosixPath) -> bool:
    return path.suffix.lower() == ".ipynb"


def _notebooks(pieces: list[Piece], expected: Sequence[str]) -> dict[str, Piece]:
    """Which piece is taken for which of the lesson's notebooks: by its name, or as the only one there is."""
    there = [piece for piece in pieces if _is_notebook(piece.inner)]
    chosen: dict[str, Piece] = {}
    for name in expected:
        stem = name.removesuffix(".ipynb").casefold()
        alike = [piece for piece in there if stem in _stems(piece.inner)]
        exact = [piece for piece in alike if piece.inner.name == name]
        # Canvas numbers files, so the latest is known. Of others the name alone says which is meant.
        last = max(alike, key=lambda piece: piece.order, default=None)
        if last and (last.order or len(alike) == 1):
            chosen[name] = last
        elif len(exact) == 1:
            chosen[name] = exact[0]
    if not chosen and len(expected) == 1 and len(there) == 1:
        chosen[expected[0]] = there[0]
    return chosen


def _stems(path: PurePosixPath) -> tuple[str, str]:
    """A file's name without its ending, and without the number of a copy."""
    return path.stem.casefold(), COPY.sub("", path.stem, count=1).casefold()


def _free(
    path: PurePosixPath, taken: dict[PurePosixPath, bytes], folders: set[PurePosixPath]
) -> PurePosixPath:
    """A path, or one like it where a file or a folder has it."""
    number, free = 0, path
    while free in taken or free in folders or not taken.keys().isdisjoint(free.parents):
        number += 1
        free = PurePosixPath(f"{number}_{path.name}")
    return free


def _put(hand_in: HandIn, place: Path, aside: Path, kept: dict[str, dict[str, str]]) -> str:
    """Put a hand-in into its place, unless what is there is the same or newer; and say which it was."""
    first, came = hand_in.pieces[0], str(hand_in.downloaded or "")
    before = kept.get(hand_in.student, {})
    there = read_time(read_record(place / "timestamp.txt"))
    if first.form in TIMELESS:
        older = came < before.get("downloaded", "")
    else:
        older = bool(hand_in.time and there and hand_in.time < there)
    done = "new"
    if place.exists() or place.is_symlink():
        if older:
            return OLDER
        done = "in place of an earlier one"
        if not place.is_symlink() and _holds(place, hand_in.files):
            done = "as before"
    if done == "as before":
        if hand_in.time:
            _stamp(place, hand_in.time)
    else:
        place.parent.mkdir(parents=True, exist_ok=True)
        whole(str(place), _writer(hand_in, place, aside))
    kept[hand_in.student] = {"form": first.form, "back": first.back, "downloaded": came}
    if any(piece.late for piece in hand_in.pieces):
        kept[hand_in.student]["late"] = TIMELESS.get(first.form, first.form)
    return done


def _writer(hand_in: HandIn, place: Path, aside: Path) -> Callable[[str], None]:
    """What writes a hand-in into a folder, and then moves away what is in its place."""

    def write(part: str) -> None:
        for inner, content in hand_in.files.items():
            path = Path(part, inner)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        Path(part).mkdir(exist_ok=True)
        if hand_in.time:
            _stamp(Path(part), hand_in.time)
        if place.exists() or place.is_symlink():
            aside.mkdir(parents=True, exist_ok=True)
            shutil.move(place, aside / str(1 + len(list(aside.iterdir()))))

    return write


def _stamp(folder: Path, time: datetime) -> None:
    path = folder / "timestamp.txt"
    path.unlink(missing_ok=True)
    path.write_text(f"{time:%Y-%m-%d %H:%M:%S} UTC")


def _holds(place: Path, files: dict[PurePosixPath, bytes]) -> bool:
    """Whether a folder holds these files, and no others but nbgrader's records."""
    there = {path.relative_to(place).as_posix(): path for path in place.rglob("*") if not path.is_dir()}
    names = {str(inner) for inner in files}
    return there.keys() - {*RECORDS} == names and all(
        not path.is_symlink() and path.is_file() and path.read_bytes() == files[PurePosixPath(name)]
        for name, path in there.items()
        if name in names
    )


def read_kept(course: CourseDirectory) -> dict[str, dict[str, dict[str, str]]]:
    """By lesson and student, where a submission is from: `form`, `back` (see Piece), `downloaded`, `late`."""
    try:
        return json.loads(Path(course.root, KEPT).read_text())
    except (OSError, ValueError):
        return {}


def _say(report: Report, lesson: str, due: datetime | None, grace: timedelta) -> None:
    """Print what was done, all of it: what is cut short is what somebody looks for."""
    counts = Counter(report.done.values())
    kinds = "".join(f", {n} {kind}" for kind, n in sorted(counts.items()))
    print(f"headstart: {counted(len(report.done), 'submission')} of {lesson}{kinds}")
    older = [f"{student}: {OLDER}" for student, done in sorted(report.done.items()) if done == OLDER]
    for line in [*report.said, *older]:
        print(f"  {harmless(line)}")
    if report.timeless:
        platforms = " and ".join(TIMELESS[form] for form in sorted(report.timeless))
        print(f"headstart: a download from {platforms} has no times, so these count as handed in on time")
    if report.late:
        after = "the due date and the grace" if grace else "the due date"
        how = f"a minute after {after}" if due else f"without a time: {lesson} has no due date here"
        print(f"headstart: marked LATE, and so recorded {how}: {', '.join(sorted(report.late))}")
    if report.lost:
        print(f"headstart: not collected, {counted(len(report.lost), 'file')}:", file=sys.stderr)
    for name, why in report.lost:
        print(f"  {harmless(name)}: {harmless(why)}", file=sys.stderr)
