"""Downloads of all submissions, as learning platforms name what is in them: each file to its student, none lost."""

import io
import json
import os
import shutil
import stat
import tracemalloc
import zipfile
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

import pytest
from nbgrader.api import Gradebook
from nbgrader.coursedir import CourseDirectory
from traitlets.config import Config

from autograder.classroom.archives import open_download
from autograder.classroom.feedback import digest_of
from autograder.classroom.intake import KEPT, collect_download, read_kept
from autograder.classroom.placing import People, place
from autograder.classroom.returns import zip_feedback
from autograder.classroom.roster import add_students
from autograder.grading.handed_in import STEERING
from autograder.limits import MAX_ENTRIES
from tests.support.proved import ENGINE, follows_from

pytestmark = follows_from(*ENGINE)

LESSON = "01_attention"
NOTEBOOK = f"{LESSON}.ipynb"
ROSTER = """\
Student,ID,SIS User ID,SIS Login ID,Section
"Lovelace, Ada",101,S1,ada,Monday
"Hopper, Grace",102,S2,grace@navy.example,Monday
"O'Brien, Miles",103,S3,miles,Monday
"Müller, Jürgen",104,S4,juergen,Monday
"Smith, Alex",105,S5,alex1,Monday
"Smith, Alex",106,S6,alex2,Monday
"""
Files = dict[str, bytes | str]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course whose students came from Canvas's gradebook."""
    root = tmp_path_factory.mktemp("made")
    (root / "source" / LESSON).mkdir(parents=True)
    (root / "source" / LESSON / NOTEBOOK).write_text("{}")
    (root / "roster.csv").write_text(ROSTER)
    with Gradebook(f"sqlite:///{root / 'gradebook.db'}") as book:
        book.add_assignment(LESSON, duedate="2027-01-15 12:00 UTC")
    assert add_students(str(root / "roster.csv"), course_in(root)) == 0
    return root


def course_in(root: Path) -> CourseDirectory:
    config = Config()
    config.CourseDirectory.root = str(root)
    return CourseDirectory(config=config)


@pytest.fixture
def course(made: Path, tmp_path: Path) -> CourseDirectory:
    return course_in(shutil.copytree(made, tmp_path / "course"))


def zipped(path: Path, files: Files, when: tuple = (2027, 1, 20, 9, 0, 0)) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name, when), content)
    return path


def there(course: CourseDirectory, student: str) -> dict[str, str]:
    """A student's submission: its files, but for its time, and what is in them."""
    place = Path(course.root, "submitted", student, LESSON)
    files = [path for path in place.rglob("*") if path.is_file() and path.name != "timestamp.txt"]
    return {path.relative_to(place).as_posix(): path.read_text() for path in files}


def time_of(course: CourseDirectory, student: str) -> str:
    path = Path(course.root, "submitted", student, LESSON, "timestamp.txt")
    return path.read_text() if path.exists() else ""


def local(*parts: int) -> str:
    """A time of this machine's zone, as nbgrader writes it."""
    return f"{datetime(*parts).astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


