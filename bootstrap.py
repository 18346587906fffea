"""Set Headstart up in .venv, and open or test it.

    python bootstrap.py             the environment, for lessons and grading, and the lessons built
    python bootstrap.py env         the environment alone
    python bootstrap.py lab [...]   then JupyterLab on the lessons; what follows goes to JupyterLab
    python bootstrap.py dev         as the first, with what tests and linters need as well
    python bootstrap.py test [...]  that, then the tests; what follows goes to pytest
    python bootstrap.py site [...]  the website of all lessons, or of those that follow, in site/html
    python bootstrap.py student-env FOLDER  the packages alone, in a folder that everybody may read

`make` calls this file; where there is no make, call it directly. It needs only the standard library,
and must still parse on Python 3.7, to look for a better one. A second call installs nothing.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
STAMP = VENV / ".headstart-stamp"
LAB_SETTINGS = "autograder/commands/labconfig"
FENCE = "autograder/commands/environment"
PINS, TEST_PINS, SITE_PINS = "requirements.txt", "requirements-test.txt", "requirements-site.txt"
SITE_THEME = "autograder/authoring/site/theme"
INPUTS = ("bootstrap.py", "pyproject.toml", PINS, f"{FENCE}/headstart.pth", f"{FENCE}/nbgrader_config.py")
CPU_INDEX = "https://download.pytorch.org/whl/cpu"
CUDA_ONLY = re.compile(r"cuda|nvidia|(pytorch-)?triton", re.IGNORECASE)
OLDEST, NEWEST = (3, 11), (3, 14)
RIGHT_PYTHON = f"import sys; sys.exit(not {OLDEST} <= sys.version_info[:2] <= {NEWEST})"


class SetupError(Exception):
    """Why the set-up can't continue, in one line."""


def main(arguments: list[str]) -> None:
    """Do what the command line says."""
    command, rest = (arguments or ["setup"])[0], arguments[1:]
    if command not in ("setup", "env", "lab", "dev", "test", "site", "student-env"):
        sys.exit(__doc__)
    try:
        if not OLDEST <= sys.version_info[:2] <= NEWEST:
            become([*better_python(), __file__, *arguments])
        if command == "student-env":
            return student_environment(*[Path(name).resolve() for name in rest if name])
        os.chdir(ROOT)
        set_up(tests=command in ("dev", "test"))
        if command == "site":
            site_tools()
        provide("BUBBLEWRAP", *(["CHROMIUM", "LIBATOMIC", "POSTGRESQL"] if command == "test" else []))
    except SetupError as error:
        sys.exit(f"headstart: {error}")
    if command == "env":
        return None
    # As `activate` does: nbgrader calls alembic by its bare name, and a student's cell may call pip.
    os.environ.update(PATH=f"{PYTHON.parent}{os.pathsep}{os.environ['PATH']}", VIRTUAL_ENV=str(VENV))
    if command == "lab":
        become([PYTHON, "-m", "autograder.commands.lab", *rest])
    if command == "test":
        # A file's tests in one process; tests/conftest.py puts the longest first. Tests wait for something
        # now and then, so one process more than there are cores keeps the cores busy.
        several = f"-n{min(os.cpu_count() or 1, 7) + 1}"
        become([PYTHON, "-m", "pytest", several, "--dist=loadfile", "--no-loadscope-reorder", *rest])
    build = "from autograder.commands.lab import build; from autograder.courses import ENGINE; build(ENGINE)"
    if command == "site":
        run(PYTHON, "-c", build)
        become([PYTHON, "-m", "autograder.authoring.site.building", *rest])
    become([PYTHON, "-c", build])


def say(text: str) -> None:
    """Say what is happening."""
    print(f"headstart: {text}", flush=True)


def become(command: list) -> None:
    """Replace this process with a different program, which alone gets Ctrl-C."""
    command = [str(part) for part in command]
    if os.name == "posix":
        os.execv(command[0], command)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Windows has no exec
    sys.exit(subprocess.call(command))


def better_python() -> list[str]:
    """The command for a Python that Headstart supports, if the running one isn't."""
    minors = range(NEWEST[1], OLDEST[1] - 1, -1)
    for name, *option in [[f"python3.{n}"] for n in minors] + [["py", f"-3.{n}"] for n in minors]:
        path = shutil.which(name)
        # Asked, not trusted: a name on PATH may be a shim with nothing behind it.
        if path and quietly(path, *option, "-c", RIGHT_PYTHON).returncode == 0:
            return [path, *option]
    raise SetupError(
        f"Headstart needs Python {'.'.join(map(str, OLDEST))} to {'.'.join(map(str, NEWEST))};"
        f" this is {platform.python_version()}, and none of those is on PATH"
    )


