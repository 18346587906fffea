"""Pictures in written answers: what decodes is made anew and shown, and what isn't kept is said in its place."""

import base64
import io
import json
import struct
import zlib

import nbformat
import pytest
from PIL import Image

from autograder.grading.pictures import attached
from autograder.limits import MAX_PICTURES, PICTURE_SIDE
from tests.support.course import LESSON, Course
from tests.support.proved import ENGINE, follows_from

pytestmark = [pytest.mark.timeout(600), follows_from(*ENGINE), pytest.mark.needs_bubblewrap]

CELL = "attention-self_or_encoder"
UNREADABLE = "it isn't a PNG or JPEG that can be read"


def picture(kind: str, size: tuple[int, int] = (40, 20), exif: bytes = b"") -> bytes:
    """A red picture whose upper left quarter is blue."""
    image = Image.new("RGB", size, "red")
    image.paste("blue", (0, 0, size[0] // 2, size[1] // 2))
    file = io.BytesIO()
    image.save(file, kind, **({"exif": exif} if exif else {}))
    return file.getvalue()


def turned() -> bytes:
    """A photo as a phone held upright takes it, with a place in it."""
    exif = Image.Exif()
    exif[0x0112] = 6  # to be turned by 90 degrees
    exif[0x010E] = "taken at home"
    return picture("JPEG", (40, 20), exif.tobytes())


def bomb() -> bytes:
    """A PNG of 30,000 × 30,000 black pixels in some hundred kilobytes."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    side = 30_000
    packer = zlib.compressobj(9)
    rows = b"".join([packer.compress(bytes(side // 8 + 1)) for _ in range(side)] + [packer.flush()])
    head = struct.pack(">IIBBBBB", side, side, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


PAGE = b"<script>alert(1)</script>"
ODD = {  # name in the notebook: type that it says, content, and why it isn't kept ("" if it is)
    "photo.jpg": ("image/jpeg", turned(), ""),
    "large.png": ("image/png", picture("PNG", (4000, 1000)), ""),
    "polyglot.png": ("image/png", picture("PNG") + PAGE, ""),
    "mislabelled.png": ("image/png", picture("JPEG"), ""),
    "drawing.svg": ("image/svg+xml", b"<svg onload='alert(1)'/>", "only PNG and JPEG are kept"),
    "page.png": ("image/png", PAGE, UNREADABLE),
    "gif.png": ("image/png", picture("GIF"), UNREADABLE),
    "cut.png": ("image/png", picture("PNG", (300, 300))[:200], UNREADABLE),
    "empty.jpg": ("image/jpeg", b"", UNREADABLE),
    "bomb.png": ("image/png", bomb(), "it has over 64 million pixels"),
    "missing.png": ("", b"", "it isn't in the notebook"),
}


def with_pictures(course: Course, student: str, text: str, attachments: object) -> None:
    """Hand in the lesson with such an answer."""
    path = course.hand_in(student, {"attention.self_or_encoder": text})
    raw = json.loads(path.read_text())
    for cell in raw["cells"]:
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == CELL:
            cell["attachments"] = attachments
    path.write_text(json.dumps(raw))


def coded(kind: str, data: bytes) -> dict[str, str]:
    return {kind: base64.b64encode(data).decode()}


def answer(course: Course, student: str) -> nbformat.NotebookNode:
    cells = course.autograded(student).cells
    return next(cell for cell in cells if cell.metadata.get("nbgrader", {}).get("grade_id") == CELL)


def decoded(cell: nbformat.NotebookNode) -> list[tuple[bytes, Image.Image]]:
    contents = [base64.b64decode(data) for each in cell.attachments.values() for data in each.values()]
    return [(content, Image.open(io.BytesIO(content))) for content in contents]


@pytest.fixture(scope="module")
def course(tmp_path_factory) -> Course:
    made = Course(tmp_path_factory.mktemp("pictures") / "course")
    text = "\n\n".join(f"{name}: ![my {name}](attachment:{name})" for name in ODD)
    with_pictures(made, "odd", text, {name: coded(*each[:2]) for name, each in ODD.items() if each[0]})
    many = {f"{n}.png": coded("image/png", picture("PNG", (20 + n, 20))) for n in range(200)}
    with_pictures(made, "many", "\n".join(f"![{name}](attachment:{name})" for name in many), many)
    evil = '"><script>x.png'
    with_pictures(made, "names", f"![<b>x</b>](attachment:{evil}) ![a](attachment:my%20own.png)",
                  {evil: coded("image/png", PAGE), "my own.png": coded("image/png", picture("PNG"))})  # fmt: skip
    with_pictures(made, "nonsense", "![a](attachment:a.png)", ["a.png", {"a.png": 3}])
    made.run("headstart", "grade", LESSON)
    return made


@pytest.mark.promise(47)
def test_what_decodes_is_made_anew_and_what_isnt_kept_is_said_in_its_place(course):
    cell = answer(course, "odd")
    lines = cell.source.split("\n\n")
    kept = [name for name in ODD if not ODD[name][2]]
    for line, (name, (_, _, why)) in zip(lines, ODD.items(), strict=True):
        shown = (
            f"*(The picture my {name} isn't kept: {why}.)*" if why else f"![my {name}](attachment:picture-"
        )
        assert line.startswith(f"{name}: {shown}"), line
    photo, large, polyglot, mislabelled = decoded(cell)
    assert len(cell.attachments) == len(kept)
    assert photo[1].size == (20, 40) and photo[1].format == "JPEG" and not photo[1].getexif()
    assert photo[1].getpixel((18, 2))[2] > 200  # the blue quarter is upper right now
    assert b"taken at home" not in photo[0]
    assert large[1].size == (PICTURE_SIDE, PICTURE_SIDE // 4) and large[1].format == "PNG"
    assert PAGE not in polyglot[0]
    assert mislabelled[1].format == "JPEG"


def test_two_hundred_pictures_are_a_dozen_and_the_rest_is_said(course):
    cell = answer(course, "many")
    assert len(cell.attachments) == MAX_PICTURES == cell.source.count("](attachment:picture-")
    assert cell.source.count(f"isn't kept: a notebook may have {MAX_PICTURES}.)") == 200 - MAX_PICTURES


def test_names_are_ours(course):
    cell = answer(course, "names")
    assert "*(The picture bxb isn't kept: it isn't a PNG" in cell.source and "<" not in cell.source
    assert "![a](attachment:picture-2.png)" in cell.source and [*cell.attachments] == [
        "picture-2.png"
    ]  # the first didn't decode


def test_attachments_that_are_none_harm_nobody(course):
    assert "isn't in the notebook" in answer(course, "nonsense").source
    assert attached({"attachments": {"a": [], "b": {"image/png": 3, "image/jpeg": "x"}}}) == {
        "b": {"image/jpeg": "x"}
    }
    assert set(course.statuses()["nonsense"].values()) == {"passed"}


def test_feedback_shows_them_and_nothing_else(course):
    course.run("nbgrader", "generate_feedback", LESSON)
    page = (course.root / "feedback" / "odd" / LESSON / f"{LESSON}.html").read_text()
    assert page.count('src="data:image/jpeg;base64,') >= 2 and 'src="data:image/png;base64,' in page
    assert "it has over 64 million pixels" in page
    assert "attachment:" not in page and "onload" not in page and "alert(1)" not in page


def test_a_new_picture_is_a_new_answer(course):
    """Points by hand are for what was seen: with another picture below the same words, the answer waits again."""
    course.query("update grade set manual_score = 1, needs_manual_grade = 0 where auto_score is null")
    left = "select needs_manual_grade from grade join base_cell on base_cell.id = cell_id where name = '{}' and " \
           "grade.notebook_id in (select n.id from submitted_notebook n join submitted_assignment a on " \
           "a.id = n.assignment_id where a.student_id = 'names')"  # fmt: skip
    for size, waits in (((40, 20), 0), ((40, 21), 1)):
        with_pictures(
            course, "names", "![a](attachment:b.png)", {"b.png": coded("image/png", picture("PNG", size))}
        )
        course.run("headstart", "grade", LESSON, "--student", "names")
        if waits:
            assert course.query(left.format(CELL)) == [(1,)]
        course.query("update grade set manual_score = 1, needs_manual_grade = 0 where auto_score is null")
    course.run("headstart", "grade", LESSON, "--student", "names", "--force")
    assert course.query(left.format(CELL)) == [(0,)]
