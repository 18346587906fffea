"""Due dates, extensions, grace and late days: by the clocks of the course's zone, and in one notation."""

import re
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given as drawn
from hypothesis import strategies as st
from nbgrader.api import Gradebook
from nbgrader.coursedir import CourseDirectory
from traitlets.config import Config

import autograder.classroom.gradebook  # noqa: F401  (nbgrader would call `alembic`)
from autograder.classroom import dates, lateness
from autograder.classroom.database import opened
from autograder.classroom.extension import extend, set_due
from autograder.classroom.lateness import EVERY, Extension, Policy, charge, explained, give
from autograder.classroom.reports.course import _read
from autograder.classroom.settings import refuse_settings
from tests.support.course import LESSON, Course
from tests.support.proved import ENGINE, follows_from

pytestmark = follows_from(*ENGINE)

BERLIN = ZoneInfo("Europe/Berlin")
ZONES = ["Europe/Berlin", "America/St_Johns", "Australia/Lord_Howe", "Asia/Kathmandu", "UTC"]
LOCAL = "\nc.NbGraderAPI.timezone = 'Europe/Berlin'\n"


@pytest.mark.parametrize(
    ("text", "when"),
    [
        ("2027-01-15 18:00", "2027-01-15 17:00"),
        ("2027-07-15T18:00", "2027-07-15 16:00"),
        ("2027-01-15 9:05", "2027-01-15 08:05"),
        ("2027-01-15", "2027-01-15 22:59:59"),  # until its end
        ("2027-01-15 18:00 UTC", "2027-01-15 18:00"),
        ("2027-01-15 18:00Z", "2027-01-15 18:00"),
        ("2027-01-15 18:00 +0530", "2027-01-15 12:30"),
        ("2027-01-15 18:00-08:00", "2027-01-16 02:00"),
        ("2027-01-15 18:00 America/New_York", "2027-01-15 23:00"),
        ("2026-10-25 02:30", "2026-10-25 01:30"),  # twice by these clocks: the later one
        ("2026-10-25 02:30 +02:00", "2026-10-25 00:30"),
    ],
)
def test_a_date_is_read_in_the_courses_zone_unless_it_names_one(text, when):
    assert dates.read_date(text, BERLIN) == datetime.fromisoformat(when)


@pytest.mark.parametrize(
    "text",
    ["", "soon", "15.01.2027", "01/15/2027", "2027-02-30", "2027-01-15 25:00", "2027-01-15 6 pm", "0001-01-01",
     "2027-07-15 18:00 CEST", "2027-07-15 18:00 CET", "2027-07-15 18:00 PDT", "2027-01-15 18:00 ../../etc/passwd", "2027-01-15 18:00 +99:00"],
)  # fmt: skip
def test_what_could_be_read_in_two_ways_or_in_none_is_refused(text):
    with pytest.raises(LookupError, match=r"isn't a date|is no time zone|beyond any calendar"):
        dates.read_date(text, BERLIN)


def test_a_date_is_read_as_it_is_said_whatever_the_courses_zone_is_called():
    zone, when = ZoneInfo("CET"), datetime(2027, 7, 15, 16)
    assert dates.read_date(dates.said(when, zone), zone) == when


@pytest.mark.parametrize("zone", ["", " Europe/Berlin"])
def test_a_time_that_the_clocks_leave_out_is_refused_with_both_neighbours(zone):
    said = "there is no 2027-03-28 02:30 in Europe/Berlin: the clocks are put forward past it; write 2027-03-28 " \
           "01:30 Europe/Berlin or 2027-03-28 03:30 Europe/Berlin"  # fmt: skip
    with pytest.raises(LookupError, match=f"^{re.escape(said)}$"):
        dates.read_date(f"2027-03-28 02:30{zone}", BERLIN)


