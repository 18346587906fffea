"""The gradebook in PostgreSQL, on a server that is started here."""

import contextlib
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest
import sqlalchemy as sa

from autograder import programs
from autograder.classroom.course import course_directory
from autograder.classroom.database import make_table
from autograder.classroom.marking import marks
from autograder.classroom.marking.marks import Conflict, Mark
from autograder.classroom.marking.questions import questions
from tests.classroom.test_marking import Server, of, serving
from tests.classroom.test_nbgrader import UNSCALED
from tests.support.course import LESSON, Course
from tests.support.proved import ENGINE, follows_from

pytestmark = [
    pytest.mark.needs_bubblewrap,
    pytest.mark.needs_postgresql,
    pytest.mark.timeout(300),
    follows_from(*ENGINE),
]


def command(program: str, *arguments: str) -> list[str]:
    """A call of one of the server's programs, which refuse to run as root."""
    path = Path(programs.find(programs.POSTGRESQL)).with_name(program)
    user = ["runuser", "-u", "postgres", "--"] if programs.is_root() else []
    return [*user, str(path), *arguments]


@contextlib.contextmanager
def server() -> Iterator[str]:
    """A fresh server that listens on a socket of its own. Yields the address of its database."""
    folder = Path(tempfile.mkdtemp(prefix="headstart-"))
    try:
        if programs.is_root():
            shutil.chown(folder, "postgres")
        data = str(folder / "data")
        subprocess.run(
            command("initdb", "-D", data, "-U", "postgres", "-A", "trust"), check=True, capture_output=True
        )
        settings = f"-c listen_addresses='' -c unix_socket_directories={folder} -c fsync=off"
        start = command("pg_ctl", "-D", data, "-o", settings, "-l", str(folder / "log"), "-w", "start")
        subprocess.run(start, check=True, capture_output=True)
        try:
            yield f"postgresql://postgres@/postgres?host={folder}"
        finally:
            subprocess.run(
                command("pg_ctl", "-D", data, "-m", "immediate", "-w", "stop"), capture_output=True
            )
    finally:
        shutil.rmtree(folder, ignore_errors=True)


SCORES = """select student_id, base_cell.name, auto_score from grade
    join base_cell on base_cell.id = grade.cell_id
    join submitted_notebook on submitted_notebook.id = grade.notebook_id
    join submitted_assignment on submitted_assignment.id = submitted_notebook.assignment_id"""


def scores(address: str) -> dict[tuple[str, str], float]:
    engine = sa.create_engine(address)
    with engine.connect() as connection:
        rows = connection.execute(sa.text(SCORES)).fetchall()
    engine.dispose()
    return {(student, cell): score for student, cell, score in rows}


def keep_at(course: Course, address: str) -> None:
    """Have a course's gradebook in a database."""
    with (course.root / "nbgrader_config.py").open("a") as config:
        config.write(f"\nc.CourseDirectory.db_url = {address!r}\n")


def test_the_gradebook_may_be_in_postgresql(tmp_path):
    in_file, on_server = Course(tmp_path / "file"), Course(tmp_path / "server")
    with server() as address:
        keep_at(on_server, address)
        for course in (in_file, on_server):
            (course.root / ".headstart_secret").write_text("of this test" * 3)
            course.hand_in("amy", cells=("print('a\\0b \\ud800')",))
            course.hand_in("bob", {"attention.scaled_dot_product": UNSCALED})
            assert "2 graded" in course.run("headstart", "grade", LESSON).stdout
        assert scores(address) == in_file.scores()
        assert "0 graded, 2 as before" in on_server.run("headstart", "grade", LESSON).stdout
        assert not (on_server.root / "gradebook.db").exists()
        on_server.run("nbgrader", "generate_feedback", LESSON)
        on_server.run("nbgrader", "export")
        lines = (on_server.root / "grades.csv").read_text().splitlines()
        assert len(lines) == 3
    assert os.path.exists(on_server.root / "feedback" / "bob" / LESSON / f"{LESSON}.html")


GRADERS, ROUNDS = ("eve", "tom", "una", "vic"), 20


