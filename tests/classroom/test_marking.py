"""The marking page: points and comments in nbgrader's own tables, several graders at once, and nobody else."""

import contextlib
import copy
import csv
import getpass
import http.client
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import threading
import urllib.error
import urllib.parse
import urllib.request
import uuid
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import nbformat
import pytest
from playwright.sync_api import Page, Route, expect, sync_playwright

from autograder import lessons, programs
from autograder.classroom.course import course_directory
from autograder.classroom.marking import marks
from autograder.classroom.marking.marks import Conflict, Mark
from autograder.classroom.marking.questions import alike, answer, questions
from autograder.lessons import ROOT
from helpers.figures.answering import rubric_of
from tests.support.browser import AXE, CHROMIUM_OPTIONS
from tests.support.course import LESSON, Course
from tests.support.limits import until
from tests.support.ports import free_ports
from tests.support.proved import ENGINE, follows_from

pytestmark = [pytest.mark.timeout(600), follows_from(*ENGINE)]

CELL = "attention-self_or_encoder"
QUESTION = f"{LESSON}/{CELL}"
OTHER = f"{LESSON}/attention-dot_or_additive"
ANSWERS = {
    "ada": "Both look things up; self-attention asks its own sequence.",
    "ben": "both look things up;  self-attention asks\nits own sequence",
    "cleo": "They share the look-up. $$w = QK^T$$",
    "dan": "YOUR ANSWER HERE",
}
EVIL = (
    "<script>document.title = 'taken'</script><img src=x onerror=\"document.title='taken'\">"
    "<iframe srcdoc='<script>parent.document.title=1</script>'></iframe><p style='position:fixed'>over</p>"
    "[run](javascript:document.title='taken') ![spy](https://example.org/spy.png)"
)


@pytest.fixture(scope="module")
def graded(tmp_path_factory) -> Course:
    """Four students: two whose answers are alike, one with another, and one who wrote nothing."""
    course = Course(tmp_path_factory.mktemp("graded") / "course")
    for student, text in ANSWERS.items():
        course.hand_in(student, {"attention.self_or_encoder": text})
    course.run("headstart", "grade", LESSON)
    return course


@pytest.fixture
def course(graded, tmp_path) -> Course:
    """A copy of it."""
    other = copy.copy(graded)
    other.root = tmp_path / "course"
    shutil.copytree(graded.root, other.root)
    return other


class Server:
    """A server of the page, and what its address says."""

    def __init__(self, address: str) -> None:
        self.address = address
        parts = urllib.parse.urlsplit(address)
        self.host, self.port, self.path = parts.netloc, parts.port, parts.path
        self.token = urllib.parse.parse_qs(parts.query)["token"][0]

    def ask(self, body: dict | None = None, question: str = QUESTION, **query: str) -> tuple[int, dict]:
        """What the page's script asks for: the status, and the answer."""
        wanted = urllib.parse.urlencode({"question": question, **query})
        request = urllib.request.Request(
            f"http://{self.host}{self.path}/api?{wanted}",
            json.dumps(body).encode() if body is not None else None,
            {"Authorization": f"token {self.token}", "Content-Type": "application/json"},
            method="PUT" if body is not None else "GET",
        )
        try:
            with urllib.request.urlopen(request) as found:
                return found.status, json.load(found)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)

    def mark(self, seen: dict, ids: list[str], **mark: object) -> tuple[int, dict]:
        """Mark answers as somebody who has seen the page like this."""
        answers = {id: seen["answers"][id]["version"] for id in ids}
        return self.ask({"grader": "eve", "met": None, "text": "", "score": None, "answers": answers} | mark)


@contextlib.contextmanager
def serving(course: Course, *command: str, path: Path = ROOT) -> Iterator[Server]:
    """Serve the page as a command does: by default ours."""
    command = command or ("headstart", "marking", LESSON, "--no-browser")
    program, *rest = command
    # Jupyter says its address before it listens there: of two that take the next free port, one may get the other's.
    [port] = free_ports(1)
    home = course.root.parent / "home"
    home.mkdir(exist_ok=True)
    env = os.environ | {
        "HOME": str(home),
        "PYTHONPATH": os.pathsep.join({str(ROOT): 0, str(path): 0}),
        "JUPYTER_CONFIG_DIR": str(home / "jupyter"),
    }
    log = home / f"{uuid.uuid4().hex}.log"
    with log.open("w") as said:
        server = subprocess.Popen(
            [str(Path(sys.executable).parent / program), *rest, f"--port={port}"],
            cwd=course.root,
            env=env,
            stderr=said,
            stdout=said,
        )

    def listens() -> Server | None:
        assert server.poll() is None, log.read_text()
        found = re.search(r"http://127\.0\.0\.1\S+token=\w+(?=\s)", log.read_text())  # written to its end
        with contextlib.suppress(ConnectionRefusedError):
            if found and (there := Server(found[0])):
                socket.create_connection(("127.0.0.1", there.port)).close()
                return there
        return None

    try:
        until(listens)
        [there] = filter(None, [listens()])
        yield there
    finally:
        server.terminate()
        server.wait()


