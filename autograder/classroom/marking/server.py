"""The marking page on a Jupyter server, which decides who gets in: by its token, or by JupyterHub's login.

The server binds to this machine, refuses requests that are meant for another host or come from another site,
and those that change something without its XSRF cookie. The page runs no script but its own.
"""

import functools
import getpass
from collections.abc import Sequence
from http import HTTPStatus
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from jupyter_server.base.handlers import APIHandler, JupyterHandler
from jupyter_server.extension.application import ExtensionApp
from jupyter_server.utils import url_path_join
from nbgrader.api import Assignment
from nbgrader.coursedir import CourseDirectory
from tornado import web
from traitlets import default

from autograder.classroom.course import course_directory, find_lesson
from autograder.classroom.database import has_gradebook
from autograder.classroom.marking import marks
from autograder.classroom.marking.desk import Desk
from autograder.classroom.marking.marks import Conflict
from autograder.classroom.marking.questions import Question, questions
from autograder.classroom.pages import rendered
from autograder.programs import is_root

FOLDER = Path(__file__).parent / "page"
ADDRESS = "/headstart/marking"
POLICY = "; ".join([
    "default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "img-src data:",
    "base-uri 'none'", "form-action 'none'", "frame-ancestors 'self'",
])  # fmt: skip
BUSY = "the gradebook is in use by another program: nothing was saved; try again in a moment"
pages = Environment(
    loader=FileSystemLoader(FOLDER), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
)  # fmt: skip


class Marking(ExtensionApp):
    """Jupyter's extension, which can also start the server that it needs."""

    name = "headstart_marking"
    extension_url = ADDRESS
    load_other_extensions = False  # no JupyterLab and no terminal: they would take seconds to start

    course: CourseDirectory | None = None  # where none is named, that of nbgrader's settings

    @classmethod
    def get_extension_package(cls) -> str:
        """Where Jupyter finds this: by default it takes the outermost package."""
        return __name__.rpartition(".")[0]

    @default("static_paths")
    def _static_paths(self) -> list[str]:
        return [str(FOLDER)]

    def initialize_handlers(self) -> None:
        """Add the page and what it asks for."""
        lesson = f"{ADDRESS}/([^/]+)"
        self.handlers.extend([(f"{ADDRESS}/?", _Index), (f"{lesson}/?", _Page), (f"{lesson}/api", _Api)])


@functools.cache
def _course() -> CourseDirectory:
    """That of nbgrader's settings, for a server that was started otherwise."""
    return course_directory()[0]


class _Handler(JupyterHandler):
    """A lesson of the course that the server's settings name."""

    @property
    def content_security_policy(self) -> str:
        """What the page may load: nothing but its own script and style, and pictures that are in it."""
        # defence: marking: no script but its own
        return POLICY

    def course(self) -> CourseDirectory:
        """The course.

        Raises:
            web.HTTPError: nbgrader's settings name none.
        """
        try:
            return Marking.course or _course()
        except LookupError as error:
            raise web.HTTPError(HTTPStatus.NOT_FOUND, str(error)) from None

    def lesson(self, name: str) -> tuple[CourseDirectory, str, list[Question]]:
        """The course, the lesson's full name and its questions.

        Raises:
            web.HTTPError: there is no such lesson, or nothing of it to mark.
        """
        course = self.course()
        try:
            lesson = find_lesson(name, course)
            return course, lesson, questions(course, lesson)
        except LookupError as error:
            raise web.HTTPError(HTTPStatus.NOT_FOUND, str(error)) from None

    def known_name(self) -> str:
        """Who is logged in, where a JupyterHub knows it; "" where whoever has the token may come in."""
        return (getattr(self.current_user, "hub_user", None) or {}).get("name", "")

    def show(self, template: str, **values: Any) -> None:
        """Answer with a page."""
        static = self.settings["headstart_marking"].static_url_prefix.rstrip("/")
        self.finish(pages.get_template(f"{template}.html.j2").render(static=static, **values))


class _Index(_Handler):
    @web.authenticated
    def get(self) -> None:
        course = self.course()
        with marks.marking(course) as db:
            lessons = [name for (name,) in db.query(Assignment.name).order_by(Assignment.name)]
        self.show("lessons", lessons=lessons, here=url_path_join(self.base_url, ADDRESS))