def test_a_time_that_comes_twice_is_the_later_one_with_a_word(capsys):
    dates.read_date("2027-10-31 01:59", BERLIN)
    ends = dates.read_date("2026-04-04", ZoneInfo("America/Santiago"))  # a day whose last hour comes twice
    assert ends == datetime(2026, 4, 5, 3, 59, 59)
    assert not capsys.readouterr().err
    assert dates.read_date("2027-10-31 02:30", BERLIN) == datetime(2027, 10, 31, 1, 30)
    assert capsys.readouterr().err == (
        "headstart: 2027-10-31 02:30 comes twice in Europe/Berlin, where the clocks are put back: "
        "the later is taken, 2027-10-31 02:30 +0100, not 2027-10-31 02:30 +0200\n"
    )


@drawn(st.datetimes(datetime(2001, 1, 1), datetime(2100, 1, 1)), st.sampled_from(ZONES))
def test_what_is_said_can_be_typed_again(when, name):
    zone = ZoneInfo(name)
    when = when.replace(second=0, microsecond=0)
    again = dates.read_date(dates.said(when, zone), zone)
    twice = dates.by_clocks(when, zone) == dates.by_clocks(again, zone)  # in the hour that comes twice
    assert again == when or (twice and again - when <= timedelta(hours=1))


@drawn(st.datetimes(datetime(2020, 1, 1), datetime(2040, 1, 1)), st.integers(0, 400), st.sampled_from(ZONES))
def test_a_day_is_a_day_by_the_students_clocks(when, days, name):
    zone = ZoneInfo(name)
    due, end = (dates.by_clocks(one, zone) for one in (when, dates.days_after(when, days, zone)))
    gap = end - due - timedelta(days=days)
    assert timedelta(0) <= gap <= timedelta(hours=1)  # more only where the clocks leave that time out
    assert not gap or dates.in_utc(due + timedelta(days=days), zone) == dates.in_utc(end, zone)


@pytest.mark.parametrize(
    ("text", "when"),
    [
        ("2027-01-15 12:00 +01:00", "2027-01-15 11:00"),  # by itself, nbgrader says 12:00
        ("2027-01-15 12:00 +0100", "2027-01-15 11:00"),  # and 11:58
        ("2027-01-15 12:00 Europe/Berlin", "2027-01-15 11:00"),
        ("2027-01-15T12:00:00 +0100", "2027-01-15 11:00"),  # formgrader's
        ("2027-01-15 12:00", "2027-01-15 12:00"),
    ],
)
def test_nbgraders_own_due_dates_lose_no_zone(text, when):
    with Gradebook("sqlite://") as book:
        assert book.add_assignment("ps1", duedate=text).duedate == datetime.fromisoformat(when)


def test_a_due_date_by_nbgraders_command_is_read_or_refused(tmp_path):
    course = Course(tmp_path / "course")
    due = "select duedate from assignment"
    course.run("nbgrader", "db", "assignment", "add", LESSON, "--duedate=2027-01-15 12:00 +01:00")
    assert course.query(due) == [("2027-01-15 11:00:00.000000",)]
    dates_of = course.root / "dates.csv"
    dates_of.write_text(f"name,duedate\n{LESSON},2027-07-15 12:00 CEST\n")
    for command, why in {
        ("add", LESSON, "--duedate=2027-07-15 12:00 CEST"): "'CEST' is no time zone",
        ("add", LESSON, "--duedate=tomorrow"): "Unknown string format: tomorrow",
        ("import", str(dates_of)): "'CEST' is no time zone",
    }.items():
        refused = course.run("nbgrader", "db", "assignment", *command, check=False)
        assert refused.returncode == 1 and why in refused.stderr.splitlines()[-1]
        assert "Traceback" not in refused.stderr
    said = course.run("nbgrader", "db", "assignment", "add", LESSON, "--duedate=2027-01-16 12:00").stderr
    assert "names no time zone, so nbgrader takes it for UTC" in said
    assert course.query(due) == [("2027-01-16 12:00:00.000000",)]