def of(seen: dict, *students: str) -> list[str]:
    """The ids of students' answers, where names are shown."""
    return [id for id, each in seen["answers"].items() if each["student"] in students]


# What the page shows.


def test_each_rubric_gives_the_points_of_its_question():
    course, _ = course_directory(ROOT)
    found = [each for lesson in lessons.names()[1:] for each in questions(course, lesson)]
    assert len(found) > 20
    for question in found:
        assert sum(points for points, _ in question.rubric.lines) == question.points, question.id
        assert question.model.startswith("**Model answer.**") and "SOLUTION" not in question.model
        assert question.title.startswith("Question") and question.title in question.text
    with pytest.raises(LookupError, match="no questions"):
        questions(course, lessons.names()[0])


def test_answers_that_differ_in_more_than_looks_arent_alike():
    text = "The weights sum to 1, so $a - b$ is fine."
    for same in (text.upper(), f"  {text}\n", text.replace(" ", "\n"), text.removesuffix(".")):
        assert alike(same) == alike(text)
    for other in (
        text.replace("1", "2"),
        text.replace("-", "+"),
        text.replace(",", ""),
        text.replace(" is", " isn't"),
    ):
        assert alike(other) != alike(text)


def test_a_comment_is_read_back_as_it_was_written_and_any_other_is_left_alone():
    _, rubric = rubric_of(
        "**Rubric**\n- 1 point: names both.\n- 2 points: says why.\n- Nothing for language."
    )
    for met in ([], [0], [1], [0, 1]):
        for text in ("", "Good.", "Two\n\nparagraphs", "- ✓ 1 point: names both."):
            assert marks.read(rubric, marks.comment_of(rubric, met, text)) == (met, text)
    assert (
        marks.comment_of(rubric, [1], "Good.") == "- ✗ 1 point: names both.\n- ✓ 2 points: says why.\n\nGood."
    )
    for theirs in (
        "",
        "Good.",
        "- ✓ 1 point: names both.",
        "- ✓ 1 point: names both.\n- ✓ 3 points: says why.",
    ):
        assert marks.read(rubric, theirs) == (None, theirs)
    _, none = rubric_of("No rubric.")
    assert marks.read(none, marks.comment_of(none, [], "Good.")) == (None, "Good.")


def test_alike_answers_come_together_each_way_of_writing_shown_and_blank_ones_last(course):
    with serving(course) as server:
        status, seen = server.ask(names="shown")
    assert status == 200
    first, second, blank = seen["groups"]
    assert [len(text["answers"]) for text in first["texts"]] == [1, 1]
    assert {id for text in first["texts"] for id in text["answers"]} == {*of(seen, "ada", "ben")}
    assert "<math" in second["texts"][0]["html"] and second["texts"][0]["answers"] == of(seen, "cleo")
    assert not blank["key"] and blank["texts"][0]["answers"] == of(seen, "dan")
    assert [each["waits"] for each in seen["answers"].values()].count(True) == 3
    assert seen["waiting"] == {QUESTION: [3, 4], OTHER: [4, 4]}


def test_names_come_only_when_asked_for(course):
    with serving(course) as server:
        hidden = json.dumps(server.ask()[1])
        shown = json.dumps(server.ask(names="shown")[1])
    assert not [name for name in ANSWERS if name in hidden]
    assert all(name in shown for name in ANSWERS)