def set_up(tests: bool = False) -> None:
    """Bring .venv to the state its stamp names.

    The stamp holds the folder, since an environment can't be moved, and a digest of what was installed; a
    second digest if that includes what tests need, which then stays and is kept up to date. While the
    set-up runs the stamp is empty: an empty one means a half-made environment, which is made again. If an
    update of a good environment fails, its old stamp is put back, because pip has undone the update.
    """
    before = STAMP.read_text() if STAMP.exists() else None
    known = (before or "").splitlines()
    wanted = stamp(tests or len(known) == 3)
    if known == wanted and PYTHON.exists():
        return
    reusable = (before is None or known[:1] == wanted[:1]) and runs()
    if not reusable:
        shutil.rmtree(VENV, ignore_errors=True)
        known = []
    VENV.mkdir(exist_ok=True)
    STAMP.write_text("")
    try:
        if not reusable:
            make_venv()
        if known[:2] != wanted[:2]:
            install_packages()
        if known[2:] != wanted[2:]:
            install_test_packages()
        pip("check", "--quiet")
    except SetupError:
        if reusable:
            STAMP.unlink() if before is None else STAMP.write_text(before)
        raise
    STAMP.write_text("".join(f"{line}\n" for line in wanted))


def student_environment(*places: Path) -> None:
    """Make or update an environment of the packages alone, for people who may not read this folder."""
    global VENV, PYTHON, STAMP
    if len(places) != 1:
        raise SetupError("say where it goes: make student-env AT=/opt/headstart")
    [place] = places
    if place.is_dir() and any(place.iterdir()) and not (place / STAMP.name).exists():
        raise SetupError(f"{place} already holds something else: name a new folder")
    place.parent.mkdir(parents=True, exist_ok=True)
    VENV, PYTHON, STAMP = place, place / PYTHON.relative_to(VENV), place / STAMP.name
    os.chdir(ROOT)
    set_up()
    # JupyterLab without what only teachers need.
    shutil.copytree(ROOT / LAB_SETTINGS, VENV / "etc/jupyter/labconfig", dirs_exist_ok=True)
    if os.name == "posix":
        run("chmod", "-R", "a+rX", VENV)
    say(f"students start with `. {VENV}/bin/activate`")


