"""The descriptions of the environment agree, and bootstrap.py makes what they describe."""

import ast
import functools
import json
import os
import platform
import re
import shutil
import site
import subprocess
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from pathlib import Path
from types import SimpleNamespace

import pytest
import uv
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

import bootstrap
from autograder import programs
from autograder.child import sandbox
from autograder.commands import doctor
from autograder.courses import at
from helpers.start_here import page
from tests import conftest

ROOT = doctor.ROOT
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
GROUPS = tomllib.loads((ROOT / "pyproject.toml").read_text())["dependency-groups"]
# What pyproject.toml asks for, and the lines that pin it: for this course's lessons and their grading, for tests
# on top, and for the website, which has an environment of its own.
ASKED = {
    "requirements.txt": PROJECT["optional-dependencies"]["course"],
    "requirements-test.txt": GROUPS["test"],
    "requirements-site.txt": GROUPS["site"],
}
LINES = {name: [line for line in (ROOT / name).read_text().splitlines() if line[0] != "#"] for name in ASKED}
PINS = {name: [Requirement(line.partition("#")[0]) for line in lines] for name, lines in LINES.items()}
RUNTIME, ON_TOP, OF_SITE = PINS.values()
PYTHONS = [f"3.{minor}" for minor in range(bootstrap.OLDEST[1], bootstrap.NEWEST[1] + 1)]
CONDA = yaml.safe_load((ROOT / "environment.yml").read_text())
SYSTEMS = {
    "linux": {"sys_platform": "linux", "platform_system": "Linux", "os_name": "posix"},
    "macos": {"sys_platform": "darwin", "platform_system": "Darwin", "os_name": "posix"},
    "windows": {"sys_platform": "win32", "platform_system": "Windows", "os_name": "nt"},
}


# pyproject.toml, requirements.txt, requirements-test.txt, environment.yml


each_file = pytest.mark.parametrize("name", ASKED)


@each_file
def test_what_pyproject_asks_for_is_exact_and_pinned_so(name):
    pinned = {pin.name: pin.specifier for pin in PINS[name]}
    for need in map(Requirement, ASKED[name]):
        assert [part.operator for part in need.specifier] == ["=="], need
        assert pinned[need.name] == need.specifier


@each_file
def test_a_pin_is_a_name_a_version_and_where_it_applies(name):
    for line in LINES[name]:
        assert re.fullmatch(r"[\w.-]+==[\w.]+( ; [\w.'<>=! ]+|( ; .*\)))?\s*(# via .*)?", line), line
    assert not [pin.name for pin in PINS[name] if bootstrap.CUDA_ONLY.match(pin.name)]


def test_tests_and_the_website_have_the_versions_of_lessons_and_grading():
    versions = {pin.name: pin.specifier for pin in RUNTIME}
    assert [
        pin for pin in (*ON_TOP, *OF_SITE) if pin.specifier != versions.get(pin.name, pin.specifier)
    ] == []


# Which parts of the engine an extra is for. What the sandbox has of it is imported to grade.
PARTS = {
    "authoring": ("autograder/*.py", "autograder/authoring/*.py", "autograder/authoring/mutating/*.py"),
    "grading": ("autograder/grading/*.py", "autograder/child/*.py", "autograder/classroom/**/*.py"),
}
# A course brings its own, and not every class has a cluster. IPython and the rest come with nbgrader.
OF_A_COURSE = {"numpy", "pandas", "torch", "distributed"}


@pytest.mark.parametrize("extra", PARTS)
def test_an_extra_brings_what_its_part_of_the_engine_imports_and_no_more(extra):
    """In versions of its own, among them those that are pinned here, with which it is tested."""
    needs = [Requirement(text) for text in PROJECT["optional-dependencies"][extra]]
    pinned = {pin.name: next(iter(pin.specifier)).version for pin in RUNTIME}
    assert all(need.specifier.contains(pinned[need.name]) for need in needs)
    found = imported(*(path.relative_to(ROOT) for part in PARTS[extra] for path in ROOT.glob(part)))
    here = {**SYSTEMS[system()], "python_full_version": platform.python_version(), "extra": ""}
    brought = needed(PROJECT["optional-dependencies"][extra], RUNTIME, here)
    assert found - brought <= OF_A_COURSE
    assert {need.name for need in needs} - NOT_IMPORTED <= found