def test_a_term_on_a_server_with_several_graders_at_once(tmp_path):
    """Groups, marks, a new login, one who leaves, and the archive, as with a file."""
    course = Course(tmp_path / "course")
    with server() as address:
        keep_at(course, address)
        for student in ("amy", "bob", "cat", "dan"):
            course.run("nbgrader", "db", "student", "add", student)
        for student, text in {"amy": "Both look up.", "cat": "Neither."}.items():
            course.hand_in(student, {"attention.self_or_encoder": text})
        (course.root / "groups.csv").write_text("group,student\nA,amy\nA,bob\n")
        assert "1 submission copied" in course.run("headstart", "groups", "groups.csv", LESSON).stdout
        assert "3 graded" in course.run("headstart", "grade", LESSON).stdout
        mark_at_once(course)
        mark_on_two_pages_at_once(course)
        assert "3 as before" in course.run("headstart", "grade", LESSON).stdout
        course.run("headstart", "student", "rename", "amy", "amelia", "--yes")
        course.run("headstart", "student", "remove", "bob", "--yes")
        course.run("headstart", "grade", LESSON)
        engine = sa.create_engine(address)
        with engine.connect() as connection:
            ids = connection.execute(sa.text("select id from student order by id")).scalars().all()
            kept = connection.execute(sa.text("select count(*) from headstart_marks")).scalar_one()
            query = "select count(*) from grade where manual_score is not null"
            assert connection.execute(sa.text(query)).scalar_one() == 2
        engine.dispose()
        assert ids == ["amelia", "cat", "dan"] and kept == 2 * (ROUNDS + CLICKS)
        assert json.loads((course.root / ".headstart_groups.json").read_text()) == {LESSON: [["amelia"]]}
        course.run("headstart", "report")
        said = course.run("headstart", "archive", str(tmp_path / "old"), "--yes").stdout
        assert "stays there: give the next term a new database" in said
        moved = Course.__new__(Course)
        moved.__dict__ |= {**vars(course), "root": tmp_path / "old"}
        assert "2 as before" in moved.run("headstart", "grade", LESSON).stdout


def mark_at_once(course: Course) -> None:
    """Each grader gives a mark for all answers, in an order of their own, over what the others have given."""
    directory, _ = course_directory(course.root)
    question = next(each for each in questions(directory, LESSON) if "self_or_encoder" in each.cell)
    together = Barrier(len(GRADERS))

    def grade(place: int) -> int:
        lost = done = 0
        together.wait()
        while done < ROUNDS // len(GRADERS):
            with marks.marking(directory) as db:  # the first of which makes the table
                seen = marks.entries(db, LESSON, question.notebook, question.cell)
                new = Mark(float((place + done) % 5), False, f"{GRADERS[place]} {done} {lost}")
                with contextlib.suppress(Conflict):
                    marks.change(db, GRADERS[place], [(entry, new) for entry in seen[:: (-1) ** place]])
                    done += 1
                    continue
            lost += 1
        return lost

    with ThreadPoolExecutor(len(GRADERS)) as pool:
        [*pool.map(grade, range(len(GRADERS)))]
    with marks.marking(directory) as db:
        seen = marks.entries(db, LESSON, question.notebook, question.cell)
        steps = marks.history(db, [entry.id for entry in seen])
    assert len(steps) == ROUNDS and all(len(step["grades"]) == len(seen) == 3 for step in steps)
    assert {entry.mark for entry in seen} == {Mark(**json.loads(steps[0]["after"]))}


CLICKS = 10


def mark_on_two_pages_at_once(course: Course) -> None:
    """Two graders on pages of their own, for the same answers: each mark is saved, or refused and seen first."""
    with serving(course) as one, serving(course) as other:
        together = Barrier(2)

        def grade(page: Server, name: str) -> list[str]:
            seen, done = page.ask(names="shown")[1], []
            ids = of(seen, "amy", "bob", "cat")
            together.wait()
            while len(done) < CLICKS // 2:
                text = f"{name} {len(done)}"
                status, seen = page.mark(seen, ids, grader=name, score=len(done) % 5, text=text)
                assert status in (200, 409) and {*seen.get("conflicts", [])} <= {*ids}, seen
                done += [text] * (status == 200)
            return done

        with ThreadPoolExecutor(2) as pool:
            saved = [*pool.map(grade, (one, other), ("eve", "tom"))]
        ends = [page.ask()[1] for page in (one, other)]
    assert ends[0] == ends[1]
    steps = ends[0]["steps"][:CLICKS]
    assert sorted(step["text"] for step in steps) == sorted(saved[0] + saved[1])
    assert all(step["text"].split()[0] == step["grader"] for step in steps)
    last = steps[0]
    assert {(each["text"], each["by"]) for each in ends[0]["answers"].values()} == {
        (last["text"], last["grader"])
    }


def test_a_table_is_made_once_though_all_make_it_at_once():
    table = sa.Table("headstart_trial", sa.MetaData(), sa.Column("id", sa.Integer, primary_key=True))
    with server() as address, contextlib.ExitStack() as stack:
        engine = sa.create_engine(address, pool_size=8)
        stack.callback(engine.dispose)
        for _ in range(20):
            together = Barrier(8)

            def make(together: Barrier = together) -> None:
                with sa.orm.Session(engine) as db:
                    db.execute(sa.text("select 1"))
                    together.wait()
                    make_table(db, table)

            with ThreadPoolExecutor(8) as pool:
                [*pool.map(lambda _: make(), range(8))]
            with engine.begin() as connection:
                table.drop(connection)
