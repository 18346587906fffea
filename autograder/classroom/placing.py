"""Whose each file in a download is, and when it was handed in, by the names that learning platforms give.

Canvas calls files `lovelaceada_LATE_101_5012_01_attention-1.ipynb`: the name, a mark, the numbers of the user
and of the file (instructure/canvas-lms, lib/content_zipper.rb). Moodle makes a folder, or a prefix of the
file's name, `Ada Lovelace_657_assignsubmission_file_` (moodle/moodle, mod/assign/classes/downloader.php).
Gradescope numbers folders, and says in submission_metadata.yml whose they are. In any other download, such as
Blackboard's, Brightspace's or a folder of one's own, the first part of each path has to name one student.

Whatever follows that first part is the student's own text, and decides nothing.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from itertools import permutations
from pathlib import PurePosixPath

import yaml  # type: ignore[import-untyped]
from nbgrader.api import Student

from autograder.classroom.course import odd_name
from autograder.grading.archives import Download, Entry, Unfit
from autograder.grading.handed_in import is_likely
from autograder.limits import METADATA_BYTES

# Numbers have no 0 in front, as lessons have.
CANVAS = re.compile(
    r"(?P<name>.*?)_(?:(?P<late>LATE)_)?(?P<user>[1-9]\d*)_"
    r"(?:(?P<file>[1-9]\d*)_(?P<rest>.+)|(?:text|link)\.html)"
)
CANVAS_ANONYMOUS = re.compile(r"anon_(?:LATE_)?\w+?_\d+_.+")
MOODLE = re.compile(r"(?P<name>[^_]*)_(?P<number>\d+)_assignsubmission_[a-z]+(?:_(?P<rest>.*))?")
BLACKBOARD = re.compile(r"_attempt_(\d{4}(?:-\d\d){5})")
BRIGHTSPACE = re.compile(r" - ([A-Z][a-z]{2} \d{1,2}, \d{4}) (\d{3,4} [AP]M)$")
METADATA = "submission_metadata.yml"
SEPARATORS = " _-+.,"


@dataclass(frozen=True)
class Piece:
    """One file of one student.

    Attributes:
        student: their id.
        origin: which of the student's hand-ins it belongs to.
        inner: where it lies in that.
        entry: the file.
        time: when it was handed in, in UTC; None if the download doesn't say.
        late: whether the platform marks it as late.
        form: canvas, moodle, gradescope, or "" for any other download.
        back: what a file has to be named in the platform's form to reach the student, without its ending.
        order: the platform's number of the file: of one student's, the highest came last.
    """

    student: str
    origin: str
    inner: PurePosixPath
    entry: Entry
    time: datetime | None = None
    late: bool = False
    form: str = ""
    back: str = ""
    order: int = 0


class People:
    """The students of a gradebook, by whatever a download may call them."""

    def __init__(self, students: Iterable[Student]) -> None:
        self.numbers: dict[str, set[str]] = defaultdict(set)
        self.names: dict[str, set[str]] = defaultdict(set)
        self.ids: dict[str, set[str]] = defaultdict(set)
        self.words: dict[tuple[str, ...], set[str]] = defaultdict(set)
        for student in students:
            if odd_name(student.id) or "/" in student.id:
                continue  # no folder of submissions can have this name
            first, last = student.first_name or "", student.last_name or ""
            self.ids[student.id.casefold()].add(student.id)
            if student.email:
                self.ids[student.email.casefold()].add(student.id)
            if student.lms_user_id:
                self.numbers[student.lms_user_id].add(student.id)
            if first or last:
                for one, other in permutations((first, last)):
                    self.names[letters(one + other)].add(student.id)
            for text in filter(None, (student.id, student.email, f"{first} {last}", f"{last} {first}")):
                if words := words_of(text):
                    self.words[words].add(student.id)
        self.longest = max(map(len, self.words), default=0)

    def named_in(self, text: str) -> dict[tuple[int, int], set[str]]:
        """Whom a text names, by where in it: of two that overlap, the longer one."""
        spans = [(match.start(), match.end()) for match in re.finditer(r"[^\W_]+", text)]
        words = words_of(text)
        found: dict[tuple[int, int], set[str]] = {}
        first = 0
        while first < len(spans):
            for length in range(min(self.longest, len(spans) - first), 0, -1):
                if who := self.words.get(words[first : first + length]):
                    found[spans[first][0], spans[first + length - 1][1]] = who
                    first += length - 1
                    break
            first += 1
        return found


def letters(text: str) -> str:
    """A name without what platforms leave out of file names."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text).casefold()))


