"""A class on a JupyterHub, set up by the commands of docs/jupyterhub.md, as a browser shows it."""

import contextlib
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import FrameLocator, Page, expect, sync_playwright

from autograder import lessons, programs
from tests.classroom.test_nbgrader import UNSCALED
from tests.lessons.test_browser import NOT_DIVIDED, SHEETS, WRITTEN, WRONG
from tests.support import hub
from tests.support.browser import CHROMIUM_OPTIONS, Notebook, answers, fill_in, hand_out
from tests.support.course import LESSON, Course
from tests.support.limits import PATIENCE
from tests.support.proved import PROJECT, follows_from

pytestmark = [
    pytest.mark.needs_chromium,
    pytest.mark.needs_bubblewrap,
    pytest.mark.timeout(1500),
    follows_from(*PROJECT, "docs/jupyterhub.md"),
]

TEACHER, SECOND, STUDENTS, MISTAKEN = "ada", "eve", ("ben", "cleo", "dan"), "cleo"
HURRIED = "dan"  # hands in without having run anything
CLONE = "git clone <this repository>"
COURSE, STUDENTS_ENVIRONMENT, COPY = "/srv/headstart", "/opt/headstart", "/var/headstart.git"


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[hub.Server]:
    """A server as the page leaves it."""
    layers = tmp_path_factory.mktemp("layers")
    if reason := hub.what_is_missing(layers):
        if os.environ.get("CI"):
            pytest.fail(f"the Hub can't be tried: {reason}")
        pytest.skip(f"the Hub can't be tried: {reason}")
    with setting_up(layers) as machine:
        yield machine


@contextlib.contextmanager
def setting_up(layers: Path) -> Iterator[hub.Server]:
    """A server on which all commands of the page have been run, but for those that install programs."""
    with hub.server(layers) as machine:
        blocks = hub.blocks()
        assert "apt-get" in blocks[0][1]
        for user, script in blocks[1:]:
            follow(machine, {"root": "root", "teacher": TEACHER, "second": SECOND}[user], script)
        yield machine


def follow(machine: hub.Server, user: str, script: str) -> None:
    """Run a block of the page, with what pip would download already there."""
    if CLONE in script:
        # From a copy that is the teacher's, wherever this one lies and whoever owns it.
        safe = f"export HOME={COPY}.home; mkdir $HOME; git config --global safe.directory '*'"
        machine.run("root", f"{safe}; git clone -q --bare {lessons.ROOT} {COPY}; chown -R {user} {COPY}")
        machine.run(user, f"umask 007; git clone -q {COPY} {COURSE}")
        machine.furnish(f"{COURSE}/.venv", f"{TEACHER}:headstart-teachers")
        script = re.sub(f"{re.escape(CLONE)}.*", "", script)
    if "student-env" in script:
        machine.furnish(STUDENTS_ENVIRONMENT, "root")
    machine.run(user, script)


def test_a_week_of_the_course_on_the_hub(machine: hub.Server, tmp_path: Path) -> None:
    a_week(machine, tmp_path)


def a_week(machine: hub.Server, folder: Path) -> None:
    """Release, fetch, work, check, submit, collect, grade, read: three students and two teachers."""
    right, wrong = written(folder / "right"), written(folder / "wrong", UNSCALED)
    passwords(machine, TEACHER, SECOND, *STUDENTS)
    with hub.serving(machine, folder / "hub.log") as address, visitors(address, folder) as visit:
        releases(visit(TEACHER))
        for name in STUDENTS:
            student = visit(name)
            fetches_and_works(machine, student, wrong if name == MISTAKEN else right)
            submits(student)
        collects_and_grades(visit(TEACHER))
        reads_what_is_written(visit(TEACHER), "Submission #1")
        gives_feedback(visit(TEACHER))
        for name in STUDENTS:
            reads_the_feedback(visit(name))
        # The other teacher takes over what the first has made.
        grades_again(visit(SECOND))
        reads_what_is_written(visit(SECOND), "Submission #2")
        gives_feedback(visit(SECOND))
        mark_together(visit(TEACHER), visit(SECOND))