# What each platform calls the same hand-ins, with what has to come of it.
METADATA = """\
submission_7:
  :submitters:
  - :name: Ada Lovelace
    :sid: S1
    :email: ada@elsewhere.example
  :created_at: !ruby/object:ActiveSupport::TimeWithZone
    utc: 2027-01-14 05:24:33.338870000 Z
    zone: !ruby/object:ActiveSupport::TimeZone
      name: Etc/UTC
submission_8:
  :submitters:
  - :name: G. Hopper
    :sid: 4
    :email: Grace@Navy.example
  - :name: Miles O'Brien
    :sid:
    :email: m@example.org
  :created_at: 2027-01-14 06:00:00.000000000 -01:00
"""
PLATFORMS: dict[str, tuple[Files, dict[str, str], dict[str, str]]] = {
    "canvas": (
        {
            f"lovelaceada_101_5001_{NOTEBOOK}": "a",
            f"hoppergrace_LATE_102_5002_{LESSON}-2.ipynb": "g",
            f"obrienmiles_103_5003_{NOTEBOOK}": "old",
            f"obrienmiles_103_5004_{LESSON}-1.ipynb": "m",
            f"müllerjürgen_9104_5005_{NOTEBOOK}": "j",  # a number that the roster doesn't have
        },
        {"ada": "a", "grace@navy.example": "g", "miles": "m", "juergen": "j"},
        {"grace@navy.example": "2027-01-15 12:01:00 UTC"},
    ),
    "moodle": (
        {
            f"Ada Lovelace_657_assignsubmission_file_/{NOTEBOOK}": "a",
            "Ada Lovelace_657_assignsubmission_onlinetext_/onlinetext.html": "hello",
            f"Grace Hopper_658_assignsubmission_file/work/{LESSON} (1).ipynb": "g",
            f"OBrien Miles_659_assignsubmission_file_{NOTEBOOK}": "m",  # not in folders
            "Ju\u0308rgen Mu\u0308ller_660_assignsubmission_file_/final.ipynb": "j",
        },
        {"ada": "a", "grace@navy.example": "g", "miles": "m", "juergen": "j"},
        {},
    ),
    "gradescope": (
        {
            "assignment_1_export/submission_metadata.yml": METADATA,
            f"assignment_1_export/submission_7/{NOTEBOOK}": "a",
            f"assignment_1_export/submission_8/{NOTEBOOK}": "g",
        },
        {"ada": "a", "grace@navy.example": "g", "miles": "g"},
        {"ada": "2027-01-14 05:24:33 UTC", "miles": "2027-01-14 07:00:00 UTC"},
    ),
    "blackboard": (
        {
            f"gradebook/hw_ada_attempt_2027-01-13-10-00-00_{NOTEBOOK}": "old",
            f"gradebook/hw_ada_attempt_2027-01-14-10-00-00_{NOTEBOOK}": "a",
            "gradebook/hw_ada_attempt_2027-01-14-10-00-00_for_miles.txt": "t",
            f"gradebook/hw_grace@navy.example_attempt_2027-01-13-10-00-00_{NOTEBOOK}": "g",
        },
        {"ada": "a", "grace@navy.example": "g"},
        {"ada": local(2027, 1, 14, 10, 0, 0)},
    ),
    "brightspace": (
        {
            "index.html": "",
            f"11-22 - Ada Lovelace - Jan 14, 2027 1003 PM/{NOTEBOOK}": "a",
            f"11-22 - Ada Lovelace - Jan 13, 2027 903 AM/{NOTEBOOK}": "old",
        },
        {"ada": "a"},
        {"ada": local(2027, 1, 14, 22, 3, 0)},
    ),
    "a folder each": (
        {f"ada/{NOTEBOOK}": "a", "ada/data/x.csv": "1", f"Hopper, Grace/{NOTEBOOK}": "g", "miles/a/b.ipynb": "m"},
        {"ada": "a", "grace@navy.example": "g", "miles": "m"},
        {"ada": local(2027, 1, 20, 9, 0, 0)},
    ),
    "files": (
        {
            f"ada_{NOTEBOOK}": "a",
            "ada_x.csv": "1",
            f"{LESSON}-Grace Hopper.ipynb": "g",
            "miles.ipynb": "m",
            f"juergen_12345_{NOTEBOOK}": "j",  # it isn't Canvas's
        },
        {"ada": "a", "grace@navy.example": "g", "miles": "m", "juergen": "j"},
        {},
    ),
}  # fmt: skip


