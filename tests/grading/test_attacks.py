"""Each trick in tests/attacks/ is handed in, graded among honest students, and comes to nothing.

A trick is a file of cells. Its first words say what it tries and what must happen. Its sections: `answer` replaces
the answer to attention.softmax, or to the exercise that it names, by a wrong one with the trick in it; `end` is a
cell after all others; `notebook` and `folder` are run here, by the student so to speak, on what is handed in. Most
are tried in lesson 01; one that says `In 10_bert.` is tried there.
"""

import ast
import copy
import functools
import hashlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import nbformat
import pytest
import torch

from autograder import lessons
from autograder.classroom.course import course_directory, find_submissions, hidden_secret
from autograder.exercises import load
from autograder.grading.grader import Grader
from autograder.grading.lesson import Lesson
from autograder.limits import OUTPUT_CHARACTERS
from autograder.sheets import HiddenSheets, make_sheet
from helpers.checking.calling.drivers import run
from helpers.checking.calling.values import tensors
from helpers.checks import assess
from tests.support.course import LESSON, Course, foster_parent
from tests.support.proved import MACHINE, PROJECT, follows_from

pytestmark = [
    pytest.mark.needs_bubblewrap,
    pytest.mark.timeout(900),
    follows_from(*PROJECT, MACHINE, "tests/attacks"),
]

FOLDER = Path(__file__).parents[1] / "attacks"
NAMES = sorted(path.stem for path in FOLDER.glob("*.py"))
HONEST = ("a-honest", "m-honest", "z-honest")
CANARY = "canary-4f1c9e"
WRONG = "def softmax(x, dim):\n    return x\n"
# What a trick that was written wrongly would raise: then it would prove nothing.
SLIPS = (
    "SyntaxError",
    "IndentationError",
    "NameError",
    "ImportError",
    "ModuleNotFoundError",
    "StopIteration",
)


@dataclass(frozen=True)
class Attack:
    """One trick: in which lesson, what must happen, the points it may earn, and its sections."""

    name: str
    lesson: str
    must: str
    earns: dict[str, float]
    sections: dict[str, str]

    @classmethod
    def read(cls, name: str) -> "Attack":
        text = (FOLDER / f"{name}.py").read_text(encoding="utf-8")
        promise = ast.get_docstring(ast.parse(text.partition("\n# %%")[0]))
        assert promise.startswith("Tries "), name
        where = re.search(r"^In (\w+)\.$", promise, re.M)
        must = re.search(r"^Must (earn nothing|read nothing|leave nothing)( but (\{.*\}))?\.$", promise, re.M)
        parts = re.split(r"^# %% (.+)$", text, flags=re.M)[1:]
        earns = json.loads(must[3]) if must[3] else {}
        sections = dict(zip(parts[::2], parts[1::2], strict=True))
        return cls(name, where[1] if where else LESSON, must[1], earns, sections)

    def hand_in(self, course: Course, port: int) -> None:
        """Write the submission as this student would."""
        answers = {"attention.softmax": WRONG}
        for section, text in self.sections.items():
            kind, _, exercise = section.partition(" ")
            if kind == "answer":
                answers[exercise or "attention.softmax"] = text.strip()
        notebook = nbformat.read(course.root / "release.ipynb", as_version=4)
        for cell in notebook.cells:
            if lessons.kind(cell) == "exercise" and (answer := answers.get(lessons.exercise_of(cell))):
                cell.source = answer
        if end := self.sections.get("end"):
            notebook.cells.append(nbformat.v4.new_code_cell(end.strip()))
        exec(self.sections.get("notebook", ""), {"notebook": notebook, "nbformat": nbformat})
        folder = course.submission(self.name)
        (folder / f"{self.lesson}.ipynb").write_text(json.dumps(notebook))  # nbformat would put it right
        exec(self.sections.get("folder", ""), {"folder": folder, "course": course.root, "port": port})


ATTACKS = {name: Attack.read(name) for name in NAMES}
LESSONS = sorted({attack.lesson for attack in ATTACKS.values()})
each = pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS)


# -- a class of them all, for each lesson ----------------------------------------------------------------


