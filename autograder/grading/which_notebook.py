"""Which of the files that were handed in is the lesson's notebook.

The one with the expected name, unless it has no answers and one other has. One in a folder or a zip, or with
something added to its name, is taken if it is the only one that can be meant. Any such choice is said, and so
is what lies there where no notebook does.
"""

import contextlib
import io
import os
import re
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from autograder.grading.reading import CURE, Unreadable, name_in_zip, read
from autograder.limits import MAX_ENTRIES, MAX_FILES_DEPTH, MAX_NOTEBOOK
from helpers.storage import printable

MOST = 8  # notebooks of one submission that are looked at
COPY = re.compile(r"(?:[ _-]*\(\d+\)|[ _-]+(?:copy\d*|\d+))*$", re.I)  # what is added to the name of a copy
ENTRY = b"PK\1\2"  # each entry of a zip's directory, which is read as a whole, begins so
RECORDS = ("timestamp.txt", "submission_secret.txt")
MAY_BE = re.compile(r"\.ipynb|^[^.]+$|\.(json|txt|zip)$", re.I)  # such as .ipynb.txt, or no ending
ENDINGS = (  # what a file is, by how its name ends
    (".py", "a script made from a notebook"),
    (".html .htm .pdf", "a page made from a notebook"),
    (".zip", "a zip with no notebook in it that can be read"),
    (".rar .7z .tar .gz .tgz .xz .bz2", "an archive of a kind that isn't unpacked here"),
    (".crdownload .part .download .icloud .tmp", "a download that didn't finish"),
)


@dataclass(frozen=True)
class Candidate:
    """A notebook that was handed in.

    Attributes:
        label: its path in the submission; of one in a zip, `NAME in ZIP`.
        name: its own name.
        content: its bytes.
        folder: the one that it lies in, in the zip if it is in one; "" for the submission's own.
        zip: the path of the zip that it is in, and its bytes; "" for none.
    """

    label: str
    name: str
    content: bytes
    folder: str = ""
    zip: tuple[str, bytes] = ("", b"")


def candidates(at: int, wanted: str, *, any_name: bool) -> list[Candidate]:
    """The files of a submission that may be the notebook, the one in its place with the expected name first.

    Args:
        at: the descriptor of the submission's folder.
        wanted: the expected name.
        any_name: whether a notebook may have any name, as a lesson's only one may.

    Raises:
        Unreadable: there is none, or the expected one or the folder can't be read.
    """
    found: list[Candidate] = []
    try:
        with contextlib.suppress(FileNotFoundError):
            os.stat(wanted, dir_fd=at, follow_symlinks=False)
            found.append(Candidate(wanted, wanted, read(wanted, at, MAX_NOTEBOOK)))
        inside = os.listdir(at)  # os.fwalk says of nothing that it can't be read
    except OSError as error:
        raise Unreadable(f"the submission can't be read: {error.strerror}") from None
    there: dict[str, str] = {}
    found += [each for each in _others(at, wanted, there) if any_name or _is_copy(each.name, wanted)]
    if not found:
        # Where no file was met, there may be folders without any, or Jupyter's own, which begins with a dot.
        empty = dict.fromkeys(sorted({*inside} - {*RECORDS}), "")
        raise Unreadable(f"{wanted} was not handed in; {_there(there or empty)}")
    # defence: which notebook: notebooks without end
    return list({each.content: each for each in reversed(found)}.values())[::-1][:MOST]


def _others(at: int, wanted: str, there: dict[str, str]) -> Iterator[Candidate]:
    """The notebooks in a submission but for the expected one, unpacked where they are in a zip.

    Args:
        at: the descriptor of the submission's folder.
        wanted: the expected name.
        there: gets the path of each file that was met, and why it can't be read, if it can't.
    """
    left = MAX_NOTEBOOK
    for path, inside in _files(at):
        name = PurePosixPath(path).name
        there[path] = ""
        if path == wanted or not MAY_BE.search(name):
            continue
        try:
            # defence: which notebook: folders that become links
            content = read(name, inside, left)
        except Unreadable as error:
            there[path] = str(error)
            continue
        # defence: which notebook: bytes of all notebooks
        left -= len(content)
        for other in _in_file(path, content, left):
            if other.content is not content:
                # defence: which notebook: bombs in many zips
                left -= len(other.content)
            if left < 0:
                return
            yield other


