"""nbgrader's settings hold for our grading, wherever nbgrader finds them, or are refused in a sentence."""

import json
import os
import stat
from functools import partial
from pathlib import Path

import pytest
import torch
from nbformat.v4 import new_code_cell
from traitlets.config import Config

from autograder.classroom.course import course_directory, find_submissions
from autograder.classroom.engine import Options, open_grader
from autograder.classroom.settings import cell_seconds, refuse_settings
from autograder.limits import NO_LIMIT_SECONDS
from tests.grading.test_foreign import CONFIG, answer, cell, notebook, run, scores, test
from tests.support.proved import ENGINE, follows_from

pytestmark = follows_from(*ENGINE)


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


@pytest.fixture
def places(tmp_path, monkeypatch) -> Path:
    """Folders for the settings of a user and of a machine, and one to call from."""
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path / "user"))
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", str(tmp_path / "machine"))
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    return tmp_path


def test_settings_are_read_where_nbgrader_reads_them(places) -> None:
    course_root = places / "course"
    write(
        places / "machine/nbgrader_config.py",
        f"c = get_config()\nc.CourseDirectory.root = {str(course_root)!r}\n"
        "c.CourseDirectory.course_id = 'machine'\n",
    )
    write(
        places / "user/nbgrader_config.py",
        "c = get_config()\nc.CourseDirectory.submitted_directory = 'handed_in'\n"
        "c.CourseDirectory.course_id = 'user'\n",  # JUPYTER_CONFIG_PATH comes first
    )
    write(
        course_root / "nbgrader_config.py",
        "c = get_config()\nc.LateSubmissionPlugin.penalty_method = 'zero'\n",
    )
    course, config = course_directory()
    assert Path(course.root) == course_root
    assert (course.course_id, course.submitted_directory) == ("machine", "handed_in")
    assert course.db_url == f"sqlite:///{course_root}/gradebook.db"
    assert config.LateSubmissionPlugin.penalty_method == "zero"
    write(
        course_root / "other/nbgrader_config.py", "c = get_config()\nc.CourseDirectory.course_id = 'other'\n"
    )
    course, _ = course_directory(course_root / "other")
    assert (Path(course.root), course.course_id) == (course_root / "other", "other")
    course, _ = course_directory(settings=["--CourseDirectory.db_url=sqlite:///x.db"])
    assert course.db_url == "sqlite:///x.db"


def test_students_are_chosen_as_nbgrader_chooses_them(places) -> None:
    (places / "elsewhere/source").mkdir()
    for student in ("amy", "ann", "bob", ".hidden"):
        write(places / "elsewhere/submitted" / student / "ps1/ps1.ipynb", "")

    def found(*settings: str, students: tuple[str, ...] = ()) -> list[str]:
        course, _ = course_directory(settings=settings)
        return [each.student for each in find_submissions(course, "ps1", list(students))]

    assert found() == ["amy", "ann", "bob"]
    assert found("--CourseDirectory.student_id=a*") == ["amy", "ann"]
    assert found("--CourseDirectory.student_id_exclude=amy,bob") == ["ann"]
    assert found("--CourseDirectory.student_id_exclude=amy", students=("amy", "bob")) == ["bob"]


REFUSED = {
    "CourseDirectory.notebook_id": "p1",
    "Execute.enabled": False,
    "ExecutePreprocessor.enabled": False,
    "Execute.kernel_name": "julia",
    "Execute.extra_arguments": ["--debug"],
    "Execute.timeout_func": lambda cell: 3,
    "Execute.interrupt_on_timeout": False,
    "Execute.skip_cells_with_tag": "slow",
    "ExecutePreprocessor.allow_error_names": ["KeyError"],
    "Autograde.pre_convert_hook": print,
    "BaseConverter.post_convert_hook": print,
    "Autograde.autograde_preprocessors": ["nbgrader.preprocessors.Execute", "mine.Own"],
}


@pytest.mark.parametrize("setting", REFUSED)
def test_what_grading_cannot_follow_it_refuses(setting) -> None:
    section, name = setting.split(".")
    config = Config({section: {name: REFUSED[setting]}})
    with pytest.raises(LookupError, match=name):
        refuse_settings(config)
    if "hook" in setting:  # nbgrader calls it itself
        refuse_settings(config, by_nbgrader=True)