def test_tasks_and_answers_in_code_of_other_assignments_are_shown(tmp_path):
    course = Course(tmp_path / "course")
    notebook = nbformat.v4.new_notebook()
    task = {"grade": False, "solution": False, "task": True, "locked": True, "points": 3, "grade_id": "essay"}
    code = {"grade": True, "solution": True, "task": False, "locked": False, "points": 2, "grade_id": "plot"}
    for each in (task, code):
        each["schema_version"] = 3
    asked = "Write about it.\n=== BEGIN MARK SCHEME ===\nGood.\n=== END MARK SCHEME ==="
    notebook.cells = [
        nbformat.v4.new_markdown_cell("# Two\nPlot it."),
        nbformat.v4.new_code_cell("plot(1 < 2)", metadata={"nbgrader": code}),
        nbformat.v4.new_markdown_cell(asked, metadata={"nbgrader": task}),
    ]
    folder = course.root / "source" / "other"
    folder.mkdir()
    nbformat.write(notebook, folder / "two.ipynb")
    plot, essay = questions(course_directory(course.root)[0], "other")
    assert (plot.points, plot.text, plot.rubric.lines) == (2, "# Two\nPlot it.", [])
    assert (essay.text.strip(), essay.model, essay.points) == ("Write about it.", "Good.", 3)
    notebook.cells += [
        nbformat.v4.new_markdown_cell("My *essay*", metadata={"headstart": {"added": True}}),
        nbformat.v4.new_code_cell("essay = 1", metadata={"headstart": {"added": True}}),
    ]
    nbformat.write(notebook, tmp_path / "two.ipynb")
    written, drawn = answer(tmp_path / "two.ipynb", essay), answer(tmp_path / "two.ipynb", plot)
    assert written and "<em>essay</em>" in written.html and "<code>essay = 1</code>" in written.html
    assert drawn and "plot(1 &lt; 2)" in drawn.html


# What becomes of a mark.


def _grade(course: Course, student: str) -> tuple:
    """A student's row in nbgrader's tables: points by hand, whether it waits, and the comment."""
    [row] = (
        course.query(f"""select grade.manual_score, grade.needs_manual_grade, comment.manual_comment from grade
        join base_cell on base_cell.id = grade.cell_id and base_cell.name = '{CELL}'
        join submitted_notebook on submitted_notebook.id = grade.notebook_id
        join submitted_assignment on submitted_assignment.id = submitted_notebook.assignment_id
        join base_cell as said on said.name = '{CELL}' and said.type = 'SolutionCell'
        join comment on comment.notebook_id = grade.notebook_id and comment.cell_id = said.id
        where submitted_assignment.student_id = '{student}'""")
    )
    return row


@pytest.mark.needs_bubblewrap
def test_marks_are_nbgraders_own_and_survive_a_regrade(course):
    formgrader = "nbgrader.server_extensions.formgrader"
    beside = (
        "jupyter-server", "--no-browser", "--ip=127.0.0.1", f"--ServerApp.default_url=/headstart/marking/{LESSON}",
        f"--ServerApp.jpserver_extensions={{'autograder.classroom.marking': True, '{formgrader}': True}}",
        *(["--allow-root"] if programs.is_root() else []),
    )  # fmt: skip
    with serving(course, *beside) as server:
        server.path = f"/headstart/marking/{LESSON}"
        _, seen = server.ask(names="shown")
        ids = of(seen, "ada", "ben")
        status, now = server.mark(seen, ids, score=3, met=[0, 2, 4], text="What is it *for*?")
        assert status == 200 and now["waiting"][QUESTION] == [1, 4]
        assert {(now["answers"][id]["score"], now["answers"][id]["by"]) for id in ids} == {(3.0, "eve")}
        assert now["comments"] == ["What is it *for*?"]
        [submission] = course.query("""select submitted_notebook.id from submitted_notebook
            join submitted_assignment on submitted_assignment.id = submitted_notebook.assignment_id
            where submitted_assignment.student_id = 'ada'""")
        shown = {}
        for kind in ("grade", "comment"):  # what formgrader's page of a submission asks for
            address = f"http://{server.host}/formgrader/api/{kind}s?submission_id={submission[0]}"
            headers = {"Authorization": f"token {server.token}"}
            with urllib.request.urlopen(urllib.request.Request(address, headers=headers)) as found:
                shown[kind] = next(each for each in json.load(found) if each["name"] == CELL)
    assert (shown["grade"]["manual_score"], shown["grade"]["needs_manual_grade"]) == (3.0, False)
    comment = shown["comment"]["manual_comment"]
    assert comment.startswith("- ✓ 1 point: ") and comment.endswith("\n\nWhat is it *for*?")

    course.hand_in("ben", {"attention.self_or_encoder": "Now it says what it is for."})
    course.run("headstart", "grade", LESSON, "--force")
    assert _grade(course, "ada") == (3.0, 0, comment)
    assert _grade(course, "ben") == (3.0, 1, comment)  # waits again, since the answer has changed
    course.run("nbgrader", "autograde", LESSON, "--force", "--student", "ada")
    assert _grade(course, "ada") == (3.0, 0, comment)

    course.run("nbgrader", "generate_feedback", LESSON)
    page = (course.root / "feedback" / "ada" / LESSON / f"{LESSON}.html").read_text()
    assert "<li>✓ 1 point: " in page and "<li>✗ 1 point: " in page and "What is it <em>for</em>?" in page
    course.run(
        "nbgrader",
        "export",
        "--exporter=autograder.classroom.exports.Plain",
        "--Plain.partial=True",
        "--to=p.csv",
    )
    rows = {
        row["student_id"]: row for row in csv.DictReader((course.root / "p.csv").read_text().splitlines())
    }
    automatic = sum(score or 0 for (student, _), score in course.scores().items() if student == "ada")
    assert float(rows["ada"][LESSON]) == automatic + 3
    with serving(course) as server:
        _, seen = server.ask(names="shown")
    [ben], [ada] = of(seen, "ben"), of(seen, "ada")
    assert seen["answers"][ben]["changed"] and seen["answers"][ben]["waits"]
    assert not seen["answers"][ada]["waits"] and seen["answers"][ada]["met"] == [0, 2, 4]