@pytest.mark.parametrize("unpack", [False, True], ids=["zip", "folder"])
@pytest.mark.parametrize("platform", PLATFORMS)
def test_each_file_of_a_download_goes_to_its_student(platform, unpack, course, tmp_path) -> None:
    files, expected, times = PLATFORMS[platform]
    download = zipped(tmp_path / "submissions.zip", files)
    if unpack:
        zipfile.ZipFile(download).extractall(tmp_path / "unpacked")
        download = tmp_path / "unpacked"
    collect_download(download, LESSON, course)
    students = {path.name for path in Path(course.root, "submitted").iterdir()}
    assert {student: there(course, student).get(NOTEBOOK) for student in students} == expected
    if not unpack or "a folder" not in platform:  # where files have the time of their unpacking
        assert {student: time_of(course, student) for student in times} == times


def test_names_in_utf_8_are_read_where_the_zip_does_not_say_that_they_are(
    course, tmp_path, monkeypatch
) -> None:
    monkeypatch.setattr(
        zipfile.ZipInfo, "_encodeFilenameFlags", lambda self: (self.filename.encode(), self.flag_bits)
    )
    download = zipped(tmp_path / "d.zip", {f"Jürgen Müller_1_assignsubmission_file_/{NOTEBOOK}": "j"})
    monkeypatch.undo()
    assert not zipfile.ZipFile(download).infolist()[0].flag_bits & 0x800
    assert collect_download(download, LESSON, course) == 0 and there(course, "juergen") == {NOTEBOOK: "j"}


def test_each_platforms_own_download_says_what_it_does_not(course, tmp_path, capsys) -> None:
    assert collect_download(zipped(tmp_path / "c.zip", PLATFORMS["canvas"][0]), LESSON, course) == 0
    said = capsys.readouterr().out
    assert "4 submissions of 01_attention, 4 new" in said
    assert "marked LATE, and so recorded a minute after the due date: grace@navy.example" in said
    marked = {who: about["late"] for who, about in read_kept(course)[LESSON].items() if "late" in about}
    assert marked == {"grace@navy.example": "Canvas"}
    assert "a download from Canvas has no times" in said and time_of(course, "ada") == ""


def test_what_is_late_is_said_to_be_recorded_after_the_grace(course, tmp_path, capsys) -> None:
    course.config.Headstart.grace_minutes = 10
    assert collect_download(zipped(tmp_path / "c.zip", PLATFORMS["canvas"][0]), LESSON, course) == 0
    assert "recorded a minute after the due date and the grace: grace@navy" in capsys.readouterr().out
    assert time_of(course, "grace@navy.example") == "2027-01-15 12:11:00 UTC"


@pytest.mark.parametrize(
    ("name", "why"),
    [
        (f"nemonobody_999_1_{NOTEBOOK}", "nobody has Canvas's number 999 or is called 'nemonobody'"),
        (f"smithalex_999_1_{NOTEBOOK}", "it may be from alex1 or alex2"),
        (f"anon_LATE_aB3xY_1_{NOTEBOOK}", "Canvas hid whose it is"),
        ("lovelaceada_101_text.html", "ada handed in a text or an address in Canvas, and no file"),
        (f"nemo_999_1_ada_{NOTEBOOK}", "nobody has Canvas's number 999"),  # the name of a file is a student's
        (f"Participant_5_assignsubmission_file_/{NOTEBOOK}", "nobody is called 'Participant'"),
        (f"Alex Smith_5_assignsubmission_file_/{NOTEBOOK}", "it may be from alex1 or alex2"),
        (f"Nemo_5_assignsubmission_file_/ada/{NOTEBOOK}", "nobody is called 'Nemo'"),
        (f"nemo/ada_{NOTEBOOK}", "it names no student of the gradebook"),
        (f"ada_miles_{NOTEBOOK}", "it may be from ada or miles"),
        (f"../../ada/{NOTEBOOK}", "its path leads out of the archive"),
        ("/etc/ada.ipynb", "its path leads out of the archive"),
        ("Ada Lovelace_1_assignsubmission_file_../x.txt", "its path leads out of the submission"),
        ("ada\x1b]0;FREE\x07.ipynb", "its name could control a terminal"),
        (f"ada/{'x' * 300}.txt", "File name too long"),
        ("ada/" + "d/" * 101 + "x.txt", "it is over 100 folders deep"),
    ],
)
def test_what_cannot_be_placed_is_listed_and_goes_to_nobody(name, why, course, tmp_path, capsys) -> None:
    download = zipped(tmp_path / "s.zip", {name: "x", f"grace@navy.example/{NOTEBOOK}": "g"})
    assert collect_download(download, LESSON, course) == 1
    said = capsys.readouterr()
    assert why in said.err and not STEERING.search(said.err.replace("\n", ""))
    inside = {path.parent.parent.name for path in Path(course.root, "submitted").rglob("*.ipynb")}
    assert inside == {"grace@navy.example"}
    assert not list(tmp_path.rglob("x.txt"))


