"""Rosters in, grades out: Canvas's and Moodle's files keep their shape, and nobody is lost without a word."""

import csv
import logging
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from nbgrader.api import Gradebook
from nbgrader.coursedir import CourseDirectory
from nbgrader.plugins import CsvExportPlugin
from traitlets.config import Config

from autograder.classroom import exports
from autograder.classroom.roster import add_students, read_roster
from tests.support.proved import PROJECT, follows_from

pytestmark = follows_from(*PROJECT)

# As Canvas's gradebook exports it: read-only columns, a row of points possible, a test student.
CANVAS = """\
Student,ID,SIS User ID,SIS Login ID,Section,01_attention (4711),Essay (4712),Current Score,Final Score
    Points Possible,,,,,10,20,(read only),(read only)
"Lovelace, Ada",101,S1,ada,Monday,,18,90,45
"Hopper, Grace",102,S2,grace@navy.example,Monday,3,,,
"Turing, ""Al"" M.",103,S3,alan,Tuesday,,12,60,30
"Student, Test",104,,4f1e,Monday,,,,
"""
# As Moodle's gradebook exports it, with a mark of its encoding.
MOODLE = """\
\ufeffFirst name,Last name,ID number,Email address,Assignment: 01_attention (Real),Course total (Real)
Ada,Lovelace,S1,ada@example.org,-,0.00
Grace,Hopper,S2,grace@navy.example,-,0.00
Alan,Turing,S3,alan@example.org,-,0.00
"""


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A gradebook without anybody: to make one takes a second."""
    path = tmp_path_factory.mktemp("empty") / "gradebook.db"
    Gradebook(f"sqlite:///{path}").close()
    return path


@pytest.fixture
def course(tmp_path: Path, empty: Path) -> CourseDirectory:
    shutil.copy(empty, tmp_path)
    config = Config()
    config.CourseDirectory.root = str(tmp_path)
    return CourseDirectory(config=config)


@pytest.fixture
def book(course: CourseDirectory) -> Gradebook:
    """Ada has 7 of 10, 2 late. Grace's written answer waits. Alan handed nothing in."""
    with Gradebook(course.db_url) as book:
        for name in ("01_attention", "02_multihead"):
            book.add_assignment(name)
            book.add_notebook(name, name)
            book.add_grade_cell("code", name, name, max_score=6, cell_type="code")
            book.add_grade_cell("written", name, name, max_score=4, cell_type="markdown")
            for cell in ("code", "written"):
                book.add_solution_cell(cell, name, name)
        for id, first, last, email in (
            ("ada", "Ada", "Lovelace", "ada@example.org"),
            ("grace", "Grace", "Hopper", "Grace@Navy.example"),
            ("alan", "Alan", "Turing", "alan@example.org"),
        ):
            book.add_student(id, first_name=first, last_name=last, email=email)
        for id, by_hand in (("ada", 4.0), ("grace", None)):
            book.add_submission("01_attention", id)
            code, written = (
                book.find_grade(cell, "01_attention", "01_attention", id) for cell in ("code", "written")
            )
            code.auto_score, code.needs_manual_grade = 3.0, False
            written.manual_score, written.needs_manual_grade = by_hand, by_hand is None
        late = book.find_submission_notebook("01_attention", "01_attention", "ada")
        late.late_submission_penalty = 2.0
        book.add_submission("01_attention", "alan")  # as an extension makes it
        book.db.commit()
        yield book


