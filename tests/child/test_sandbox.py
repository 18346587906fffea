"""Bounds that no submission of the class of tricks reaches: tried one by one."""

import contextlib
import json
import signal
import subprocess
import sys
import time

import psutil
import pytest
from nbconvert import HTMLExporter
from nbconvert.filters import ansi2html, markdown2html_mistune
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from autograder.child import sandbox
from autograder.classroom.course import course_directory, find_submissions
from autograder.grading import clock, judge, workers
from autograder.grading import grader as grader_module
from autograder.grading.clean import clean_code, clean_outputs, clean_words
from autograder.grading.clock import among_others
from autograder.grading.grader import Grader
from autograder.grading.lesson import Lesson
from autograder.lessons import ROOT
from autograder.limits import MAX_HTML, MAX_TAG_DEPTH, MAX_TAGS, WALL_PER_CPU
from autograder.results import Ended, Graded
from tests.support.course import LESSON, Course
from tests.support.limits import crowded


@pytest.mark.promise(14)
@pytest.mark.needs_bubblewrap
@pytest.mark.skipif(not sandbox.COUNTS_THREADS, reason="older kernels count all processes of a user")
def test_threads_are_bounded_unless_root_grades():
    done = subprocess.run([sys.executable, "-c", START_THREADS], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert 100 < int(done.stdout) <= sandbox.THREADS


# In the order of the engine: the worker's namespace, then in its child the bounds, then namespaces of its own.
START_THREADS = """
import ctypes, os, resource, threading
from autograder.child import sandbox
if os.getuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
    ctypes.CDLL(None).prctl(4, 1, 0, 0, 0)  # PR_SET_DUMPABLE: else /proc/self stays root's
sandbox.own_namespaces()
sandbox.bound_resources(True)
sandbox.own_namespaces()
threading.stack_size(131072)  # small; Python 3.14 refuses less than some 50,000 bytes
wait, started = threading.Event(), 0
try:
    while started < 2 * sandbox.THREADS:
        threading.Thread(target=wait.wait, daemon=True).start()
        started += 1
except RuntimeError:
    pass
print(started, flush=True)
os._exit(0)
"""


@pytest.fixture
def grade(tmp_path):
    """Hand in the solved lesson with some cells more, and grade it in this process."""
    course = Course(tmp_path / "course")
    directory, config = course_directory(course.root)
    graders = []

    def grade(*cells: str, **options) -> tuple[Grader, Graded]:
        course.hand_in("amy", cells=cells)
        [submission] = find_submissions(directory, LESSON, [])
        if not graders:
            graders.append(Grader(Lesson.load(LESSON, course.root, config), b"of this test", **options))
        return graders[0], graders[0].grade(submission)

    yield grade
    for grader in graders:
        grader.close()


@pytest.fixture
def runs(monkeypatch) -> list[bool]:
    """Of each run of a submission, whether it was alone."""
    runs: list[bool] = []

    def noted(*, alone: bool) -> contextlib.AbstractContextManager[None]:
        runs.append(alone)
        return among_others(alone=alone)

    monkeypatch.setattr(grader_module, "among_others", noted)
    return runs


@pytest.mark.promise(14, 39)
@pytest.mark.needs_bubblewrap
def test_a_notebook_has_its_time_however_many_cells_it_has(grade, runs, monkeypatch):
    monkeypatch.setattr(judge, "NOTEBOOK_SECONDS", 2.0)
    monkeypatch.setattr(workers, "stalled", lambda: None)  # a system that doesn't say
    _, graded = grade(*[SLEEPY] * 30)
    [paper] = graded.papers
    ran = [cell for cell in json.loads(paper.notebook)["cells"] if cell.get("execution_count")]
    assert sum("".join(cell["source"]) == SLEEPY.strip() for cell in ran) < 5  # and not 30 times 9 seconds
    assert "the notebook's time of 2 s was over before the cell" in paper.remarks[-1]
    assert {verdict.status for verdict in paper.verdicts} == {"passed"}  # what was judged before stands
    assert runs == [False, True]  # the machine may have kept it waiting: once more, alone
    assert graded.digest == ""  # and the next call doesn't skip it


SLEEPY = """
import time
try:
    time.sleep(9)
except KeyboardInterrupt:
    time.sleep(1.5)
"""


@pytest.mark.promise(40)
@pytest.mark.needs_bubblewrap
@pytest.mark.skipif(not clock.stalled(), reason="this kernel doesn't say who was held up")
def test_who_only_waits_is_run_once_and_costs_no_other_cell_anything(grade, runs, monkeypatch):
    monkeypatch.setattr(workers, "stalled", lambda: 0.0)  # neither disk nor memory is short
    _, graded = grade(*WAITING, cell_seconds=2.0)
    assert runs == [False]
    assert graded.digest  # the next call skips it
    [paper] = graded.papers
    first, *others = paper.remarks
    assert first.endswith("took over 6 s and was interrupted")
    assert len(others) == len(WAITING) - 1
    assert all("took over 2 s of waiting (an earlier cell" in remark for remark in others)
    assert {verdict.status for verdict in paper.verdicts} == {"passed"}


WAITING = (
    "import time; time.sleep(1e9)",
    "import asyncio; await asyncio.sleep(1e9)",
    "import threading; lock = threading.Lock(); lock.acquire(); lock.acquire()",
    "import concurrent.futures as f\nwith f.ThreadPoolExecutor() as pool: pool.submit(time.sleep, 4).result()",
)


@pytest.mark.promise(40)
@pytest.mark.needs_bubblewrap
@pytest.mark.skipif(not clock.stalled(), reason="this kernel doesn't say who was held up")
def test_who_waits_for_threads_that_a_busy_machine_holds_up_is_run_again(grade, runs, monkeypatch):
    monkeypatch.setattr(workers, "stalled", lambda: 0.0)
    grader, _ = grade(cell_seconds=2.0)
    [worker] = grader.workers
    core, _ = worker._core
    with crowded(core, others=5):
        _, graded = grade(POOL)
    assert runs == [False, False, True]
    assert graded.digest == ""


# Work without Python's lock, as torch's: a thread that waited for that would sleep, and not queue.
POOL = """
import concurrent.futures, hashlib
data = bytes(1 << 24)
def work():
    while True: hashlib.sha256(data)
concurrent.futures.ThreadPoolExecutor(1).submit(work).result()
"""


@pytest.mark.promise(39, 40)
@pytest.mark.needs_bubblewrap
def test_a_child_that_a_busy_machine_keeps_waiting_loses_nothing(grade):
    """With a sixth of a core its cells take longer by the clock than one that waits for something would be given."""
    grader, _ = grade(cell_seconds=1.0)
    [worker] = grader.workers
    core, _ = worker._core
    needs = 0.7  # seconds of CPU time: over 4 by the clock
    assert needs * 6 > WALL_PER_CPU * grader.cell_seconds
    with crowded(core, others=5):
        _, graded = grade(
            f"import time\nbegun = time.process_time()\nwhile time.process_time() - begun < {needs}: pass"
        )
    assert {verdict.status for verdict in graded.verdicts} == {"passed"}
    assert graded.papers[0].remarks == ()


@pytest.mark.promise(44)
@pytest.mark.needs_bubblewrap
def test_a_worker_that_is_lost_between_two_submissions_costs_nobody(grade, monkeypatch):
    monkeypatch.setattr(workers, "ANSWER_SECONDS", 5.0)
    grader, _ = grade(cell_seconds=3.0)
    [worker] = grader.workers
    below = psutil.Process(worker._process.pid).children(recursive=True)
    next(process for process in below if process.name() != "bwrap").send_signal(signal.SIGSTOP)
    _, graded = grade("x = 1")
    assert {verdict.status for verdict in graded.verdicts} == {"passed"}


@pytest.mark.promise(44)
@pytest.mark.needs_bubblewrap
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP], ids=["dies", "hangs"])
def test_a_worker_that_ends_early_is_replaced_and_costs_nobody(how, grade, monkeypatch):
    grader, graded = grade(cell_seconds=3.0)
    [worker] = grader.workers
    first = worker._process.pid
    assert {verdict.status for verdict in graded.verdicts} == {"passed"}
    _, graded = grade("x = 1")
    assert worker._process.pid == first  # a warm process is used again
    monkeypatch.setattr(workers, "ANSWER_SECONDS", 5.0)  # now: one that is only slow would be replaced, too

    send = judge._Run._send

    def strike(run: judge._Run, message: dict | bytes) -> None:
        """Once the child has been told to run the first answer."""
        send(run, message)
        answers = isinstance(message, dict) and "def " in message.get("run", "")
        if answers and worker._process.pid == first:
            # Below bubblewrap: its own process, the worker, the worker's child.
            below = psutil.Process(first).children(recursive=True)
            next(process for process in below if process.name() != "bwrap").send_signal(how)

    monkeypatch.setattr(judge._Run, "_send", strike)
    _, graded = grade("x = 2")
    assert {verdict.status for verdict in graded.verdicts} == {"passed"}
    assert worker._process.pid != first