def test_nobody_gets_in_where_only_teachers_may(machine: hub.Server) -> None:
    """Neither the course nor another's home; only the exchange and the students' environment are for all."""
    state = hub.service(machine)["WorkingDirectory"]
    for path in (COURSE, f"{COURSE}/gradebook.db", "/home/ben", "/home/ada", state):
        done = machine.run("cleo", f"ls {path}", check=False)
        assert done.returncode and "Permission denied" in done.stderr, path
    listed = machine.run(
        "cleo", "find /srv /opt/headstart -name '*.py' -path '*autograder*'", check=False
    ).stdout
    assert not listed, "the graders' code, with the references in it, is the teachers' alone"
    machine.run("cleo", f"{STUDENTS_ENVIRONMENT}/bin/python -c 'import torch, nbgrader'")
    told = machine.run(SECOND, f"cd {COURSE}; .venv/bin/headstart doctor").stdout
    assert "other users of this machine" not in told and "grading works" in told


class Visitor:
    """Somebody who is logged in, in a window of their own."""

    def __init__(self, page: Page, address: str, name: str, pictures: Path) -> None:
        self.page, self.name, self.address = page, name, f"{address}/user/{name}"
        self._pictures = Path(os.environ.get("HEADSTART_SCREENSHOTS") or pictures).resolve()
        page.goto(address)
        page.get_by_label("Username").fill(name)
        page.get_by_label("Password").fill(password(name))
        self.picture("log_in")
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_url(re.compile(f"/user/{name}/lab"))

    def picture(self, name: str) -> None:
        """Keep a screenshot."""
        self._pictures.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=self._pictures / f"hub_{self.name}_{name}.png")

    def choose(self, item: str) -> None:
        """Choose something from the menu *Nbgrader*."""
        self.page.get_by_role("menuitem", name="Nbgrader").click()
        self.page.locator(".lm-Menu-itemLabel").get_by_text(item, exact=True).click()

    def formgrader(self) -> FrameLocator:
        """Formgrader in its frame of JupyterLab."""
        self.choose("Formgrader")
        return self.page.frame_locator("iframe[src*=formgrader]")


@contextlib.contextmanager
def visitors(address: str, folder: Path) -> Iterator[Callable[[str], Visitor]]:
    """A browser in which people log in, each in a window of their own, which stays open."""
    options = {"executable_path": programs.find(programs.CHROMIUM), "args": CHROMIUM_OPTIONS}
    known: dict[str, Visitor] = {}
    with sync_playwright() as playwright:
        program = playwright.chromium.launch(**options)

        def visit(name: str) -> Visitor:
            if name not in known:
                page = program.new_context(viewport={"width": 1280, "height": 900}).new_page()
                page.set_default_timeout(1000 * PATIENCE)
                known[name] = Visitor(page, address, name, folder / "screenshots")
            return known[name]

        try:
            yield visit
        finally:
            for visitor in known.values():
                visitor.picture("end")
            program.close()


def password(name: str) -> str:
    return f"correct horse of {name}"


def passwords(machine: hub.Server, *names: str) -> None:
    """What the page leaves to `passwd`."""
    machine.run("root", "\n".join(f"echo '{name}:{password(name)}' | chpasswd" for name in names))


def written(folder: Path, answer: str | None = None) -> Path:
    """A solved notebook that everybody may read, with the first exercise's answer perhaps another one."""
    changed = {f"{lessons.grade_id(WRONG)}-answer": answer} if answer else {}
    path = hand_out(LESSON, folder)
    fill_in(path, answers(Course(folder / "course")) | changed)
    copy = Path(tempfile.mkdtemp(dir="/tmp")) / path.name  # no other user gets into a test's own folder
    copy.parent.chmod(0o755)
    shutil.copy(path, copy)
    return copy


# -- a student ---------------------------------------------------------------------------------------------


