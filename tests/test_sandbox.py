"""Bounds that no submission of the class of tricks reaches: tried one by one."""

import ctypes
import os
import platform
import re
import threading
import time

import pytest
from course import LESSON, Course

from autograder import judge, sandbox
from autograder.clean import MAX_HTML, MAX_TAGS, clean_outputs
from autograder.grade import Grader, course_directory, find_submissions
from autograder.lesson import Lesson
from autograder.workers import Ended

PR_SET_DUMPABLE = 4  # linux/prctl.h
KERNEL = tuple(map(int, re.findall(r"\d+", platform.release())[:2]))


@pytest.mark.needs_bubblewrap
@pytest.mark.skipif(KERNEL < (5, 14), reason="older kernels count all processes of a user")
def test_threads_are_bounded_unless_root_grades():
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            if os.getuid() == 0:
                os.setgid(65534)
                os.setuid(65534)
                ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)  # else /proc/self stays root's
            sandbox.own_namespaces()
            sandbox.bound_resources()
            status = 2 if 100 < _threads(2 * sandbox.THREADS) <= sandbox.THREADS else 3
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 2


def _threads(number: int) -> int:
    """How many of so many threads start."""
    threading.stack_size(32768)
    for started in range(number):
        try:
            threading.Thread(target=time.sleep, args=(9,), daemon=True).start()
        except RuntimeError:
            return started
    return number


@pytest.mark.needs_bubblewrap
def test_a_notebook_has_its_time_however_many_cells_it_has(tmp_path, monkeypatch):
    monkeypatch.setattr(judge, "NOTEBOOK_SECONDS", 3.0)
    course = Course(tmp_path / "course")
    course.hand_in("amy", cells=(SLEEPY,) * 30)
    directory, config = course_directory(course.root)
    [submission] = find_submissions(directory, LESSON, [])
    grader = Grader(Lesson.load(LESSON, course.root, config), b"of this test")
    begun = time.monotonic()
    try:
        [paper] = grader.grade(submission).papers
    finally:
        grader.close()
    assert time.monotonic() - begun < 25
    assert "the notebook ran for over 3 s, before the cell" in str(paper.notebook.cells[0].source)


SLEEPY = """
import time
try:
    time.sleep(9)
except KeyboardInterrupt:
    time.sleep(1.5)
"""


def display(page: str) -> dict:
    return {"output_type": "display_data", "data": {"text/plain": "plain", "text/html": page}}


def test_pages_keep_their_looks_and_lose_what_runs():
    page = (
        "<table><tr><td colspan='2' onclick='alert(1)' style='color: red; position: fixed'>1</td></tr></table>"
        "<img src='data:image/png;base64,AAAA'><img src='data:image/svg+xml;base64,AAAA'><img src='/logout'>"
        "<a href='javascript:alert(2)'>link</a><script>alert(3)</script>"
    )
    [output] = clean_outputs([display(page)])
    assert output["data"]["text/html"] == (
        '<table><tbody><tr><td colspan="2" style="color:red">1</td></tr></tbody></table>'
        '<img src="data:image/png;base64,AAAA"><img><img>link'
    )


@pytest.mark.parametrize("page", ["<p>" * (MAX_TAGS // 2), "x" * (MAX_HTML // 2)])
def test_too_much_html_in_a_cell_is_left_out(page):
    [one] = clean_outputs([display(page)])
    assert set(one["data"]) == {"text/plain", "text/html"}
    for output in clean_outputs([display(page)] * 3):
        assert set(output["data"]) == {"text/plain"}


def test_a_signal_without_a_name_has_a_number():
    assert judge._crash(Ended(signal=35)) == "the Python interpreter crashed (signal 35)"
    assert judge._crash(Ended(signal=11)) == "the Python interpreter crashed (SIGSEGV)"