def test_a_course_without_such_settings_is_not_refused() -> None:
    refuse_settings(Config())
    refuse_settings(Config(Execute={"timeout": 5, "startup_timeout": 120}))
    refuse_settings(course_directory(Path(__file__).parents[2])[1])


def test_a_cell_has_the_time_that_the_course_gives_it() -> None:
    def seconds(foreign: bool, **settings: object) -> float:
        return cell_seconds(Config({"Execute": settings}), foreign)

    assert (seconds(foreign=False), seconds(foreign=True)) == (20, 30)
    assert (seconds(foreign=False, timeout=2), seconds(foreign=True, timeout=90)) == (2, 90)
    assert {seconds(foreign=True, timeout=none) for none in (None, 0, -1)} == {NO_LIMIT_SECONDS}


SOURCE = [
    {**new_code_cell("import helpers.mine, own"), "metadata": {}},
    {**new_code_cell("1 / 0\nanswer = 0"), "metadata": {"tags": ["skip-execution"]}},
    answer("answer", "answer = own.ANSWER + helpers.mine.MORE"),
    test("test_answer", "assert answer == 42", 2),
    test("test_file", "open('data.csv', 'a').write('more')\nassert open('data.csv').read() == 'some,datamore'", 1),
    cell("words", "Model answer", points=3, kind="markdown", grade=True, solution=True),
]  # fmt: skip
SETTINGS = """
c.CourseDirectory.submitted_directory = "handed_in"
c.CourseDirectory.db_url = "sqlite:///{root}/elsewhere.db"
c.Autograde.exclude_overwriting = {{"ps1": ["own.py"]}}
c.Autograde.create_student = False
c.Autograde.permissions = 440
c.LateSubmissionPlugin.penalty_method = "zero"
"""


@pytest.mark.needs_bubblewrap
def test_grading_follows_the_settings(places) -> None:
    root = places / "course"
    write(
        places / "machine/nbgrader_config.py", f"c = get_config()\nc.CourseDirectory.root = {str(root)!r}\n"
    )
    write(root / "nbgrader_config.py", CONFIG + SETTINGS.format(root=root))
    source = write(root / "source/ps1/ps1.ipynb", notebook(SOURCE))
    write(root / "source/ps1/own.py", "ANSWER = 1\n")
    write(root / "source/ps1/data.csv", "some,data")
    write(root / "source/ps1/page.html", "<b>from the course</b>")
    run(Path.cwd(), "nbgrader", "db", "student", "add", "amy")
    for student in ("amy", "stranger"):
        theirs = root / "handed_in" / student / "ps1"
        write(theirs / "own.py", "ANSWER = 40\n")
        write(theirs / "helpers/mine.py", "MORE = 2\n")
        write(theirs / "data.csv", "my,own")
        write(theirs / "old.txt", "")
        write(theirs / "ps1.ipynb", source.read_text())
    done = run(Path.cwd(), "headstart", "grade", "ps1", check=False)
    assert done.returncode == 1
    assert "Autograde.create_student is off" in done.stdout
    (root / "elsewhere.db").rename(root / "gradebook.db")  # where `scores` looks
    got = {key[2]: value[0] for key, value in scores(root).items() if key[0] == "amy"}
    assert {key[0] for key in scores(root)} == {"amy"}
    assert (got["test_answer"], got["test_file"]) == (2, 1)
    folder = root / "autograded/amy/ps1"
    files = {str(path.relative_to(folder)): path for path in folder.rglob("*") if path.is_file()}
    assert set(files) == {"ps1.ipynb", "own.py", "data.csv", "page.html", "helpers/mine.py", "old.txt"}
    assert {stat.S_IMODE(path.stat().st_mode) for path in files.values()} == {0o440}
    assert (files["data.csv"].read_text(), files["own.py"].read_text()) == ("some,data", "ANSWER = 40\n")
    (root / "handed_in/amy/ps1/old.txt").unlink()
    (root / "gradebook.db").rename(root / "elsewhere.db")
    run(Path.cwd(), "headstart", "grade", "ps1", "--student", "amy")
    assert not files["old.txt"].exists()