def test_times_that_nbgrader_writes_in_the_exchanges_zone_are_read_in_it():
    config = Config()
    assert dates.handed_in_at(b"2026-06-01 12:00:00.5 UTC\n", config) == datetime(
        2026, 6, 1, 12, 0, 0, 500_000
    )
    config.Exchange.timezone = "America/Los_Angeles"
    for stamp, when in {
        b"2026-06-01 12:00:00 PDT": datetime(2026, 6, 1, 19),
        b"2026-01-01 12:00:00 PST": datetime(2026, 1, 1, 20),
        b"2026-11-01 01:30:00 PST": datetime(2026, 11, 1, 9, 30),  # the second of two
        b"2026-11-01 01:30:00 PDT": datetime(2026, 11, 1, 8, 30),
        b"2026-06-01 12:00:00 UTC": datetime(2026, 6, 1, 12),
        b"soon": None,
    }.items():
        assert dates.handed_in_at(stamp, config) == when, stamp


# -- lateness --------------------------------------------------------------------------------------------


class Term:
    """A gradebook with lessons due on Fridays at 18:00 in Berlin, and one student."""

    def __init__(self, due: dict[str, str]) -> None:
        self.book = Gradebook("sqlite://")
        self.book.add_student("amy")
        for lesson, date in due.items():
            self.book.add_assignment(lesson, duedate=dates.read_date(date, BERLIN))
            self.book.add_notebook(lesson, lesson)
            self.book.add_grade_cell("cell", lesson, lesson, max_score=10, cell_type="code")

    def hand_in(self, lesson: str, when: str) -> None:
        self.book.add_submission(lesson, "amy", timestamp=dates.read_date(when, BERLIN))
        self.book.find_grade("cell", lesson, lesson, "amy").auto_score = 10
        self.book.db.commit()

    def late(self, policy: Policy) -> dict[str, lateness.Lateness]:
        return dict(lateness.lateness(self.book.find_student("amy").submissions, policy))


WEEKS = {"01": "2026-03-20 18:00", "02": "2026-03-27 18:00", "03": "2026-04-03 18:00"}


def test_late_days_are_used_in_the_order_of_due_dates_and_the_rest_is_charged():
    term = Term(WEEKS)
    term.hand_in("03", "2026-04-05 18:30")  # over two days
    term.hand_in("02", "2026-03-29 18:00")  # two days, one of 23 hours: in UTC an hour less
    term.hand_in("01", "2026-03-20 18:04")
    late = term.late(Policy(BERLIN, timedelta(minutes=5), 3))
    assert [*late] == ["01", "02", "03"]
    assert not late["01"].late and late["01"].days == 0
    assert (late["02"].days, late["02"].left, late["02"].charged) == (2, 1, timedelta(0))
    assert (late["03"].days, late["03"].left) == (1, 0)
    assert late["03"].charged == timedelta(days=1, minutes=30)
    without = term.late(Policy(BERLIN))
    assert without["01"].charged == timedelta(minutes=4) and without["02"].charged == timedelta(hours=47)


def test_grace_is_grace_and_no_later_due_date():
    term = Term(WEEKS)
    term.hand_in("01", "2026-03-20 18:06")
    policy = Policy(BERLIN, timedelta(minutes=5))
    assert term.late(policy)["01"].charged == timedelta(minutes=6)
    assert "6 minutes late" in explained(term.late(policy)["01"], policy)
    wider = Policy(BERLIN, timedelta(minutes=6))
    assert "on time: it was due 2026-03-20 18:00 Europe/Berlin, plus 6 minutes of grace" in explained(
        term.late(wider)["01"], wider
    )


def test_who_has_just_been_charged_is_not_charged_again():
    term = Term(WEEKS)
    config = Config()
    config.LateSubmissionPlugin.penalty_method = "zero"
    term.hand_in("01", "2026-03-21 12:00")
    for done, penalty in (({"amy"}, None), ({"bob"}, 10)):
        charge(term.book.db, config, "01", done=done)
        [submission] = term.book.find_student("amy").submissions
        assert submission.notebooks[0].late_submission_penalty == penalty