def fetches_and_works(machine: hub.Server, student: Visitor, notebook: Path) -> None:
    """Fetch by the button, work (which is to have a solved notebook), and run it with its checks, or don't."""
    home = f"/home/{student.name}"
    cells = f"{home}/.jupyter/lab/user-settings/@jupyterlab/notebook-extension/tracker.jupyterlab-settings"
    machine.run(student.name, f'mkdir -p $(dirname {cells}); echo \'{{"windowingMode": "none"}}\' > {cells}')
    student.choose("Assignment List")
    released = student.page.locator("#released_assignments_list")
    expect(released).to_contain_text(LESSON)
    student.picture("assignments")
    released.get_by_role("button", name="Fetch").click()
    expect(student.page.locator("#fetched_assignments_list")).to_contain_text(LESSON)
    machine.run(student.name, f"cp {notebook} {home}/{LESSON}/")
    if student.name == HURRIED:
        return
    opened = Notebook(student, f"{LESSON}/{LESSON}.ipynb")
    opened.run_all()
    assert opened.complaints() == []
    sign = "✗" if student.name == MISTAKEN else "✓"
    assert opened.headlines()[list(SHEETS).index(WRONG)].startswith(f"{sign} {SHEETS[WRONG]['title']}")
    expect(opened.cell("helpers.__file__")).to_contain_text(f"from {home}/{LESSON}/helpers")
    student.page.keyboard.press("ControlOrMeta+s")
    expect(
        student.page.locator(".jp-mod-current .jp-DirtyIndicator, .lm-mod-current.jp-mod-dirty")
    ).to_have_count(0)
    student.picture("worked")
    used = machine.run("root", f"ps -u {student.name} -o rss=,args=").stdout.splitlines()
    for program in ("jupyterhub-singleuser", "ipykernel_launcher"):
        kib = sum(int(line.split()[0]) for line in used if program in line)
        print(f"{program} of {student.name}, after lesson 01: {kib / 1024:.0f} MiB")


def submits(student: Visitor) -> None:
    """Hand in by the button."""
    student.choose("Assignment List")
    student.page.locator("#fetched_assignments_list").get_by_role("button", name="Submit").click()
    expect(student.page.locator("#submitted_assignments_list")).to_contain_text(LESSON)
    student.picture("submitted")


def reads_the_feedback(student: Visitor) -> None:
    """Fetch the feedback by the button, and read it in JupyterLab."""
    student.choose("Assignment List")
    submitted = student.page.locator("#submitted_assignments_list")
    student.page.locator("#refresh_assignments_list").click()
    submitted.get_by_text(LESSON).first.click()
    submitted.get_by_role("button", name="Fetch Feedback").click()
    expect(submitted.get_by_text("view feedback")).to_be_visible()
    student.picture("feedback_fetched")
    submitted.get_by_text("view feedback").click()
    page = student.page.locator(".jp-DirListing-item", has_text=f"{LESSON}.html")
    page.dblclick()
    feedback = student.page.frame_locator(".jp-HTMLViewer iframe")
    message = feedback.get_by_role("status").filter(has_text=SHEETS[WRONG]["title"]).first
    expect(message).to_contain_text(NOT_DIVIDED if student.name == MISTAKEN else "✓")
    student.picture("feedback")
    if student.name == MISTAKEN:
        beside = (
            feedback.get_by_role("status").filter(has_text="which this builds on, doesn't pass yet").first
        )
        expect(beside).to_contain_text("so it loses no points")
    feedback.get_by_role("link", name=SHEETS[WRONG]["title"]).first.click()
    expect(message).to_be_in_viewport()  # a frame within the Hub may forbid what a page may
    student.picture("feedback_followed")


# -- a teacher ---------------------------------------------------------------------------------------------


def releases(teacher: Visitor) -> None:
    """By the button in formgrader."""
    formgrader = teacher.formgrader()
    row = formgrader.get_by_role("row", name=LESSON)
    row.locator(".assign a").click()
    succeeds(formgrader, "Successfully created")
    row.locator(".release a").click()
    succeeds(formgrader, "Successfully released")
    expect(row).to_contain_text("released")
    teacher.picture("released")