class Listener:
    """Sockets of this machine that no submission may reach."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        self.sockets = [socket.socket(socket.AF_INET), socket.socket(socket.AF_INET, socket.SOCK_DGRAM)]
        self.sockets[0].bind(("127.0.0.1", 0))
        self.port = self.sockets[0].getsockname()[1]
        self.sockets[1].bind(("127.0.0.1", self.port))
        self.sockets.append(socket.socket(socket.AF_UNIX))
        self.sockets[2].bind(f"\0headstart-{self.port}")  # another run may listen, too
        for each in (self.sockets[0], self.sockets[2]):
            each.listen()
        for each in self.sockets:
            threading.Thread(target=self._listen, args=(each,), daemon=True).start()

    def _listen(self, on: socket.socket) -> None:
        try:
            while True:
                stream = on.type == socket.SOCK_STREAM
                self.heard.append(repr(on.accept() if stream else on.recv(100)))
        except OSError:
            return

    def close(self) -> None:
        for each in self.sockets:
            each.close()


@dataclass(frozen=True)
class Aftermath:
    """What there was after the class was graded."""

    course: Course
    tricks: set[str]
    printed: str
    heard: list[str]
    before: dict[str, str]
    after: dict[str, str]
    processes: list[str]
    verdicts: dict[str, dict[str, dict]]

    def notebook(self, student: str) -> nbformat.NotebookNode:
        return self.course.autograded(student)


@pytest.fixture(scope="module")
def attacked(request, tmp_path_factory) -> Iterator[Callable[[str], Aftermath]]:
    """Grades the class of a lesson, once: all tricks, or where each test is about one of them, those alone."""
    folder, listener = tmp_path_factory.mktemp("attacked"), Listener()
    users = [item for item in request.session.items if "attacked" in item.fixturenames]
    wanted = [user.callspec.params.get("attack") if hasattr(user, "callspec") else None for user in users]

    def attack(lesson: str) -> Aftermath:
        tricks = {name: each for name, each in ATTACKS.items() if each.lesson == lesson}
        if all(wanted):
            tricks = {each.name: each for each in wanted if each.name in tricks}
        return _attack(Course(folder / lesson, lesson), tricks, listener)

    yield functools.cache(attack)
    listener.close()


@pytest.fixture(params=LESSONS)
def aftermath(request, attacked) -> Aftermath:
    return attacked(request.param)


@pytest.fixture
def after(attack, attacked) -> Aftermath:
    """What there was after the class with this trick in it."""
    return attacked(attack.lesson)


def _attack(course: Course, tricks: dict[str, Attack], listener: Listener) -> Aftermath:
    _prepare(course)
    for attack in tricks.values():
        attack.hand_in(course, listener.port)
    for student in HONEST:
        notes = course.hand_in(student).with_name("notes.txt")
        notes.write_text(CANARY * 4000)
    before = _contents(course.root)
    with foster_parent() as left:
        done = course.run(
            "headstart", "grade", course.lesson, "--seconds", "3", "--workers", "2", HEADSTART_CANARY=CANARY
        )
    return Aftermath(
        course, set(tricks), done.stdout + done.stderr, listener.heard, before, _contents(course.root), left,
        course.verdicts(),
    )  # fmt: skip


def _prepare(course: Course) -> None:
    """A course with a word in each place that students mustn't read."""
    from autograder.grading.lesson import release

    _, config = course_directory(course.root)
    source = lessons.load_source_notebook(course.lesson, course.root)
    nbformat.write(release(copy.deepcopy(source), config), course.root / "release.ipynb")
    (course.root / ".headstart_secret").write_text(f"{CANARY} secret that is long enough")
    (course.root / "hidden.txt").write_text(CANARY)
    answer = next(cell for cell in source.cells if "### END SOLUTION" in cell.source)
    answer.source = answer.source.replace("### END SOLUTION", f"# {CANARY}\n    ### END SOLUTION")
    nbformat.write(source, lessons.source_path(course.lesson, course.root))
    nbformat.write(source, course.submission("someone") / f"{course.lesson}.ipynb")
    course.run("nbgrader", "db", "student", "add", "someone", f"--first-name={CANARY}")


def _contents(root: Path) -> dict[str, str]:
    """What lies in the course, but for what grading writes."""
    found = {}
    for path in sorted(root.rglob("*")):
        relative = path.relative_to(root)
        written = relative.parts[0] in ("autograded", "gradebook.db", ".headstart_draws")
        if not written and path.is_file() and not path.is_symlink():
            found[str(relative)] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


# -- what must happen ------------------------------------------------------------------------------------


@pytest.mark.promise(20, 21, 22)
@each
def test_no_trick_gains_a_mark(attack, after):
    verdicts = after.verdicts[attack.name]
    earned = {id: verdict["points"] for id, verdict in verdicts.items() if verdict["points"]}
    assert earned == attack.earns
    scores = after.course.scores()
    given = {
        name: score
        for (student, name), score in scores.items()
        if student == attack.name and score and "-" in name
    }
    assert given == {lessons.grade_id(id): points for id, points in attack.earns.items()}


@each
def test_every_trick_is_tried(attack, after):
    """One that stops at a slip of ours proves nothing."""
    answered = {section.partition(" ")[2] for section in attack.sections if section.startswith("answer ")}
    assert answered <= set(after.verdicts[attack.name])
    for cell in after.notebook(attack.name).cells:
        if cell.metadata.get("headstart", {}).get("edited"):
            continue  # what the trick made of a cell of the course's needn't run
        for output in cell.get("outputs", []):
            assert output.get("ename") not in SLIPS, "\n".join(output.get("traceback", []))


BY_OTHERS = [attack for name, attack in ATTACKS.items() if name.startswith("forbidden_")]