def test_what_formgrader_gave_is_shown_and_can_be_replaced(course):
    course.query(f"update grade set manual_score = 2, needs_manual_grade = 0 where cell_id in "
                 f"(select id from base_cell where name = '{CELL}')")  # fmt: skip
    with serving(course) as server:
        _, seen = server.ask(names="shown")
        [ada] = of(seen, "ada")
        assert (seen["answers"][ada]["score"], seen["answers"][ada]["by"]) == (2, "somebody in formgrader")
        _, now = server.mark(seen, [ada], score=4)
    assert (now["answers"][ada]["score"], now["answers"][ada]["by"]) == (4, "eve")


def test_only_points_that_the_question_has_are_taken(course):
    with serving(course) as server:
        _, seen = server.ask(names="shown")
        ids = of(seen, "ada")
        for score in (-1, 5.5, "3", True, [], 1e400):
            status, said = server.mark(seen, ids, score=score)
            assert status == 400 and "points" in said["message"], score
        for wrong in (
            {"answers": None},
            {"grader": "eve"},
            {"undo": "x", "grader": "eve", "only": 3},
            {"met": ["x"]},
        ):
            assert server.ask(wrong)[0] == 400, wrong
        assert server.ask(question="none")[0] == 404
        assert server.mark(seen, ids, score=0.5)[0] == 200
        assert server.mark(seen, ids, text="later")[0] == 409  # of a page that is out of date
        _, seen = server.ask(names="shown")
        _, now = server.mark(seen, of(seen, "cleo"), text="A comment alone leaves it waiting.")
        [cleo] = of(now, "cleo") if "student" in next(iter(now["answers"].values())) else of(seen, "cleo")
        assert now["answers"][cleo]["waits"]


# Several graders, and steps back.


def test_a_second_grader_is_told_and_overwrites_nothing(course):
    with serving(course) as one, serving(course) as two:  # as two teachers on their own accounts
        _, mine = one.ask(names="shown")
        _, theirs = two.ask(names="shown")
        ids = of(mine, "ada", "ben")
        assert one.mark(mine, ids[:1], score=1, text="mine")[0] == 200
        status, said = two.mark(theirs, ids, score=5)
        assert (status, said["conflicts"]) == (409, ids[:1])
        first, second = (said["answers"][id] for id in ids)
        assert (first["score"], first["text"], first["by"], second["score"]) == (1, "mine", "eve", None)
        assert two.mark(said, ids, score=5)[0] == 200  # now they have seen it


HUB = """
from jupyter_server.auth.identity import IdentityProvider
from tornado.web import RequestHandler


class Hub(IdentityProvider):
    # As JupyterHub's own, it gives what the Hub says of whoever is logged in, and asks scripts for the XSRF token.
    async def get_user(self, handler):
        user = await super().get_user(handler)
        if user:
            user.hub_user = {"name": "mina"}
            if handler.request.headers.get("Sec-Fetch-Dest") == "empty":
                RequestHandler.check_xsrf_cookie(handler)
        return user
"""


@pytest.mark.needs_chromium
def test_on_a_hub_the_name_of_the_grader_is_the_one_that_is_logged_in(course, browser):
    (course.root / "hub_for_tests.py").write_text(HUB)
    command = (
        "jupyter-server", "--no-browser", "--ip=127.0.0.1", f"--ServerApp.default_url=/headstart/marking/{LESSON}",
        "--ServerApp.jpserver_extensions={'autograder.classroom.marking': True}",
        "--ServerApp.identity_provider_class=hub_for_tests.Hub",
        *(["--allow-root"] if programs.is_root() else []),
    )  # fmt: skip
    with serving(course, *command, path=course.root) as server:
        server.path = f"/headstart/marking/{LESSON}"
        _, seen = server.ask(names="shown")
        _, now = server.mark(seen, of(seen, "ada"), score=1, grader="somebody else")
        page = browser.new_page(bypass_csp=True)
        page.goto(server.address)
        page.evaluate("localStorage.setItem('headstart-grader', 'who was here before')")
        page.reload()
        name = page.get_by_label("marking as")
        expect(name).to_have_value("mina")
        expect(name).not_to_be_editable()
        expect(page.locator("#which")).to_contain_text("1 of 3")
        page.close()
    assert now["answers"][of(seen, "ada")[0]]["by"] == "mina"