def words_of(text: str) -> tuple[str, ...]:
    """The words of a text, for comparing."""
    return tuple(unicodedata.normalize("NFKC", word).casefold() for word in re.findall(r"[^\W_]+", text))


def place(
    download: Download, people: People, lesson: str, zone: tzinfo | None = None
) -> tuple[list[Piece], list[tuple[str, str]]]:
    """Whose each file is.

    Args:
        download: the files.
        people: who there is.
        lesson: its name, which names nobody.
        zone: the time zone that times in names are in; None for this machine's.

    Returns:
        The files that have a student, and the others: their names, and why nobody could be found.
    """
    entries = _without_wrapper(download.entries, people, lesson)
    try:
        known = _metadata(entries)
    except Unfit as error:
        known, entries = None, entries
        download.refused.append((METADATA, str(error)))
    pieces, lost = [], list(download.refused)
    for entry in entries:
        if entry.path == PurePosixPath(METADATA) and known is not None:
            continue
        found = _place_one(entry, people, lesson, known, zone)
        if isinstance(found, str):
            lost.append((str(entry.path), found))
        else:
            pieces += found
    return pieces, lost


def _without_wrapper(entries: list[Entry], people: People, lesson: str) -> list[Entry]:
    """The entries without folders around all of them."""
    while entries and all(len(entry.path.parts) > 1 for entry in entries):
        outer = {entry.path.parts[0] for entry in entries}
        [first, *more] = outer
        if more or MOODLE.fullmatch(first) or people.named_in(_without(first, lesson)):
            break
        entries = [Entry(PurePosixPath(*each.path.parts[1:]), each.time, each.read) for each in entries]
    return entries


def _place_one(
    entry: Entry, people: People, lesson: str, known: dict | None, zone: tzinfo | None
) -> list[Piece] | str:
    """An entry's pieces, one for each who handed it in together; or why there are none."""
    first, *inside = entry.path.parts
    if known is not None:
        return _of_gradescope(entry, people, known)
    if match := MOODLE.fullmatch(first):
        return _of_moodle(entry, people, match)
    if not inside and CANVAS_ANONYMOUS.fullmatch(first):
        return "Canvas hid whose it is: show the names, then download again"
    if not inside and (match := CANVAS.fullmatch(first)):
        return _of_canvas(entry, people, match)
    return _of_any(entry, people, lesson, zone)


def _of_canvas(entry: Entry, people: People, match: re.Match) -> list[Piece] | str:
    name, user = match["name"], match["user"]
    who = people.numbers.get(user) or people.names.get(letters(name), set())
    cure = "`headstart roster` with Canvas's own file tells whose number it is"
    if said := _only(who):
        return (
            f"{said}; {cure}" if who else f"nobody has Canvas's number {user} or is called {name!r}; {cure}"
        )
    [student] = who
    if not match["file"]:
        return f"{student} handed in a text or an address in Canvas, and no file"
    late, back = bool(match["late"]), match[0].removesuffix(f"_{match['rest']}")
    inner = PurePosixPath(match["rest"])
    return [Piece(student, user, inner, entry, None, late, "canvas", back, int(match["file"]))]


def _of_moodle(entry: Entry, people: People, match: re.Match) -> list[Piece] | str:
    who = people.names.get(letters(match["name"]), set())
    if said := _only(who):
        return said if who else f"nobody is called {match['name']!r}"
    inner = PurePosixPath(*filter(None, [match["rest"]]), *entry.path.parts[1:])
    inner = inner if inner.parts else entry.path
    back = f"{match['name']}_{match['number']}_assignsubmission_file_"
    [student] = who
    return [Piece(student, match["number"], inner, entry, form="moodle", back=back)]