def test_the_latest_counts_and_what_it_replaces_is_kept(course, tmp_path, capsys) -> None:
    def collect(content: str, day: int) -> str:
        download = zipped(tmp_path / "m.zip", {f"ada/{NOTEBOOK}": content}, (2027, 1, day, 9, 0, 0))
        assert collect_download(download, LESSON, course) == 0
        return capsys.readouterr().out

    assert "1 new" in collect("second", 14)
    assert "1 as before" in collect("second", 14)
    assert "older than what is there" in collect("first", 13) and there(course, "ada") == {NOTEBOOK: "second"}
    assert "in place of an earlier one" in collect("third", 15) and there(course, "ada") == {
        NOTEBOOK: "third"
    }
    [kept] = Path(course.root, "replaced").rglob(NOTEBOOK)
    assert kept.read_text() == "second" and kept.with_name("timestamp.txt").read_text() == local(
        2027, 1, 14, 9
    )


@pytest.mark.parametrize("form", ["canvas", "moodle"])
def test_a_download_of_before_does_not_come_after_a_newer_one(form, course, tmp_path) -> None:
    """They have no times of their own: the time of the download says which is newer."""
    name = {
        "canvas": f"lovelaceada_LATE_101_1_{NOTEBOOK}",
        "moodle": f"Ada Lovelace_1_assignsubmission_file_/{NOTEBOOK}",
    }
    for content, day in (("new", 20), ("old", 19)):
        collect_download(
            zipped(tmp_path / "d.zip", {name[form]: content}, (2027, 1, day, 9, 0, 0)), LESSON, course
        )
    assert there(course, "ada") == {NOTEBOOK: "new"}


def test_two_hand_ins_of_which_nothing_says_the_later_are_both_left_to_the_teacher(
    course, tmp_path, capsys
) -> None:
    download = zipped(tmp_path / "d.zip", {f"ada 1/{NOTEBOOK}": "a", f"ada 2/{NOTEBOOK}": "b"})
    assert collect_download(download, LESSON, course) == 1
    assert "both are ada's, and nothing says which came last" in capsys.readouterr().err
    assert not there(course, "ada")


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"work.zip": {f"work/{NOTEBOOK}": "a", "work/x.csv": "1"}}, {NOTEBOOK: "a", "x.csv": "1"}),
        ({f"__MACOSX/._{NOTEBOOK}": "", f"{LESSON}(2).ipynb": "a", ".DS_Store": ""}, {NOTEBOOK: "a"}),
        ({NOTEBOOK: "a", "my_model.html": "<p>"}, {NOTEBOOK: "a"}),
        # which of them is meant is the grader's to say
        ({f"{LESSON} (1).ipynb": "b", NOTEBOOK: "a"}, {f"{LESSON} (1).ipynb": "b", NOTEBOOK: "a"}),
        ({"v1.ipynb": "a", "v2.ipynb": "b"}, {"v1.ipynb": "a", "v2.ipynb": "b"}),
        ({NOTEBOOK: "a", "timestamp.txt": "2020-01-01", "submission_secret.txt": "s"}, {NOTEBOOK: "a"}),
        ({"broken.zip": "PK"}, {"broken.zip": "PK"}),
    ],
)
def test_a_hand_in_lies_where_the_grader_looks(files, expected, course, tmp_path) -> None:
    def content(of: object) -> bytes | str:
        if not isinstance(of, dict):
            return of
        return zipped(tmp_path / "inner.zip", of).read_bytes()

    download = zipped(tmp_path / "d.zip", {f"ada/{name}": content(of) for name, of in files.items()})
    assert collect_download(download, LESSON, course) == 0
    assert there(course, "ada") == expected
    assert time_of(course, "ada") == local(2027, 1, 20, 9)