def test_a_grader_is_told_if_the_answer_itself_has_changed(course):
    with serving(course) as server:
        _, seen = server.ask(names="shown")
        path = course.root / "autograded" / "cleo" / LESSON / f"{LESSON}.ipynb"
        path.write_text(path.read_text().replace("They share the look-up.", "They share nothing at all."))
        status, said = server.mark(seen, of(seen, "cleo"), score=5)
    assert status == 409 and said["conflicts"] == of(seen, "cleo")
    assert "nothing at all" in json.dumps(said["groups"])


def test_no_change_is_lost_however_many_graders_write(course):
    directory, _ = course_directory(course.root)
    [question, *_] = questions(directory, LESSON)

    def grade(name: str) -> None:
        done = 0
        while done < 8:
            with marks.marking(directory) as db:
                entry = marks.entries(db, LESSON, question.notebook, question.cell)[0]
                new = Mark(((entry.mark.score or 0) + 1) % 5, False, f"{entry.mark.comment}{name}")
                with contextlib.suppress(Conflict):
                    marks.change(db, name, [(entry, new)])
                    done += 1

    graders = [threading.Thread(target=grade, args=(name,)) for name in "abc"]
    for each in graders:
        each.start()
    for each in graders:
        each.join()
    with marks.marking(directory) as db:
        entry = marks.entries(db, LESSON, question.notebook, question.cell)[0]
        steps = marks.history(db, [entry.id])
    assert sorted(entry.mark.comment) == sorted("abc" * 8)
    assert "".join(step["grader"] for step in reversed(steps)) == entry.mark.comment


def test_a_change_of_many_answers_happens_whole_or_not_at_all(course):
    directory, _ = course_directory(course.root)
    [question, *_] = questions(directory, LESSON)
    with marks.marking(directory) as db:
        first, second, *_ = marks.entries(db, LESSON, question.notebook, question.cell)
        stale = replace(second, mark=Mark(1.0, False, ""))
        new = Mark(2.0, False, "x")
        with pytest.raises(Conflict) as told:
            marks.change(db, "eve", [(first, new), (stale, new)])
        assert told.value.grades == [second.id]
        assert marks.entries(db, LESSON, question.notebook, question.cell)[0] == first and not marks.history(
            db, [first.id]
        )


def test_each_step_can_be_undone_for_all_or_for_one_while_it_is_the_last(course):
    with serving(course) as server:
        _, before = server.ask(names="shown")
        ids = of(before, "ada", "ben")
        _, first = server.mark(before, ids, score=3, met=[0], text="x")
        status, now = server.ask({"grader": "eve", "undo": first["step"], "only": ids[:1]})
        assert status == 200
        assert [now["answers"][id]["score"] for id in ids] == [None, 3.0]
        assert now["answers"][ids[0]]["waits"]
        status, said = server.ask({"grader": "eve", "undo": first["step"]})
        assert (status, said["conflicts"]) == (409, ids[:1])  # its last step is another by now
        status, now = server.ask({"grader": "eve", "undo": first["step"], "only": ids[1:]})
        keys = ("score", "waits", "met", "text", "by")
        assert [[now["answers"][id][key] for key in keys] for id in ids] == [
            [before["answers"][id][key] for key in keys] for id in ids
        ]
        assert _grade(course, "ada") == (None, 1, None)
        assert now["comments"] == ["x"]  # still there to use


def test_nothing_is_kept_of_answers_that_are_gone(course):
    directory, _ = course_directory(course.root)
    [question, *_] = questions(directory, LESSON)
    with marks.marking(directory) as db:
        for entry in marks.entries(db, LESSON, question.notebook, question.cell)[:2]:
            marks.change(db, "eve", [(entry, Mark(1.0, False, entry.student))])
            gone = entry
    course.run("nbgrader", "db", "student", "remove", gone.student, "--force")
    with serving(course) as server:
        server.ask()
    [(kept,)] = course.query("select after from headstart_marks")
    assert gone.student not in kept


# Who gets in.


