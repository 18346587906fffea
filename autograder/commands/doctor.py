"""What is installed, what is missing, and what to do about it.

Its top needs only the standard library, since bootstrap.py asks it before anything is installed.
"""

import functools
import os
import platform
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OK, BAD, OPTIONAL = "✓", "✗", "–"


@dataclass(frozen=True)
class Program:
    """Something that is not a Python package. `package` is its name on every distribution below."""

    package: str
    commands: tuple[str, ...]
    purpose: str


BUBBLEWRAP = Program("bubblewrap", ("bwrap",), "the grading sandbox")
CHROMIUM = Program("chromium", ("chromium", "google-chrome"), "the browser tests")
POSTGRESQL = Program("postgresql", ("initdb",), "the tests of a gradebook in PostgreSQL")

INSTALLERS = {
    "debian": ("apt-get", "install", "-y", "--no-install-recommends"),
    "fedora": ("dnf", "install", "-y"),
    "arch": ("pacman", "-S"),
    "suse": ("zypper", "install"),
}

# The folders that `playwright install` may fill, and the programs in them.
PLAYWRIGHT_CACHES = tuple(
    f"~/{place}/ms-playwright" for place in (".cache", "Library/Caches", "AppData/Local")
)
PLAYWRIGHT_CHROMIUM = (
    "chromium-*/chrome-linux*/chrome",
    "chromium-*/chrome-mac*/*.app/Contents/MacOS/*",
    "chromium-*/chrome-win*/chrome.exe",
)


def find(program: Program) -> str | None:
    """The path of a program, or None where it is not installed."""
    for path in map(shutil.which, program.commands):
        if path and not path.startswith("/snap/"):  # a snap can't be driven by Playwright
            return path
    if program is POSTGRESQL:  # Debian keeps a server's programs off the path
        return next(map(str, Path("/usr/lib/postgresql").glob("*/bin/initdb")), None)
    return next(_playwright_browsers(), None) if program is CHROMIUM else None


def _playwright_browsers() -> Iterator[str]:
    for cache in (os.environ.get("PLAYWRIGHT_BROWSERS_PATH"), *PLAYWRIGHT_CACHES):
        for pattern in PLAYWRIGHT_CHROMIUM if cache else ():
            yield from sorted(map(str, Path(cache).expanduser().glob(pattern)), reverse=True)


def distribution() -> set[str]:
    """This Linux distribution and those it is like, as /etc/os-release calls them; empty elsewhere."""
    try:
        release = platform.freedesktop_os_release()
    except OSError:
        return set()
    return {release.get("ID", ""), *release.get("ID_LIKE", "").split()}


def install_command(program: Program) -> list[str] | None:
    """What installs a program on this machine; None where it does not exist."""
    names = distribution()
    # Ubuntu's own Chromium is a snap.
    if program is not CHROMIUM or "ubuntu" not in names:
        for name, installer in INSTALLERS.items():
            if name in names:
                sudo = [] if is_root() else ["sudo"]
                return [*sudo, *installer, program.package]
    if program is CHROMIUM:
        with_libraries = ["--with-deps"] if "ubuntu" in names else []
        return [_venv_python(), "-m", "playwright", "install", *with_libraries, "chromium"]
    return None


def is_root() -> bool:
    """Whether system packages can be installed without asking anybody."""
    return hasattr(os, "geteuid") and os.geteuid() == 0


def _venv_python() -> str:
    return str(Path(".venv", "Scripts", "python.exe") if os.name == "nt" else Path(".venv", "bin", "python"))


def missing(program: Program) -> str | None:
    """One line on what a missing program is for and how to install it; None where it is there."""
    if find(program):
        return None
    command = install_command(program)
    remedy = f"install it with `{shlex.join(command)}`" if command else "there is none for this system"
    return f"{program.package} is missing (it is for {program.purpose}): {remedy}"


