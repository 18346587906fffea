"""Whatever lies in the folder a command is called in, none of it is executed: it may be a student's."""

import os
import re
import shutil
import subprocess
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from autograder.classroom.course import course_directory, no_course
from autograder.commands import cli
from autograder.lessons import ROOT
from tests.support.course import LESSON, Course
from tests.support.proved import PROJECT, follows_from

pytestmark = follows_from(*PROJECT, "docs/elsewhere.md")

BIN = Path(sys.executable).parent
# What Python, Jupyter, pytest and the libraries behind the commands take from the current folder by themselves.
FILES = (
    "nbgrader_config.py", "jupyter_config.py", "conftest.py", "style.py", "helpers/__init__.py",
    "autograder/__init__.py", "autograder/__main__.py", "nbgrader/__init__.py", "nbgrader/__main__.py",
    ".ipython/profile_default/startup/00.py", ".jupyter/nbgrader_config.py", ".jupyter/jupyter_config.py",
)  # fmt: skip
# Whatever is imported, in the library or installed, and by a package that would like another one.
NAMES = {
    *sys.stdlib_module_names,
    *packages_distributions(),
    "sitecustomize",
    "usercustomize",
    "psycopg2",
    "lxml",
}
OTHER = {
    "evil.pth": "import style\n",
    "matplotlibrc": "backend: module://style\n",
    "nbgrader_config.json": '{"Autograde": {"pre_convert_hook": "style.hook"}}',
    "lab/index.html.j2": "{{ cycler.__init__.__globals__.os.system('touch executed') }}",
    "alembic.ini": "[alembic]\nscript_location = .\n",
}


@pytest.fixture(scope="module")
def course(tmp_path_factory) -> Course:
    made = Course(tmp_path_factory.mktemp("course"))
    made.hand_in("ada")
    made.run("headstart", "grade", LESSON)  # so that reports have something to draw
    (made.root / "roster.csv").write_text("Student,SIS Login ID\nAda,ada\n")
    shutil.copytree(made.submission("ada"), made.root / "download" / "ada")
    return made


@pytest.fixture
def theirs(tmp_path) -> Path:
    """A student's folder: a notebook, and beside it all that could be executed, each of which would leave a trace."""
    folder = tmp_path / "theirs"
    folders = {Path(name).parts[0] for name in FILES}
    for name in (*FILES, *(f"{name}.py" for name in NAMES if name.isidentifier() and name not in folders)):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            f"open({str(tmp_path / 'executed')!r}, 'a').write({name!r} + chr(10))\ndef hook(*_): pass\n"
        )
    for name, text in OTHER.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text.replace("executed", str(tmp_path / "executed")))
    shutil.copy(ROOT / "release" / LESSON / f"{LESSON}.ipynb", folder)
    return folder


def executed(folder: Path) -> str:
    """Which of the planted files left a trace."""
    trace = folder.parent / "executed"
    return trace.read_text() if trace.exists() else ""


def call(*command: object, cwd: Path, **env: str) -> subprocess.CompletedProcess:
    """Call a command as somebody at a terminal would: nothing but the folder says where anything is."""
    inherited = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "JUPYTER"))
    }
    return subprocess.run(
        list(map(str, command)),
        cwd=cwd,
        env={**inherited, **env},
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
    )


HEADSTART = {
    "grade --once": (f"grade --once {LESSON}.ipynb --json", 0),
    "grade a class": (f"grade {LESSON}", 0),
    "explain": (f"explain {LESSON} ada softmax", 0),
    "report of the course": ("report", 0),
    "report": (f"report {LESSON}", 0),
    "similar": (f"similar {LESSON}", 0),
    # nothing is due, which it says
    "extend": (f"extend {LESSON} ada --days 1", 2),
    "due": ("due", 0),
    "student": ("student remove ada", 0),
    "archive": ("archive {root}-before", 0),
    # which has no groups, as it says
    "groups": (f"groups {{root}}/roster.csv {LESSON}", 2),
    "roster": ("roster {root}/roster.csv", 0),
    "collect": (f"collect {{root}}/download {LESSON}", 0),
    # there are no pages yet, which it says
    "feedback": (f"feedback {LESSON}", 1),
    "simulate": (f"simulate {LESSON} --students 1", 0),
}  # fmt: skip


@pytest.mark.promise(6, 7)
@pytest.mark.needs_bubblewrap
@pytest.mark.parametrize("name", HEADSTART)
def test_no_command_runs_what_lies_in_the_current_folder(name, course, theirs) -> None:
    words, code = HEADSTART[name]
    command = [*words.format(root=course.root).split(), f"--CourseDirectory.root={course.root}"]
    # Without the settings that nbgrader reads in an environment of ours: it has to hold in any other, too.
    done = call(BIN / "headstart", *command, cwd=theirs, JUPYTER_NO_CONFIG="1")
    assert (done.returncode, executed(theirs)) == (code, ""), done.stderr


