"""A server of its own for docs/jupyterhub.md: its commands, run as it says, in a place that leaves nothing behind.

What the commands write to /etc, /home, /opt, /srv and /usr lies in layers over this machine's own folders, which
only their processes see. The users that they make exist nowhere else.
"""

import contextlib
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from autograder.lessons import ROOT

PAGE = ROOT / "docs/jupyterhub.md"
BLOCK = re.compile(r"^```sh (\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LAYERED = ("/etc", "/home", "/opt", "/srv", "/usr", "/var")
NEEDED = ("git", "make", "npm", "bwrap", "useradd", "runuser", "unshare", "nsenter", "mount")
PATIENCE = 120  # seconds: for a busy machine, not for a working one
TEACHER = "ada"


def what_is_missing() -> str:
    """Why the page's commands can't be tried here; "" where they can."""
    if os.name != "posix" or os.geteuid() != 0:
        return "only root can make users"
    if missing := [name for name in NEEDED if shutil.which(name) is None]:
        return f"{', '.join(missing)} can't be found"
    system = Path("/usr/bin/python3").resolve()
    if not system.exists() or system.name != f"python3.{sys.version_info[1]}":
        return "/usr/bin/python3 isn't the Python that runs the tests"
    tried = subprocess.run(
        ["unshare", "--mount", "mount", "-t", "tmpfs", "tmpfs", "/srv"], capture_output=True, text=True
    )
    return tried.stderr.strip()


@dataclass
class Server:
    """A machine as the page leaves it.

    Attributes:
        keeper: the process in whose view of the files everything runs.
        layers: the folder with all that was written.
    """

    keeper: int
    layers: Path

    def command(self, user: str, *command: str) -> list[str]:
        """How to run a command here as one of its users."""
        inside = ["nsenter", "--mount", f"--target={self.keeper}", "--wd=/"]
        home = "/root" if user == "root" else f"/home/{user}"
        asked = ["env", f"HOME={home}", f"USER={user}", *command]
        return [*inside, *([] if user == "root" else ["runuser", "-u", user, "--"]), *asked]

    def run(self, user: str, script: str, check: bool = True) -> subprocess.CompletedProcess:
        """Run lines of shell as one of the users; they end at the first that fails."""
        done = subprocess.run(
            self.command(user, "bash", "-euc", script),
            capture_output=True,
            text=True,
            env=environment(),
            stdin=subprocess.DEVNULL,
        )
        if check and done.returncode:
            raise AssertionError(f"{user}: {script}\n{done.stdout}\n{done.stderr}")
        return done

    def furnish(self, place: str, owner: str) -> None:
        """Put this project's packages into a folder, as an environment of Debian's Python.

        They are what pip would download there once more. It finds them, and installs what is missing.
        """
        files = self.layers / place.strip("/").replace("/", "-")
        site = f"lib/python3.{sys.version_info[1]}/site-packages"
        options = f"lowerdir={sys.prefix},upperdir={files / 'upper'},workdir={files / 'work'},metacopy=on"
        for name in ("upper", "work"):
            (files / name).mkdir(parents=True)
        self.run(
            "root",
            f"""
            mkdir -p {place}
            mount -t overlay overlay -o {options} {place}
            rm -rf {place}/{site}/*headstart* {place}/bin/headstart
            printf '%s\nof other packages\n' {place} > {place}/.headstart-stamp
            ln -sf /usr/bin/python3 {place}/bin/python
            ln -sf python {place}/bin/python3
            ln -sf python {place}/bin/python3.{sys.version_info[1]}
            printf 'home = /usr/bin\\ninclude-system-site-packages = false\\n' > {place}/pyvenv.cfg
            sed -i 's|{sys.prefix}|{place}|' $(grep -rlI {sys.prefix} {place}/bin)
            chown {owner} {place} {place}/bin {place}/{site} $(find {place}/share {place}/etc -type d)
            """,
        )


def environment() -> dict[str, str]:
    """This process's environment without what would lead to the repository or to the user's own settings."""
    ours = ("PYTHONPATH", "HEADSTART", "JUPYTER", "NBGRADER", "IPYTHON", "XDG_", "VIRTUAL_ENV", "PYTEST", "PYENV")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    return kept | {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HEADSTART_QUICK": "1"}


def blocks() -> list[tuple[str, str]]:
    """The page's commands: who runs them, and what they are."""
    return BLOCK.findall(PAGE.read_text())


@contextlib.contextmanager
def server(layers: Path) -> Iterator[Server]:
    """A machine with this one's programs, on which nothing of ours has been set up."""
    mounts = []
    for folder in LAYERED:
        upper, work = layers / folder[1:] / "upper", layers / folder[1:] / "work"
        upper.mkdir(parents=True)
        work.mkdir()
        options = f"lowerdir={folder},upperdir={upper},workdir={work}"
        mounts.append(f"mount -t overlay overlay -o {options} {folder}")
    script = "\n".join(["set -e", *mounts, "mount -t tmpfs tmpfs /run", "echo ready", "exec sleep infinity"])
    command = ["unshare", "--mount", "--propagation=private", "bash", "-c", script]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as keeper:
        try:
            assert keeper.stdout is not None
            said = keeper.stdout.readline()
            assert said == "ready\n", said + keeper.stdout.read()
            yield Server(keeper.pid, layers)
        finally:
            keeper.kill()
