"""Folders that jobs write, and locks in them."""

import fcntl
from pathlib import Path

import pytest

from contrapose.preflight import folders
from contrapose.preflight.folders import check_folders, check_locks


def test_folders_are_made_and_locks_keep_others_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    found = check_folders({name: tmp_path / name for name in ("results", "logs", "state")})
    assert {one.what: one.level for one in found} == dict.fromkeys(
        ("working directory", "results", "logs", "state", "locks"), "fine"
    )
    assert list((tmp_path / "state").iterdir()) == []


def test_every_folder_that_cannot_be_written_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()
    found = check_folders(
        {"results": tmp_path / "file/r", "logs": tmp_path / "logs", "state": tmp_path / "file"}
    )
    assert [one.what for one in found if one.level == "missing"] == ["results", "state"]
    assert "is a file, expected a folder" in found[1].found


@pytest.mark.parametrize(
    ("without", "kinds"),
    [("flock", "flock"), ("lockf", "byte-range"), ("flock lockf", "flock and byte-range")],
)
def test_a_file_system_whose_locks_keep_nobody_out_is_told(tmp_path, monkeypatch, without: str, kinds: str):
    for name in without.split():  # as where they are granted and mean nothing
        monkeypatch.setattr(fcntl, name, lambda *arguments: None)
    found = check_locks(tmp_path)
    assert found.level == "missing"
    assert found.found.startswith(f"{kinds} locks in '{tmp_path}' do not keep a second process out.")


def test_a_file_system_without_locks_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def refused(*arguments):
        raise OSError(37, "No locks available")

    monkeypatch.setattr(fcntl, "lockf", refused)
    assert "cannot be locked ([Errno 37] No locks available)" in check_locks(tmp_path).found


def test_a_second_process_that_fails_otherwise_is_no_good_sign(tmp_path, monkeypatch):
    monkeypatch.setattr(folders, "CHILD", "import sys; sys.exit('OSError: no')")
    assert check_locks(tmp_path).level == "missing"
