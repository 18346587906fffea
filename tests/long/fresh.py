"""The README's two commands on bare systems, as an ordinary user who has just cloned the project.

python -m tests.long.fresh [SUITE ...] [--whole] [--at FOLDER] [--again] [--keep] [--results]

A SUITE is one of Debian's: bookworm, trixie and testing have Python 3.11, 3.13 and 3.14. debootstrap makes a system
with Python, its venv, make, git and certificates, and nothing else. In it a user without sudo clones the last commit
and calls `make lab`, until JupyterLab answers at the address that it prints; then `make test` on a part of the tests
(PART below), or on all with --whole. Where the commands say what is missing and how to get it, that is done by hand,
and the table says so. The user's home is new, so everything is downloaded, with this machine's mirror and pip's settings.

Systems lie in FOLDER, a few GB each while they are used. A bare one is kept for the next call. A call that was stopped
goes on with what isn't done yet; --again begins anew. --keep leaves the used systems there. --results writes the
table to benchmarks/RESULTS.md. All mounts are in a namespace that ends with its processes, and these end
with this one, however it ends.
"""

import argparse
import ast
import contextlib
import fcntl
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

import psutil
from rich.table import Table

from autograder.lessons import ROOT
from benchmarks import results

SUITES = ("bookworm", "trixie", "testing")
BARE = ("python3", "python3-venv", "make", "git", "ca-certificates")
# What differs most between systems: the environment, messages of Python's, the sandbox, commands, a browser.
PART = [f"tests/{name}.py" for name in
        ("house/test_environment", "commands/test_lab", "lessons/test_start", "checking/test_checks",
         "child/test_shell", "child/test_sandbox", "child/test_walls", "child/test_filter", "classroom/test_nbgrader",
         "lessons/test_browser")]  # fmt: skip
USER, CLONE, BUNDLE = "ada", "/home/ada/headstart", "/srv/headstart.bundle"
SCRIPTS = Path("/usr/share/debootstrap/scripts")
NEEDED = ("debootstrap", "git", "mount", "nsenter", "pivot_root", "setpriv", "unshare")
# pip's options that say where packages come from, and apt's.
PIP = ("index-url", "extra-index-url", "find-links", "no-index", "trusted-host", "cert", "proxy", "timeout", "default-timeout")  # fmt: skip
APT = re.compile(r"^Acquire::(https?|Check-|Retries).*;$", re.MULTILINE)
PROXIES = ("http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")
HOST = "/mnt/host"  # where a system sees the folders of this machine that pip's settings name
ADDRESS = re.compile(r"http://(?:localhost|127\.0\.0\.1):\d+/lab\S*")
ADVICE = re.compile(r"`(?:sudo )?(apt-get install [^`]+)`|(HEADSTART_ALLOW_CUDA=1)")
COUNT = re.compile(r"(\d+) (passed|failed|error|skipped)")
APART = (
    "setpriv", "--pdeathsig", "KILL",
    "unshare", "--mount", "--propagation", "private", "--pid", "--fork", "--kill-child", "--mount-proc",
)  # fmt: skip
# bubblewrap needs a root that pivot_root has made: in a chroot the kernel allows no user namespace. And it
# mounts /proc, which is allowed where another whole one is in sight.
ENTER = """set -e
mount --bind "$1" "$1" && cd "$1" && shift
mount -t proc proc proc && mount --rbind /sys sys
mount -t tmpfs -o mode=755 tmpfs dev && mkdir dev/pts dev/shm && mount -t tmpfs -o mode=1777 tmpfs dev/shm
mount -t devpts -o newinstance,ptmxmode=666,mode=620 devpts dev/pts && ln -s pts/ptmx dev/ptmx
for name in null zero full random urandom tty; do touch dev/$name; mount --bind /dev/$name dev/$name; done
ln -s /proc/self/fd dev/fd; ln -s fd/0 dev/stdin; ln -s fd/1 dev/stdout; ln -s fd/2 dev/stderr
mount -t tmpfs -o mode=755 tmpfs run && mount -t tmpfs -o mode=1777 tmpfs tmp
touch etc/resolv.conf && mount --bind /etc/resolv.conf etc/resolv.conf
for folder; do mkdir -p ".$0$folder"; mount --bind "$folder" ".$0$folder"; mount -o remount,bind,ro ".$0$folder"; done
mkdir -p srv/old && pivot_root . srv/old && cd / && umount -l srv/old
echo ready
exec bash -c 'while :; do sleep 3600; done'  # a shell, which waits for the orphans of others too
"""