def _files(at: int) -> Iterator[tuple[str, int]]:
    """Paths of the files in a submission that don't begin with a dot, each with its folder's descriptor.

    So are those of folders that are called as a notebook is.
    """
    seen = 0
    # defence: which notebook: folders that are links
    for place, folders, names, inside in os.fwalk(dir_fd=at, follow_symlinks=False):
        folders[:] = sorted(name for name in folders if name[0] != "." and name[:2] != "__")
        if place.count(os.sep) >= MAX_FILES_DEPTH:
            folders.clear()
        for name in sorted([*names, *(name for name in folders if name.endswith(".ipynb"))]):
            seen += 1
            if seen > MAX_ENTRIES:
                return
            if name[0] != "." and name not in RECORDS:  # ._x.ipynb, of macOS
                yield os.path.normpath(os.path.join(place, name)), inside


def _in_file(path: str, content: bytes, limit: int) -> Iterator[Candidate]:
    """The notebooks in a file: itself, those in a zip, or none. `limit` is as for `_in_zip`."""
    name, folder = PurePosixPath(path).name, str(PurePosixPath(path).parent)
    if name.lower().endswith(".zip"):
        yield from _in_zip(path, content, limit)
    elif name.lower().endswith(".ipynb") or (content.lstrip()[:1] == b"{" and b'"cells"' in content):
        yield Candidate(path, name, content, "" if folder == "." else folder)


def _in_zip(path: str, content: bytes, left: int) -> Iterator[Candidate]:
    """The notebooks in a zip. The last has a byte too many where there are more than `left`."""
    # defence: which notebook: entries of a zip
    if content.count(ENTRY) > MAX_ENTRIES:
        return
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for info in archive.infolist():
                inner = PurePosixPath(name_in_zip(info))
                *folders, name = inner.parts or ("",)
                hidden = any(part.startswith((".", "__")) for part in (*folders, name))
                if hidden or not name.lower().endswith(".ipynb"):
                    continue
                with archive.open(info) as file:
                    # defence: which notebook: bombs
                    member = file.read(left + 1)
                folder = "/".join(folders)
                yield Candidate(f"{inner} in {path}", name, member, folder, (path, content))
                left -= len(member)
                if left < 0:
                    return
    except Exception:  # of a broken one: whatever zlib, lzma or zipfile raise
        return


def _is_copy(name: str, wanted: str) -> bool:
    """Whether a notebook's name is the expected one, or a copy's."""
    stem, expected = name.lower().partition(".ipynb")[0], wanted.removesuffix(".ipynb").lower()
    return expected in (stem, COPY.sub("", stem, count=1))


def _there(names: dict[str, str]) -> str:
    """What lies where no notebook does, by path with why it can't be read, and what to do."""
    if not names:
        return "the folder is empty"
    kinds = {ending: kind for endings, kind in ENDINGS for ending in endings.split()}
    said = [
        why or ", ".join(filter(None, (repr(printable(name)), kinds.get(PurePosixPath(name).suffix.lower()))))
        for name, why in [*names.items()][:5]
    ]
    more = f", and {len(names) - 5} more files" if len(names) > 5 else ""
    return f"there is no notebook, but {'; '.join(said)}{more}: {CURE}"


def choose(
    found: list[Candidate], wanted: str, written: Callable[[bytes], int]
) -> tuple[Candidate, list[str]]:
    """The notebook that counts, and remarks on the choice.

    Args:
        found: as `candidates` gives them.
        wanted: the expected name.
        written: how many answers a notebook holds that aren't as they were given out.

    Raises:
        Unreadable: nothing says which is meant.
    """
    [first, *others] = found
    expected = first if first.label == wanted else None
    if not others:
        return first, [] if expected else [f"the notebook was handed in as {first.label!r}"]
    counts = {each.label: written(each.content) for each in found}
    answered = [each for each in found if counts[each.label] > 0]
    names = " and ".join(repr(each.label) for each in answered or found)
    unclear = f"there are {names}, and nothing says which of them counts"
    if expected and (counts[wanted] > 0 or not answered):
        rest = [each.label for each in answered if each is not expected]
        return expected, [f"{label!r} holds answers, too, and was not graded" for label in rest]
    if len(answered) != 1 and not expected:
        raise Unreadable(f"{wanted} was not handed in; {unclear}")
    if len(answered) != 1:
        return expected or first, [f"{wanted} has no answers; {unclear}"]
    why = f"{wanted} has no answers" if expected else f"{wanted} was not handed in"
    return answered[0], [f"{why}, so {answered[0].label!r} was graded, the only notebook with answers"]