def display(page: str) -> dict:
    return {"output_type": "display_data", "data": {"text/plain": "plain", "text/html": page}}


@pytest.mark.promise(46)
def test_pages_keep_their_looks_and_lose_what_runs():
    page = (
        "<table><tr><td colspan='2' onclick='alert(1)' style='color: red; position: fixed'>1</td></tr></table>"
        "<img src='data:image/png;base64,AAAA'><img src='data:image/svg+xml;base64,AAAA'><img src='/logout'>"
        "<a href='javascript:alert(2)'>link</a><script>alert(3)</script>"
    )
    [output] = clean_outputs([display(page)])
    assert output["data"]["text/html"] == (
        '<div style="overflow:auto"><table><tbody><tr><td colspan="2" style="color:red">1</td></tr></tbody></table>'
        '<img src="data:image/png;base64,AAAA"><img><img>link</div>'
    )


@pytest.mark.promise(49)
def test_html_that_is_nested_deep_is_left_out():
    """At some hundred, a browser gives the page up."""
    for depth, kept in ((MAX_TAG_DEPTH, True), (MAX_TAG_DEPTH + 1, False)):
        [output] = clean_outputs([display("<div style='display: inline-block'>" * depth + "x<br><img>")])
        assert ("text/html" in output["data"]) == kept