@dataclass
class Row:
    """What is known of one system; it goes on disk after each step.

    Attributes:
        commit: what was cloned.
        tests: what was tested; nothing, where that is everything.
        by_hand: what had to be installed or set, in the order in which the commands asked for it.
        lab: seconds from the call of `make lab` to JupyterLab's answer, with what was done by hand on the way.
        seconds: of `make test`.
        notes: tests that failed, and why tests were skipped.
    """

    commit: str
    tests: list[str]
    system: str = ""
    python: str = ""
    by_hand: list[str] = field(default_factory=list)
    lab: float = 0
    asked: bool = False
    seconds: float = 0
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    notes: list[str] = field(default_factory=list)

    def cells(self) -> list[str]:
        counts = (
            f"{number:,}" if self.seconds else "–" for number in (self.passed, self.failed, self.skipped)
        )
        times = (f"{each:,.0f}" if each else "–" for each in (self.lab, self.seconds))
        return [self.system, self.python, *times, *counts, ", ".join(self.by_hand) or "nothing"]


HEADS = ("system", "Python", "`make lab`, s", "`make test`, s", "passed", "failed", "skipped", "by hand")
WIDTHS = (32, 8, 14, 15, 7, 7, 8, 0)


class Failed(Exception):
    """A command of the README's didn't do what it says; the text names the command and the log."""


def main(arguments: list[str]) -> int:
    """Try each system, and print its row."""
    parser = argparse.ArgumentParser("python -m tests.long.fresh", description=__doc__.partition("\n")[0])
    parser.add_argument("suites", nargs="*", metavar="SUITE", default=SUITES)
    parser.add_argument("--whole", action="store_true", help="run all tests, not only a part")
    parser.add_argument("--at", type=Path, default=Path("/var/tmp/headstart-fresh"), metavar="FOLDER")
    parser.add_argument("--again", action="store_true", help="also what an earlier call has finished")
    parser.add_argument("--keep", action="store_true", help="leave the used systems there")
    parser.add_argument("--results", action="store_true", help="write the table to benchmarks/RESULTS.md")
    options = parser.parse_args(arguments)
    if problem := what_is_missing():
        sys.exit(f"python -m tests.long.fresh: {problem}")
    tests = [] if options.whole else PART
    commit = git("rev-parse", "--short", "HEAD")
    print(f"commit {commit}; tested: {' '.join(tests) or 'everything'}\n")
    print("".join(f"{head:{width}}" for head, width in zip(HEADS, WIDTHS, strict=True)), flush=True)
    rows, wrong = [], 0
    for suite in options.suites:
        trial = Trial(suite, options.at / suite, Row(commit, tests))
        with trial.alone():
            try:
                trial.run(options.again)
            except Failed as failure:
                trial.row.notes.append(str(failure))
                wrong += 1
            if not options.keep:
                remove(trial.used)
        rows.append(trial.row)
        wrong += trial.row.failed
        print("".join(f"{cell:{width}}" for cell, width in zip(trial.row.cells(), WIDTHS, strict=True)))
        print(*(f"  {note}" for note in trial.row.notes), sep="\n", flush=True)
    if options.results:
        record(rows, arguments)
    return int(bool(wrong))


def what_is_missing() -> str:
    """Why no system can be made here; "" where it can."""
    missing = [name for name in NEEDED if shutil.which(name) is None]
    if missing:
        return f"{', '.join(missing)} can't be found: `apt-get install debootstrap git util-linux`"
    return "only root can make systems" if os.geteuid() != 0 else ""