def _status(server: Server, method: str, path: str, headers: dict[str, str], host: str = "127.0.0.1") -> int:
    connection = http.client.HTTPConnection(host, server.port)
    with contextlib.closing(connection):
        body = json.dumps({"grader": "x", "undo": "x"}) if method == "PUT" else None
        connection.request(method, path, body, {"Content-Type": "application/json", **headers})
        return connection.getresponse().status


@pytest.mark.promise(57)
def test_only_graders_get_in(course):
    (course.root / "jupyter_server_config.py").write_text("c.ServerApp.ip = '0.0.0.0'")
    with serving(course) as server:
        api = f"{server.path}/api?" + urllib.parse.urlencode({"question": QUESTION})
        token = {"Authorization": f"token {server.token}"}
        for path in (server.path, "/headstart/marking", api):
            assert _status(server, "GET", path, token) == 200
            # Without a token, or with another, to the login or nowhere.
            assert _status(server, "GET", path, {}) in (302, 403)
            assert _status(server, "GET", path, {"Authorization": "token " + "0" * 48}) in (302, 403)
            assert _status(server, "GET", path, {**token, "Host": "evil.example"}) == 403
        assert _status(server, "PUT", api, token) == 200
        assert _status(server, "PUT", api, {}) == 403
        # A browser that is logged in, and a page of another site: it has the cookie, and can't read it.
        login = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        login.open(server.address).close()
        [jar] = [each for each in login.handlers if isinstance(each, urllib.request.HTTPCookieProcessor)]
        cookies = {each.name: each.value or "" for each in jar.cookiejar}
        sent = {"Cookie": "; ".join(f"{name}={value}" for name, value in cookies.items())}
        assert _status(server, "PUT", api, sent) == 403
        assert _status(server, "PUT", api, {**sent, "X-XSRFToken": cookies["_xsrf"]}) == 200
        assert (
            _status(server, "PUT", api, {**token, "Origin": "https://evil.example"}) == 200
        )  # no browser has it
        with pytest.raises(ConnectionRefusedError), socket.create_connection(("127.0.0.2", server.port)):
            pass


# In a browser.


@pytest.fixture(scope="module")
def browser() -> Iterator:
    with sync_playwright() as playwright:
        program = playwright.chromium.launch(
            executable_path=programs.find(programs.CHROMIUM), args=CHROMIUM_OPTIONS
        )
        yield program
        program.close()


def _pictures(tmp_path: Path) -> Path:
    folder = Path(os.environ.get("HEADSTART_SCREENSHOTS") or tmp_path / "screenshots").resolve()
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _barriers(page: Page) -> list[str]:
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("() => axe.run(document, {resultTypes: ['violations']})")
    return [f"{rule['id']}: {node['html']}" for rule in found["violations"] for node in rule["nodes"]]


@pytest.mark.needs_chromium
def test_a_class_is_marked_with_the_keyboard_alone(course, browser, tmp_path):
    context = browser.new_context(viewport={"width": 1280, "height": 900}, bypass_csp=True)  # for axe alone
    page = context.new_page()
    shots = _pictures(tmp_path)
    with serving(course) as server:
        page.goto(server.address)
        heading = page.locator("#which")
        expect(heading).to_contain_text("1 of 3 · 2 answers alike")
        for key in "13":
            page.keyboard.press(key)
        expect(page.locator("#score")).to_have_value("2")
        page.keyboard.press("c")
        page.keyboard.type("What is it for?")
        page.keyboard.press("Control+Enter")
        expect(heading).to_contain_text("2 of 3 · 1 answer")  # the next that waits
        expect(page.locator("#done")).to_have_text("1 of 4 wait")
        assert _grade(course, "ada")[0] == _grade(course, "ben")[0] == 2
        page.keyboard.press("?")
        page.screenshot(path=shots / "marking_keys.png")
        page.keyboard.press("?")
        page.keyboard.press("u")
        page.keyboard.press("Enter")  # uses the comment that has the focus
        page.keyboard.press("Escape")
        expect(page.locator("#comment")).to_have_value("What is it for?")
        page.keyboard.press("f")
        page.keyboard.press("s")
        expect(page.locator("#done")).to_have_text("all 4 marked")
        assert _grade(course, "cleo")[0] == 5
        page.keyboard.press("z")
        expect(page.locator("#done")).to_have_text("1 of 4 wait")
        assert _grade(course, "cleo")[:2] == (None, 1)
        page.keyboard.press("ArrowLeft")
        page.locator("#members summary").click()
        expect(page.locator("#members")).to_contain_text("answer")
        assert "ada" not in page.inner_text("body")
        page.keyboard.press("n")
        expect(page.locator("#members tbody")).to_contain_text("ada")
        expect(page.locator("#members tbody tr").first).to_contain_text(getpass.getuser())
        page.locator("#history summary").click()
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            for width in (1280, 390):
                page.set_viewport_size({"width": width, "height": 900})
                page.screenshot(path=shots / f"marking_{scheme}_{width}.png", full_page=True)
                assert _barriers(page) == []
                assert page.evaluate("document.documentElement.scrollWidth") <= width
    context.close()


