"""A term on the server of docs/jupyterhub.md, with forty made-up students.

    python -m tests.long.term [--students 40] [--lessons 01_attention 02_multihead 03_positional] [--pictures FOLDER]

Each student is a Unix user, who fetches, hands in, and fetches the feedback; a teacher releases, collects,
grades, and releases the feedback; each verdict is compared with what the made-up class must get. It runs the
page's commands first, as `tests/classroom/test_hub.py` does, and leaves nothing behind but screenshots. After the weeks,
`tests/long/walk.py` does what else a term brings: odd hand-ins, changed points, an appeal, marking, dates, an
LMS, the pages, and the end. It always begins anew: a week builds on the one before, and the server goes with
the program.
"""

import argparse
import json
import shlex
import shutil
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from tests.classroom.test_hub import TEACHER, setting_up
from tests.long.walk import AS_STUDENT, AS_TEACHER, Walk
from tests.support import hub


def main() -> None:
    """Set up, teach, compare."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--students", type=int, default=40)
    parser.add_argument("--lessons", nargs="+", default=["01_attention", "02_multihead", "03_positional"])
    parser.add_argument("--pictures", type=Path, help="where screenshots are kept")
    options = parser.parse_args()
    place = Path(tempfile.mkdtemp(prefix="headstart-term-", dir="/tmp"))
    place.chmod(0o755)
    try:
        with timed("all of it"), setting_up(place / "layers") as machine:
            names = [f"student{number:03}" for number in range(1, options.students + 1)]
            machine.run("root", "\n".join(f"{NEW_USER} {name}" for name in names))
            for lesson in options.lessons:
                week(machine, lesson, names, place)
            Walk(machine, names, place, options.pictures or place / "pictures").all()
    finally:
        shutil.rmtree(place)
    print("all as it should be")


NEW_USER = "useradd --create-home --key HOME_MODE=0700 --groups headstart-students"


def week(machine: hub.Server, lesson: str, names: list[str], place: Path) -> None:
    """One lesson, from its release to feedback in everybody's home."""
    aside = place / lesson
    machine.run("root", f"install --directory --owner={TEACHER} {aside}")
    with timed(f"{lesson}: made up and released"):
        made = f"cp -r source nbgrader_config.py {aside}; cd {aside}; export HOME={aside}"
        machine.run(
            TEACHER,
            f"{AS_TEACHER}; nbgrader release_assignment {lesson}; umask 022; {made};"
            f" headstart simulate {lesson} --students {len(names)}; chmod -R a+rX {aside}",
        )
    with timed(f"{lesson}: fetched and handed in"):
        handed_in = f"{aside}/submitted/$USER/{lesson}/{lesson}.ipynb"
        submit = f"cp {handed_in} {lesson}/; nbgrader submit {lesson}"
        at_once(machine, names, f"{AS_STUDENT}; nbgrader fetch_assignment {lesson}; {submit}")
    with timed(f"{lesson}: collected"):
        machine.run(TEACHER, f"{AS_TEACHER}; nbgrader collect {lesson}")
    with timed(f"{lesson}: graded"):
        print(
            machine.run(TEACHER, f"{AS_TEACHER}; headstart grade {lesson}").stdout.splitlines()[0], flush=True
        )
    with timed(f"{lesson}: feedback made and released"):
        machine.run(
            TEACHER, f"{AS_TEACHER}; nbgrader generate_feedback {lesson}; nbgrader release_feedback {lesson}"
        )
    with timed(f"{lesson}: feedback fetched"):
        page = f"{lesson}/feedback/*/{lesson}.html"
        at_once(machine, names, f"{AS_STUDENT}; nbgrader fetch_feedback {lesson}; test -s {page}")
    compare(machine, lesson, json.loads((aside / "simulated" / f"{lesson}.json").read_text()))


def at_once(machine: hub.Server, names: list[str], script: str) -> None:
    """Have every student run a script, eight at a time."""
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda name: machine.run(name, script), names))


QUERY = """
import json, sqlite3, sys
rows = sqlite3.connect("gradebook.db").execute("select student, verdicts from headstart_grading where assignment = ?", sys.argv[1:])
print(json.dumps(dict(rows.fetchall())))
"""


def compare(machine: hub.Server, lesson: str, expected: dict[str, dict]) -> None:
    """Each verdict is what the made-up class must get."""
    told = machine.run(TEACHER, f"{AS_TEACHER}; python -c {shlex.quote(QUERY)} {lesson}").stdout
    wrong = {}
    for student, verdicts in json.loads(told).items():
        for verdict in json.loads(verdicts):
            got = {"status": verdict["status"], "cause": verdict["cause"] * (verdict["status"] == "failed")}
            if got != expected[student]["verdicts"][verdict["exercise"]]:
                wrong[student, verdict["exercise"]] = got
    assert not wrong, wrong
    assert len(json.loads(told)) == len(expected)
    print(f"{lesson}: {len(expected)} students, each verdict as it must be", flush=True)


@contextmanager
def timed(what: str) -> Iterator[None]:
    begun = time.monotonic()
    yield
    print(f"{what}: {time.monotonic() - begun:.0f} s", flush=True)


if __name__ == "__main__":
    main()