def collects_and_grades(teacher: Visitor) -> None:
    """Both by formgrader's buttons."""
    formgrader = teacher.formgrader()
    row = formgrader.get_by_role("row", name=LESSON)
    row.locator(".collect a").click()
    succeeds(formgrader, "Successfully")
    row.get_by_role("link", name=str(len(STUDENTS)), exact=True).click()
    for name in STUDENTS:
        submission = formgrader.get_by_role("row", name=name)
        submission.locator(".autograde a").click()
        succeeds(formgrader, "Successfully autograded")
        expect(submission).to_contain_text("needs manual grading")
    teacher.picture("graded")


def grades_again(teacher: Visitor) -> None:
    """One submission by the button, over what another teacher's grading has written."""
    formgrader = teacher.formgrader()
    formgrader.get_by_role("row", name=LESSON).get_by_role(
        "link", name=str(len(STUDENTS)), exact=True
    ).click()
    submission = formgrader.get_by_role("row", name=MISTAKEN)
    submission.locator(".autograde a").click()
    succeeds(formgrader, "Successfully autograded")
    teacher.picture("graded_again")


def reads_what_is_written(teacher: Visitor, submission: str) -> None:
    """Points for a student's written answers, in formgrader."""
    formgrader = teacher.formgrader()
    formgrader.get_by_role("link", name=re.compile("Manual Grading|Gradebook")).click()
    for page in ("Assignment ID", "Notebook ID"):
        expect(formgrader.get_by_role("columnheader", name=page)).to_be_visible()
        formgrader.get_by_role("row", name=LESSON).get_by_role("link", name=LESSON).click()
    formgrader.get_by_role("link", name=submission).click()
    waiting = formgrader.locator("input.score.needs_manual_grade")
    expect(waiting).to_have_count(len(WRITTEN))
    for name in WRITTEN:
        with teacher.page.expect_response(lambda answer: "/api/grade/" in answer.url) as saved:
            formgrader.locator(f"input#{name}").fill("2")
            teacher.page.keyboard.press("Tab")
        assert saved.value.ok
    expect(waiting).to_have_count(0)
    teacher.picture("written_answers")


def mark_together(one: Visitor, other: Visitor) -> None:
    """Two teachers on the marking page, under the names they logged in with; each sees what the other saves.

    The second has come to the answers before they were marked, and confirms that their mark is to go.
    """
    for each in (one, other):
        each.page.goto(f"{each.address}/headstart/marking/{LESSON}")
        name = each.page.get_by_label("marking as")
        expect(name).to_have_value(each.name)
        expect(name).not_to_be_editable()
        expect(each.page.locator("#which")).to_contain_text("answers alike")  # before that, keys do nothing
    for each, seen_by, key in ((one, other, "f"), (other, one, "0")):
        each.page.keyboard.press(key)
        each.page.keyboard.press("s")
        if each is other:
            expect(each.page.locator("#said")).to_contain_text("Not saved")
            for box in each.page.locator("#members tbody input").all():
                box.check()
            each.page.keyboard.press("s")
        expect(seen_by.page.locator("#history")).to_contain_text(f"· {each.name} ·")
        each.picture("marked")


def gives_feedback(teacher: Visitor) -> None:
    """Make everybody's feedback and release it."""
    teacher.page.reload()
    formgrader = teacher.formgrader()
    row = formgrader.get_by_role("row", name=LESSON)
    row.locator(".generate-feedback a").click()
    succeeds(formgrader, "Successfully generated")
    row.locator(".release-feedback a").click()
    succeeds(formgrader, "Successfully released")
    teacher.picture("feedback_released")


def succeeds(formgrader: FrameLocator, words: str) -> None:
    """Formgrader says that it has worked; the message is closed."""
    done = formgrader.locator("#success-modal, #error-modal").filter(visible=True)
    expect(done).to_contain_text(words)
    done.get_by_role("button", name="Close").last.click()
    expect(done).to_have_count(0)