@dataclass
class Trial:
    """One suite: its bare system, the one in use, and how far it has come."""

    suite: str
    folder: Path
    row: Row
    keeper: int = 0

    @property
    def used(self) -> Path:
        return self.folder / "used"

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """Keep other calls of this program out of the folder."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with open(self.folder / "lock", "w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                sys.exit(f"python -m tests.long.fresh: another call uses {self.folder}")
            yield

    def run(self, again: bool) -> None:
        """Take all steps that an earlier call hasn't."""
        state = self.folder / ("part.json" if self.row.tests else "whole.json")
        known = Row(**json.loads(state.read_text())) if state.exists() and not again else self.row
        if (known.commit, known.tests) == (self.row.commit, self.row.tests):
            self.row = known
        steps = [step for done, step in self.steps() if not done]
        if not steps:
            return
        if not (self.row.lab and self.used.exists()):  # a second call of `make lab` would take seconds
            self.row = Row(self.row.commit, self.row.tests)
            self.make()
        with self.started():
            for done, step in self.steps():
                if not done:
                    step()
                    state.write_text(json.dumps(asdict(self.row)))

    def steps(self):
        """Each step, and whether it was taken."""
        yield bool(self.row.system), self.look
        yield bool(self.row.lab), self.lab
        yield self.row.asked, self.ask
        yield bool(self.row.seconds), self.test

    # -- the system ------------------------------------------------------------------------------------------

    def make(self) -> None:
        """A bare system, made or made before; and a copy of it with a user and the project's history."""
        base, part = self.folder / "base", self.folder / "base.part"
        if not base.exists():
            remove(part)
            script = [] if (SCRIPTS / self.suite).exists() else [str(SCRIPTS / "sid")]
            options = ["--variant=minbase", f"--include={','.join(BARE)}"]
            self.say(["debootstrap", *options, self.suite, str(part), mirror(), *script], apart=True)
            part.rename(base)
        remove(self.used)
        subprocess.run(["cp", "-a", "--reflink=auto", base, self.used], check=True)
        (self.used / "etc/hosts").write_text("127.0.0.1 localhost\n::1 localhost\n")
        settings = subprocess.run(["apt-config", "dump"], capture_output=True, text=True).stdout
        (self.used / "etc/apt/apt.conf.d/99host").write_text(
            "\n".join(found[0] for found in APT.finditer(settings)) + "\n"
        )
        git("bundle", "create", "--quiet", f"{self.used}{BUNDLE}", "HEAD")

    @contextlib.contextmanager
    def started(self) -> Iterator[None]:
        """Start the system: processes of its own, which see its files alone."""
        folders = sorted(map(str, pip_settings()[1]))
        command = [*APART, "bash", "-c", ENTER, HOST, str(self.used), *folders]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        ) as started:
            assert started.stdout is not None
            said = ""
            while (line := started.stdout.readline()) and line != "ready\n":
                said += line
            try:
                if not line:
                    raise Failed(f"the system doesn't start: {said}")
                [first] = psutil.Process(started.pid).children()
                self.keeper = first.pid
                yield
            finally:
                started.kill()

    def command(self, user: str, script: str) -> list[str]:
        """How to run lines of shell in the system as one of its users, in their home."""
        kept = {name: os.environ[name] for name in PROXIES if name in os.environ} | pip_settings()[0]
        home = "/root" if user == "root" else f"/home/{user}"
        asked = {"HOME": home, "USER": user, "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", **kept}
        if "HEADSTART_ALLOW_CUDA=1" in self.row.by_hand:
            asked["HEADSTART_ALLOW_CUDA"] = "1"
        words = [f"{name}={value}" for name, value in asked.items()]
        inside = ["nsenter", "--mount", "--pid", f"--target={self.keeper}", "runuser", "-u", user, "--"]
        return [*inside, "env", "-i", "-C", home, *words, "bash", "-euc", script]

    def say(self, command: list[str], *, apart: bool = False, check: bool = True) -> str:
        """Run a command, keep in the log what it says, and return that.

        Raises:
            Failed: it failed, and `check` is set.
        """
        said = []
        with self.speaking([*APART, *command] if apart else command) as (running, lines):
            said = list(lines)
        if check and running.returncode:
            raise Failed(f"{shlex.join(command[-3:])} failed; what it said is in {self.log}")
        return "".join(said)

    @property
    def log(self) -> Path:
        return self.folder / "log"

    @contextlib.contextmanager
    def speaking(self, command: list[str]) -> Iterator[tuple[subprocess.Popen, Iterator[str]]]:
        """Start a command: its process, and the lines it says, which go to the log as they come."""
        with open(self.log, "a") as log, subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            errors="replace",
        ) as running:  # fmt: skip
            print(f"\n$ {shlex.join(command)}", file=log, flush=True)
            assert running.stdout is not None
            pipe = running.stdout

            def lines() -> Iterator[str]:
                for line in pipe:
                    print(line, end="", file=log, flush=True)
                    yield line

            try:
                yield running, lines()
            finally:
                end(running)

    # -- the steps -------------------------------------------------------------------------------------------

    def look(self) -> None:
        """Add the user, who clones the project; and read what system it is."""
        self.say(self.command("root", f"useradd --create-home --shell /bin/bash {USER}"))
        self.say(self.command(USER, f"git clone {BUNDLE} {CLONE}"))
        release = (self.used / "etc/os-release").read_text()
        python = self.say(self.command(USER, "python3 --version"))
        self.row.python = python.split()[1]
        self.row.system = re.search('PRETTY_NAME="(.*)"', release)[1]

    def lab(self) -> None:
        """The first command, once more after each thing that it asks for."""
        begun = time.monotonic()
        while True:
            said = ""
            with self.speaking(self.command(USER, f"cd {CLONE}; timeout 2h make lab")) as (_, lines):
                for line in lines:
                    said += line
                    if address := ADDRESS.search(line):
                        answers(address[0])
                        self.row.lab = time.monotonic() - begun
                        return
            if not self.follow(said):
                raise Failed(f"`make lab` ended before JupyterLab answered; what it said is in {self.log}")

    def ask(self) -> None:
        """Have the second command say what the tests need, and install that as root."""
        self.follow(self.say(self.command(USER, f"cd {CLONE}; make test TEST_ARGS='--collect-only -q'")))
        self.row.asked = True

    def test(self) -> None:
        """The second command."""
        begun = time.monotonic()
        chosen = f" TEST_ARGS={shlex.quote(' '.join(self.row.tests))}" if self.row.tests else ""
        said = self.say(self.command(USER, f"cd {CLONE}; make test{chosen}"), check=False).splitlines()
        summary = next((line for line in reversed(said) if re.search(r"\d+ passed.* in [\d.]+s", line)), "")
        counts = {what: int(number) for number, what in COUNT.findall(summary)}
        if not counts:
            raise Failed(f"`make test` ended without a count; what it said is in {self.log}")
        self.row.passed, self.row.skipped = counts["passed"], counts.get("skipped", 0)
        self.row.failed = counts.get("failed", 0) + counts.get("error", 0)
        self.row.notes = [line[:200] for line in said if line.startswith(("FAILED", "ERROR", "SKIPPED"))]
        self.row.seconds = time.monotonic() - begun

    def follow(self, said: str) -> bool:
        """Do by hand what a command asks for, and say whether there was anything new."""
        news = []
        for install, setting in ADVICE.findall(said):
            name = setting or install.split()[-1]
            if name in self.row.by_hand or name in news:
                continue
            news.append(name)
            if install:
                script = f"export DEBIAN_FRONTEND=noninteractive; apt-get update; {install}"
                self.say(self.command("root", script))
        self.row.by_hand += news
        return bool(news)