def export(
    kind: type, book: Gradebook, tmp_path: Path, roster: str = "", **settings: object
) -> list[list[str]]:
    (tmp_path / "roster.csv").write_text(roster, encoding="utf-8")
    names = {"roster": str(tmp_path / "roster.csv")} if "roster" in kind.class_trait_names() else {}
    kind(to=str(tmp_path / "out.csv"), **names, **settings).export(book)
    with (tmp_path / "out.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


def test_canvas_gets_its_own_file_back_with_points(book, tmp_path, caplog):
    caplog.set_level(logging.INFO, "traitlets")
    rows = export(exports.Canvas, book, tmp_path, CANVAS, assignment=["01_attention"])
    given = list(csv.reader(CANVAS.splitlines()))
    given[2][5] = "5"  # ada: 3 + 4 - 2 for being late
    assert rows == given, "all but her points is as it was; grace's waits, and alan handed nothing in"
    assert "written answers wait for their points, so scores are left as they were: grace" in caplog.text
    assert (
        "1 score written to" in caplog.text and "for 1 of 3 students" in caplog.text
    )  # not grace's, which waits
    rows = export(exports.Canvas, book, tmp_path, CANVAS, assignment=["01_attention"], partial=True)
    assert [row[5] for row in rows] == ["01_attention (4711)", "10", "5", "3", "", ""]


def test_of_many_who_wait_the_first_are_named_and_no_score_is_said_to_be_given(book, tmp_path, caplog):
    caplog.set_level(logging.INFO, "traitlets")
    for number in range(38):
        book.add_student(f"s{number:02}")
        book.add_submission("01_attention", f"s{number:02}")
        code = book.find_grade("code", "01_attention", "01_attention", f"s{number:02}")
        code.auto_score, code.needs_manual_grade = 3.0, False
    book.find_grade("written", "01_attention", "01_attention", "ada").needs_manual_grade = True
    export(exports.Plain, book, tmp_path)
    assert "ada; grace; s00; s01; s02; s03; s04; s05; s06; s07 and 30 more" in caplog.text
    assert "0 scores written to" in caplog.text and "for 0 of 41 students" in caplog.text


def test_a_lesson_without_a_column_gets_one_with_its_points_possible(book, tmp_path):
    rows = export(exports.Canvas, book, tmp_path, CANVAS)
    assert [row[-1] for row in rows] == ["02_multihead", "10", "", "", "", ""]
    rows = export(
        exports.Canvas, book, tmp_path, CANVAS, assignment=["01_attention"], columns={"01_attention": "Essay"}
    )
    assert [row[6] for row in rows] == ["Essay (4712)", "20", "5", "", "12", ""]


def test_moodle_gets_its_own_file_back(book, tmp_path):
    rows = export(exports.Moodle, book, tmp_path, MOODLE, assignment=["01_attention"])
    assert [row[4] for row in rows] == ["Assignment: 01_attention (Real)", "5", "-", "-"]


@pytest.mark.parametrize("separator", [";", "\t"])
def test_separator_and_mark_of_the_encoding_stay(book, tmp_path, separator):
    """A header with more commas than separators is split where its first cell ends."""
    roster = MOODLE.replace(",", separator).replace("Course total (Real)", '"Course, total, in, all, (Real)"')
    export(exports.Moodle, book, tmp_path, roster, assignment=["01_attention"])
    text = (tmp_path / "out.csv").read_bytes().decode("utf-8")
    first = roster.splitlines()[0]
    assert list(csv.reader(text.splitlines()[:1], delimiter=separator)) == list(
        csv.reader([first], delimiter=separator)
    )
    assert f"ada@example.org{separator}5{separator}0.00\n" in text
    (tmp_path / "dos.csv").write_bytes(MOODLE.replace("\n", "\r\n").encode())
    exports.Moodle(to=str(tmp_path / "out.csv"), roster=str(tmp_path / "dos.csv")).export(book)
    assert (tmp_path / "out.csv").read_bytes().count(b"\r\n") == 4


GERMAN = """\
Vorname;Nachname;ID-Nummer;E-Mail-Adresse;Aufgabe: 01_attention (Punkte);Aufgabe: 01_attention (Feedback)
Ada;Lovelace;S1;ADA@example.org ;-;
Grace;Hopper;S2;grace@navy.example;-;
Alan;Turing;S3;alan@example.org;-;
"""


def test_moodle_may_speak_another_language(book, course, tmp_path):
    export(exports.Moodle, book, tmp_path, GERMAN, assignment=["01_attention"])
    assert "Ada;Lovelace;S1;ADA@example.org ;5;" in (tmp_path / "out.csv").read_text()
    assert add_students(str(tmp_path / "roster.csv"), course) == 0
    assert students(course)["S1"] == ("Ada", "Lovelace", "ADA@example.org")


def test_excused_stays_excused_and_other_maxima_are_named(book, tmp_path, caplog):
    roster = CANVAS.replace("ada,Monday,,18", "ada,Monday,EX,18").replace(",10,20,", ',"12,5",20,')
    rows = export(exports.Canvas, book, tmp_path, roster, assignment=["01_attention"])
    assert rows[2][5] == "EX"
    assert "01_attention: ada has 'EX', which is left: no 5" in caplog.text
    assert "points are out of 10 here, and in Canvas out of 12,5" in caplog.text


def test_canvas_file_without_its_row_of_points_possible_will_do(book, tmp_path):
    roster = "".join(line for line in CANVAS.splitlines(keepends=True) if "Possible" not in line)
    assert export(exports.Canvas, book, tmp_path, roster, assignment=["01_attention"])[1][5] == "5"


def test_names_may_be_in_two_columns_and_who_has_left_is_left_out(book, course, tmp_path):
    roster = "".join(
        line.replace('"Lovelace, Ada"', "Lovelace,Ada").replace('"Hopper, Grace"', "Hopper,Grace")
        .replace('"Student, Test"', "Student,Test").replace("Student,ID", "LastName,FirstName,ID")
        .replace("Points Possible,", "Points Possible,,") + "\n"
        for line in CANVAS.splitlines() if "Turing" not in line
    )  # fmt: skip
    (tmp_path / "roster.csv").write_text(roster)
    assert [one[:3] for one in read_roster(str(tmp_path / "roster.csv"))] == [
        ("ada", "Ada", "Lovelace"), ("grace@navy.example", "Grace", "Hopper"),
    ]  # fmt: skip
    book.find_grade("code", "01_attention", "01_attention", "alan").auto_score = 1.0
    with pytest.raises(SystemExit, match=r"alan .*student_id_exclude=ID,ID leaves out"):
        export(exports.Canvas, book, tmp_path, roster)
    config = Config({"CourseDirectory": {"student_id_exclude": "alan,who"}})
    assert export(exports.Canvas, book, tmp_path, roster, config=config)[2][6] == "5"


def test_nbgraders_own_file_comes_with_a_word_on_what_waits(book, tmp_path, caplog):
    of_nbgrader, ours = tmp_path / "nbgrader.csv", tmp_path / "ours.csv"
    CsvExportPlugin(to=str(of_nbgrader)).export(book)
    exports.Csv(to=str(ours)).export(book)
    assert ours.read_bytes() == of_nbgrader.read_bytes()
    assert caplog.text.rstrip().endswith("without these points: grace")
    assert "01_attention: written answers wait for their points, so scores are given" in caplog.text
    book.update_or_create_student("ada", last_name="Lovelace, Countess", first_name='=1+"1"')
    exports.Csv(to=str(ours)).export(book)
    with ours.open(newline="") as file:
        [ada] = [row for row in csv.DictReader(file) if row["student_id"] == "ada" and row["score"] != "0.0"]
    assert (ada["last_name"], ada["first_name"], ada["score"]) == ("Lovelace, Countess", '\'=1+"1"', "5.0")


def test_plain_has_a_row_for_everybody(book, tmp_path):
    rows = export(exports.Plain, book, tmp_path)
    assert rows[0][-2:] == ["01_attention", "02_multihead"] and rows[1][-2:] == ["10", "10"]
    assert {row[0]: row[-2:] for row in rows[2:]} == {"ada": ["5", ""], "grace": ["", ""], "alan": ["", ""]}


@pytest.mark.parametrize(
    ("kind", "roster", "said"),
    [
        (
            exports.Canvas,
            CANVAS.replace(",ada,", ",eda,"),
            r"for ada \(Ada Lovelace ada@example.org\), by SIS",
        ),
        (exports.Canvas, CANVAS.replace(",alan,", ",ada,"), "has no row, or more than one, for ada"),
        (exports.Canvas, CANVAS.replace(",ada,", ",,").replace("grace@", "g@"), r"for ada \(.*\); grace"),
        (exports.Canvas, CANVAS.replace("Points Possible", "Punkte"), "no row 'Points Possible'"),
        (exports.Canvas, CANVAS.replace("Essay (4712)", "01_attention (9)"), "2 columns for 01_attention"),
        (exports.Moodle, CANVAS, "no column 'Email address'"),
        (exports.Canvas, CANVAS.replace(",10,20,", ",(read only),20,"), "no points in its own column"),
        (exports.Moodle, "", "is empty"),
        (exports.Moodle, " , \n", "is empty"),
    ],
)
def test_what_does_not_fit_is_refused_and_nothing_is_written(book, tmp_path, kind, roster, said):
    with pytest.raises(SystemExit) as refused:
        export(kind, book, tmp_path, roster)
    assert re.search(said, str(refused.value)) and str(refused.value).endswith("nothing is written")
    assert not (tmp_path / "out.csv").exists()


def test_a_file_or_a_lesson_that_is_not_there_is_named(book, tmp_path):
    with pytest.raises(SystemExit, match=r"no assignment 09_typo; nothing"):
        exports.Plain(assignment=["09_typo"]).export(book)
    with pytest.raises(SystemExit, match="Name it with `roster`"):
        exports.Canvas().export(book)
    with pytest.raises(SystemExit, match=r"no/such\.csv"):
        exports.Canvas(roster="no/such.csv").export(book)


def test_nbgraders_own_command_runs_the_exporter(book, tmp_path):
    (tmp_path / "canvas.csv").write_text(CANVAS)
    done = subprocess.run(
        [sys.executable, "-m", "nbgrader", "export", "--exporter=autograder.classroom.exports.Canvas",
         "--Canvas.roster=canvas.csv", "--to=out.csv"],
        cwd=tmp_path, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "Lovelace, Ada" in (tmp_path / "out.csv").read_text()
    (tmp_path / "canvas.csv").write_text(CANVAS.replace(",ada,", ",eda,"))
    done = subprocess.run(done.args, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1 and "for ada" in done.stderr and "Traceback" not in done.stderr


# -- rosters ---------------------------------------------------------------------------------------------


def students(course: CourseDirectory) -> dict[str, tuple[str, str, str]]:
    with Gradebook(course.db_url) as book:
        return {one.id: (one.first_name, one.last_name, one.email) for one in book.students}


def test_a_roster_of_canvas_becomes_students_and_a_second_one_changes_names(course, tmp_path, capsys):
    path = tmp_path / "roster.csv"
    path.write_text(CANVAS)
    assert add_students(str(path), course) == 0
    assert capsys.readouterr().out == "headstart: 3 students: 3 new, 0 changed, 0 as before\n"
    assert students(course) == {
        "ada": ("Ada", "Lovelace", None),
        "alan": ('"Al" M.', "Turing", None),
        "grace@navy.example": ("Grace", "Hopper", "grace@navy.example"),
    }
    path.write_text(CANVAS.replace('""Al"" M.', "Alan"))
    assert add_students(str(path), course) == 0
    assert "0 new, 1 changed, 2 as before" in capsys.readouterr().out
    assert students(course)["alan"] == ("Alan", "Turing", None)


def test_a_roster_of_moodle_becomes_students_by_the_column_that_is_asked_for(course, tmp_path, capsys):
    (tmp_path / "roster.csv").write_text(MOODLE, encoding="utf-8")
    assert add_students(str(tmp_path / "roster.csv"), course, "Email address") == 0
    assert students(course)["ada@example.org"] == ("Ada", "Lovelace", "ada@example.org")


HEAD = "First name,Surname,ID number,Email address\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_names_and_ids_come_as_they_are(course, tmp_path, encoding):
    """Diacritics, one name only, a comma in a name, other scripts, leading zeros, an e-mail, line ends of Windows."""
    given = [
        ("Zoë", "O'Brien-Núñez", "007"), ("", "Suharto", "S 2"), ("Ada", "Byron, Countess", "ADA"),
        ("小明", "王", "w@例え.jp"), ("محمد", "علي", "٤٢"), ("Nguyễn", "Đỗ", "mü-11"),
    ]  # fmt: skip
    rows = "".join(f'{first},"{last}", {id} ,\r\n' for first, last, id in given)
    (tmp_path / "roster.csv").write_bytes((HEAD.strip() + "\r\n" + rows + "\r\n").encode(encoding))
    assert add_students(str(tmp_path / "roster.csv"), course) == 0
    assert students(course) == {id: (first or None, last, None) for first, last, id in given}


def test_canvas_rows_that_are_nobody_are_left_out_and_somebody_without_a_number_is_not(tmp_path):
    lines = CANVAS.replace("102,S2,", ",S2,").splitlines(keepends=True)
    posting = ",,,,,Manual Posting,,,\n"
    (tmp_path / "roster.csv").write_text("".join([lines[0], posting, *lines[1:]]))
    ids = [member.id for member in read_roster(str(tmp_path / "roster.csv"))]
    assert ids == ["ada", "grace@navy.example", "alan"]


def test_any_csv_file_will_do_where_ids_are_named(course, tmp_path):
    (tmp_path / "roster.csv").write_text("login;Etunimi\nada;Ada\n")
    assert add_students(str(tmp_path / "roster.csv"), course, "login") == 0
    assert [*students(course)] == ["ada"]


def test_an_id_in_another_spelling_is_no_second_student(course, tmp_path, capsys):
    path = tmp_path / "roster.csv"
    path.write_text(HEAD + "Ada,Lovelace,ada,\n")
    assert add_students(str(path), course) == 0
    path.write_text(HEAD + "Alan,Turing,alan,\nAda,Lovelace,ADA,\n")
    assert add_students(str(path), course) == 2
    assert "ADA, there as ada" in capsys.readouterr().err
    assert [*students(course)] == ["ada"]


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        ((HEAD + "Zoë,Müller,S1,z@example.org\n").encode("latin-1"), "isn't UTF-8"),
        ((HEAD + "Lovelace, Ada,Byron,S1,ada@example.org\n").encode(), "row 2"),
        ((HEAD + 'Ada,"Byron,S1,a@b.c\nAlan,Turing,S2,b@b.c\n').encode(), "can't be read up to line 3"),
        ((HEAD + "Ada,Byron,1.23457E+11,\n").encode(), "a spreadsheet has cut a number short"),
        ((HEAD + "Ada,Byron,S1,\nAda,Byron,s1,\n").encode(), "row 3, Ada Byron, s1: an earlier row has it"),
        ((HEAD + "Ada,Byron,=S1,\n").encode(), "begins like a spreadsheet's formula"),
        ((HEAD + "A,B,,\n" * 100_000).encode(), "row 11, A B, without an id and 99,990 more"),
        (
            (HEAD.replace("Surname", "ID number") + "Ada,S1,S2,\n").encode(),
            "more than one column 'ID number'",
        ),
    ],
)
def test_what_would_be_read_wrongly_is_refused_by_row(course, tmp_path, capsys, raw, said):
    (tmp_path / "roster.csv").write_bytes(raw)
    assert add_students(str(tmp_path / "roster.csv"), course) == 2
    told = capsys.readouterr().err
    assert said in told and len(told) < 1500 and told.count("\n") == 1
    assert not students(course)


@pytest.mark.parametrize(
    ("roster", "column", "said"),
    [
        (CANVAS.replace(",alan,", ",ada,"), "", 'row 5, "Al" M. Turing, ada'),
        (CANVAS.replace(",alan,", ",../alan,"), "", "../alan"),
        (CANVAS, "Login", "has no column 'Login'; it has Student, ID"),
        ("name,mark\nada,3\n", "", "neither the column 'SIS Login ID' nor 'Email address'"),
        (MOODLE.replace("S2", ""), "ID number", "row 3, Grace Hopper, without an id"),
    ],
)
def test_a_roster_that_cannot_be_read_adds_nobody(course, tmp_path, capsys, roster, column, said):
    (tmp_path / "roster.csv").write_text(roster, encoding="utf-8")
    assert add_students(str(tmp_path / "roster.csv"), course, column) == 2
    assert said in capsys.readouterr().err
    assert not students(course)


STEERS = "A\x1b]0;title\x07da\x1b[2J\u202e\nLove\x9blace\u2066"


def test_a_name_on_a_roster_steers_no_terminal(course, tmp_path, capsys):
    """Nor does one that is refused, when it is named."""
    persian = "می\u200cنا"  # with a joiner that it is written with
    rows = f'"{STEERS}",{persian},ada,"{STEERS}@x"\n'
    (tmp_path / "roster.csv").write_text(HEAD + rows)
    assert add_students(str(tmp_path / "roster.csv"), course) == 0
    assert students(course) == {
        "ada": ("A ]0;title da [2J Love lace", persian, "A ]0;title da [2J Love lace @x")
    }
    (tmp_path / "roster.csv").write_text(HEAD + f'"{STEERS}",Byron,"i\x1b[2Jd",\n')
    assert add_students(str(tmp_path / "roster.csv"), course) == 2
    told = capsys.readouterr().err
    assert told.count("\n") == 1 and told.rstrip("\n").isprintable()
    assert "row 2, A ]0;title da [2J Love lace Byron, i [2Jd: its name has characters that can't be" in told


@pytest.mark.parametrize("exporter", [exports.Plain, exports.Csv])
def test_a_name_in_an_export_steers_no_terminal(book: Gradebook, tmp_path: Path, exporter) -> None:
    """However it came into the gradebook."""
    book.update_or_create_student("alan", first_name=STEERS, last_name=STEERS, email=STEERS)
    rows = export(exporter, book, tmp_path)
    assert any("A ]0;title da [2J Love lace" in row for row in rows)
    assert all(cell.isprintable() for row in rows for cell in row)


def test_a_name_in_an_export_s_complaint_steers_no_terminal(book: Gradebook, tmp_path: Path) -> None:
    book.update_or_create_student("ada", first_name=STEERS)
    (tmp_path / "roster.csv").write_text(CANVAS.replace(",ada,", ",eda,"))
    with pytest.raises(SystemExit) as refused:
        exports.Canvas(roster=str(tmp_path / "roster.csv")).export(book)
    assert "ada (A ]0;title da [2J Love lace" in str(refused.value) and str(refused.value).isprintable()


def test_a_name_is_no_formula_in_a_spreadsheet(book: Gradebook, tmp_path: Path) -> None:
    """Whoever may choose a name in the school's own system could write one."""
    name = '=HYPERLINK("https://example.org")'
    book.update_or_create_student("alan", first_name=name, last_name="-Turing", email="＠SUM(1)")
    *_, alan = sorted(export(exports.Plain, book, tmp_path)[2:], key=lambda row: row[0] == "alan")
    assert alan[:4] == ["alan", "'-Turing", f"'{name}", "'＠SUM(1)"]