@pytest.mark.needs_bubblewrap
def test_neither_does_a_watch(course, theirs) -> None:
    command = [BIN / "headstart", "watch", LESSON, f"--CourseDirectory.root={course.root}"]
    with subprocess.Popen(
        command, cwd=theirs, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as watch:
        assert watch.stdout is not None and watch.stdout.readline()  # it looks, and says what it does
        watch.terminate()
    assert executed(theirs) == ""


@pytest.mark.promise(8)
@pytest.mark.parametrize(
    "command",
    [
        "doctor",
        "build 99_none",
        "new lesson attention",
        f"grade {LESSON}",
        "report",
        f"watch {LESSON}",
        "roster x.csv",
    ],
)
def test_a_folder_of_somebody_elses_is_not_taken_for_a_course(command, theirs) -> None:
    for program in ([BIN / "headstart"], [sys.executable, "-m", "autograder"]):
        done = call(*program, *command.split(), cwd=theirs)
        assert executed(theirs) == "" and (done.returncode or command == "doctor"), done.stderr
        assert command.startswith(("build", "new")) or "isn't a course" in done.stdout + done.stderr


@pytest.mark.promise(9)
@pytest.mark.needs_bubblewrap
@pytest.mark.parametrize("words", ["report", f"grade --once {LESSON}.ipynb --json"])
def test_python_m_does_not_take_modules_from_the_current_folder(words, course, theirs) -> None:
    done = call(
        sys.executable,
        "-m",
        "autograder",
        *words.split(),
        f"--CourseDirectory.root={course.root}",
        cwd=theirs,
    )
    assert (done.returncode, executed(theirs)) == (0, ""), done.stderr


@pytest.mark.promise(9)
@pytest.mark.needs_bubblewrap
def test_nbgraders_own_commands_do_not_either(course, theirs) -> None:
    for program in ([BIN / "nbgrader"], [sys.executable, "-m", "nbgrader"]):
        for root in (f"--course-dir={course.root}", f"--CourseDirectory.root={course.root}"):
            done = call(*program, "autograde", LESSON, "--force", root, cwd=theirs)
            assert (done.returncode, executed(theirs)) == (0, ""), done.stderr
        done = call(*program, "autograde", LESSON, cwd=theirs)
        assert (done.returncode, executed(theirs)) == (1, ""), done.stderr
        assert "isn't a course" in done.stderr


@pytest.mark.promise(6)
@pytest.mark.needs_bubblewrap
def test_what_is_handed_in_with_the_notebook_is_not_executed(course, theirs) -> None:
    """From the course's folder, and from the student's in it, wherever Python looks."""
    handed_in = course.submission("eve")
    shutil.copytree(theirs, handed_in, dirs_exist_ok=True)
    shutil.copytree(course.root / "source", handed_in / "source")  # to pass for a course
    root = f"--CourseDirectory.root={course.root}"
    for cwd, command in [
        (course.root, ["headstart", "grade", LESSON, "--student", "eve"]),
        (course.root, ["nbgrader", "autograde", LESSON, "--student=eve", "--force"]),
        (course.root, ["nbgrader", "generate_feedback", LESSON, "--student=eve"]),
        (handed_in, ["headstart", "grade", LESSON, "--student", "eve", "--force", root]),
        (handed_in, ["headstart", "report"]),
        (handed_in, ["nbgrader", "autograde", LESSON]),
    ]:
        done = call(BIN / command[0], *command[1:], cwd=cwd)
        assert executed(theirs) == "", (command, done.stderr)
        assert bool(done.returncode) == (cwd == handed_in and root not in command), done.stderr
        assert not done.returncode or "holds submissions" in done.stderr
    shutil.rmtree(handed_in)


@pytest.mark.promise(6)
@pytest.mark.needs_bubblewrap
def test_other_systems_scripts_execute_nothing_of_a_submission(course, theirs, tmp_path) -> None:
    autograder = tmp_path / "autograder"
    (autograder / "source").mkdir(parents=True)
    (autograder / "source/course").symlink_to(course.root)
    (autograder / "source/settings").write_text(f"LESSON={LESSON}\nOPTIONS=\nCOURSE=\n")
    shutil.copytree(theirs, autograder / "submission")
    script = ROOT / "deploy/gradescope/run_autograder"
    done = call("bash", script, cwd=theirs, AUTOGRADER=str(autograder), HEADSTART=str(BIN / "headstart"))
    assert (done.returncode, executed(theirs)) == (0, ""), done.stderr
    done = call(
        sys.executable, ROOT / "deploy/gradescope/make.py", LESSON, "--course", course.root, "--to", tmp_path / "z.zip",
        cwd=theirs,
    )  # fmt: skip
    assert (done.returncode, executed(theirs)) == (0, ""), done.stderr
    [grade] = re.findall(
        r"^cd /course && mkdir.*\nheadstart grade .*$", (ROOT / "docs/elsewhere.md").read_text(), re.M
    )
    script = grade.replace("/course", str(course.root)).replace("/grade/student", str(theirs))
    script = script.replace("/grade/", f"{tmp_path}/grade/").replace("headstart", str(BIN / "headstart"))
    done = call("bash", "-c", script, cwd=theirs)
    assert (done.returncode, executed(theirs)) == (0, ""), done.stderr


def test_a_command_leaves_the_folder_before_it_works(course, theirs, monkeypatch) -> None:
    """Libraries read the current folder at any time: Matplotlib its style, nbconvert its templates."""
    monkeypatch.chdir(theirs)
    assert cli.main(["report", f"--CourseDirectory.root={course.root}"]) == 0
    assert Path.cwd() == course.root
    assert cli.main(["build", "99_none"]) == 1
    assert Path.cwd() == ROOT
    assert cli.main(["report", "--CourseDirectory.root=/nowhere"]) == 2


def test_each_planted_file_would_leave_a_trace(theirs) -> None:
    """So the tests above can fail: Python started in the folder without the fence runs what lies there."""
    for name in ("linecache.py", "traceback.py"):  # with these of ours, `-c` itself fails from Python 3.14 on
        (theirs / name).unlink()
    for program in ("import torch", "import helpers", "import nbgrader", "import csv"):
        call(sys.executable, "-c", program, cwd=theirs)
    traces = {*executed(theirs).split()}
    assert {"torch.py", "helpers/__init__.py", "nbgrader/__init__.py", "csv.py"} <= traces


def test_a_course_is_a_folder_with_a_source_and_nothing_that_was_handed_in(tmp_path, monkeypatch) -> None:
    course = tmp_path / "course"
    for inner in ("source", "submitted/ada/ps1/source", "autograded/ada/ps1/source", "assignments"):
        (course / inner).mkdir(parents=True)
    assert no_course(course) == ""
    for inner in ("submitted/ada/ps1", "autograded/ada/ps1", "submitted"):
        assert "holds submissions" in no_course(course / inner)
    assert "isn't a course" in no_course(course / "assignments")
    (tmp_path / "clone" / "notebooks").mkdir(parents=True)
    (tmp_path / "clone" / "notebooks" / "01_attention.py").touch()
    assert "build the lessons with `headstart build`" in no_course(tmp_path / "clone")
    for box in ("inbound", "outbound"):
        (tmp_path / "exchange" / box / "ada+ps1" / "source").mkdir(parents=True)
    assert "holds submissions" in no_course(tmp_path / "exchange/inbound/ada+ps1")
    (tmp_path / "submitted").mkdir()  # somebody's own word for something else
    (tmp_path / "submitted/mine/source").mkdir(parents=True)
    assert no_course(tmp_path / "submitted/mine") == ""
    monkeypatch.chdir(course)
    (course / "nbgrader_config.py").write_text("c = get_config()\nc.CourseDirectory.course_id = 'mine'\n")
    (course / "own_plugin.py").write_text("")
    assert course_directory()[0].course_id == "mine"
    assert str(course) in sys.path  # nbgrader's teachers keep plugins beside their settings
    sys.path.remove(str(course))
    monkeypatch.chdir(course / "assignments")
    with pytest.raises(LookupError, match="isn't a course"):
        course_directory()
    assert course_directory(settings=["--CourseDirectory.root=.."])[0].course_id == "mine"


def test_students_own_nbgrader_reads_the_settings_of_their_folder(tmp_path) -> None:
    """A student's folder is theirs: what they call there may be set up there, as nbgrader says."""
    (tmp_path / "nbgrader_config.py").write_text(
        f"get_config().Exchange.root = {str(tmp_path / 'exchange')!r}\n"
    )
    (tmp_path / "exchange").mkdir(mode=0o777)
    (tmp_path / "exchange").chmod(0o777)
    done = call(BIN / "nbgrader", "list", cwd=tmp_path)
    assert done.returncode == 0 and "isn't a course" not in done.stderr, done.stderr
