"""`python -m tests.long.fresh` understands what our commands say, and removes nothing of anybody else's."""

from pathlib import Path

import pytest

import bootstrap
from autograder import programs
from tests.long import fresh


def test_it_follows_what_a_missing_program_says(monkeypatch):
    monkeypatch.setattr(programs, "find", lambda program: None)
    monkeypatch.setattr(programs, "distribution", lambda: {"debian"})
    for root in (True, False):
        monkeypatch.setattr(programs, "is_root", lambda root=root: root)
        [(install, setting)] = fresh.ADVICE.findall(programs.missing(programs.POSTGRESQL))
        assert install.split()[0] == "apt-get" and install.split()[-1] == "postgresql" and not setting


def test_it_accepts_the_cuda_build_only_where_setting_up_says_how(monkeypatch):
    monkeypatch.setattr(
        bootstrap, "quietly", lambda *command, **_: bootstrap.subprocess.CompletedProcess(command, 1, "")
    )
    monkeypatch.setattr(bootstrap, "what_pip_would_install", lambda _: {"requires_dist": ["triton==3.7.1"]})
    monkeypatch.delenv("HEADSTART_ALLOW_CUDA", raising=False)
    with pytest.raises(bootstrap.SetupError) as said:
        bootstrap.install_torch("2.13.0")
    assert [setting for _, setting in fresh.ADVICE.findall(str(said.value))] == ["HEADSTART_ALLOW_CUDA=1"]


def test_pip_finds_there_what_it_finds_here(monkeypatch, tmp_path):
    (tmp_path / "wheels").mkdir()
    (tmp_path / "pip").mkdir()
    config = tmp_path / "pip" / "pip.conf"
    config.write_text(
        f"[global]\nextra-index-url =\n    file://{tmp_path}/wheels\n    https://example.org/simple\nuser = true\n"
    )
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.delenv("PIP_EXTRA_INDEX_URL", raising=False)
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "gone"))
    settings, folders = fresh.pip_settings()
    wheels = f"file://{fresh.HOST}{tmp_path}/wheels"
    assert settings["PIP_EXTRA_INDEX_URL"].split()[-2:] == [wheels, "https://example.org/simple"]
    assert settings["PIP_FIND_LINKS"] == str(tmp_path / "gone")
    assert tmp_path in folders and "PIP_USER" not in settings


def test_a_folder_in_which_something_is_mounted_stays(monkeypatch, tmp_path):
    removed = []
    monkeypatch.setattr(fresh.shutil, "rmtree", removed.append)
    with pytest.raises(fresh.Failed, match="is mounted"):
        fresh.remove(Path("/proc"))
    assert not removed
    fresh.remove(tmp_path)
    assert removed == [tmp_path]


def test_nothing_is_made_by_an_ordinary_user(monkeypatch):
    monkeypatch.setattr(fresh, "NEEDED", ("sh",))
    monkeypatch.setattr(fresh.os, "geteuid", lambda: 1000)
    assert "only root" in fresh.what_is_missing()
    monkeypatch.setattr(fresh, "NEEDED", ("sh", "no-such-program"))
    assert "no-such-program can't be found: `apt-get install" in fresh.what_is_missing()
