"""Pictures by link in written answers: files beside the notebook, HTML and `data:`, kept or said why not."""

import base64
import json
import os
import shutil
import stat
import time
import unicodedata
import zipfile
from pathlib import Path

import pytest

from autograder.grading.pictures import UNREADABLE, files_shown
from autograder.grading.shown import Shown, lifted
from autograder.limits import MAX_ANSWER
from tests.grading.test_pictures import CELL, answer, coded, decoded, picture, with_pictures
from tests.support.course import LESSON, Course
from tests.support.proved import ENGINE, follows_from

pytestmark = [pytest.mark.timeout(600), follows_from(*ENGINE), pytest.mark.needs_bubblewrap]

PNG, JPEG = picture("PNG"), picture("JPEG")
DATA = "data:image/png;base64," + base64.b64encode(PNG).decode()
GONE, AWAY = "no such file was handed in", "its path leads out of the folder that was handed in"
LINK, WEB = (
    "it is a link, or not a regular file",
    "it is on the web: paste it into the answer, or hand in the file",
)
WAYS = {  # how an answer shows a picture: why it isn't kept ("" if it is)
    "![photo](photo.jpg)": "",
    '![titled](./photo.jpg "my derivation")': "",
    "![brackets [1] in it](photo.jpg)": "",
    "![space](my photo.png)": "",
    "![space](<my photo.png>)": "",
    "![coded](my%20photo.png)": "",
    "![umlaut](übung/größe.png)": "",
    "![windows](übung\\größe.png)": "",
    "![upper case](PHOTO.JPG)": "",
    "![in brackets](scan (1).png)": "",
    "<img src='photo.jpg' width=300>": "",
    '<IMG alt="tag" SRC="attachment:own.png"/>': "",
    f'<img src="{DATA}">': "",
    f"![pasted]({DATA})": "",
    "![by name][scan]": "",
    "![gone](gone.jpg)": GONE,
    "![ours](checks.json)": GONE,
    "![nothing]()": GONE,
    "![up](../../../source/secret.png)": AWAY,
    "![up](a%2F..%2F..%2Fsecret.png)": AWAY,
    "![up](..\\secret.png)": AWAY,
    "![whole](/etc/secret.png)": AWAY,
    "![whole](file:///etc/secret.png)": AWAY,
    "![whole](C:\\secret.png)": AWAY,
    "![link](link.png)": LINK,
    "![hard link](hard.png)": LINK,
    "![device](pipe.png)": LINK,
    "![huge](huge.png)": "too many files, or too large",
    "![drawing](drawing.svg)": UNREADABLE,
    "![drawing](data:image/svg+xml;base64,PHN2Zy8+)": "only PNG and JPEG are kept",
    "![drawing](data:image/svg+xml,<svg/>)": "only PNG and JPEG are kept",
    '<img src="https://example.org/a.png">': WEB,
    "![web](//example.org/a.png)": WEB,
}  # fmt: skip
SHOWN_IN_ZIP = "\n\n".join(
    f"![mine]({name})" for name in ("photo.jpg", "link.png", "drawing.svg", "page.png", "../secret.png")
)
DEFINED = f"\n\n[scan]: <{DATA}>"


def put_beside(folder: Path, outside: Path) -> None:
    """The files that the answers show, and those that they shall not."""
    for name in (
        "photo.jpg",
        "my photo.png",
        "scan (1).png",
        unicodedata.normalize("NFD", "übung/größe.png"),
    ):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(JPEG if name.endswith("jpg") else PNG)
    (folder / "drawing.svg").write_text("<svg onload='alert(1)'/>")
    (folder / "link.png").symlink_to(outside)
    os.link(outside, folder / "hard.png")
    os.mkfifo(folder / "pipe.png")
    with (folder / "huge.png").open("wb") as file:
        file.truncate(1 << 40)


def written(ways: list[str]) -> str:
    text = "\n\n".join(f"{number} {way}" for number, way in enumerate(ways))
    return text + DEFINED * ("[scan]" in text)


