"""What a class needs beyond its weeks, item by item, as a teacher finds it in docs/semester.md.

`tests.long.term` calls this after the weeks, on the same server: the students are Unix users, whose work
reaches the course through the exchange. Each item says how many commands people typed and how long they took.
"""

import json
import re
import shlex
import signal
import subprocess
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from playwright.sync_api import Page

from autograder import lessons
from tests.classroom.test_hub import COURSE, SECOND, TEACHER
from tests.long.odd import WRITTEN, all_passed, browsing, until, with_a_photo, with_odd_lines, written, zipped
from tests.support import hub
from tests.support.browser import AXE, VIOLATIONS

LESSON = "01_attention"
GRADED = "attention-softmax"
AS_TEACHER = f"umask 007; cd {COURSE}; . .venv/bin/activate"
AS_STUDENT = "set -e; umask 077; cd ~; . /opt/headstart/bin/activate"
READ = """
import json, sqlite3, sys
print(json.dumps(sqlite3.connect("gradebook.db").execute(sys.argv[1]).fetchall()))
"""
POINTS = """
import nbformat, sys
path = "source/01_attention/01_attention.ipynb"
notebook = nbformat.read(path, as_version=4)
[cell] = [c for c in notebook.cells if c.metadata.get("nbgrader", {}).get("grade_id") == sys.argv[1]]
cell.metadata.nbgrader.points += float(sys.argv[2])
nbformat.write(notebook, path)
"""