@pytest.mark.promise(29)
def test_a_bomb_fills_neither_memory_nor_disk_and_holds_up_no_other(course, tmp_path, capsys) -> None:
    course.max_dir_size = 1000  # kB
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(NOTEBOOK, bytes(100 << 20))
    files: Files = {f"ada/{NOTEBOOK}": bytes(100 << 20), "miles/work.zip": bomb.getvalue()}
    files |= {f"juergen/{number}.txt": "" for number in range(MAX_ENTRIES + 1)}
    download = zipped(tmp_path / "d.zip", files | {f"grace@navy.example/{NOTEBOOK}": "g"})
    del files
    tracemalloc.start()
    assert collect_download(download, LESSON, course) == 1
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    said = capsys.readouterr().err
    assert said.count("it holds more than the course takes") == 2
    assert f"it holds more than {MAX_ENTRIES:,} files" in said
    assert {path.name for path in Path(course.root, "submitted").iterdir()} == {"grace@navy.example"}
    assert peak < 90 << 20


@pytest.mark.promise(27)
def test_links_are_not_followed(course, tmp_path, capsys) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("bait")
    link = zipfile.ZipInfo("ada/link.txt")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    download = tmp_path / "d.zip"
    with zipfile.ZipFile(download, "w") as archive:
        archive.writestr(link, str(secret))
        archive.writestr(f"ada/{NOTEBOOK}", "a")
    assert collect_download(download, LESSON, course) == 1 and there(course, "ada") == {NOTEBOOK: "a"}
    folder = tmp_path / "folder"
    (folder / "miles").mkdir(parents=True)
    (folder / "miles" / NOTEBOOK).write_text("m")
    (folder / "miles" / "soft.txt").symlink_to(secret)
    (folder / "miles" / "all").symlink_to(tmp_path)
    os.link(secret, folder / "miles" / "hard.txt")
    os.mkfifo(folder / "miles" / "pipe")
    assert collect_download(folder, LESSON, course) == 1 and there(course, "miles") == {NOTEBOOK: "m"}
    said = capsys.readouterr().err
    assert said.count("it is a link") == 3 and "it is a hard link" in said and "not a regular file" in said


def test_a_file_that_becomes_a_link_after_it_was_listed_is_not_followed(course, tmp_path) -> None:
    folder = tmp_path / "folder" / "ada"
    folder.mkdir(parents=True)
    (folder / NOTEBOOK).write_text("a")
    [entry] = open_download(folder.parent).entries
    (folder / NOTEBOOK).unlink()
    (tmp_path / "secret.txt").write_text("bait")
    (folder / NOTEBOOK).symlink_to(tmp_path / "secret.txt")
    with pytest.raises(Exception, match="it can't be read"):
        entry.read(1000)