@pytest.fixture(scope="module")
def course(tmp_path_factory) -> Course:
    made = Course(tmp_path_factory.mktemp("linked") / "course")
    outside = made.root / "outside.png"
    outside.write_bytes(PNG)
    kept, lost = [way for way in WAYS if not WAYS[way]], [way for way in WAYS if WAYS[way]]
    for student, ways in (("amy", kept[:12]), ("bob", kept[12:]), ("cid", lost)):
        with_pictures(made, student, written(ways), {"own.png": coded("image/png", PNG)})
        put_beside(made.submission(student), outside)
    large = base64.b64encode(picture("PNG") + os.urandom(2 * MAX_ANSWER)).decode()
    with_pictures(made, "colab", f"![image.png](data:image/png;base64,{large})", {})
    by_exchange_and_zip(made)
    made.run("headstart", "grade", LESSON)
    made.run("nbgrader", "generate_feedback", LESSON)
    return made


def by_exchange_and_zip(course: Course) -> None:
    """Three students' pictures: beside the notebook or in its zip, through the exchange or by a platform's zip."""
    for student in ("eve", "ivy", "zoe"):
        with_pictures(course, student, SHOWN_IN_ZIP if student == "ivy" else "![mine](photo.jpg)", {})
        (course.submission(student) / "photo.jpg").write_bytes(JPEG)
        course.run("nbgrader", "db", "student", "add", student)
    pack(course.submission("ivy"))
    place = course.root / "exchange" / "headstart" / "inbound"
    place.mkdir(parents=True)
    when = "2026-01-01 12:00:00 UTC"
    for student in ("eve", "ivy"):
        at = shutil.move(course.submission(student), place / f"{student}+{LESSON}+{when}+abc")
        (Path(at) / "timestamp.txt").write_text(when)
    course.run("nbgrader", "collect", LESSON)
    with zipfile.ZipFile(course.root / "download.zip", "w") as archive:
        for file in course.submission("zoe").iterdir():
            archive.write(file, f"zoe/{file.name}")
    shutil.rmtree(course.root / "submitted" / "zoe")
    course.run("headstart", "collect", "download.zip", LESSON)


def pack(folder: Path) -> None:
    """Put all that is handed in into a zip, as a Mac's menu does, with what isn't kept."""
    with zipfile.ZipFile(folder / "work.zip", "w") as archive:
        for path in [path for path in folder.iterdir() if path.suffix != ".zip"]:
            archive.write(path, f"work/{path.name}")
            path.unlink()
        link = zipfile.ZipInfo("work/link.png")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "photo.jpg")
        archive.writestr("work/drawing.svg", "<svg onload='alert(1)'/>")
        archive.writestr("work/page.png", "<script>alert(1)</script>")


@pytest.mark.promise(47)
def test_every_way_to_show_a_picture_is_kept_or_said_in_its_place(course):
    kept, lost = [way for way in WAYS if not WAYS[way]], [way for way in WAYS if WAYS[way]]
    for student, ways in (("amy", kept[:12]), ("bob", kept[12:]), ("cid", lost)):
        cell = answer(course, student)
        for way, line in zip(ways, cell.source.strip().split("\n\n"), strict=True):
            if WAYS[way]:
                assert line.endswith(f"isn't kept: {WAYS[way]}.)*"), (way, line)
            else:
                assert "](attachment:picture-" in line and line.endswith(")"), (way, line)
        assert "<img" not in cell.source and "base64" not in cell.source
    shown = [image.format for _, image in decoded(answer(course, "amy"))]
    assert len(shown) == 9 and {"PNG", "JPEG"} == set(shown)  # three were shown twice
    assert len(answer(course, "bob").attachments) == 1  # the same picture in three spellings
    assert "attachments" not in answer(course, "cid")


