"""Whoever else has an account on the machine reads nothing of a course, or its teacher is told."""

import contextlib
import grp
import itertools
import os
import pwd
import shutil
import tempfile
from pathlib import Path

import pytest

from autograder.classroom import privacy
from autograder.classroom.course import course_directory
from autograder.commands import doctor
from autograder.programs import is_root
from tests.support.course import PROCESSES

NOBODY = 65534


def find_what_nobody_gets(paths: list[str], out: str) -> None:
    """Become somebody without rights, and write down which of some folders can be listed or looked into."""
    with open(out, "w") as file:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
        for path in paths:
            for attempt in (os.listdir, lambda path: os.stat(f"{path}/file")):
                with contextlib.suppress(PermissionError):
                    attempt(path)
                    print(path, file=file)


@pytest.fixture
def folder():
    """One that everybody may enter, unlike pytest's own."""
    path = Path(tempfile.mkdtemp(prefix="headstart-privacy-"))
    path.chmod(0o755)
    yield path
    shutil.rmtree(path)


@pytest.mark.skipif(not is_root(), reason="only root can become somebody else")
def test_it_is_open_just_where_somebody_else_gets_in(folder) -> None:
    """Tried by somebody else, with each of some modes for a folder and for the folder above it."""
    wanted = []
    for above, mode in itertools.product((0o700, 0o750, 0o711, 0o755, 0o704), repeat=2):
        path = folder / f"{above:o}" / f"{mode:o}"
        path.mkdir(parents=True)
        (path / "file").write_text("")
        (folder / f"{above:o}").chmod(above)
        path.chmod(mode)
        wanted.append(path)
    out = folder / "out"
    process = PROCESSES.Process(target=find_what_nobody_gets, args=([*map(str, wanted)], str(out)))
    process.start()
    process.join()
    assert process.exitcode == 0
    found = set(out.read_text().split())
    assert len(found) == 6
    assert found == {str(path) for path in wanted if privacy.is_open(path)}


def test_a_file_is_open_where_it_can_be_read_or_changed(folder) -> None:
    file = folder / "file"
    file.write_text("")
    modes = (0o600, 0o604, 0o602, 0o601, 0o640)
    assert [mode for mode in modes if file.chmod(mode) or privacy.is_open(file)] == [0o604, 0o602]
    file.chmod(0o644)
    folder.chmod(0o700)
    assert not privacy.is_open(file)


def test_a_group_is_somebody_else_where_it_has_other_members(folder, monkeypatch) -> None:
    file = folder / "file"
    file.write_text("")
    file.chmod(0o640)
    monkeypatch.setattr(
        privacy, "_is_shared", lambda group, owner: (group, owner) == (os.getgid(), os.getuid())
    )
    assert privacy.is_open(file)
    assert not privacy.is_open(file, to_group=False)


def test_a_group_is_shared_where_somebody_besides_root_and_the_owner_is_in_it(monkeypatch) -> None:
    people = [("root", 0, 0), ("teacher", 1000, 1000), ("amy", 1001, 100), ("bob", 1002, 1002)]
    users = [pwd.struct_passwd((name, "x", uid, gid, "", "", "")) for name, uid, gid in people]
    groups = [("teacher", 1000, ["root"]), ("users", 100, []), ("course", 50, ["teacher", "bob"])]
    monkeypatch.setattr(pwd, "getpwall", lambda: users)
    monkeypatch.setattr(grp, "getgrall", lambda: [grp.struct_group((n, "x", gid, m)) for n, gid, m in groups])
    assert [gid for gid in (0, 50, 100, 1000, 1002, 9999) if privacy._is_shared(gid, 1000)] == [50, 100, 1002]


def test_the_doctor_names_what_others_can_read_until_it_is_closed(folder, monkeypatch, capsys) -> None:
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(folder / "jupyter"))
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", str(folder / "jupyter"))
    root, exchange = folder / "my course", folder / "exchange"
    for name in ("source", "handed_in", "autograded"):
        (root / name).mkdir(parents=True)
    exchange.mkdir(mode=0o755)
    exchange.chmod(0o755)
    (root / "gradebook.db").write_text("")
    (root / ".headstart_secret").write_text("")
    (root / ".headstart_secret").chmod(0o600)
    (root / "nbgrader_config.py").write_text(
        "c = get_config()\nc.CourseDirectory.submitted_directory = 'handed_in'\n"
        f"c.CourseDirectory.db_url = 'sqlite:///{folder}/grades.db'\nc.Exchange.root = {str(exchange)!r}\n"
    )
    (folder / "grades.db").write_text("")
    monkeypatch.chdir(root)
    found = "\n".join(doctor._course())
    assert f"get at source, handed_in, autograded, gradebook.db, {folder}/grades.db:" in found
    assert f"`chmod go-rwx '{root}' {folder}/grades.db`" in found
    assert f"{exchange} has mode 0755" in found and f"`chmod 1777 {exchange}`" in found
    assert ("you are root" in found) == is_root()
    root.chmod(0o700)
    (folder / "grades.db").chmod(0o600)
    exchange.chmod(0o1777)
    assert [line for line in doctor._course() if line != privacy.AS_ROOT] == []
    assert privacy.warning(course_directory()[0]) == ""