class Walk:
    """A class after its weeks.

    Args:
        machine: the server.
        names: the students' logins.
        place: a folder outside the server's layers that everybody can read; `LESSON` in it has the made-up
            class's submissions and `simulated/`.
        pictures: where screenshots go.
    """

    def __init__(self, machine: hub.Server, names: list[str], place: Path, pictures: Path) -> None:
        self.machine, self.names, self.place, self.pictures = machine, names, place, pictures
        self.typed = 0

    def teacher(self, *commands: str, who: str = TEACHER, code: int = 0) -> str:
        """Commands that a teacher types in the course's folder. What they print; the last exits with `code`."""
        self.typed += len(commands)
        done = self.machine.run(who, "; ".join([AS_TEACHER, *commands]), check=False)
        assert done.returncode == code, (commands, done.returncode, done.stdout, done.stderr)
        assert "Traceback" not in done.stderr, (commands, done.stderr)
        return done.stdout + done.stderr

    def student(self, name: str, *commands: str) -> None:
        self.typed += len(commands)
        self.machine.run(name, "; ".join([AS_STUDENT, *commands]))

    def read(self, query: str) -> list[list]:
        return json.loads(
            self.machine.run(
                TEACHER, f"{AS_TEACHER}; python -c {shlex.quote(READ)} {shlex.quote(query)}"
            ).stdout
        )

    @contextmanager
    def item(self, number: str, what: str) -> Iterator[None]:
        """One item: what is done, commands typed, seconds."""
        self.typed, begun = 0, time.monotonic()
        yield
        seconds = time.monotonic() - begun
        print(f"{number:>6}  {what}: {lessons.counted(self.typed, 'command')}, {seconds:.0f} s", flush=True)

    def solved(self) -> NotebookNode:
        """A submission in which every exercise passes."""
        there = self.place / LESSON
        known = json.loads((there / "simulated" / f"{LESSON}.json").read_text())
        right = next(who for who, of in known.items() if all_passed(of) and of["kind"].startswith("right"))
        return nbformat.read(there / "submitted" / right / LESSON / f"{LESSON}.ipynb", as_version=4)

    def all(self) -> None:
        """Everything, in the order of a term."""
        self.odd_hand_ins_under_a_watch()
        self.points_and_an_appeal()
        self.marking()
        self.fewer_points_for_a_written_answer()
        self.dates()
        self.learning_platform()
        self.mistyped()
        self.pages()
        self.leaving()

    # -- 1, 4, 5, 10, 13 -----------------------------------------------------------------------------------

    def odd_hand_ins_under_a_watch(self) -> None:
        """Each gets full points and a page that its student can fetch, or a sentence that says why not."""
        solved, blank = self.solved(), lessons.ROOT / "release" / LESSON / f"{LESSON}.ipynb"
        name, again = f"{LESSON}.ipynb", f"{LESSON} (1).ipynb"
        handed_in: list[tuple[str, str, dict[str, bytes], str]] = [
            ("1", "a notebook called “(1)”", {again: written(solved)}, again),
            ("1", "a zip, whose page nobody can fetch", {"mine.zip": zipped(name, written(solved))}, ""),
            ("4", "a photo in a written answer", {name: written(with_a_photo(solved))}, name),
            (
                "5",
                "answers beside a blank notebook",
                {name: blank.read_bytes(), again: written(solved)},
                again,
            ),
            ("10", "Colab's first line and no-break spaces", {name: written(with_odd_lines(solved))}, name),
        ]
        with self.watching() as said:
            for who, (number, what, files, page) in zip(self.names, handed_in, strict=False):
                before = len(said())
                with self.item(f"{number}, 13", f"{what}, until feedback is out"):
                    self.hand_in(who, files)
                    out = rf"{who}: feedback is (out|made)"
                    until(lambda out=out, before=before: re.search(out, said()[before:]), said)
                fetched = f"nbgrader fetch_feedback {LESSON}"
                if page:
                    found = f"ls -t {LESSON}/feedback/*/{shlex.quote(page.removesuffix('.ipynb'))}.html"
                    self.student(who, fetched, f'test -n "$({found})"')
                else:
                    assert f"{who}: feedback is made, but the student" in said()[before:], said()
        for who in self.names[: len(handed_in)]:
            [[told]] = self.read(
                f"select verdicts from headstart_grading where student = '{who}' and assignment = '{LESSON}'"
            )
            wrong = {verdict["exercise"]: verdict["message"] for verdict in json.loads(told)}
            assert all(verdict["status"] == "passed" for verdict in json.loads(told)), (who, wrong)
        photo = self.teacher(f"cat feedback/{self.names[2]}/{LESSON}/{LESSON}.html")
        assert "data:image/png;base64" in photo

    def hand_in(self, who: str, files: dict[str, bytes]) -> None:
        """Have files and nothing else in the student's folder, and submit it."""
        desk = self.place / "desk" / who
        desk.mkdir(parents=True)
        for name, content in files.items():
            (desk / name).write_bytes(content)
        self.machine.run("root", f"chmod -R a+rX {self.place / 'desk'}")
        self.machine.run(who, f"cd ~/{LESSON}; rm -f *.ipynb *.zip; cp {desk}/* .")
        self.student(who, f"nbgrader submit {LESSON}")

    @contextmanager
    def watching(self) -> Iterator[Callable[[], str]]:
        """`headstart watch`, and what it has said so far."""
        log, pid = self.place / "watch.log", "/srv/headstart/watch.pid"
        self.typed += 1
        script = f"{AS_TEACHER}; echo $$ > {pid}; exec headstart watch {LESSON} --every 1"
        with log.open("w") as out:
            command = self.machine.command(TEACHER, "bash", "-c", script)
            watch = subprocess.Popen(
                command, stdout=out, stderr=out, env=hub.environment(),
                # In the background of a script, where a shell has it ignore Ctrl-C, it would never end.
                preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
            )  # fmt: skip
        try:
            # It first answers those whose feedback nbgrader's own commands have released.
            until(lambda: log.read_text().count(": feedback is") >= len(self.names), log.read_text)
            yield log.read_text
        finally:
            self.machine.run(TEACHER, f"kill -INT $(cat {pid}); rm {pid}", check=False)
            watch.wait()

    # -- 3, 6, 7 -------------------------------------------------------------------------------------------

    def points_and_an_appeal(self) -> None:
        query = f"select sum(max_score) from grade_cells join base_cell using (id) where name = '{GRADED}'"
        with self.item("3, 6", "more points for an exercise, tried and then done"):
            [[before]] = self.read(query)
            self.points(GRADED, 2)
            tried = self.teacher(f"headstart grade {LESSON} --dry-run")
            assert "Nothing was recorded" in tried and self.read(query) == [[before]]
            done = self.teacher(f"headstart grade {LESSON}")
            assert "Points that changed" in done and f"{before + 2:g} of {before + 2:g}" in done
            assert self.read(query) == [[before + 2]]
            self.teacher(
                f"nbgrader generate_feedback {LESSON} --force", f"nbgrader release_feedback {LESSON}"
            )
        with self.item("7", "an appeal"):
            known = json.loads((self.place / LESSON / "simulated" / f"{LESSON}.json").read_text())
            who, exercise = next(
                (who, id)
                for who in self.names[5:]
                for id, verdict in known[who]["verdicts"].items()
                if verdict["status"] == "failed" and verdict["cause"] != "timeout"
            )
            told = self.teacher(f"headstart explain {LESSON} {who} {exercise}")
            assert all(
                part in told for part in ("What the student reads", "What decided", "expected", "assess(")
            )

    def points(self, cell: str, more: float) -> None:
        """Change the points of a cell in source/, as *Create Assignment* does."""
        self.machine.run(TEACHER, f"{AS_TEACHER}; python -c {shlex.quote(POINTS)} {cell} {more}")

    # -- 8 -------------------------------------------------------------------------------------------------

    def marking(self) -> None:
        """Two graders at once, each in a browser of their own; what they give survives a regrade."""
        given = "select count(*), sum(manual_score) from grade where manual_score is not null"
        with self.item("8", "two graders mark a question each"), browsing() as visit:
            with self.serving(TEACHER, 8931) as one, self.serving(SECOND, 8932) as other:
                first, second = visit(one, 1280, "light"), visit(other, 1280, "dark")
                second.keyboard.press("ArrowDown")
                for page, key in ((first, "1"), (second, "f")):
                    page.keyboard.press(key)
                    page.get_by_text("not saved yet").wait_for()
                    page.keyboard.press("Enter")
                    page.get_by_text("not saved yet").wait_for(state="hidden")
                    self.typed += 2  # keys
                    self.look(page, f"marking_{'one' if page is first else 'other'}")
                self.look(visit(one, 390, "light"), "marking_phone")
            graders = {name for (name,) in self.read("select distinct grader from headstart_marks")}
            assert graders == {TEACHER, SECOND}, graders
            before = self.read(given)
            self.teacher(f"headstart grade {LESSON} --force --student {self.names[-1]}")
            assert self.read(given) == before and before[0][0] > 1
            self.teacher("nbgrader export")

    def fewer_points_for_a_written_answer(self) -> None:
        """Who has more than the new maximum waits for a person again; points below it stay."""
        cell = lessons.grade_id(WRITTEN)
        query = (
            "select count(*), max(manual_score), sum(needs_manual_grade) from grade"
            f" join base_cell on base_cell.id = cell_id where name = '{cell}' and manual_score is not null"
        )
        with self.item("3, 6", "fewer points for a written answer, after it was marked"):
            [[marked, most, _]] = self.read(query)
            self.points(cell, most - 0.5 - 5)
            done = self.teacher(f"COLUMNS=200 headstart grade {LESSON}")
            assert done.count("Question 1.7") == marked and f"{most - 0.5:g}, waits" in done, done
            [[still, now, waiting]] = self.read(query)
            assert (still, now) == (marked, most - 0.5) and waiting

    @contextmanager
    def serving(self, who: str, port: int) -> Iterator[str]:
        """A grader's own marking page. Its address."""
        log, pid = self.place / f"marking-{who}.log", f"/tmp/marking-{who}.pid"
        self.typed += 1
        script = f"{AS_TEACHER}; echo $$ > {pid}; exec headstart marking {LESSON} --no-browser --port {port}"
        with log.open("w") as out:
            command = self.machine.command(who, "bash", "-c", script)
            server = subprocess.Popen(command, stdout=out, stderr=out, env=hub.environment())
        try:
            pattern = r"http://127\.0\.0\.1\S+token=\w+(?=\s)"  # written to its end
            until(lambda: re.search(pattern, log.read_text()), log.read_text)
            yield re.search(pattern, log.read_text())[0]  # type: ignore[index]
        finally:
            self.machine.run(who, f"kill $(cat {pid}); rm {pid}", check=False)
            server.wait()

    # -- 9 -------------------------------------------------------------------------------------------------

    def dates(self) -> None:
        zone = "echo 'c.NbGraderAPI.timezone = \"Europe/Berlin\"' >> nbgrader_config.py"
        who = self.names[2]
        with self.item("9", "a due date, an extension over the change of clocks, lateness on the page"):
            self.teacher(zone, "headstart due 02_multihead 2027-10-30 18:00")
            self.teacher(f"headstart extend 02_multihead {self.names[1]} --days 2")
            told = self.teacher("headstart due")
            assert "2027-10-30 18:00" in told and "2027-11-01 18:00" in told, told
            self.teacher(f"headstart due {LESSON} 2026-01-01 12:00", f"headstart grade {LESSON}")
            self.teacher(f"nbgrader generate_feedback {LESSON} --force --student {who}")
            page = self.teacher(f"cat feedback/{who}/{LESSON}/{LESSON}.html")
            assert "late" in page.partition("</header>")[0]

    # -- 2 -------------------------------------------------------------------------------------------------

    def learning_platform(self) -> None:
        """Canvas's roster and download go in, and pages for it come out, in a course of its own."""
        lms, there = self.place / "lms", self.place / LESSON / "submitted"
        self.machine.run("root", f"install --directory --mode=700 --owner={TEACHER} {lms}")
        rows = ["Student,ID,SIS User ID,SIS Login ID,Section", "    Points Possible,,,,"]
        rows += [f'"Doe{n:03}, Jo{n:03}",{1000 + n},sis{n},{who},A' for n, who in enumerate(self.names)]
        (self.place / "roster.csv").write_text("\n".join(rows))
        with zipfile.ZipFile(self.place / "download.zip", "w") as download:
            for n, who in enumerate(self.names):
                late = "_LATE" * (n == 1)
                name = f"doe{n:03}jo{n:03}{late}_{1000 + n}_{50_000 + n}_{LESSON}-1.ipynb"
                download.write(there / who / LESSON / f"{LESSON}.ipynb", name)
            download.writestr("ghost_9999_1_notes.ipynb", "{}")
        within = f"cp -r source nbgrader_config.py {lms}; cd {lms}; export HOME={lms}"
        with self.item("2", "Canvas: roster, download, grade, feedback for its upload"):
            told = self.teacher(within, f"headstart roster {self.place}/roster.csv")
            assert f"{len(self.names)} new" in told
            told = self.teacher(
                f"cd {lms}; export HOME={lms}",
                f"headstart collect {self.place}/download.zip {LESSON}",
                code=1,
            )
            assert f"{len(self.names)} submissions of {LESSON}, {len(self.names)} new" in told
            assert "ghost_9999_1_notes.ipynb" in told and self.names[1] in told
            few = " ".join(f"--student {who}" for who in self.names[:2])
            told = self.teacher(
                f"cd {lms}; export HOME={lms}", f"headstart grade {LESSON} {few}",
                f"nbgrader generate_feedback {LESSON}", f"headstart feedback {LESSON}", code=1,
            )  # fmt: skip
            assert "feedback_canvas.zip, 2 pages" in told, told
            pages = f"reports/{LESSON}_feedback_canvas.zip"
            named = self.machine.run(
                TEACHER, f"cd {lms}; {COURSE}/.venv/bin/python -m zipfile -l {pages}"
            ).stdout
            # What Canvas looks for in a name: the student, LATE, the user's number, the file's number.
            for n, late in ((0, ""), (1, "_LATE")):
                assert f"doe{n:03}jo{n:03}{late}_{1000 + n}_{50_000 + n}_{LESSON}.html" in named, named

    # -- 12 ------------------------------------------------------------------------------------------------

    def mistyped(self) -> None:
        """Each answers in a sentence or two, that says what there is."""
        with self.item("12", "what is mistyped is answered in plain words"):
            for command, words in {
                f"headstart grade {LESSON} --student nobody": "nobody hasn't handed in",
                "headstart grade 01_atention": "01_attention",
                f"headstart explain {LESSON} {self.names[5]} nope": "has no exercise 'nope'",
                f"headstart extend {LESSON} nobody --days 1": "nobody",
                f"headstart due {LESSON} tomorrow": "tomorrow",
                f"headstart collect missing.zip {LESSON}": "missing.zip",
                "headstart roster missing.csv": "missing.csv",
                f"headstart groups missing.csv {LESSON}": "missing.csv",
                "headstart student remove nobody": "nobody",
                "headstart report 99": "99",
            }.items():
                told = self.teacher(command, code=2)
                assert words in told and "Errno" not in told and len(told) < 2500, (command, told)

    # -- 14 ------------------------------------------------------------------------------------------------

    def pages(self) -> None:
        who = self.names[5]
        with self.item(
            "14", "the course's, a lesson's and a student's page, wide and on a phone, light and dark"
        ):
            self.teacher("headstart report", f"headstart report {LESSON}")
            pages = {
                "course": "reports/course.html", "lesson": f"reports/{LESSON}.html",
                "student": f"reports/students/{who}.html", "feedback": f"feedback/{who}/{LESSON}/{LESSON}.html",
            }  # fmt: skip
            with browsing() as visit:
                for name, path in pages.items():
                    copy = self.place / f"{name}.html"
                    copy.write_text(self.machine.run(TEACHER, f"cat {COURSE}/{path}").stdout)
                    for width, scheme in ((1280, "light"), (1280, "dark"), (390, "light"), (390, "dark")):
                        page = visit(copy.as_uri(), width, scheme)
                        if name == "course":
                            assert page.locator(".heat tbody tr").count() == len(self.names)
                        self.look(page, f"{name}_{width}_{scheme}")
                        page.emulate_media(media="print")
                        if width > 1000:  # as wide as a sheet of paper
                            assert page.evaluate("document.documentElement.scrollWidth") <= width, name
                        page.close()

    def look(self, page: Page, name: str) -> None:
        """Keep a screenshot. Nothing is wider than the window, and axe finds nothing."""
        self.pictures.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=self.pictures / f"{name}.png")
        assert page.evaluate("document.documentElement.scrollWidth") <= page.viewport_size["width"], name  # type: ignore[index]
        page.evaluate(AXE.read_text())
        assert page.evaluate(VIOLATIONS) == [], name

    # -- 11 ------------------------------------------------------------------------------------------------

    def leaving(self) -> None:
        renamed, removed, *group = self.names[5:9]
        with self.item("11", "a new login, one who leaves, a group, and the end of the term"):
            told = self.teacher(f"headstart student rename {renamed} {renamed}x --yes")
            assert f"{renamed} is {renamed}x now" in told
            told = self.teacher(f"headstart student remove {removed} --yes", code=1)
            [root] = re.findall(r"sudo (rm -r .+)", told)
            self.machine.run("root", root)
            self.teacher(f"nbgrader collect {LESSON} --update", f"headstart grade {LESSON}")
            ids = {id for (id,) in self.read("select id from student")}
            assert removed not in ids and renamed not in ids and f"{renamed}x" in ids
            lines = "".join(f"A,{who}\n" for who in group)
            (self.place / "groups.csv").write_text(f"group,student\n{lines}")
            self.teacher(f"headstart groups {self.place}/groups.csv {LESSON}", f"headstart grade {LESSON}")
            self.teacher("nbgrader export", "headstart archive ~/old --yes")
            told = self.teacher(f"headstart grade {LESSON} --CourseDirectory.root=$HOME/old")
            assert "0 graded" in told, told
            assert not self.machine.run(TEACHER, f"ls {COURSE}/submitted", check=False).stdout
