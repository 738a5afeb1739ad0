"""Two people, one folder: a group of their own, `umask 002`, and folders that pass their group on."""

import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.checkout import TARGET, Checkout
from tests.cluster.study import controller, ended

GROUP = "contrapose-test"
USERS = ("contrapose-ann", "contrapose-bob")
ANSWERS = "results/generate/wiki/chatgpt-prompt2/{}-of-2/paraphrases.parquet"


@pytest.fixture(scope="module")
def users(slurm: None) -> Iterator[list[pwd.struct_passwd]]:
    """Two users of this machine with a group of their own, made for the test."""
    if os.geteuid():
        pytest.skip("only root can make users")
    with ExitStack() as stack:
        made("groupadd", "groupdel", stack, GROUP)
        for name in USERS:
            made("useradd", "userdel", stack, name, "--create-home", "--gid", GROUP)
        users = [pwd.getpwnam(name) for name in USERS]
        call = [sys.executable, "-m", "snakemake", "--version"]
        try:
            subprocess.run(call, user=users[0].pw_uid, env={}, cwd="/", check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError):
            pytest.skip(f"other users may not call {sys.executable}")
        yield users


def made(make: str, remove: str, stack: ExitStack, name: str, *options: str) -> None:
    """Make a user or a group, for as long as the stack is there."""
    subprocess.run([make, *options, name], check=True)
    home = ["--remove"] if remove == "userdel" else []
    stack.callback(subprocess.run, [remove, *home, name], check=True, capture_output=True)


@pytest.fixture
def shared(built: Checkout, users: list[pwd.struct_passwd]) -> Iterator[Path]:
    """A copy of the project that both may write, without anything that was asked."""
    folder = Path(tempfile.mkdtemp(prefix="contrapose-shared-"))
    shutil.copytree(built.folder, folder, dirs_exist_ok=True)
    shutil.rmtree(folder / "results/generate/wiki/chatgpt-prompt2")
    shutil.rmtree(folder / "state")
    for path in (folder, *folder.rglob("*")):
        os.chown(path, -1, users[0].pw_gid)
        path.chmod(0o2775 if path.is_dir() else path.stat().st_mode | 0o060)
    yield folder
    shutil.rmtree(folder)


def of(user: pwd.struct_passwd, folder: Path, *arguments: str) -> subprocess.Popen:
    """Start a controller of a user, as a login with `umask 002` would."""
    return controller(
        folder,
        *arguments,
        user=user.pw_uid,
        group=user.pw_gid,
        extra_groups=[],
        umask=0o002,
        env={"HOME": user.pw_dir, "USER": user.pw_name, "LOGNAME": user.pw_name, "TMPDIR": "/tmp"},
    )


def test_two_users_build_in_one_folder_at_once_and_go_on_with_each_others_results(shared, users):
    first, second = users
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