@pytest.mark.parametrize("attack", BY_OTHERS, ids=[attack.name for attack in BY_OTHERS])
def test_a_forbidden_function_does_what_is_asked(attack):
    """So it is the forbidding that costs the trick its marks."""
    exercises, names = load(lessons.topic(attack.lesson)), {"torch": torch, "__name__": "student"}
    for section, text in attack.sections.items():
        exercise = exercises[section.partition(" ")[2] or "attention.softmax"]
        sheet = make_sheet(exercise, "of this test")
        exec(text, names)
        answer, how = names[exercise.reference.__name__], {"gradients": exercise.gradients}
        for forbidden, status in (((), "passed"), (exercise.forbidden, "failed")):
            outcomes = [
                run(exercise.driver, answer, case, forbidden=forbidden, **how) for case in sheet.cases
            ]
            finding = assess(sheet, outcomes)
            assert finding.status == status, finding.text()


@pytest.mark.promise(4, 5, 14)
@each
def test_no_trick_reads_what_it_should_not(attack, after):
    text = nbformat.writes(after.notebook(attack.name))
    assert CANARY not in text
    said = _said(after, attack.name)
    assert not re.search(r"(FOUND|IMPORTED|CONNECTED|MEMORY|PTRACE|VM|OBJECT) ", said)
    assert not [number for number in _hidden(after, attack.name, "expected") if number in said]


def test_a_trick_that_would_read_hidden_numbers_would_be_seen(attacked):
    """Inputs can be kept, which is not promised: so it shows that these are the submission's own cases."""
    name = "keeps_hidden_inputs"
    inputs = _hidden(attacked(LESSON), name, "cases")
    assert [number for number in inputs if number in _said(attacked(LESSON), name)]


def _said(aftermath: Aftermath, student: str) -> str:
    return "".join(json.dumps(cell.get("outputs", [])) for cell in aftermath.notebook(student).cells)


def _hidden(aftermath: Aftermath, student: str, part: str) -> set[str]:
    """The numbers in a part of a submission's hidden sheets, in full: of softmax, or of what it answers."""
    course = aftermath.course
    directory, config = course_directory(course.root)
    grader = Grader(Lesson.load(course.lesson, course.root, config), hidden_secret(directory))
    [submission] = find_submissions(directory, course.lesson, [student])
    content = grader.prepare(submission).content
    sections = [section.partition(" ") for section in ATTACKS[student].sections]
    answered = {exercise or "attention.softmax" for kind, _, exercise in sections if kind == "answer"}
    found = set()
    for exercise in answered or {"attention.softmax"}:
        sheet = HiddenSheets(grader.secret).of(grader.lesson.exercises[exercise], content)
        values = [(one.args, one.kwargs) if part == "cases" else one.outputs for one in getattr(sheet, part)]
        found |= {n for tensor in tensors(values) for n in map(repr, tensor.flatten().tolist())}
    return {number for number in found if len(number) > 9}


@pytest.mark.parametrize("student", HONEST)
def test_no_trick_changes_another_students_result(student, aftermath):
    assert {verdict["status"] for verdict in aftermath.verdicts[student].values()} == {"passed"}
    assert "LEFT BEHIND" not in nbformat.writes(aftermath.notebook(student))


@pytest.mark.promise(26)
def test_no_trick_stops_the_batch(aftermath):
    assert set(aftermath.verdicts) == {*aftermath.tricks, *HONEST, "someone"}
    assert "grader failed" not in aftermath.printed


@pytest.mark.promise(15)
def test_no_trick_fills_the_disk(aftermath):
    folder = aftermath.course.root / "autograded"
    sizes = {name: _size(folder / name) for name in aftermath.verdicts}
    assert not {name: size for name, size in sizes.items() if size > OUTPUT_CHARACTERS * 1.1}


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


@pytest.mark.promise(10)
def test_no_trick_outlives_its_grading(aftermath):
    assert aftermath.processes == []


def test_what_outlives_its_parent_is_seen():
    with foster_parent() as left:
        orphan = subprocess.run(
            ["sh", "-c", "sleep 977 >&- 2>&- & until grep -q ^sleep /proc/$!/cmdline; do :; done; echo $!"],
            capture_output=True,
            text=True,
        ).stdout
    os.kill(int(orphan), signal.SIGKILL)
    os.waitpid(int(orphan), 0)
    assert left == ["sleep 977"]


def test_what_is_being_killed_outlives_nobody():
    """It takes a moment to give its memory back, and isn't there to stay meanwhile."""
    holds = "held = b'x' * (400 << 20); print('held', flush=True); input()"
    with foster_parent() as left:
        started = subprocess.Popen(
            [sys.executable, "-c", holds], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert started.stdout.readline() == b"held\n"
        started.kill()
    started.communicate()
    assert left == []


@pytest.mark.promise(5)
def test_no_trick_reaches_the_network(aftermath):
    assert aftermath.heard == []


def test_no_trick_changes_the_course(aftermath):
    assert aftermath.after == aftermath.before


def test_there_are_tricks_of_each_kind():
    assert {attack.must for attack in ATTACKS.values()} == {"earn nothing", "read nothing", "leave nothing"}
    assert len(ATTACKS) >= 131