def test_the_check_alone_needs_no_package():
    assert PROJECT["dependencies"] == []


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("python", PYTHONS)
def test_the_pins_are_complete_and_without_conflict(python, system):
    """They are installed without asking what each package needs, so nothing may be left out."""
    here = {**SYSTEMS[system], "python_version": python, "python_full_version": f"{python}.0", "extra": ""}
    needed(ASKED["requirements.txt"], RUNTIME, here)
    needed([*ASKED["requirements.txt"], *ASKED["requirements-test.txt"]], [*RUNTIME, *ON_TOP], here)


def needed(asked, pins, here):
    """The names of all that is needed for what is asked for; each has to be pinned, to a right version."""
    pins = {pin.name: pin for pin in pins if not pin.marker or pin.marker.evaluate(here)}
    todo, done = [Requirement(text) for text in asked], set()
    while todo:
        need = todo.pop()
        name = canonicalize_name(need.name)
        assert name in pins, f"{need} is not pinned for {here}"
        (version,) = pins[name].specifier
        assert need.specifier.contains(version.version, prereleases=True), need
        for extra in {"", *need.extras} - {extra for known, extra in done if known == name}:
            done.add((name, extra))
            asking = here | {"extra": extra}
            todo += [need for need in needs_of(name) if not need.marker or need.marker.evaluate(asking)]
    return {name for name, _ in done}


@functools.cache
def needs_of(name):
    try:
        needs = map(Requirement, requires(name) or [])
    except PackageNotFoundError:  # of another system
        return []
    # The pins are for torch's CPU build, whatever is installed here.
    return [need for need in needs if not bootstrap.CUDA_ONLY.match(need.name)]


# Asked for, though no module of ours imports it: it runs every notebook; its newer versions start slowly.
NOT_IMPORTED = {"ipykernel", "jsonschema"}
# Imported by a few, with a sentence for those who lack it: Dask, for a cluster, and others' exercises.
OPTIONAL, ELSEWHERE = {"distributed"}, {"mlx", "torch-judge"}


def test_students_install_nothing_that_only_tests_need():
    asked = {Requirement(text).name for text in ASKED["requirements.txt"]}
    assert asked - NOT_IMPORTED - imported("helpers", "autograder", "notebooks") == set()
    here = {**SYSTEMS[system()], "python_full_version": platform.python_version(), "extra": ""}
    applies = {pin.name for pin in RUNTIME if not pin.marker or pin.marker.evaluate(here)}
    assert applies == needed(ASKED["requirements.txt"], RUNTIME, here)


def test_lessons_and_grading_import_nothing_that_only_tests_install():
    pinned = {pin.name for pin in RUNTIME}
    assert imported("helpers", "autograder", "notebooks", "deploy") - pinned == OPTIONAL
    assert imported("tests", "benchmarks") - pinned - {pin.name for pin in ON_TOP} == ELSEWHERE


def system():
    return next(name for name, here in SYSTEMS.items() if here["sys_platform"] == sys.platform)


def imported(*places):
    """The packages, as pins name them, that some Python files, or those in some folders, import anywhere."""
    found, homes = set(), packages_distributions()
    for path in (path for place in places for path in [ROOT / place, *(ROOT / place).rglob("*.py")]):
        if path.is_file() and path.parent != ROOT / "tests/attacks":
            found |= {home for name in modules_in(path) for home in homes.get(name, [name])}
    ours = {path.stem for path in ROOT.iterdir()} | {"headstart"}
    return set(map(canonicalize_name, found - ours - sys.stdlib_module_names))