def test_a_number_that_no_notebook_takes_is_none():
    raw = {"output_type": "execute_result", "data": {"text/plain": "42"}, "execution_count": -7}
    [output] = clean_outputs([raw])
    new_output(**output)
    assert output["execution_count"] is None


@pytest.mark.promise(15, 49)
@pytest.mark.parametrize("page", ["<p></p>" * (MAX_TAGS // 4), "x" * (MAX_HTML // 2)])
def test_too_much_html_in_a_cell_is_left_out(page):
    [one] = clean_outputs([display(page)])
    assert set(one["data"]) == {"text/plain", "text/html"}
    for output in clean_outputs([display(page)] * 3):
        assert set(output["data"]) == {"text/plain"}


# Each makes nbconvert, which shows the notebook to the instructor, take the square of its length: hours.
COLOURS = ("\x1b[m" * 650_000, "\x1b[31mred\x1b[0m" * 20_000 + "x" * 3_000_000, "\x1b\x1b[m[m" * 650_000)
FORMULAS = (
    "\\\\[ " * 40_000,
    "\\begin{a} " * 20_000,
    "\\\\( " * 40_000,
    "\\begin{a} " * 499 + "y " * 500_000,
)


@pytest.mark.promise(49)
@pytest.mark.parametrize("text", COLOURS, ids=["many", "long", "nested"])
def test_colours_take_no_time_to_show(text):
    raw = {"output_type": "error", "ename": "E", "evalue": "", "traceback": [text, text]}
    begun = time.process_time()
    for output in clean_outputs([display("<p>") | {"data": {"text/plain": text}}, raw]):
        for shown in output.get("traceback", [output.get("data", {}).get("text/plain")]):
            ansi2html(shown)
    assert time.process_time() - begun < 5


def test_a_tracebacks_colours_are_kept():
    text = "\x1b[31mNameError\x1b[0m"
    [output] = clean_outputs(
        [{"output_type": "error", "ename": "E", "evalue": "", "traceback": [text] * 100}]
    )
    assert output["traceback"] == [text] * 100


CODE = ("x = 1" + "\n " * 20_000 + "\nx", "x = " + "." * 20_000, "x = 1  # a comment\n" * 20_000)


@pytest.mark.promise(49)
@pytest.mark.parametrize("kind", ["code", "fence"])
@pytest.mark.parametrize("text", CODE, ids=["blanks", "dots", "lines"])
def test_code_takes_no_time_to_show(text, kind):
    cell = new_code_cell(text) if kind == "code" else new_markdown_cell(f"```c++\n{text}\n```")
    (clean_code if kind == "code" else clean_words)(cell)
    begun = time.process_time()
    HTMLExporter().from_notebook_node(new_notebook(cells=[cell]))
    assert time.process_time() - begun < 20
    assert "x = " in str(cell)


def test_a_students_code_is_shown_as_it_is():
    cell = new_code_cell("def f(x):\n    return x  # " + "=" * 80)
    clean_code(cell)
    assert cell.source.startswith("def f(x)")
    assert not cell.outputs


@pytest.mark.promise(49)
@pytest.mark.parametrize("text", FORMULAS)
def test_formulas_take_no_time_to_show(text):
    cell = new_markdown_cell(text)
    clean_words(cell)
    begun = time.process_time()
    markdown2html_mistune(cell.source)
    assert time.process_time() - begun < 10


def test_a_signal_without_a_name_has_a_number():
    said = "the Python interpreter crashed ({}) in a cell"
    assert judge._crashed(Ended(signal=35), "a cell") == said.format("signal 35")
    assert judge._crashed(Ended(signal=11), "a cell") == said.format("SIGSEGV")