def end(running: subprocess.Popen) -> None:
    """End a command with all that it has started."""
    with contextlib.suppress(psutil.NoSuchProcess):
        started = psutil.Process(running.pid).children(recursive=True)
        for process in started:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.terminate()
        for process in psutil.wait_procs(started, timeout=10)[1]:
            process.kill()


def answers(address: str) -> None:
    """Fetch JupyterLab's page, which may be announced a moment before it is there.

    Raises:
        Failed: something else answers, or nothing.
    """
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    deadline = time.monotonic() + 120
    while True:
        try:
            with direct.open(address, timeout=60) as page:
                text = page.read().decode()
            break
        except OSError as error:
            if time.monotonic() > deadline:
                raise Failed(f"{address} doesn't answer: {error}") from None
        time.sleep(0.5)
    if "<title>JupyterLab</title>" not in text:
        raise Failed(f"what answers at {address} isn't JupyterLab: {text[:200]}")


# -- this machine ----------------------------------------------------------------------------------------


def git(*arguments: str) -> str:
    """What git says of this project."""
    return subprocess.run(
        ["git", "-C", ROOT, *arguments], capture_output=True, text=True, check=True
    ).stdout.strip()


def mirror() -> str:
    """Where this machine gets Debian's packages; elsewhere, Debian's own address."""
    with contextlib.suppress(OSError):
        asked = ["apt-get", "indextargets", "--format", "$(SITE) $(ORIGIN)", "Created-By: Packages"]
        for line in subprocess.run(asked, capture_output=True, text=True).stdout.splitlines():
            site, _, origin = line.partition(" ")
            if origin == "Debian":
                return site
    return "http://deb.debian.org/debian"