def test_penalties_of_all_lessons_follow_where_there_are_late_days():
    term = Term(WEEKS)
    config = Config()
    config.NbGraderAPI.timezone, config.Headstart.late_days = "Europe/Berlin", 1
    config.LateSubmissionPlugin.penalty_method = "zero"
    term.hand_in("01", "2026-03-21 12:00")
    term.hand_in("02", "2026-03-28 12:00")

    def penalties():
        submissions = term.book.find_student("amy").submissions
        return {one.name: one.late_submission_penalty or 0 for one in submissions}

    charge(term.book.db, config, "02")
    assert penalties() == {"01": 0, "02": 10}
    give(term.book.db, "amy", "01", Extension(days=1), BERLIN)  # so the late day is free for lesson 02
    charge(term.book.db, config, "01")
    assert penalties() == {"01": 0, "02": 0}
    config.Headstart.late_days = 0
    charge(term.book.db, config, "02")
    assert penalties() == {"01": 0, "02": 10}


def test_an_accommodation_holds_for_lessons_to_come_and_follows_a_due_date():
    term = Term({"01": WEEKS["01"]})
    give(term.book.db, "amy", EVERY, Extension(days=2), BERLIN)
    term.book.add_assignment("02", duedate=dates.read_date(WEEKS["02"], BERLIN))
    term.book.add_notebook("02", "02")
    term.book.add_grade_cell("cell", "02", "02", max_score=10, cell_type="code")
    for lesson, when in {"01": "2026-03-22 17:00", "02": "2026-03-29 17:00"}.items():
        term.hand_in(lesson, when)
    config = Config()
    config.NbGraderAPI.timezone = "Europe/Berlin"
    charge(term.book.db, config, "02")
    assert all(not one.late for one in term.late(Policy(BERLIN)).values())
    assert term.book.find_submission("02", "amy").extension == timedelta(hours=47)
    term.book.update_or_create_assignment("02", duedate=dates.read_date("2026-03-20 18:00", BERLIN))
    charge(term.book.db, config, "02")
    assert term.book.find_submission("02", "amy").extension == timedelta(hours=48)
    give(term.book.db, "amy", "02", Extension(days=0), BERLIN)  # but not there
    assert term.book.find_submission("02", "amy").extension is None
    assert term.book.find_submission("01", "amy").extension == timedelta(hours=48)
    give(term.book.db, "amy", EVERY, Extension(days=0), BERLIN)
    assert term.book.find_submission("01", "amy").extension is None


def test_an_extension_that_somebody_else_made_stays():
    term = Term(WEEKS)
    term.hand_in("01", "2026-03-21 12:00")
    term.book.grant_extension("01", "amy", days=1)
    charge(term.book.db, Config(), "01")
    assert term.book.find_submission("01", "amy").extension == timedelta(days=1)


def test_where_nothing_is_due_nothing_is_late_nor_extended():
    """nbgrader itself would add an extension's days to the due date that isn't there, and fail."""
    term = Term(WEEKS)
    for lesson in WEEKS:
        term.hand_in(lesson, "2026-04-30 12:00")
        term.book.grant_extension(lesson, "amy", days=1)
        term.book.update_or_create_assignment(lesson, duedate=None)
    handed = _read(term.book, Policy(BERLIN))["amy"]
    assert {lesson: one.late_days for lesson, one in handed.items()} == dict.fromkeys(WEEKS, 0)
    charge(term.book.db, Config(), "01")
    assert [one.extension for one in term.book.find_student("amy").submissions] == [None] * 3
    assert term.book.find_submission("01", "amy").total_seconds_late == 0


def test_the_report_counts_what_comes_within_the_grace_as_on_time():
    term = Term(WEEKS)
    term.hand_in("01", "2026-03-20 18:09")
    term.hand_in("02", "2026-03-28 18:00")
    handed = _read(term.book, Policy(BERLIN, grace=timedelta(minutes=10)))["amy"]
    assert {lesson: one.late_days for lesson, one in handed.items()} == {"01": 0, "02": 1}