IN_SIGHT = """all => all.every(each => {
    const {x, y, width, height} = each.getBoundingClientRect();
    return document.elementFromPoint(x + width / 2, y + height / 2)?.closest("button") === each;
})"""


@pytest.mark.needs_chromium
def test_the_buttons_that_save_are_in_sight_however_small_the_window(course, browser):
    page = browser.new_page()
    buttons = page.locator(".main, #save")
    with serving(course) as server:
        page.goto(server.address)
        expect(page.locator("#which")).to_contain_text("1 of 3")
        for width, height in ((1280, 800), (1280, 400), (390, 844), (390, 400)):
            page.set_viewport_size({"width": width, "height": height})
            for place in (0, 60, 300):
                page.evaluate(f"scrollTo(0, {place})")
                assert buttons.evaluate_all(IN_SIGHT), (width, height, place)
            page.locator("#comment").focus()
            assert buttons.evaluate_all(IN_SIGHT)
    page.close()


@contextlib.contextmanager
def _two_at_work(course, browser) -> Iterator[list[Page]]:
    """The pages of ann and bob, before the first of three groups of answers."""
    with serving(course) as server:
        pages = [browser.new_context(bypass_csp=True).new_page() for _ in range(2)]
        for page, name in zip(pages, ("ann", "bob"), strict=True):
            page.goto(server.address)
            page.locator("#grader").fill(name)
            page.locator("#grader").blur()
            expect(page.locator("#which")).to_contain_text("1 of 3")
        yield pages
        for page in pages:
            page.context.close()


@pytest.mark.needs_chromium
def test_two_browsers_see_each_other_and_are_told(course, browser):
    with _two_at_work(course, browser) as (ann, bob):
        for page in (ann, bob):
            page.keyboard.press("f")
        ann.keyboard.press("s")
        expect(ann.locator("#done")).to_have_text("1 of 4 wait")
        told = bob.locator("#said")
        expect(told).to_have_text(
            "2 answers have changed since you looked, by ann."
        )  # before he saves, and after
        bob.keyboard.press("s")
        expect(told).to_contain_text("Not saved: 2 answers have changed since you looked, by ann.")
        expect(bob.locator("#members tbody input:checked")).to_have_count(0)
        ann.keyboard.press("z")
        expect(bob.locator("#done")).to_have_text("3 of 4 wait")  # without a reload


@pytest.mark.needs_chromium
def test_who_has_typed_nothing_yet_is_told_too_and_overwrites_nothing(course, browser):
    with _two_at_work(course, browser) as (ann, bob):
        ann.keyboard.press("f")
        ann.keyboard.press("s")
        told = bob.locator("#said")
        expect(told).to_have_text("2 answers have changed since you looked, by ann.")
        bob.keyboard.press("0")
        bob.keyboard.press("s")
        expect(told).to_contain_text("Not saved: 2 answers have changed since you looked, by ann.")
        assert _grade(course, "ada")[0] == 5


def _stop_the_clock(page: Page) -> None:
    """From now on the page's own time passes by `page.clock.run_for` alone, however busy the machine is."""
    page.clock.pause_at(datetime.now() + timedelta(hours=1))


class Requests:
    """What a page asks its server for, from its first request on: one that is sent just as a route begins may pass it."""

    def __init__(self, page: Page) -> None:
        self._method, self._held = "", list[Route]()
        page.route("**/api?*", self._take)

    def _take(self, route: Route) -> None:
        if route.request.method == self._method:
            self._held.append(route)
        else:
            route.continue_()

    @contextlib.contextmanager
    def held(self, method: str) -> Iterator[None]:
        """Requests of a method stay on their way until the end of this."""
        self._method = method
        yield
        self._method = ""
        while self._held:
            self._held.pop(0).continue_()


