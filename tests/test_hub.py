"""A class on a JupyterHub, set up by the commands of docs/jupyterhub.md, as a browser shows it."""

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import hub
import pytest
from browser import CHROMIUM_OPTIONS, Notebook, answers, fill_in, hand_out
from course import LESSON, Course
from playwright.sync_api import Browser, Locator, Page, expect, sync_playwright
from test_browser import NOT_DIVIDED, SHEETS, WRONG
from test_nbgrader import UNSCALED

from autograder import lessons, programs

pytestmark = [pytest.mark.needs_chromium, pytest.mark.needs_bubblewrap, pytest.mark.timeout(1500)]

TEACHER, SECOND, STUDENTS = "ada", "eve", ("ben", "cleo", "dan")
CLONE = "git clone <this repository>"
COURSE, STUDENTS_ENVIRONMENT = "/srv/headstart", "/opt/headstart"


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[hub.Server]:
    """A server on which all commands of the page have been run, but for those that install programs."""
    layers = tmp_path_factory.mktemp("layers")
    if reason := hub.what_is_missing(layers):
        if os.environ.get("CI"):
            pytest.fail(f"the Hub can't be tried: {reason}")
        pytest.skip(f"the Hub can't be tried: {reason}")
    with hub.server(layers) as machine:
        blocks = hub.blocks()
        assert "apt-get" in blocks[0][1]
        for user, script in blocks[1:]:
            follow(machine, {"root": "root", "teacher": TEACHER}[user], script)
        yield machine


def follow(machine: hub.Server, user: str, script: str) -> None:
    """Run a block of the page, with what pip would download already there."""
    if CLONE in script:
        # A clone of what is in the working tree, and a place for packages.
        machine.run(
            user,
            f"umask 007; git config --global --add safe.directory '*'; git clone -q {lessons.ROOT} {COURSE}",
        )
        machine.furnish(f"{COURSE}/.venv", f"{TEACHER}:headstart-teachers")
        script = re.sub(f"{re.escape(CLONE)}.*", "", script)
    if "student-env" in script:
        machine.furnish(STUDENTS_ENVIRONMENT, "root")
    machine.run(user, script)


def test_it_is_set_up(machine: hub.Server) -> None:
    print(machine.run("root", "ls -la /home /srv /opt/headstart").stdout)