def site_tools() -> None:
    """Make what the website is built with, apart from .venv: Sphinx in .venv-site, MathJax in site/npm."""
    wanted = b"".join((ROOT / name).read_bytes() for name in (SITE_PINS, f"{SITE_THEME}/package-lock.json"))
    place, packages = ROOT / ".venv-site", ROOT / "site/npm"
    done = packages / ".headstart-stamp"
    digest = hashlib.sha256(wanted + str(place).encode()).hexdigest()
    if done.exists() and done.read_text() == digest and (place / PYTHON.relative_to(VENV)).exists():
        return
    npm = shutil.which("npm")
    if not npm:
        raise SetupError("the website needs Node's npm, which sets its formulas: install Node 18 or newer")
    say("installing what the website needs, in a minute or two")
    run(sys.executable, "-m", "venv", "--clear", place)
    options = ("--disable-pip-version-check", "--no-input", "-qq", "--no-deps", "--requirement", SITE_PINS)
    run(place / PYTHON.relative_to(VENV), "-m", "pip", "install", *options)
    packages.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(ROOT / SITE_THEME / name, packages)
    run(npm, "ci", "--prefix", packages, "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
    done.write_text(digest)


def stamp(tests: bool) -> list[str]:
    """The lines of a finished environment's stamp."""
    parts = [INPUTS, (TEST_PINS,)] if tests else [INPUTS]
    contents = [b"\0".join((ROOT / name).read_bytes() for name in part) for part in parts]
    return [str(VENV), *(hashlib.sha256(content).hexdigest() for content in contents)]


def runs() -> bool:
    """Whether .venv has pip and a Python of a supported version."""
    return PYTHON.exists() and quietly(PYTHON, "-c", f"import pip; {RIGHT_PYTHON}").returncode == 0


def make_venv() -> None:
    """Make an empty environment with the running Python."""
    name = VENV.name if VENV.parent == ROOT else VENV
    say(f"making {name} with Python {platform.python_version()}")
    needed = (sys.executable, "-c", "from ensurepip import version")
    if quietly(*needed).returncode:
        provide(f"python3.{sys.version_info[1]}-venv")  # Debian and Ubuntu keep it apart
        if quietly(*needed).returncode:
            raise SetupError("can't make an environment without it")
    run(sys.executable, "-m", "venv", VENV)


def install_packages() -> None:
    """Install everything that lessons and grading need, then Headstart itself."""
    install_torch(re.search(r"^torch==(\S+)", Path(PINS).read_text(), re.MULTILINE).group(1))
    say("installing the other packages, in a minute or two")
    # The pins are complete. Resolving them again would take longer, and could replace torch.
    pip("install", "-qq", "--no-deps", "--requirement", PINS)
    if VENV.parent == ROOT:  # it is where this is, solutions and all
        pip("install", "-qq", "--no-deps", "--no-build-isolation", "--editable", ".")
        keep_strangers_out()


def install_test_packages() -> None:
    """Install what tests and linters need on top."""
    say("installing what tests need")
    pip("install", "-qq", "--no-deps", "--requirement", TEST_PINS)


def keep_strangers_out() -> None:
    """Keep commands from executing files of the folder they are called in, which may be a student's.

    `python -m` puts that folder first on the path, and nbgrader executes the settings in it. The first
    file is read by Python before it does so, the second by nbgrader.
    """
    modules = quietly(PYTHON, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").stdout.strip()
    for name, place in (("headstart.pth", Path(modules)), ("nbgrader_config.py", VENV / "etc/jupyter")):
        place.mkdir(parents=True, exist_ok=True)
        (place / name).unlink(missing_ok=True)  # a colleague's, where several set it up, can't be written to
        shutil.copy(ROOT / FENCE / name, place / name)


def install_torch(version: str) -> None:
    """Install the CPU build of torch from wherever it is available."""
    ask = f"from importlib.metadata import version; assert version('torch').partition('+')[0] == {version!r}"
    if quietly(PYTHON, "-c", ask).returncode == 0:
        return
    say(f"installing the CPU build of torch {version}")
    if sys.platform != "linux":
        if (sys.platform, platform.machine()) == ("darwin", "x86_64"):
            raise SetupError("torch has no build for Intel Macs, nor for an Intel Python on Apple silicon")
        return pip("install", "--no-deps", f"torch=={version}")  # elsewhere PyPI has the CPU build
    # pip's own configuration comes first: where somebody has put the CPU build there, it is meant to be used.
    for source in ([], ["--index-url", CPU_INDEX]):
        if offers(f"{version}+cpu", source):
            return pip("install", "--no-deps", *source, f"torch=={version}+cpu")
    say(f"no answer from {CPU_INDEX}; asking pip what else it can get")
    needs = cuda_packages(what_pip_would_install(f"torch=={version}"))
    if needs and not os.environ.get("HEADSTART_ALLOW_CUDA"):
        raise SetupError(
            f"{CPU_INDEX} can't be reached, and pip offers only the CUDA build of torch {version}, several GB"
            f" with {', '.join(needs)}; allow that address, or accept this build with HEADSTART_ALLOW_CUDA=1"
        )
    pip("install", *([] if needs else ["--no-deps"]), f"torch=={version}")


def offers(version: str, source: list[str]) -> bool:
    """Whether an index (pip's own, if none is named) has this very build of torch for this Python."""
    command = [PYTHON, "-m", "pip", "index", "versions", "torch", "--timeout", "5", "--retries", "1", *source]
    try:
        # pip waits for each address of a silent host in turn; this bounds the sum.
        return version in re.split(r"[,\s]+", quietly(*command, timeout=60).stdout)
    except subprocess.TimeoutExpired:
        return False


def what_pip_would_install(requirement: str) -> dict:
    """The metadata of the build that pip, as it is configured, would choose."""
    options = ["--dry-run", "--ignore-installed", "--no-deps", "--quiet", "--report", "-"]
    answer = quietly(PYTHON, "-m", "pip", "install", *options, requirement)
    if answer.returncode:
        raise SetupError(
            f"no {requirement} for Python {platform.python_version()} on {platform.machine()}, neither from"
            f" {CPU_INDEX} nor from pip's own configuration: {answer.stderr.strip().splitlines()[-1]}"
        )
    return json.loads(answer.stdout)["install"][0]["metadata"]


def cuda_packages(metadata: dict) -> list[str]:
    """The packages that a build of torch requires only for a GPU."""
    needs = metadata.get("requires_dist", [])
    return [re.match(r"[\w.-]+", need).group() for need in needs if CUDA_ONLY.match(need)]


def provide(*names: str) -> None:
    """Install programs that aren't Python packages if that needs no password, else say in one line how."""
    from autograder import programs  # not at the top, where the Python may still be too old for it

    for name in names:
        program = getattr(programs, name, None) or programs.Program(name, (), "making .venv")
        command = programs.install_command(program)
        if command is None or programs.find(program):
            continue
        may = programs.is_root() or (shutil.which("sudo") and quietly("sudo", "-n", "true").returncode == 0)
        if not (may and "debian" in programs.distribution() and installs(command)):
            say(programs.missing(program))


def installs(command: list[str]) -> bool:
    """Run an installer; if it fails, run it again with a fresh list of packages."""
    say(" ".join(command))
    if quietly(*command).returncode == 0:
        return True
    if "apt-get" not in command:
        return False
    quietly(*command[: command.index("apt-get") + 1], "update")
    return quietly(*command).returncode == 0


def pip(*arguments: object) -> None:
    """Call the environment's pip."""
    run(PYTHON, "-m", "pip", "--disable-pip-version-check", "--no-input", *arguments)


def run(*command: object) -> None:
    """Run a command that must succeed."""
    command = [str(part) for part in command]
    if subprocess.call(command):
        raise SetupError(f"`{' '.join(command)}` failed; its output is above")


def quietly(*command: object, timeout: float | None = None) -> subprocess.CompletedProcess:
    """Run a command that may fail, and keep what it says."""
    command = [str(part) for part in command]
    return subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=timeout)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except KeyboardInterrupt:
        sys.exit("headstart: stopped; the next call repeats what wasn't finished")
