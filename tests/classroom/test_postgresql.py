"""The gradebook in PostgreSQL, on a server that is started here."""

import contextlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from autograder import programs
from tests.classroom.test_nbgrader import UNSCALED
from tests.support.course import LESSON, Course

pytestmark = [pytest.mark.needs_bubblewrap, pytest.mark.needs_postgresql, pytest.mark.timeout(300)]


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


def test_the_gradebook_may_be_in_postgresql(tmp_path):
    in_file, on_server = Course(tmp_path / "file"), Course(tmp_path / "server")
    with server() as address:
        with (on_server.root / "nbgrader_config.py").open("a") as config:
            config.write(f"\nc.CourseDirectory.db_url = {address!r}\n")
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
