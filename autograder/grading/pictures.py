"""Pictures in written answers: decoded in a sandbox of their own, made anew, and shown in their place.

A picture that a student pastes into a Markdown cell comes with the notebook as an attachment. What it is, and
whether it decodes, is found out by a child that runs nothing else. What comes back is a new PNG or JPEG of
bounded size, without what else was in the file, such as where a photo was taken. Whatever isn't kept is named
in its place, with the reason.
"""

import base64
import binascii
import re
from collections.abc import Callable
from urllib.parse import unquote

from nbformat import NotebookNode

from autograder.limits import MAX_PICTURES, MAX_PICTURES_BYTES, MAX_PIXELS, PICTURE_SIDE, PNG_BYTES
from autograder.results import Cell

Attachments = dict[str, dict[str, str]]  # base64 by type, by name
Run = Callable[[list[Cell], dict[str, bytes]], dict[str, list[dict]]]
TYPES = {"image/png": "png", "image/jpeg": "jpg"}
_SHOWN = re.compile(r"!\[([^\]\n]*)\]\(<?attachment:([^)\n]*?)>?\)")
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


def keep(notebook: NotebookNode, attachments: dict[str, Attachments], run: Run) -> dict[str, Attachments]:
    """Give the pictures of a notebook's answers names of ours, or say in their place why they aren't kept.

    Args:
        notebook: in canonical form. The text of its cells is changed.
        attachments: what came with its cells, by cell id.
        run: runs cells in a child that has some files, and returns what they displayed, by cell id.

    Returns:
        The pictures to attach to each cell, by its id.
    """
    taken: dict[tuple[str, str], str] = {}  # cell and name to a name of ours, or to why it is left out
    files: dict[str, bytes] = {}
    theirs = [cell for cell in notebook.cells if cell.cell_type == "markdown" and _is_students(cell)]
    for cell in theirs:
        for _, name in _SHOWN.findall(cell.source):
            if (cell.id, name) not in taken:
                taken[cell.id, name] = _take(attachments.get(cell.id, {}), name, files)
    made = _made(run, files) if files else {}
    kept: dict[str, Attachments] = {}
    for cell in theirs:
        cell.source = _SHOWN.sub(lambda found: _place(found, cell, taken, made, kept), cell.source)  # noqa: B023
    return kept


def _is_students(cell: NotebookNode) -> bool:
    known = cell.metadata
    return bool(known.get("nbgrader", {}).get("solution") or known.get("headstart", {}).get("added"))


def _take(attachments: Attachments, name: str, files: dict[str, bytes]) -> str:
    """Add a picture to the files to look at. Its name there, or why it is left out."""
    content = attachments.get(name) or attachments.get(unquote(name))
    if not content:
        return "it isn't in the notebook"
    kind = next((kind for kind in TYPES if kind in content), None)
    if kind is None:
        return "only PNG and JPEG are kept"
    # defence: pictures: number and size
    if len(files) >= MAX_PICTURES:
        return f"a notebook may have {MAX_PICTURES}"
    room = MAX_PICTURES_BYTES - sum(map(len, files.values()))
    if len(content[kind]) * 3 // 4 > room:
        return f"a notebook's pictures may have {MAX_PICTURES_BYTES >> 20} MiB together"
    try:
        data = base64.b64decode(content[kind])
    except (binascii.Error, ValueError):
        return "it isn't a PNG or JPEG that can be read"
    ours = f"picture-{len(files) + 1}"
    files[ours] = data
    return ours


def _made(run: Run, files: dict[str, bytes]) -> dict[str, tuple[str, str] | str]:
    """What became of each file: its type and base64, or why it is left out."""
    outputs = run([Cell("look", _LOOK), *(Cell(name, f"look({name!r})") for name in files)], files)
    made: dict[str, tuple[str, str] | str] = {}
    for name in files:
        made[name] = "it isn't a PNG or JPEG that can be read"
        for output in outputs.get(name, []):
            data = output.get("data", {})
            if data.get("text/plain") == "large":
                made[name] = f"it has over {MAX_PIXELS // 1_000_000} million pixels"
            if found := next(((kind, data[kind]) for kind in TYPES if kind in data), None):
                made[name] = found
    return made


def _place(found: re.Match, cell: NotebookNode, taken: dict, made: dict, kept: dict[str, Attachments]) -> str:
    """What stands in a picture's place in the text."""
    ours = taken[cell.id, found[2]]
    picture = made.get(ours, ours)
    label = _MARKUP.sub("", found[1])[:80]
    if isinstance(picture, str):
        name = _MARKUP.sub("", unquote(found[2]))[:80]
        return f"*(The picture {label or name} isn't kept: {picture}.)*"
    kind, data = picture
    name = f"{ours}.{TYPES[kind]}"
    kept.setdefault(cell.id, {})[name] = {kind: data}
    return f"![{label}](attachment:{name})"