def test_an_extension_goes_and_comes_with_the_due_date(tmp_path):
    course = CourseDirectory(root=str(tmp_path), db_url=f"sqlite:///{tmp_path}/gradebook.db")
    set_due("01", "2026-03-20 18:00", course)
    with opened(course) as book:
        book.add_student("amy")
        book.add_submission("01", "amy")
    extend("01", "amy", course, days=1)
    for date, extension in (("none", None), ("2026-03-21 18:00", timedelta(days=1))):
        set_due("01", date, course)
        with opened(course) as book:
            assert book.find_submission("01", "amy").extension == extension


@pytest.mark.parametrize("name", ["grace_minutes", "late_days"])
@pytest.mark.parametrize("value", [-1, "5", None, float("nan")])
def test_rules_that_are_no_numbers_are_refused(name, value):
    config = Config()
    config.Headstart[name] = value
    with pytest.raises(LookupError, match=f"{name} is"):
        Policy.of(config)


def test_rules_are_refused_before_anything_is_graded():
    config = Config()
    config.Headstart.late_days = -1
    with pytest.raises(LookupError, match="late_days"):
        refuse_settings(config)


def test_a_zone_that_is_none_is_named():
    config = Config()
    config.NbGraderAPI.timezone = "Berlin"
    with pytest.raises(
        LookupError, match=r"NbGraderAPI.timezone is 'Berlin', which is no time zone; .*Europe/Berlin"
    ):
        Policy.of(config)


# -- the commands ----------------------------------------------------------------------------------------


@pytest.fixture
def local(tmp_path) -> Course:
    course = Course(tmp_path / "course")
    with (course.root / "nbgrader_config.py").open("a") as config:
        config.write(LOCAL)
    for student in ("amy", "bob", "cat"):
        course.run("nbgrader", "db", "student", "add", student)
    return course


def test_due_dates_and_extensions_are_set_and_shown_in_the_courses_zone(local):
    due = local.run("headstart", "due", LESSON, "2026-03-27", "18:00").stdout
    assert f"{LESSON} is due 2026-03-27 18:00 Europe/Berlin" in due
    assert local.query("select duedate from assignment") == [("2026-03-27 17:00:00.000000",)]
    said = local.run("headstart", "extend", LESSON, "amy", "--days", "2").stdout
    assert f"amy may hand in {LESSON} until 2026-03-29 18:00 Europe/Berlin" in said
    assert (
        "bob may hand in every lesson 1 day later"
        in local.run("headstart", "extend", "all", "bob", "--days", "1").stdout
    )
    shown = local.run("headstart", "due").stdout
    for text in ("2026-03-27 18:00 Europe/Berlin", "until 2026-03-29 18:00", "1 day later"):
        assert text in shown
    assert "has no due date" in local.run("headstart", "due", LESSON, "none").stdout
    assert "no due date" in local.run("headstart", "due").stdout
    for words, why in {
        ("due", LESSON): "due when?",
        ("due", LESSON, "soon"): "isn't a date",
        ("extend", LESSON, "--days", "1"): "name a lesson and a student",
        ("extend", LESSON, "amy", "--days", "1"): "`headstart due 01_attention DATE` sets one",
        ("extend", "all", "zoe", "--days", "1"): "no student 'zoe'",
        ("extend", "all", "amy", "--days", "-1"): "can only be later",
        ("extend", "all", "amy", "--days", "nan"): "can only be later",
    }.items():
        refused = local.run("headstart", *words, check=False)
        assert refused.returncode == 2 and why in refused.stderr and len(refused.stderr.splitlines()) == 1, (
            words
        )


def test_lessons_with_a_due_date_are_listed_first_and_the_next_one_on_top(local):
    local.run("nbgrader", "db", "assignment", "add", "00_later")
    local.run("nbgrader", "db", "assignment", "add", "99_soon", "--duedate", "2026-03-01 18:00")
    local.run("headstart", "due", LESSON, "2026-03-27", "18:00")
    shown = local.run("headstart", "due").stdout
    assert sorted(("00_later", "99_soon", LESSON), key=shown.index) == ["99_soon", LESSON, "00_later"]