def modules_in(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        if isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module.partition(".")[0]


# uv, which makes these files


UV_COMMANDS = {
    name: re.search(r"^# +uv (.*)", (ROOT / name).read_text(), re.MULTILINE).group(1) for name in ASKED
}


@pytest.mark.parametrize("command", [*UV_COMMANDS.values(), "lock", "sync"])
def test_uv_understands_pyproject_and_what_to_do_up_to_asking_the_network(tmp_path, command):
    for name in ("pyproject.toml", *ASKED):
        shutil.copy(ROOT / name, tmp_path)
    options = ["--offline", "--cache-dir", tmp_path / "nothing", "--no-python-downloads"]
    told = subprocess.run(
        [uv.find_uv_bin(), *command.split(), *options], cwd=tmp_path, capture_output=True, text=True
    ).stderr
    assert "Packages were unavailable because the network was disabled" in told, told
    assert "Failed to parse" not in told, told


def test_conda_gets_the_same_environment():
    *conda, pip = CONDA["dependencies"]
    assert conda == [f"python{PROJECT['requires-python']}", "pip"]
    assert pip == {"pip": [f"--extra-index-url {bootstrap.CPU_INDEX}", "-r requirements.txt", "-e ."]}


def test_the_pythons_are_the_same_everywhere():
    promised = SpecifierSet(PROJECT["requires-python"])
    for minor in range(8, 17):
        assert promised.contains(f"3.{minor}") == (bootstrap.OLDEST <= (3, minor) <= bootstrap.NEWEST)
    assert doctor.PYTHONS == page.PYTHONS == (bootstrap.OLDEST, bootstrap.NEWEST)
    words = f"Python {'.'.join(map(str, bootstrap.OLDEST))} to {'.'.join(map(str, bootstrap.NEWEST))}"
    for name in ("README.md", "Containerfile", "docs/elsewhere.md", "docs/setup.md", "docs/ways-in.md"):
        assert re.findall(r"Python 3\.\d+ to 3\.\d+", (ROOT / name).read_text()) == [words], name


@pytest.mark.parametrize("name", ["bootstrap.py", "environment.yml", "Makefile", "pyproject.toml", *ASKED])
def test_pytorch_s_index_is_the_only_address(name):
    found = re.findall(r"\w+://[\w./-]*|file:\S+", (ROOT / name).read_text())
    assert set(found) <= {bootstrap.CPU_INDEX, *PROJECT.get("urls", {}).values()}


# bootstrap.py, before there is an environment


def test_bootstrap_needs_only_the_standard_library():
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r}); import bootstrap; from autograder import programs; from autograder.commands import doctor"
    subprocess.run([sys.executable, "-I", "-S", "-c", code], check=True)


def test_bootstrap_can_be_read_by_an_old_python():
    ast.parse((ROOT / "bootstrap.py").read_text(), feature_version=(3, 7))


