"""envs/setup.sh, and when `make setup` calls it."""

import os
import re
import shutil
import subprocess
from importlib import import_module
from pathlib import Path

from tests.checkout import HOME


def setup(folder: Path, owner: Path) -> subprocess.CompletedProcess:
    """Call it in a folder whose environment says that it belongs to `owner`, and can install nothing."""
    python = folder / ".venv/bin/python"
    python.parent.mkdir(parents=True)
    python.write_text(
        f'#!/bin/sh\ncase "$*" in *HOME*) echo {owner};; *) echo "installs" >&2; exit 1;; esac\n'
    )
    python.chmod(0o755)
    command = ["sh", str(HOME / "envs/setup.sh"), ".venv"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_whose_an_environment_is_is_asked_of_a_module_that_is_there():
    (module,) = re.findall(r"from (\S+) import HOME", (HOME / "envs/setup.sh").read_text())
    assert import_module(module).HOME == HOME


def test_an_environment_of_another_clone_is_left_alone(tmp_path):
    done = setup(tmp_path, HOME)
    assert done.returncode == 1
    assert f".venv belongs to {HOME}, and nothing was changed in it." in done.stderr
    assert not (tmp_path / ".venv.log").exists()


def test_that_of_this_folder_or_of_one_that_has_moved_is_used(tmp_path):
    for name, owner in (("here", tmp_path / "here"), ("moved", tmp_path / "gone")):
        done = setup(tmp_path / name, owner)
        assert "pip failed" in done.stderr
        assert (tmp_path / name / ".venv.log").read_text() == "installs\n"


def test_make_sets_up_again_where_an_environment_was_copied_with_its_folder(tmp_path):
    files = ("Makefile", "pyproject.toml", "constraints.txt", "envs/setup.sh")
    for name in files:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(HOME / name, tmp_path / name)
        os.utime(tmp_path / name, (0, 0))
    (tmp_path / ".venv").mkdir()
    for owner, calls in ((tmp_path, False), (HOME, True)):
        (tmp_path / ".venv/.ready").write_text(f"{owner}\n")
        made = subprocess.run(
            ["make", "-n", "setup"], cwd=tmp_path, capture_output=True, text=True, check=True
        )
        assert ("setup.sh .venv" in made.stdout) == calls