def test_a_picture_that_colab_wrote_into_the_text_is_no_text(course):
    """It has more characters than any answer may have."""
    assert answer(course, "colab").source.startswith("![image.png](attachment:picture-1.")
    assert set(course.statuses()["colab"].values()) == {"passed"}


def test_pictures_come_by_the_exchange_and_by_a_platforms_zip(course):
    for student in ("eve", "zoe"):
        assert [image.format for _, image in decoded(answer(course, student))] == ["JPEG"]


@pytest.mark.promise(47)
def test_pictures_in_the_notebooks_own_zip_are_kept_or_said_in_their_place(course):
    lines = answer(course, "ivy").source.strip().split("\n\n")
    assert [image.format for _, image in decoded(answer(course, "ivy"))] == ["JPEG"]
    assert lines[0].startswith("![mine](attachment:picture-")
    reasons = ("it is a link", UNREADABLE, UNREADABLE, AWAY)
    assert all(line.endswith(f"isn't kept: {why}.)*") for line, why in zip(lines[1:], reasons, strict=True))


def test_feedback_shows_them_and_what_isnt_kept(course):
    def page(student: str) -> str:
        return (course.root / "feedback" / student / LESSON / f"{LESSON}.html").read_text()

    assert (
        page("amy").count('src="data:image/jpeg;base64,') >= 5 and page("eve").count("data:image/jpeg") == 1
    )
    assert WEB in page("cid") and "onload" not in page("cid")
    assert 'href="https://example.org/a.png"' in page("cid") and 'src="https' not in page("cid")


def test_another_file_of_the_same_name_is_a_new_answer(course):
    """Points by hand are for what was seen."""
    waits = "select needs_manual_grade from grade join base_cell on base_cell.id = cell_id where name = '{}' and " \
            "grade.notebook_id in (select n.id from submitted_notebook n join submitted_assignment a on " \
            "a.id = n.assignment_id where a.student_id = 'eve')"  # fmt: skip
    found = []
    for content in (JPEG, JPEG, picture("JPEG", (50, 20))):
        (course.submission("eve") / "photo.jpg").write_bytes(content)
        (course.submission("eve") / "notes.txt").write_text(str(len(found)))
        course.run("headstart", "grade", LESSON, "--student", "eve")
        found += [bool(value) for [value] in course.query(waits.format(CELL))]
        course.query("update grade set manual_score = 1, needs_manual_grade = 0 where auto_score is null")
    assert found == [True, False, True]


def test_what_a_text_shows_is_found_in_time_and_nothing_else_changes():
    plain = "Text with [a link](photo.jpg), `code`, a ![label] and [scan]: nothing.\n\n- $x![a]$"
    assert Shown.of(plain).with_each([]) == plain and lifted(plain) == (plain, {})
    named = Shown.of("![a][b]\n\n[b]: c.png 'title'")
    assert named.pictures == (("a", "c.png"),) and named.with_each(["?"]) == "?\n\n"
    one = Shown.of("![a](b.png)")
    assert files_shown(one, {"b.png": b"1"}) != files_shown(one, {"b.png": b"2"})
    odd = (
        "![",
        "![a](",
        "![[a]",
        "<img ",
        "<img src='",
        '![](a "',
        "![](<",
        "[a]: <",
        '"data:image/a;base64,',
        "![\\",
    )
    for piece in odd:
        begun = time.process_time()
        for text in (
            piece * (MAX_ANSWER // len(piece)),
            piece + "a" * MAX_ANSWER,
            piece + " \n" * MAX_ANSWER,
        ):
            Shown.of(lifted(text)[0])
        assert time.process_time() - begun < 5, piece


def test_the_courses_own_pictures_stay_the_courses():
    """A cell that has nothing but a picture is known by it, and is no cell that a student added."""
    one, other = (lifted(f"![]({kind})")[0] for kind in (DATA, DATA.replace("iVBOR", "iVBOS")))
    assert one != other and json.dumps(lifted(f"![]({DATA})")) == json.dumps(lifted(f"![]({DATA})"))
