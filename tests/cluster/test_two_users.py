"""Two people, one folder: a group of their own, `umask 002`, and folders that pass their group on."""

import grp
import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.checkout import TARGET, Checkout
from tests.cluster.study import controller, ended

NAME = "contrapose-test"  # of the user and the group
ANSWERS = "results/generate/wiki/chatgpt-prompt2/{}-of-2/paraphrases.parquet"


@pytest.fixture(scope="module")
def second(slurm: None) -> Iterator[pwd.struct_passwd]:
    """A user of this machine that is made for the test."""
    if os.geteuid():
        pytest.skip("only root can make a second user")
    subprocess.run(["useradd", "--create-home", "--user-group", NAME], check=True)
    try:
        user = pwd.getpwnam(NAME)
        call = [sys.executable, "-m", "snakemake", "--version"]
        try:
            subprocess.run(call, user=user.pw_uid, env={}, cwd="/", check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError):
            pytest.skip(f"other users may not call {sys.executable}")
        yield user
    finally:
        subprocess.run(["userdel", "--remove", NAME], check=True, capture_output=True)


@pytest.fixture
def shared(built: Checkout, second: pwd.struct_passwd) -> Iterator[Path]:
    """A copy of the project that both may write, without anything that was asked."""
    folder = Path(tempfile.mkdtemp(prefix="contrapose-shared-"))
    shutil.copytree(built.folder, folder, dirs_exist_ok=True)
    shutil.rmtree(folder / "results/generate/wiki/chatgpt-prompt2")
    shutil.rmtree(folder / "state")
    group = grp.getgrnam(NAME).gr_gid
    for path in (folder, *folder.rglob("*")):
        os.chown(path, -1, group)
        path.chmod(0o2775 if path.is_dir() else path.stat().st_mode | 0o060)
    yield folder
    shutil.rmtree(folder)


def of(user: pwd.struct_passwd, folder: Path, *arguments: str) -> subprocess.Popen:
    """Start a controller of a user, as a login with `umask 002` would."""
    return controller(
        folder,
        *arguments,
        user=user.pw_uid,
        group=grp.getgrnam(NAME).gr_gid,
        extra_groups=[],
        umask=0o002,
        env={"HOME": user.pw_dir, "USER": user.pw_name, "LOGNAME": user.pw_name, "TMPDIR": "/tmp"},
    )


def test_two_users_build_in_one_folder_at_once_and_go_on_with_each_others_results(shared, second):
    first = pwd.getpwuid(os.geteuid())
    parts = [of(user, shared, ANSWERS.format(part)) for part, user in enumerate((first, second))]
    for part in parts:
        ended(part)
    owners = [(shared / ANSWERS.format(part)).stat().st_uid for part in (0, 1)]
    assert owners == [first.pw_uid, second.pw_uid]
    # The table needs both; its journals, records and logs are the other's in part.
    ended(of(second, shared, TARGET))
    assert "Nothing to be done" in ended(of(first, shared, TARGET))
    journals = list(shared.glob("state/generate/chatgpt-*/loopback-*/wiki-prompt2-?-of-2.jsonl"))
    assert {path.stat().st_uid for path in journals} == {first.pw_uid, second.pw_uid}
