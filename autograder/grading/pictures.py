"""Pictures in written answers: decoded in a sandbox of their own, made anew, and shown in their place.

A picture that a student pastes into a Markdown cell comes with the notebook, as an attachment or within its
text; one that they link to is a file beside the notebook. What it is, and whether it decodes, is found out by
a child that runs nothing else. What comes back is a new PNG or JPEG of bounded size, without what else was in
the file, such as where a photo was taken. Whatever isn't kept is named in its place, with the reason.
"""

import base64
import binascii
import hashlib
import posixpath
import re
import unicodedata
from collections.abc import Callable, Mapping
from urllib.parse import unquote

from nbformat import NotebookNode

from autograder.grading.shown import Shown
from autograder.limits import MAX_PICTURES, MAX_PICTURES_BYTES, MAX_PIXELS, PICTURE_SIDE, PNG_BYTES
from autograder.results import Cell

Attachments = dict[str, dict[str, str]]  # base64 by type, by name
Answer = tuple[NotebookNode, Shown]
Run = Callable[[list[Cell], dict[str, bytes]], dict[str, list[dict]]]
TYPES = {"image/png": "png", "image/jpeg": "jpg"}
ATTACHED = "attachment:"
UNREADABLE = "it isn't a PNG or JPEG that can be read"
TOO_MUCH = f"a notebook's pictures may have {MAX_PICTURES_BYTES >> 20} MiB together"
_ADDRESS = re.compile(r"https?://[\w./%?=&#:~+,@-]+")
_MARKUP = re.compile(r"[^\w .,-]")
# In the child. An honest picture takes a second at most; others end at the limits of any cell.
_LOOK = f"""
def look(name):
    import base64, io
    from IPython.display import display
    from PIL import Image, ImageOps
    Image.MAX_IMAGE_PIXELS = None
    with Image.open(name, formats=("PNG", "JPEG")) as picture:
        kind = picture.format
        if picture.width * picture.height > {MAX_PIXELS}:
            return display({{"text/plain": "large"}}, raw=True)
        picture.draft("RGB", ({PICTURE_SIDE}, {PICTURE_SIDE}))
        shown = ImageOps.exif_transpose(picture).convert("RGBA" if kind == "PNG" else "RGB")
    shown.thumbnail(({PICTURE_SIDE}, {PICTURE_SIDE}))
    shown.info.clear()
    for kind in [kind] * (kind == "PNG") + ["JPEG"]:
        file = io.BytesIO()
        (shown if kind == "PNG" else shown.convert("RGB")).save(file, kind)
        if file.tell() <= {PNG_BYTES}:
            break
    display({{f"image/{{kind.lower()}}": base64.b64encode(file.getvalue()).decode()}}, raw=True)
"""


def attached(cell: dict) -> Attachments:
    """The attachments of a cell as a student handed it in, where they may be anything."""
    found = cell.get("attachments")
    return {
        name: {kind: data for kind, data in content.items() if isinstance(data, str)}
        for name, content in (found if isinstance(found, dict) else {}).items()
        if isinstance(content, dict)
    }


def keep(
    answers: list[Answer],
    attachments: Mapping[str, Attachments],
    beside: Mapping[str, bytes],
    notes: list[str],
    run: Run,
) -> dict[str, Attachments]:
    """Give the pictures of answers names of ours, or say in their place why they aren't kept.

    Args:
        answers: a notebook's, in canonical form. The text of their cells is changed.
        attachments: what came with the notebook's cells, by cell id.
        beside: the files that were handed in beside it, as they were read.
        notes: what was said of files that were left out.
        run: runs cells in a child that has some files, and returns what they displayed, by cell id.

    Returns:
        The pictures to attach to each cell, by its id.
    """
    taken: dict[tuple[str, str], str] = {}  # cell and target to a name of ours, or to why it is left out
    files: dict[str, bytes] = {}
    texts = [(cell, shown) for cell, shown in answers if cell.cell_type == "markdown"]
    for cell, shown in texts:
        for _, target in shown.pictures:
            if (cell.id, target) not in taken:
                content = _content(target, attachments.get(cell.id, {}), beside, notes)
                taken[cell.id, target] = content if isinstance(content, str) else _take(content, files)
    made = _made(run, files) if files else {}
    kept: dict[str, Attachments] = {}
    for cell, shown in texts:
        placed = []
        for label, target in shown.pictures:
            text, attachment = _placed(label, target, taken[cell.id, target], made)
            placed.append(text)
            if attachment:
                kept.setdefault(cell.id, {}).update(attachment)
        cell.source = shown.with_each(placed)
    return kept


def _placed(
    label: str, target: str, ours: str, made: Mapping[str, tuple[str, str] | str]
) -> tuple[str, Attachments]:
    """What takes a picture's place: a link to one of ours with this to attach, or why it isn't kept."""
    picture = made.get(ours, ours)
    if isinstance(picture, str):
        return _missing(label, target, picture), {}
    kind, data = picture
    name = f"{ours}.{TYPES[kind]}"
    return f"![{_label(label)}]({ATTACHED}{name})", {name: {kind: data}}