def test_extensions_come_from_a_file_all_or_none(local):
    local.run("headstart", "due", LESSON, "2026-03-27", "18:00")
    file = local.root.parent / "accommodations.csv"
    file.write_text(f"ID;Lesson;Days;Until\namy;;2;\nbob;{LESSON};;2026-04-01\ncat;all;0,5;\n")
    done = local.run("headstart", "extend", "--from", str(file)).stdout
    for text in (
        "amy may hand in every lesson 2 days later", "bob may hand in 01_attention until 2026-04-01 23:59",
        "cat may hand in every lesson 0.5 days later", "3 extensions",
    ):  # fmt: skip
        assert text in done
    rows = "select student, assignment, days from headstart_extension order by student"
    before = [("amy", "", 2.0), ("bob", LESSON, None), ("cat", "", 0.5)]
    assert local.query(rows) == before
    file.write_text(
        "student,days,until,lesson\namy,9,,\nzoe,1,,\nbob,two,,\nbob,,,\nbob,1,2026-04-01,\ncat,1,,99_none\n"
    )
    refused = local.run("headstart", "extend", "--from", str(file), check=False)
    assert refused.returncode == 2 and local.query(rows) == before
    for row in range(3, 8):
        assert f"row {row}: " in refused.stderr
    file.write_text("name,points\namy,1\n")
    assert (
        "needs the columns student"
        in local.run("headstart", "extend", "--from", str(file), check=False).stderr
    )


def test_the_students_page_says_how_late_it_was_and_what_that_used(local):
    with (local.root / "nbgrader_config.py").open("a") as config:
        config.write("c.Headstart.late_days = 3\nc.LateSubmissionPlugin.penalty_method = 'zero'\n")
    local.run("headstart", "due", LESSON, "2026-03-27", "18:00")
    local.run("headstart", "extend", LESSON, "amy", "--days", "1")
    stamps = {
        "amy": "2026-03-29 16:30:00 UTC",
        "bob": "2026-03-27 16:00:00 UTC",
        "cat": "2026-04-27 16:00:00 UTC",
    }
    for student, stamp in stamps.items():
        local.hand_in(student)
        (local.submission(student) / "timestamp.txt").write_text(stamp)
    local.run("headstart", "grade", LESSON)
    local.run("nbgrader", "generate_feedback", LESSON)
    pages = {
        student: (local.root / "feedback" / student / LESSON / f"{LESSON}.html").read_text()
        for student in stamps
    }
    assert (
        "Handed in 2026-03-29 18:30 Europe/Berlin, 1 day and 30 minutes late: it was due 2026-03-28 18:00 "
        "Europe/Berlin, with your extension. 2 of your 3 late days make up for all of that. You have 1 late day left."
    ) in pages["amy"]  # fmt: skip
    assert "Handed in 2026-03-27 17:00 Europe/Berlin, on time" in pages["bob"]
    assert "taken off for being late" not in pages["amy"] + pages["bob"]
    assert (
        "3 of your 3 late days make up for all but" in pages["cat"]
        and "You have no late days left." in pages["cat"]
        and "taken off for being late" in pages["cat"]
    )


def test_a_time_that_a_platform_did_not_say_is_told_to_nobody():
    term = Term(WEEKS)
    term.hand_in("01", "2026-03-20 18:01")  # as `headstart collect` records what Canvas marks as late
    policy = Policy(BERLIN, late_days=2)
    said = explained(term.late(policy)["01"], policy, "Canvas")
    assert "18:01" not in said and "minute" not in said
    assert said.startswith(
        "Marked late by Canvas: it was due 2026-03-20 18:00 Europe/Berlin. 1 of your 2 late days makes up"
    )
    give(term.book.db, "amy", "01", Extension(days=1), BERLIN)
    said = explained(term.late(policy)["01"], policy, "Canvas")
    assert said.startswith(
        "Marked late by Canvas, but on time: it was due 2026-03-21 18:00 Europe/Berlin, with your"
    )