@pytest.mark.parametrize(
    "metadata",
    ["!!python/object/apply:os.system ['touch executed']", "a: [", "[" * 5000, "- 1", "submission_1: 3", ""],
)
def test_metadata_that_is_not_gradescopes_makes_nothing(metadata, course, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    files = {"submission_metadata.yml": metadata, f"submission_1/{NOTEBOOK}": "x"}
    assert collect_download(zipped(tmp_path / "d.zip", files), LESSON, course) == 1
    assert not (tmp_path / "executed").exists() and not Path(course.root, "submitted").exists()


def test_of_two_names_in_one_the_longer_is_meant() -> None:
    class One:
        def __init__(self, id: str, first: str = "", last: str = "") -> None:
            self.id, self.first_name, self.last_name = id, first, last
            self.email = self.lms_user_id = None

    people = People([One("amy"), One("amy.b"), One("lovelace"), One("u1", "Ada", "Lovelace"), One("../x")])
    for text, who in (("amy.b_01", {"amy.b"}), ("x amy", {"amy"}), ("Ada Lovelace", {"u1"}), ("x", set())):
        assert {one for found in people.named_in(text).values() for one in found} == who


def test_no_download_is_said_in_a_sentence(course, made, tmp_path) -> None:
    (tmp_path / "x.txt").write_text("x")
    with pytest.raises(LookupError, match="neither a zip nor a folder"):
        collect_download(tmp_path / "x.txt", LESSON, course)
    with pytest.raises(LookupError, match=r"there is no .*none\.zip"):
        collect_download(tmp_path / "none.zip", LESSON, course)
    (tmp_path / "empty").mkdir()
    with pytest.raises(LookupError, match="the gradebook has no students"):
        collect_download(tmp_path / "empty", LESSON, course_in(tmp_path / "empty"))


def test_feedback_goes_back_under_the_names_that_platforms_know(course, tmp_path, capsys) -> None:
    for name in ("canvas", "moodle"):
        files = PLATFORMS[name][0]
        mine = {"canvas": ("lovelace", "hopper"), "moodle": ("OBrien",)}[name]
        chosen = {path: content for path, content in files.items() if path.startswith(mine)}
        collect_download(zipped(tmp_path / "d.zip", chosen), LESSON, course)
    collect_download(
        zipped(tmp_path / "d.zip", {f"juergen/{NOTEBOOK}": "j", f"alex1/{NOTEBOOK}": "x"}), LESSON, course
    )
    for student in ("ada", "grace@navy.example", "miles", "juergen"):
        page = Path(course.root, "feedback", student, LESSON, f"{LESSON}.html")
        page.parent.mkdir(parents=True)
        graded = Path(course.root, "autograded", student, LESSON, NOTEBOOK)
        graded.parent.mkdir(parents=True)
        graded.write_text("{}")
        page.write_text(f'<meta name="made-from" content="{digest_of(graded)}">{student}')
        os.utime(page, (1, 1))  # the clock has been set back since
    graded = Path(course.root, "autograded", "grace@navy.example", LESSON, NOTEBOOK)
    graded.write_text("{ }")  # graded again since
    os.utime(graded, (0, 0))  # and again set back
    capsys.readouterr()
    assert zip_feedback(LESSON, course) == 1
    said = capsys.readouterr()
    assert "no page yet: alex1" in said.err and "older than its grades: grace@navy.example" in said.err
    found = {}
    for path in Path(course.root, "reports").glob("*.zip"):
        archive = zipfile.ZipFile(path)
        texts = {name: archive.read(name).decode() for name in archive.namelist()}
        found[path.stem] = {name: text.rpartition(">")[2] for name, text in texts.items()}
    assert found == {
        f"{LESSON}_feedback_canvas": {f"lovelaceada_101_5001_{LESSON}.html": "ada"},
        f"{LESSON}_feedback_moodle": {f"OBrien Miles_659_assignsubmission_file_/{LESSON}.html": "miles"},
        f"{LESSON}_feedback_students": {f"juergen/{LESSON}.html": "juergen"},
    }
    # What is sent back is placed like what came.
    with Gradebook(course.db_url) as book:
        people = People(book.db.query(__import__("nbgrader.api").api.Student).all())
    for path in Path(course.root, "reports").glob("*.zip"):
        pieces, lost = place(open_download(path), people, LESSON)
        assert not lost and [piece.student for piece in pieces] == [*found[path.stem].values()]
        assert pieces[0].inner == PurePosixPath(f"{LESSON}.html")
    assert json.loads(Path(course.root, KEPT).read_text())[LESSON]["ada"]["form"] == "canvas"