@pytest.mark.needs_chromium
def test_no_mark_is_lost_or_given_to_an_answer_that_was_not_shown_yet(course, browser):
    """Fast fingers, and a gradebook that takes its time."""
    page = browser.new_context().new_page()
    requests = Requests(page)
    heading, said, score = (page.locator(id) for id in ("#which", "#said", "#score"))
    with serving(course) as server:
        page.clock.install()
        page.goto(server.address)
        expect(heading).to_contain_text("1 of 3")
        _stop_the_clock(page)  # all is typed in one go
        with requests.held("PUT"):
            page.keyboard.type("1")
            page.keyboard.press("Enter")
            page.keyboard.type("2")  # for the next, which isn't there
            expect(said).to_contain_text("not taken")
            assert page.evaluate("document.querySelector('main').inert")
        expect(heading).to_contain_text("2 of 3")
        page.keyboard.type("3")  # in one go with what wasn't taken: alone it would be a different mark
        page.keyboard.press("Enter")
        expect(said).to_contain_text("not taken")
        assert _grade(course, "ada")[0] == 1
        assert _grade(course, "cleo")[0] is None
        page.clock.run_for(700)
        # Another step's undoing leaves what is typed here.
        page.keyboard.press("f")
        page.keyboard.press("z")
        expect(page.locator("#done")).to_have_text("3 of 4 wait")
        expect(page.locator("#unsaved")).to_have_text("not saved yet")
        # Nothing of one answer's points is left in the field for the next.
        page.keyboard.press("p")
        page.keyboard.type("3")
        page.keyboard.press("Enter")
        expect(page.locator("#done")).to_have_text("2 of 4 wait")
        assert _grade(course, "cleo")[0] == 3
        expect(heading).to_contain_text("1 of 3")
        expect(score).to_have_value("")
        # The same before the answers of another question are there.
        with requests.held("GET"):
            page.keyboard.press("ArrowDown")
            page.keyboard.press("f")
            expect(said).to_contain_text("not taken")
            expect(page.locator("#texts")).to_be_empty()
        page.keyboard.press("Enter")
        expect(heading).to_contain_text("1 of")
        expect(score).to_have_value("")
        expect(page.locator("#unsaved")).to_be_empty()
    page.context.close()


@pytest.mark.needs_chromium
def test_a_grader_stays_with_an_answer_that_was_handed_in_anew(course, browser):
    page = browser.new_context().new_page()
    requests = Requests(page)
    with serving(course) as server:
        page.clock.install()
        page.goto(server.address)
        expect(page.locator("#which")).to_contain_text("1 of 3")
        _stop_the_clock(page)
        page.keyboard.press("ArrowRight")
        expect(page.locator("#texts")).to_contain_text("They share the look-up.")
        page.keyboard.press("c")
        page.keyboard.type("Of what?")
        path = course.root / "autograded" / "cleo" / LESSON / f"{LESSON}.ipynb"
        path.write_text(path.read_text().replace("They share the look-up.", "A new answer."))
        with requests.held("GET"):  # what it hears comes once its time stands still again
            page.clock.run_for(5000)  # more than from one look to the next
        expect(page.locator("#texts")).to_contain_text("A new answer.")
        expect(page.locator("#comment")).to_have_value("Of what?")
        expect(page.locator("#said")).to_contain_text("1 answer has changed since you looked")
        page.keyboard.type("fs")  # at once: that was meant for the comment
        expect(page.locator("#said")).to_contain_text("not taken")
        assert _grade(course, "cleo")[0] is None
    page.context.close()


@pytest.mark.needs_chromium
@pytest.mark.promise(58)
def test_nothing_that_a_student_wrote_runs_or_loads(course, browser):
    """Not even where nothing has cleaned the autograded notebook before."""
    path = course.root / "autograded" / "cleo" / LESSON / f"{LESSON}.ipynb"
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        if cell.metadata.get("nbgrader", {}).get("grade_id") == CELL:
            cell.source = EVIL
    nbformat.write(notebook, path)
    with serving(course) as server:
        _, seen = server.ask(names="shown")
        [page_of] = [
            text["html"]
            for group in seen["groups"]
            for text in group["texts"]
            if of(seen, "cleo")[0] in text["answers"]
        ]
        assert not re.search(
            r"<(script|iframe)|<[^>]+(onerror|style|javascript:|https://example.org/spy)", page_of
        ), page_of
        page = browser.new_page()
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        answer = page.goto(server.address)
        policy = answer.headers["content-security-policy"] if answer else ""
        assert "default-src 'none'" in policy and "script-src 'self'" in policy and "unsafe" not in policy
        expect(page.locator("#which")).to_contain_text("1 of 3")
        page.keyboard.press("ArrowRight")
        expect(page.locator(".answer")).to_contain_text("over")
        assert page.title() == f"Marking {LESSON}"
        assert not [url for url in asked if not url.startswith(f"http://{server.host}/")]
        page.close()