def _of_gradescope(entry: Entry, people: People, known: dict) -> list[Piece] | str:
    folder, *inside = entry.path.parts
    about = known.get(folder)
    if not isinstance(about, dict) or not inside:
        return f"{METADATA} doesn't say whose it is"
    pieces = []
    submitters = about.get(":submitters")
    for one in submitters if isinstance(submitters, list) else []:
        said = one if isinstance(one, dict) else {}
        wanted = [str(said.get(key) or "") for key in (":sid", ":email")]
        who = next((people.ids[text.casefold()] for text in wanted if text.casefold() in people.ids), set())
        who = who or people.names.get(letters(str(said.get(":name") or "")), set())
        if len(who) != 1:
            return f"nobody is {', '.join(filter(None, [str(said.get(':name') or ''), *wanted]))}"
        time = _utc(about.get(":created_at"))
        [student] = who
        pieces.append(Piece(student, folder, PurePosixPath(*inside), entry, time, form="gradescope"))
    return pieces or f"{METADATA} doesn't say whose it is"


def _of_any(entry: Entry, people: People, lesson: str, zone: tzinfo | None) -> list[Piece] | str:
    first, *inside = entry.path.parts
    stem, dot, ending = first.rpartition(".") if not inside else (first, "", "")
    stem = stem or first
    attempt = BLACKBOARD.search(stem)
    named = people.named_in(_without(stem[: attempt.start()] if attempt else stem, lesson))
    whole = people.ids.get(stem.casefold())
    if said := _only(whole or {one for found in named.values() for one in found}):
        return said
    [student] = whole or next(iter(named.values()))
    origin, time = first, None
    spans = [(0, len(stem))] if whole else [*named]
    if attempt:
        spans.append(attempt.span())
        origin, time = attempt[0], _local(attempt[1], "%Y-%m-%d-%H-%M-%S", zone)
    elif inside and (said_time := BRIGHTSPACE.search(first)):
        time = _local(f"{said_time[1]} {said_time[2]:0>7}", "%b %d, %Y %I%M %p", zone)
    elif not inside:
        origin = ""
    if inside:
        return [Piece(student, origin, PurePosixPath(*inside), entry, time or entry.time)]
    after = stem[max(end for _, end in spans) :].strip(SEPARATORS)
    before = stem[: min(start for start, _ in spans)].strip(SEPARATORS)
    inner = PurePosixPath((after or before or lesson) + dot + ending)
    return [Piece(student, origin, inner, entry, time or entry.time)]


def _without(text: str, lesson: str) -> str:
    """A text without the lesson's name, as long as before: an id may be 01."""
    return text.replace(lesson, "_" * len(lesson))


def _only(who: set[str]) -> str:
    """Why these aren't one student; "" where they are."""
    if not who:
        return "it names no student of the gradebook"
    return f"it may be from {' or '.join(sorted(who))}" if len(who) > 1 else ""


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]  # the one in C is ten times as fast
    """YAML as Ruby writes it, whose objects are read as what they hold: nothing is made of them."""


def _fields(loader: yaml.SafeLoader, _: str, node: yaml.Node) -> dict | None:
    return loader.construct_mapping(node, deep=True) if isinstance(node, yaml.MappingNode) else None


_Loader.add_multi_constructor("!", _fields)


def _metadata(entries: Sequence[Entry]) -> dict | None:
    """What Gradescope says of each folder; None where it isn't Gradescope's download.

    Raises:
        Unfit: it can't be read.
    """
    found = [entry for entry in entries if entry.path == PurePosixPath(METADATA)]
    if not found:
        return None
    try:
        # defence: placing: nothing is made of what YAML says
        known = yaml.load(found[0].read(METADATA_BYTES), _Loader)
    except (yaml.YAMLError, RecursionError, ValueError, TypeError) as error:
        raise Unfit(f"it can't be read: {error}") from None
    return known if isinstance(known, dict) else {}


def _utc(time: object) -> datetime | None:
    """A time in Gradescope's metadata, in UTC."""
    if isinstance(time, dict):  # one of Rails', with its zone
        time = time.get("utc")
    if not isinstance(time, datetime) or not is_likely(time):
        return None
    return (time.astimezone(UTC) if time.tzinfo else time).replace(tzinfo=None, microsecond=0)


def _local(text: str, form: str, zone: tzinfo | None) -> datetime | None:
    """A time that a platform wrote into a name, by the clocks of a zone, in UTC."""
    try:
        time = datetime.strptime(text, form).replace(tzinfo=zone).astimezone(UTC).replace(tzinfo=None)
    except (ValueError, OverflowError, OSError):
        return None
    return time if is_likely(time) else None