@pytest.mark.needs_bubblewrap
def test_of_two_cells_of_one_name_the_last_counts(places) -> None:
    """As nbgrader takes it: the one before is a cell that the student added."""
    root = Path.cwd()
    cells = [answer("answer", "x = 1"), test("test_x", "assert x == 1", 1), cell("words", "", points=3, kind="markdown", grade=True, solution=True)]  # fmt: skip
    source = write(root / "source/ps1/ps1.ipynb", notebook(cells))
    theirs = json.loads(source.read_text())
    early, first = json.loads(json.dumps([theirs["cells"][1], theirs["cells"][2]]))
    first["source"] = "The first."
    theirs["cells"] = [early, first, *theirs["cells"]]
    theirs["cells"][-1]["source"] = "The last."
    write(root / "submitted/amy/ps1/ps1.ipynb", json.dumps(theirs))
    run(root, "headstart", "grade", "ps1")
    graded = json.loads((root / "autograded/amy/ps1/ps1.ipynb").read_text())
    named = {
        c["metadata"]["nbgrader"]["grade_id"]: "".join(c["source"])
        for c in graded["cells"]
        if c["metadata"].get("nbgrader")
    }
    assert named["words"] == "The last."
    assert scores(root)["amy", "ps1", "test_x", "GradeCell"][0] == 1


@pytest.mark.needs_bubblewrap
def test_a_course_that_is_shared_by_a_group_stays_so(places) -> None:
    root = Path.cwd()
    write(root / "nbgrader_config.py", "c = get_config()\nc.CourseDirectory.groupshared = True\n")
    source = write(root / "source/ps1/ps1.ipynb", notebook([test("t", "", 1)]))
    write(root / "submitted/amy/ps1/ps1.ipynb", source.read_text())
    run(root, "headstart", "grade", "ps1")
    folder = root / "autograded/amy/ps1"
    assert os.stat(folder).st_mode & 0o2770 == 0o2770
    assert stat.S_IMODE(os.stat(folder / "ps1.ipynb").st_mode) == 0o664
    modes = [stat.S_IMODE(os.stat(root / name).st_mode) for name in (".headstart_secret", ".headstart_draws")]
    assert modes == [0o640, 0o2770]


@pytest.mark.parametrize(("by_nbgrader", "expected"), [(False, ("1", "")), (True, ("4", "0"))])
def test_threads_and_gpu_are_set_for_a_process_of_ours_and_not_for_nbgraders(
    tmp_path, monkeypatch, request, by_nbgrader, expected
) -> None:
    """nbgrader's may be a Jupyter server, and the kernels it starts would have no GPU."""
    monkeypatch.setenv("OMP_NUM_THREADS", "4")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0")
    request.addfinalizer(partial(torch.set_num_threads, torch.get_num_threads()))
    torch.set_num_threads(4)
    write(tmp_path / "source/ps1/ps1.ipynb", notebook([test("t", "", 1)]))
    course, config = course_directory(tmp_path)
    with open_grader("ps1", course, config, Options(sandboxed=False), by_nbgrader=by_nbgrader) as grader:
        assert (os.environ["OMP_NUM_THREADS"], os.environ["CUDA_VISIBLE_DEVICES"]) == expected
        assert str(torch.get_num_threads()) == expected[0]  # which was imported before
    assert not grader.sandboxed and grader.cell_seconds == 30


@pytest.mark.parametrize(("seconds", "expected"), [(None, 9), (7.0, 7)])
def test_a_commands_seconds_come_before_the_courses(tmp_path, seconds, expected) -> None:
    write(tmp_path / "source/ps1/ps1.ipynb", notebook([test("t", "", 1)]))
    course, config = course_directory(tmp_path, settings=["--Execute.timeout=9"])
    options = Options(sandboxed=False, seconds=seconds)
    with open_grader("ps1", course, config, options, by_nbgrader=True) as grader:
        assert grader.cell_seconds == expected