def answers_shown(notebook: NotebookNode) -> list[Answer]:
    """What may show pictures, each taken apart: texts of the student's, and what a person grades."""
    theirs = [cell for cell in notebook.cells if _is_students(cell)]
    return [(cell, Shown.of(cell.source)) for cell in theirs if cell.cell_type == "markdown" or by_hand(cell)]


def by_hand(cell: NotebookNode) -> bool:
    """Whether a cell is an answer that a person grades."""
    known = cell.metadata.get("nbgrader", {})
    return bool(known.get("solution") and known.get("grade"))


def files_shown(shown: Shown, beside: Mapping[str, bytes]) -> list[tuple[str, str]]:
    """The files that a text shows as pictures, each with a digest of what is in it."""
    found = ((target, _path_of(target, beside)) for _, target in shown.pictures)
    return [(target, hashlib.sha256(beside[path]).hexdigest()) for target, path in found if path]


def _is_students(cell: NotebookNode) -> bool:
    known = cell.metadata
    return bool(known.get("nbgrader", {}).get("solution") or known.get("headstart", {}).get("added"))


def _content(
    target: str, attachments: Attachments, beside: Mapping[str, bytes], notes: list[str]
) -> bytes | str:
    """What a picture is said to be: its bytes, or why there are none."""
    if target.startswith(ATTACHED):
        name = target.removeprefix(ATTACHED)
        return _decoded(attachments.get(name) or attachments.get(unquote(name)) or {})
    if re.match(r"(?:https?:)?//", target):
        return "it is on the web: paste it into the answer, or hand in the file"
    if target.startswith("data:"):
        return "only PNG and JPEG are kept"
    if path := _path_of(target, beside):
        return beside[path]
    if ":" in target or _variants(target)[-1].startswith(("/", "..")):
        return "its path leads out of the folder that was handed in"
    left_out = (f"{name} was left out: " for name in _variants(target))
    said = (note.removeprefix(start) for start in left_out for note in notes if note.startswith(start))
    return next(said, "no such file was handed in")


def _decoded(content: dict[str, str]) -> bytes | str:
    """The bytes of an attachment, or why there are none."""
    if not content:
        return "it isn't in the notebook"
    kind = next((kind for kind in TYPES if kind in content), None)
    if kind is None:
        return "only PNG and JPEG are kept"
    if len(content[kind]) * 3 // 4 > MAX_PICTURES_BYTES:
        return TOO_MUCH
    try:
        return base64.b64decode(content[kind])
    except (binascii.Error, ValueError):
        return UNREADABLE


def _path_of(target: str, beside: Mapping[str, bytes]) -> str:
    """The file that a link means, of those that were read: nothing is looked up on the disk. "" for none."""
    for variant in _variants(target):
        if variant in beside:
            return variant
    # Systems of students tell neither case nor the two ways to write an umlaut apart; a zip keeps either.
    wanted = {_alike(variant) for variant in _variants(target)}
    same = [path for path in beside if _alike(path) in wanted]
    return same[0] if len(same) == 1 else ""


def _variants(target: str) -> list[str]:
    """The paths that a link may mean: as it is written, without percent signs, and as on Windows."""
    plain = unquote(target)
    return [posixpath.normpath(each) for each in (target, plain, plain.replace("\\", "/"))]


def _alike(path: str) -> str:
    return unicodedata.normalize("NFC", path).casefold()


def _take(content: bytes, files: dict[str, bytes]) -> str:
    """Add a picture to the files to look at. Its name there, or why it is left out."""
    # defence: pictures: number and size
    if len(files) >= MAX_PICTURES:
        return f"a notebook may have {MAX_PICTURES}"
    if len(content) > MAX_PICTURES_BYTES - sum(map(len, files.values())):
        return TOO_MUCH
    ours = f"picture-{len(files) + 1}"
    files[ours] = content
    return ours


def _made(run: Run, files: dict[str, bytes]) -> dict[str, tuple[str, str] | str]:
    """What became of each file: its type and base64, or why it is left out."""
    outputs = run([Cell("look", _LOOK), *(Cell(name, f"look({name!r})") for name in files)], files)
    made: dict[str, tuple[str, str] | str] = {}
    for name in files:
        made[name] = UNREADABLE
        for output in outputs.get(name, []):
            data = output.get("data", {})
            if data.get("text/plain") == "large":
                made[name] = f"it has over {MAX_PIXELS // 1_000_000} million pixels"
            if found := next(((kind, data[kind]) for kind in TYPES if kind in data), None):
                made[name] = found
    return made


def _missing(label: str, target: str, why: str) -> str:
    """What stands in the place of a picture that isn't kept."""
    name = _label(label) or _label(unquote(target.removeprefix(ATTACHED))) or "here"
    # The address is the student's own, and as a link it loads nothing by itself.
    shown = f"[{name}]({target})" if _ADDRESS.fullmatch(target) else name
    return f"*(The picture {shown} isn't kept: {why}.)*"


def _label(text: str) -> str:
    return _MARKUP.sub("", text)[:80].strip()
