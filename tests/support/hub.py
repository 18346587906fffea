"""A server of its own for docs/jupyterhub.md: its commands, run as it says, in a place that leaves nothing behind.

What the commands write to /etc, /home, /opt, /srv and /usr lies in layers over this machine's own folders, which
only their processes see. The users that they make exist nowhere else.
"""

import configparser
import contextlib
import os
import re
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil

from autograder.lessons import ROOT
from tests.support.ports import free_ports

PAGE = ROOT / "docs/jupyterhub.md"
BLOCK = re.compile(r"^```sh (\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LAYERED = ("/etc", "/home", "/opt", "/srv", "/usr", "/var")
NEEDED = ("git", "make", "npm", "bwrap", "useradd", "runuser", "unshare", "nsenter", "mount")
UNIT = "/etc/systemd/system/headstart-hub.service"


def what_is_missing(layers: Path) -> str:
    """Why the page's commands can't be tried here; "" where they can."""
    if os.name != "posix" or os.geteuid() != 0:
        return "only root can make users"
    if missing := [name for name in NEEDED if shutil.which(name) is None]:
        return f"{', '.join(missing)} can't be found"
    python = Path("/usr/bin/python3").resolve()
    if python.name != f"python3.{sys.version_info[1]}":
        return f"the tests run on Python 3.{sys.version_info[1]}, and /usr/bin/python3 is {python}"
    for name in ("upper", "work"):
        (layers / "trial" / name).mkdir(parents=True)
    options = f"lowerdir=/srv,upperdir={layers}/trial/upper,workdir={layers}/trial/work"
    command = ["unshare", "--mount", "mount", "-t", "overlay", "overlay", "-o", options, "/srv"]
    return subprocess.run(command, capture_output=True, text=True).stderr.strip()


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
        inside = ["nsenter", "--mount", "--pid", f"--target={self.keeper}", "--wd=/"]
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
            chown -h {owner} {place} {place}/.headstart-stamp {place}/bin {place}/bin/* {place}/{site} \
                $(find {place}/share {place}/etc -type d)
            chmod g+s {place} {place}/bin {place}/{site}
            """,
        )


def environment() -> dict[str, str]:
    """This process's environment without what would lead to the repository or to the user's own settings."""
    ours = (
        "PYTHONPATH",
        "HEADSTART",
        "JUPYTER",
        "NBGRADER",
        "IPYTHON",
        "XDG_",
        "VIRTUAL_ENV",
        "PYTEST",
        "PYENV",
    )
    kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    return kept | {
        "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "HEADSTART_QUICK": "60",
    }


def blocks() -> list[tuple[str, str]]:
    """The page's commands: who runs them, and what they are."""
    return BLOCK.findall(PAGE.read_text())


@contextlib.contextmanager
def server(layers: Path) -> Iterator[Server]:
    """A machine with this one's programs, on which nothing of ours has been set up. All ends with it."""
    mounts = []
    for folder in LAYERED:
        upper, work = layers / folder[1:] / "upper", layers / folder[1:] / "work"
        upper.mkdir(parents=True)
        work.mkdir()
        mounts.append(
            f"mount -t overlay overlay -o lowerdir={folder},upperdir={upper},workdir={work} {folder}"
        )
    script = "; ".join(["set -e", *mounts, "mount -t tmpfs tmpfs /run", "echo ready", "exec sleep infinity"])
    apart = ["unshare", "--mount", "--propagation=private", "--pid", "--fork", "--kill-child", "--mount-proc"]
    with subprocess.Popen(
        [*apart, "bash", "-c", script], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as started:
        try:
            assert started.stdout is not None
            said = started.stdout.readline()
            assert said == "ready\n", said + started.stdout.read()
            [keeper] = psutil.Process(started.pid).children()
            yield Server(keeper.pid, layers)
        finally:
            started.kill()


def service(machine: Server) -> configparser.SectionProxy:
    """How the unit file starts the Hub. Its state directory is made, as systemd makes it."""
    unit = configparser.ConfigParser(interpolation=None, strict=False)
    unit.optionxform = str  # type: ignore[assignment,method-assign]
    unit.read_string(machine.run("root", f"cat {UNIT}").stdout)
    found = unit["Service"]
    machine.run("root", f"install -d -m {found['StateDirectoryMode']} {found['WorkingDirectory']}")
    return found


@contextlib.contextmanager
def serving(machine: Server, log: Path) -> Iterator[str]:
    """The Hub, as its unit file starts it, but for the ports. Yields its address."""
    started = service(machine)
    ports = free_ports(3)
    address = f"http://127.0.0.1:{ports[0]}"
    script = (
        f"cd {started['WorkingDirectory']}; exec env {started['Environment']} {started['ExecStart']}"
        f" --JupyterHub.bind_url={address} --JupyterHub.hub_port={ports[1]}"
        f" --ConfigurableHTTPProxy.api_url=http://127.0.0.1:{ports[2]}"
    )
    with log.open("w") as out:
        hub = subprocess.Popen(
            machine.command("root", "bash", "-c", script),
            stdin=subprocess.DEVNULL, stdout=out, stderr=out, env=environment(),
        )  # fmt: skip
    try:
        while True:
            assert hub.poll() is None, f"the Hub has ended:\n{log.read_text()}"
            with contextlib.suppress(urllib.error.URLError):
                urllib.request.urlopen(f"{address}/hub/login").close()
                break
            time.sleep(0.2)
        yield address
    finally:
        machine.run("root", "pkill --full bin/jupyterhub")  # `hub` only waits for it outside
        hub.wait()