class _Page(_Handler):
    @web.authenticated
    def get(self, name: str) -> None:
        _, lesson, asked = self.lesson(name)
        _ = self.xsrf_token  # sets the cookie that the page sends back
        described = [_described(each) for each in asked]
        known = self.known_name()
        self.show(
            "marking", lesson=lesson, questions=described, known=known, grader=known or getpass.getuser()
        )


class _Api(_Handler, APIHandler):
    """A question's answers and marks, as JSON."""

    @web.authenticated
    def get(self, name: str) -> None:
        self._answer(name)

    @web.authenticated
    def put(self, name: str) -> None:
        """Mark answers, or undo a step, and answer as `get` does; with 409 where somebody else was faster."""
        wanted = self.get_json_body() or {}
        # defence: marking: the Hub says who marks
        if known := self.known_name():
            wanted["grader"] = known
        self._answer(name, wanted)

    def _answer(self, name: str, wanted: dict[str, Any] | None = None) -> None:
        course, lesson, asked = self.lesson(name)
        question = next((each for each in asked if each.id == self.get_query_argument("question")), None)
        if question is None:
            raise web.HTTPError(HTTPStatus.NOT_FOUND, f"{lesson} has no such question")
        said: dict[str, Any] = {}
        try:
            with marks.marking(course) as db:
                if wanted is not None:
                    desk = Desk(db, course, lesson, question)
                    try:
                        said["step"] = desk.undo(wanted) if "undo" in wanted else desk.mark(wanted)
                    except Conflict as conflict:
                        said["conflicts"] = conflict.grades
                        self.set_status(HTTPStatus.CONFLICT)
                desk = Desk(db, course, lesson, question)
                names = self.get_query_argument("names", "") == "shown"
                said |= desk.shown(names) | {"waiting": _waiting(db, lesson, asked)}
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise web.HTTPError(HTTPStatus.BAD_REQUEST, str(error)) from None
        except sa.exc.OperationalError:
            raise web.HTTPError(HTTPStatus.SERVICE_UNAVAILABLE, BUSY) from None
        if said.get("edition") == self.get_query_argument("edition", ""):
            del said["groups"]  # the page has them
        self.finish(said)


def _described(question: Question) -> dict[str, Any]:
    """A question for the page."""
    return {
        "id": question.id, "title": question.title, "section": question.section, "points": question.points,
        "text": rendered(question.text, theirs=False), "model": rendered(question.model, theirs=False),
        "lines": [(points, rendered(line, theirs=False)) for points, line in question.rubric.lines],
        "notes": [rendered(note, theirs=False) for note in question.rubric.notes],
    }  # fmt: skip


def _waiting(db: sa.orm.Session, lesson: str, asked: Sequence[Question]) -> dict[str, list[int]]:
    """By question, how many answers wait for points, and how many there are."""
    found = {each.id: marks.entries(db, lesson, each.notebook, each.cell) for each in asked}
    return {id: [sum(entry.waits for entry in rows), len(rows)] for id, rows in found.items()}


def serve(lesson: str, course: CourseDirectory, *, port: int, browser: bool) -> None:
    """Serve the marking page of a lesson until it is stopped.

    Args:
        lesson: its name.
        course: whose gradebook it writes. The current folder is its root.
        port: of the address; if it is taken, one of the next.
        browser: whether to open the page in a browser.

    Raises:
        LookupError: there is nothing to mark.
    """
    questions(course, lesson)
    if not has_gradebook(course):
        raise LookupError(f"nothing of {lesson} is recorded yet: grade it first")
    with marks.marking(course) as db:
        marks.forget_the_gone(db)
    Marking.course = course
    Marking.launch_instance([
        f"--Marking.default_url={ADDRESS}/{lesson}", f"--ServerApp.port={port}",
        # defence: marking: this machine alone
        "--ServerApp.ip=127.0.0.1",
        *([] if browser else ["--no-browser"]), *(["--allow-root"] if is_root() else []),
    ])  # fmt: skip