@pytest.mark.skipif(os.name == "nt", reason="makes programs out of scripts")
def test_an_old_python_hands_over_to_one_that_answers(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(
        bootstrap.SetupError, match=r"Headstart needs Python 3\.11 to 3\.14; this is 3\.\d+\.\d+, and none"
    ):
        bootstrap.better_python()
    program(tmp_path / "python3.13", "exit 127")  # a shim with nothing behind it
    program(tmp_path / "python3.11", f'exec "{sys.executable}" "$@"')
    assert bootstrap.better_python() == [str(tmp_path / "python3.11")]


def program(path, line):
    path.write_text(f"#!/bin/sh\n{line}\n")
    path.chmod(0o755)


# The stamp


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A checkout in which making and filling .venv only leaves traces: `calls` tells them."""
    for name in (*bootstrap.INPUTS, bootstrap.TEST_PINS):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    place(monkeypatch, tmp_path)
    calls = []

    def make_venv():
        calls.append("make")
        bootstrap.PYTHON.parent.mkdir(parents=True)
        bootstrap.PYTHON.touch()

    def tell(name):
        assert bootstrap.STAMP.read_text() == "", "while we work, the stamp must say so"
        calls.append(name)

    monkeypatch.setattr(bootstrap, "make_venv", make_venv)
    monkeypatch.setattr(bootstrap, "install_packages", lambda: tell("install"))
    monkeypatch.setattr(bootstrap, "install_test_packages", lambda: tell("tests"))
    monkeypatch.setattr(bootstrap, "pip", lambda *arguments: None)
    monkeypatch.setattr(bootstrap, "runs", lambda: bootstrap.PYTHON.exists())
    return SimpleNamespace(path=tmp_path, calls=calls)


def place(monkeypatch, root):
    monkeypatch.setattr(bootstrap, "ROOT", root)
    monkeypatch.setattr(bootstrap, "VENV", root / ".venv")
    monkeypatch.setattr(bootstrap, "PYTHON", root / ".venv" / "bin" / "python")
    monkeypatch.setattr(bootstrap, "STAMP", root / ".venv" / ".headstart-stamp")


def raising(error):
    def fail():
        raise error

    return fail


def fails_with(monkeypatch, error):
    monkeypatch.setattr(bootstrap, "install_packages", raising(error))


def test_a_second_call_installs_nothing(folder):
    bootstrap.set_up()
    bootstrap.set_up()
    assert folder.calls == ["make", "install"]


@pytest.mark.parametrize("name", bootstrap.INPUTS)
def test_a_change_of_what_is_wanted_updates_the_environment_in_place(folder, name):
    bootstrap.set_up()
    (folder.path / name).write_text("changed")
    bootstrap.set_up()
    bootstrap.set_up()
    assert folder.calls == ["make", "install", "install"]


def test_tests_add_their_packages_and_lessons_neither_add_nor_remove_any(folder):
    bootstrap.set_up()
    bootstrap.set_up(tests=True)
    assert folder.calls == ["make", "install", "tests"]
    bootstrap.set_up()
    bootstrap.set_up(tests=True)
    assert folder.calls == ["make", "install", "tests"]


def test_a_first_call_for_tests_installs_both(folder):
    bootstrap.set_up(tests=True)
    bootstrap.set_up(tests=True)
    assert folder.calls == ["make", "install", "tests"]


@pytest.mark.parametrize("tests", [False, True])
@pytest.mark.parametrize(("name", "what"), [(bootstrap.PINS, "install"), (bootstrap.TEST_PINS, "tests")])
def test_packages_for_tests_are_kept_up_to_date_once_there(folder, name, what, tests):
    bootstrap.set_up(tests=True)
    (folder.path / name).write_text("changed")
    bootstrap.set_up(tests)
    bootstrap.set_up(not tests)
    assert folder.calls == ["make", "install", "tests", what]


def test_who_runs_no_tests_never_gets_their_packages(folder):
    (folder.path / bootstrap.TEST_PINS).unlink()  # as on Gradescope, or in an image
    bootstrap.set_up()
    (folder.path / bootstrap.PINS).write_text("changed")
    bootstrap.set_up()
    assert folder.calls == ["make", "install", "install"]


def test_packages_for_tests_that_could_not_be_installed_cost_the_lessons_nothing(folder, monkeypatch):
    bootstrap.set_up()
    error = bootstrap.SetupError("no network")
    with monkeypatch.context() as broken, pytest.raises(bootstrap.SetupError):
        broken.setattr(bootstrap, "install_test_packages", raising(error))
        bootstrap.set_up(tests=True)
    bootstrap.set_up()
    assert folder.calls == ["make", "install"]
    bootstrap.set_up(tests=True)
    assert folder.calls == ["make", "install", "tests"]


def test_an_environment_that_somebody_else_made_is_used(folder):
    bootstrap.PYTHON.parent.mkdir(parents=True)
    bootstrap.PYTHON.touch()
    bootstrap.set_up()
    assert folder.calls == ["install"]


@pytest.mark.parametrize("error", [KeyboardInterrupt(), bootstrap.SetupError("no network")])
def test_what_a_first_call_left_half_made_is_made_anew(folder, monkeypatch, error):
    with monkeypatch.context() as broken, pytest.raises(type(error)):
        fails_with(broken, error)
        bootstrap.set_up()
    bootstrap.set_up()
    assert folder.calls == ["make", "make", "install"]


def test_students_get_an_environment_elsewhere_that_leads_to_nothing_here(folder, monkeypatch):
    monkeypatch.setattr(bootstrap, "run", lambda *command: folder.calls.append(command[0]))
    monkeypatch.chdir(folder.path)  # and back, at the end
    place, taken = folder.path / "opt" / "headstart", folder.path / "taken"
    taken.mkdir()
    (taken / "thesis.txt").write_text("")
    settings = folder.path / bootstrap.LAB_SETTINGS
    settings.mkdir(parents=True)
    (settings / "page_config.json").write_text("{}")
    for names in ([], [""], [str(taken)]):
        with pytest.raises(SystemExit, match=r"make student-env AT=|holds something else"):
            bootstrap.main(["student-env", *names])
    assert folder.calls == [] and (taken / "thesis.txt").exists()
    bootstrap.main(["student-env", str(place)])
    assert folder.calls == ["make", "install", "chmod"]
    assert bootstrap.PYTHON.is_relative_to(place) and bootstrap.STAMP.is_relative_to(place)
    assert (place / "etc/jupyter/labconfig/page_config.json").exists()
    bootstrap.main(["student-env", str(place)])
    assert folder.calls == ["make", "install", "chmod", "chmod"]


@pytest.mark.parametrize("elsewhere", [False, True])
def test_only_the_course_s_own_environment_has_the_course_in_it(tmp_path, monkeypatch, elsewhere):
    asked = []
    monkeypatch.setattr(bootstrap, "install_torch", lambda version: None)
    monkeypatch.setattr(bootstrap, "pip", lambda *arguments: asked.append(arguments))
    monkeypatch.setattr(bootstrap, "VENV", tmp_path if elsewhere else ROOT / ".venv")
    monkeypatch.chdir(ROOT)
    bootstrap.install_packages()
    assert any("--editable" in arguments for arguments in asked) != elsewhere


def test_an_update_that_was_killed_is_made_anew(folder, monkeypatch):
    bootstrap.set_up()
    (folder.path / "requirements.txt").write_text("changed")
    with monkeypatch.context() as broken, pytest.raises(KeyboardInterrupt):
        fails_with(broken, KeyboardInterrupt())
        bootstrap.set_up()
    bootstrap.set_up()
    assert folder.calls == ["make", "install", "make", "install"]


def test_an_update_that_failed_keeps_the_environment_and_is_tried_again(folder, monkeypatch):
    bootstrap.set_up()
    (folder.path / "requirements.txt").write_text("changed")
    with monkeypatch.context() as broken, pytest.raises(bootstrap.SetupError):
        fails_with(broken, bootstrap.SetupError("no network"))
        bootstrap.set_up()
    assert bootstrap.PYTHON.exists()
    bootstrap.set_up()
    assert folder.calls == ["make", "install", "install"]


def test_an_environment_that_was_moved_is_made_anew(folder, monkeypatch):
    bootstrap.set_up()
    moved = folder.path.rename(folder.path.with_name("moved"))
    place(monkeypatch, moved)
    bootstrap.set_up()
    assert folder.calls == ["make", "install", "make", "install"]


# torch


CUDA_BUILD = ["filelock", 'nvidia-cudnn-cu13==9.20.0.48; platform_system == "Linux"', "triton==3.7.1"]


@pytest.fixture
def indexes(monkeypatch):
    """What pip can get from where, and what bootstrap then has it install."""
    state = SimpleNamespace(own=[], pytorch=[], needs=["filelock"], installed=[])

    def quietly(*command, timeout=None):
        command = [str(part) for part in command]
        answer = SimpleNamespace(returncode=0, stdout="", stderr="")
        if "-c" in command:  # is it installed already?
            answer.returncode = 1
        elif "index" in command:
            assert timeout
            found = state.pytorch if bootstrap.CPU_INDEX in command else state.own
            if found is None:
                raise subprocess.TimeoutExpired(command, timeout)
            answer.stdout = f"torch (2.14.1)\nAvailable versions: {', '.join(found)}\n"
        else:
            assert "--dry-run" in command
            answer.stdout = json.dumps({"install": [{"metadata": {"requires_dist": state.needs}}]})
        return answer

    monkeypatch.setattr(bootstrap, "quietly", quietly)
    monkeypatch.setattr(bootstrap, "run", lambda *command: state.installed.append([*map(str, command)]))
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.delenv("HEADSTART_ALLOW_CUDA", raising=False)
    return state


def install_torch(indexes):
    bootstrap.install_torch("2.13.0")
    (command,) = indexes.installed
    return command[command.index("install") + 1 :]


def test_torch_comes_from_pytorch_s_cpu_index(indexes):
    indexes.own, indexes.pytorch = ["2.13.0"], ["2.14.1+cpu", "2.13.0+cpu"]
    assert install_torch(indexes) == ["--no-deps", "--index-url", bootstrap.CPU_INDEX, "torch==2.13.0+cpu"]


def test_a_cpu_build_in_pip_s_own_configuration_is_taken_without_asking_pytorch(indexes):
    indexes.own, indexes.pytorch = ["2.14.1", "2.13.0+cpu"], ["2.13.0+cpu"]
    assert install_torch(indexes) == ["--no-deps", "torch==2.13.0+cpu"]


def test_where_pytorch_is_silent_pip_s_own_torch_will_do(indexes):
    indexes.own, indexes.pytorch = ["2.13.0"], None
    assert install_torch(indexes) == ["--no-deps", "torch==2.13.0"]


def test_a_cuda_build_is_refused_in_one_line(indexes):
    indexes.needs = CUDA_BUILD
    with pytest.raises(bootstrap.SetupError) as refusal:
        bootstrap.install_torch("2.13.0")
    for part in (bootstrap.CPU_INDEX, "CUDA build", "nvidia-cudnn-cu13, triton;", "HEADSTART_ALLOW_CUDA=1"):
        assert part in str(refusal.value)
    assert "\n" not in str(refusal.value)
    assert indexes.installed == []


def test_a_cuda_build_can_be_asked_for_and_then_comes_with_its_libraries(indexes, monkeypatch):
    monkeypatch.setenv("HEADSTART_ALLOW_CUDA", "1")
    indexes.needs = CUDA_BUILD
    assert install_torch(indexes) == ["torch==2.13.0"]


def test_elsewhere_than_on_linux_plain_pip_has_the_cpu_build(indexes, monkeypatch):
    monkeypatch.setattr(sys, "platform", "win32")
    assert install_torch(indexes) == ["--no-deps", "torch==2.13.0"]


def test_torch_is_left_alone_where_it_is_installed(monkeypatch):
    monkeypatch.setattr(bootstrap, "PYTHON", sys.executable)
    monkeypatch.setattr(bootstrap, "run", lambda *command: pytest.fail(f"ran {command}"))
    (torch,) = (next(iter(pin.specifier)).version for pin in RUNTIME if pin.name == "torch")
    bootstrap.install_torch(torch)


# What is not a Python package


@pytest.fixture
def debian(monkeypatch):
    """A Debian without bubblewrap: who we are there, and what we ran."""
    state = SimpleNamespace(root=True, codes=[], ran=[])

    def quietly(*command, timeout=None):
        state.ran.append(" ".join(command))
        return SimpleNamespace(returncode=state.codes.pop(0) if state.codes else 0)

    monkeypatch.setattr(bootstrap, "quietly", quietly)
    monkeypatch.setattr(programs, "find", lambda program: None)
    monkeypatch.setattr(programs, "distribution", lambda: {"debian"})
    monkeypatch.setattr(programs, "is_root", lambda: state.root)
    monkeypatch.setattr("shutil.which", lambda name: f"/usr/bin/{name}")
    return state


APT = "apt-get install -y --no-install-recommends bubblewrap"


def test_root_gets_what_is_missing(debian):
    bootstrap.provide("BUBBLEWRAP")
    assert debian.ran == [APT]


def test_a_list_of_packages_that_is_too_old_is_renewed(debian):
    debian.codes = [100]
    bootstrap.provide("BUBBLEWRAP")
    assert debian.ran == [APT, "apt-get update", APT]


def test_sudo_is_used_where_it_asks_for_no_password(debian):
    debian.root = False
    bootstrap.provide("BUBBLEWRAP")
    assert debian.ran == ["sudo -n true", f"sudo {APT}"]


def test_who_may_not_install_is_told_how_in_one_line(debian, capsys):
    debian.root, debian.codes = False, [1]
    bootstrap.provide("BUBBLEWRAP")
    assert debian.ran == ["sudo -n true"]
    told = capsys.readouterr().out
    assert told.count("\n") == 1
    assert f"bubblewrap is missing (needed for the grading sandbox): install it with `sudo {APT}`" in told


@pytest.mark.parametrize(
    ("names", "command"),
    [
        ({"debian"}, "apt-get install -y --no-install-recommends chromium"),
        ({"fedora"}, "dnf install -y chromium"),
        ({"ubuntu", "debian"}, "-m playwright install --with-deps chromium"),
        (set(), "-m playwright install chromium"),
    ],
)
def test_each_system_gets_a_browser_in_its_own_way(debian, monkeypatch, names, command):
    monkeypatch.setattr(programs, "distribution", lambda: names)
    assert " ".join(programs.install_command(programs.CHROMIUM)).endswith(command)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the system has it")
@pytest.mark.parametrize(("name", "package"), [("debian", "libatomic1"), ("fedora", "libatomic")])
def test_what_drives_the_browser_gets_the_library_that_it_loads(monkeypatch, name, package):
    """Without it Playwright's Node doesn't start, and each browser test fails by "Connection closed"."""
    monkeypatch.setattr(programs, "distribution", lambda: {name})
    monkeypatch.setattr(programs.ctypes.util, "find_library", lambda name: None)
    assert programs.missing(programs.LIBATOMIC).endswith(f" {package}`")
    assert conftest.NEEDS["needs_chromium"]()
    assert doctor._browser()[0] == doctor.OPTIONAL
    monkeypatch.setattr(programs.ctypes.util, "find_library", {"atomic": "libatomic.so.1"}.get)
    assert programs.missing(programs.LIBATOMIC) is None


def test_what_is_there_is_not_installed_again(debian, monkeypatch):
    monkeypatch.setattr(programs, "find", lambda program: "/usr/bin/bwrap")
    bootstrap.provide("BUBBLEWRAP", "CHROMIUM")
    assert debian.ran == []


# The doctor, and the tests that need what it looks for


def test_the_doctor_names_the_package_that_differs(tmp_path, monkeypatch):
    (tmp_path / "requirements.txt").write_text("# by uv\npytest==0.1  # via us\n")
    monkeypatch.setattr(doctor, "ROOT", tmp_path)
    mark, text = doctor._packages()
    assert mark == doctor.BAD
    assert re.search(r"1 of 1 packages \(pytest is [\d.]+, not ==0\.1\): run `make setup`", text)


def test_the_doctor_asks_for_the_helpers_that_a_fresh_clone_lacks(tmp_path, monkeypatch):
    monkeypatch.setattr(doctor, "current", lambda: at(tmp_path))
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "notebooks/01_attention.py").touch()
    (tmp_path / "release/01_attention").mkdir(parents=True)
    (tmp_path / "release/01_attention/01_attention.ipynb").touch()
    mark, text = doctor._lessons()
    assert (mark, text) == (doctor.BAD, "1 of 1 lessons are not built: run `headstart build`")
    (tmp_path / "release/01_attention/helpers").mkdir()
    assert doctor._lessons() == (doctor.OK, "1 lesson built")


def test_the_doctor_fails_when_something_a_student_needs_is_missing(tmp_path, monkeypatch, capsys):
    checks = {name: (lambda: (doctor.OK, "fine")) for name in ("_torch", "_packages", "_lessons")}
    for name, check in checks.items():
        monkeypatch.setattr(doctor, name, check)
    for name in ("_sandbox", "_limits"):
        monkeypatch.setattr(doctor, name, lambda: (doctor.OPTIONAL, "none"))
    monkeypatch.setattr(doctor, "_course", lambda: [])
    assert doctor.doctor() == 0
    monkeypatch.setattr(doctor, "_torch", lambda: (doctor.BAD, "broken"))
    assert doctor.doctor() == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[8] == f"{doctor.BAD} broken"
    assert {line[0] for line in lines} <= {doctor.OK, doctor.BAD, doctor.OPTIONAL}


@pytest.mark.skipif(sys.platform != "linux", reason="sandboxes are for Linux")
def test_a_sandbox_that_does_not_start_is_explained(tmp_path, monkeypatch):
    program(tmp_path / "bwrap", "echo 'bwrap: setting up uid map: Permission denied' >&2; exit 1")
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    problem = programs.sandbox_problem.__wrapped__()
    assert "can't start a sandbox (bwrap: setting up uid map: Permission denied): " in problem
    assert "user namespaces" in problem


@pytest.mark.skipif(sys.platform != "linux", reason="sandboxes are for Linux")
@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("--proc", "bwrap: Can't mount proc on /newroot/proc: Operation not permitted"),
        ("--hostname", "bwrap: Can't set hostname to sandbox: Operation not permitted"),
    ],
)
def test_a_container_that_forbids_a_part_of_the_sandbox_allows_none(tmp_path, monkeypatch, option, said):
    """Podman's usual settings hide parts of /proc; with these shown, its seccomp profile still forbids names."""
    program(tmp_path / "bwrap", f'case " $* " in *" {option} "*) echo "{said}" >&2; exit 1;; esac')
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    problem = programs.sandbox_problem.__wrapped__()
    assert said in problem and "seccomp=unconfined" in problem and "unmask=ALL" in problem


@pytest.mark.skipif(sys.platform != "linux", reason="sandboxes are for Linux")
@pytest.mark.parametrize("linked", [False, True])
def test_packages_that_no_sandbox_shows_are_told_before_grading(tmp_path, monkeypatch, linked):
    """As `pip install --user` leaves them, and uv where it links to its cache."""
    program(tmp_path / "bwrap", "exit 0")
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    (elsewhere := tmp_path / "elsewhere" / "IPython").mkdir(parents=True)
    (elsewhere / "__init__.py").touch()
    if linked:
        (tmp_path / "packages" / "IPython").mkdir(parents=True)
        (tmp_path / "packages" / "IPython" / "__init__.py").symlink_to(elsewhere / "__init__.py")
        monkeypatch.setattr(site, "getsitepackages", lambda: [str(tmp_path / "packages")])
    monkeypatch.syspath_prepend(tmp_path / ("packages" if linked else "elsewhere"))
    monkeypatch.delitem(sys.modules, "IPython", raising=False)
    problem = programs.sandbox_problem.__wrapped__()
    assert problem and f"IPython lies in {elsewhere}: install" in problem


@pytest.mark.skipif(sys.platform != "linux", reason="sandboxes are for Linux")
def test_the_doctor_tries_all_that_a_sandbox_asks_of_the_kernel(tmp_path, monkeypatch):
    """All but mounts of other kinds, which are allowed where one of /proc is."""
    program(tmp_path / "bwrap", f'for each; do echo "$each"; done > {tmp_path}/tried')
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    assert programs.sandbox_problem.__wrapped__() is None
    mounts = {"--tmpfs", "--symlink", "--ro-bind", "--dev-bind", "--dir", "--remount-ro"}
    no_rights = {"--die-with-parent", "--new-session", "--clearenv", "--setenv", "--chdir"}
    asked = {part for part in sandbox.command(tmp_path, []) if part.startswith("--") and part != "--"}
    assert asked - mounts - no_rights <= {*(tmp_path / "tried").read_text().splitlines()}


def test_an_image_gets_all_that_a_build_reads(tmp_path):
    """`.dockerignore` names what the Containerfile copies: `headstart build` needs no more, not even git."""
    patterns = (ROOT / ".dockerignore").read_text().splitlines()
    kept = [line[1:] for line in patterns if line.startswith("!")]
    listed = subprocess.run(
        ["git", "ls-files", "-z", *kept], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    for name in filter(None, listed.split("\0")):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    command = [sys.executable, "-m", "autograder", "build", "08_pretraining"]
    there = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(command, cwd=tmp_path, env=there, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(("ci", "outcome"), [("", pytest.skip.Exception), ("true", pytest.fail.Exception)])
def test_a_test_that_cannot_run_is_skipped_on_a_laptop_and_fails_under_ci(monkeypatch, ci, outcome):
    monkeypatch.setenv("CI", ci)
    monkeypatch.setitem(conftest.NEEDS, "needs_chromium", lambda: "no browser")
    test = SimpleNamespace(get_closest_marker=lambda name: name == "needs_chromium")
    with pytest.raises(outcome, match="no browser"):
        conftest.pytest_runtest_setup(test)


def test_ci_ends_with_what_pytest_says():
    script = (ROOT / ".ci" / "run").read_text().splitlines()
    assert script[0] == "#!/usr/bin/env bash"
    assert script[-1] == "make test"
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
    assert Path(ROOT / "LICENSE").read_text().startswith("MIT License")