def pip_settings() -> tuple[dict[str, str], set[Path]]:
    """Where pip gets packages on this machine: variables for pip in a system, and the folders that they name."""
    command = [sys.executable, "-m", "pip", "config", "list"]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    settings, folders = {}, set()

    def seen(path: re.Match) -> str:
        folder = Path(path[0]).parent  # an index may lead to files beside it
        if not Path(path[0]).exists():
            return path[0]
        folders.add(folder)
        return f"{HOST}{path[0]}"

    for line in sorted(lines, key=lambda line: line.startswith(":env:")):  # the environment counts most
        name, _, value = line.partition("=")
        if (option := name.rpartition(".")[2]) in PIP:
            words = " ".join(ast.literal_eval(value).split())
            settings[f"PIP_{option.upper().replace('-', '_')}"] = re.sub(
                r"(?<![^\s])/\S+|(?<=file://)/\S+", seen, words
            )
    return settings, folders


def remove(folder: Path) -> None:
    """Remove a system in which nothing is mounted.

    Raises:
        Failed: something is, so that what would be removed may be somebody else's.
    """
    mounts = [line.split()[4] for line in Path("/proc/self/mountinfo").read_text().splitlines()]
    if mounted := [place for place in mounts if Path(place).is_relative_to(folder.resolve())]:
        raise Failed(f"{mounted[0]} is mounted: unmount it, then remove {folder}")
    if folder.exists():
        shutil.rmtree(folder)


def record(rows: list[Row], arguments: list[str]) -> None:
    """Put the table into RESULTS.md."""
    table = Table()
    for number, head in enumerate(HEADS):
        table.add_column(head, justify="right" if 2 <= number <= 6 else "left")
    for row in rows:
        table.add_row(*row.cells())
    tests = rows[0].tests
    notes = sorted({note for row in rows for note in row.notes})
    results.write(
        "Bare systems" if tests else "Bare systems: all tests",
        shlex.join(["python", "-m", "tests.long.fresh", *arguments]),
        f"Tested: {' '.join(tests) or 'everything'}. The seconds of `make lab` end with JupyterLab's answer.",
        table,
        "\n".join(f"- {note}" for note in notes) or "Nothing failed, and nothing was skipped.",
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
