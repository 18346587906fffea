"""Programs that aren't Python packages: whether they are here, and how to install them.

Only the standard library is needed, since bootstrap.py uses this before anything is installed.
"""

import ctypes.util
import functools
import importlib.util
import os
import platform
import shlex
import shutil
import site
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Program:
    """Something that is not a Python package. `package` is its name on most of the distributions below."""

    package: str
    commands: tuple[str, ...]
    purpose: str
    elsewhere: tuple[tuple[str, str], ...] = ()  # a distribution, and its own name for it


BUBBLEWRAP = Program("bubblewrap", ("bwrap",), "the grading sandbox")
CHROMIUM = Program("chromium", ("chromium", "google-chrome"), "the browser tests")
# Playwright's own Node needs it, and Debian 12 comes without.
LIBATOMIC = Program(
    "libatomic1", (), "Playwright, which drives Chromium", (("fedora", "libatomic"), ("arch", "libatomic"))
)
POSTGRESQL = Program("postgresql", ("initdb",), "the tests of a gradebook in PostgreSQL")

STARTS_WITHIN = 300  # seconds for a sandbox, which takes hundredths of one where the machine isn't busy

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
    """The path of a program, or the name of a library; None where it is not installed."""
    for path in map(shutil.which, program.commands):
        if path and not path.startswith("/snap/"):  # a snap can't be driven by Playwright
            return path
    if program is LIBATOMIC:
        return ctypes.util.find_library("atomic") if sys.platform == "linux" else sys.executable
    if program is POSTGRESQL:  # Debian keeps a server's programs off the path
        return next(map(str, Path("/usr/lib/postgresql").glob("*/bin/initdb")), None)
    return next(_playwright_browsers(), None) if program is CHROMIUM else None


def _playwright_browsers() -> Iterator[str]:
    own = os.environ.get("PLAYWRIGHT_BROWSERS_PATH")
    for cache in [own, *PLAYWRIGHT_CACHES] if own else PLAYWRIGHT_CACHES:
        for pattern in PLAYWRIGHT_CHROMIUM:
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
                return [*sudo, *installer, dict(program.elsewhere).get(name, program.package)]
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
    remedy = f"install it with `{shlex.join(command)}`" if command else "there is no package for this system"
    return f"{program.package} is missing (needed for {program.purpose}): {remedy}"


@functools.cache
def sandbox_problem() -> str | None:
    """Why no sandbox can start on this machine, in one line; None when one did."""
    if sys.platform != "linux":
        return "grading needs Linux; students can do every lesson and its checks without it"
    if (bubblewrap := find(BUBBLEWRAP)) is None:
        return missing(BUBBLEWRAP)
    # As grading has them: some systems allow the outer namespaces alone, some containers no /proc of its own,
    # some no name.
    inner = ["unshare", "--user", "--mount", "true"] if shutil.which("unshare") else ["true"]
    walls = ["--proc", "/proc", "--unshare-all", "--hostname", "sandbox"]
    command = [bubblewrap, "--ro-bind", "/", "/", *walls, *inner]
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=STARTS_WITHIN)
    except subprocess.TimeoutExpired:
        return f"bubblewrap is installed, but no sandbox started within {STARTS_WITHIN} seconds"
    if run.returncode == 0:
        return _unseen()
    return f"bubblewrap is installed but can't start a sandbox ({run.stderr.strip()}): {_namespace_remedy()}"


def _unseen() -> str | None:
    """That no code in a sandbox could import IPython, which is installed; None where it could."""
    spec = importlib.util.find_spec("IPython")
    path = Path(spec.origin).resolve() if spec and spec.origin else None
    if path is None or any(path.is_relative_to(Path(place).resolve()) for place in site.getsitepackages()):
        return None
    return (
        f"a sandbox starts, but shows this Python's own packages alone, and IPython lies in {path.parent}: "
        "install Headstart, with all it needs, in a virtual environment, without --user, --target or links "
        "to a cache"
    )


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
    return (
        "if this is a container, it must allow user namespaces and a /proc in each: start it with "
        "--security-opt seccomp=unconfined and, with docker, --security-opt systempaths=unconfined, "
        "with podman --security-opt unmask=ALL"
    )