@functools.cache
def sandbox_problem() -> str | None:
    """Why no sandbox can start on this machine, in one line; None when one did."""
    if sys.platform != "linux":
        return "grading needs Linux; students can do every lesson and its checks without it"
    if line := missing(BUBBLEWRAP):
        return line
    # Namespaces inside namespaces, as grading has them: some systems allow the outer ones alone.
    inner = ["unshare", "--user", "--mount", "true"] if shutil.which("unshare") else ["true"]
    command = [find(BUBBLEWRAP), "--ro-bind", "/", "/", "--unshare-all", *inner]
    run = subprocess.run(command, capture_output=True, text=True, timeout=20)
    if run.returncode == 0:
        return None
    return f"bubblewrap is installed but starts no sandbox ({run.stderr.strip()}): {_namespace_remedy()}"


def _namespace_remedy() -> str:
    switches = {
        "kernel.apparmor_restrict_unprivileged_userns": ("1", "0"),  # Ubuntu since 23.10
        "kernel.unprivileged_userns_clone": ("0", "1"),  # Debian up to 10
        "user.max_user_namespaces": ("0", "10000"),  # hardened servers
    }
    for name, (off, on) in switches.items():
        switch = Path("/proc/sys", *name.split("."))
        if switch.exists() and switch.read_text().strip() == off:
            return f"allow user namespaces with `sudo sysctl -w {name}={on}`"
    return "if this is a container, it must allow user namespaces"


def doctor() -> int:
    """Print what is installed and what to do about the rest.

    Returns:
        0 when all that a student needs is there, else 1.
    """
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="replace")  # a Windows console may have no ✓
    failed = 0
    for check in (_python, _torch, _packages, _lessons, _sandbox, _browser):
        mark, text = check()
        failed += mark == BAD
        print(mark, text)
    return 1 if failed else 0


def _python() -> tuple[str, str]:
    version = platform.python_version()
    if (3, 11) <= sys.version_info[:2] <= (3, 13):
        return OK, f"Python {version}"
    return BAD, f"Python {version}, but 3.11 to 3.13 is needed: run `make setup` with one of those"


def _torch() -> tuple[str, str]:
    try:
        import torch
    except Exception as error:  # on Windows a missing system library is an OSError
        return BAD, f"torch can't be imported ({error}): run `make setup`"
    if torch.version.cuda or torch.version.hip:
        return OPTIONAL, f"torch {torch.__version__}, a GPU build: it works, and is larger than needed"
    return OK, f"torch {torch.__version__}, the CPU build"


def _packages() -> tuple[str, str]:
    from importlib.metadata import PackageNotFoundError, version

    from packaging.requirements import Requirement

    lines = (line.partition("#")[0].strip() for line in (ROOT / "requirements.txt").read_text().splitlines())
    pins = [pin for pin in map(Requirement, filter(None, lines)) if not pin.marker or pin.marker.evaluate()]
    wrong = []
    for pin in pins:
        try:
            if not pin.specifier.contains(version(pin.name), prereleases=True):
                wrong.append(f"{pin.name} is {version(pin.name)}, not {pin.specifier}")
        except PackageNotFoundError:
            wrong.append(f"{pin.name} is not installed")
    if wrong:
        return BAD, f"{len(wrong)} of {len(pins)} packages ({wrong[0]}): run `make setup`"
    told = ", ".join(f"{name} {version(name)}" for name in ("jupyterlab", "nbgrader"))
    return OK, f"{len(pins)} packages as pinned, among them {told}"


def _lessons() -> tuple[str, str]:
    lessons = [path.stem for path in (ROOT / "notebooks").glob("*.py")]
    unbuilt = [name for name in lessons if not (ROOT / "release" / name / f"{name}.ipynb").exists()]
    if unbuilt or not lessons:
        return BAD, f"{len(unbuilt)} of {len(lessons)} lessons are not built: run `headstart build`"
    return OK, f"{len(lessons)} lessons built"


def _sandbox() -> tuple[str, str]:
    problem = sandbox_problem()
    return (OPTIONAL, problem) if problem else (OK, "bubblewrap, and a sandbox starts: grading works")


def _browser() -> tuple[str, str]:
    line = missing(CHROMIUM)
    return (OPTIONAL, f"{line} (only for `make test`)") if line else (OK, f"Chromium: {find(CHROMIUM)}")
