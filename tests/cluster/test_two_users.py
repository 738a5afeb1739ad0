"""Two people, one folder: a group of their own, `umask 002`, and folders that pass their group on."""

import os
import pwd
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.checkout import TARGET, Checkout
from tests.cluster.folders import readable_folder
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
        yield [pwd.getpwnam(name) for name in USERS]


def made(make: str, remove: str, stack: ExitStack, name: str, *options: str) -> None:
    """Make a user or a group, for as long as the stack is there; one of a killed run goes first."""
    call = [remove, "--force", *(["--remove"] if remove == "userdel" else []), name]
    subprocess.run(call, check=False, capture_output=True)
    subprocess.run([make, *options, name], check=True)
    stack.callback(subprocess.run, call, check=True, capture_output=True)


@pytest.fixture(scope="module")
def environment() -> Iterator[Path]:
    """This Python and its packages where every user may read them, by links: ours may be in a home."""
    with readable_folder("environment") as folder:
        base, venv = folder / "base", folder / "venv"
        standard = Path(sysconfig.get_path("stdlib"))
        linked(standard, base / "lib" / standard.name)
        for library in Path(sys.base_prefix, "lib").glob("libpython*"):
            shutil.copy2(library, base / "lib")
        (base / "bin").mkdir()
        python = shutil.copy2(Path(sys.executable).resolve(), base / "bin")
        libraries = {"LD_LIBRARY_PATH": str(base / "lib")}
        subprocess.run([python, "-m", "venv", "--without-pip", venv], env=libraries, check=True)
        packages = Path(sysconfig.get_path("purelib"))
        linked(packages, venv / packages.relative_to(sys.prefix))
        yield folder


def linked(source: Path, to: Path) -> None:
    """Copy a folder by hard links, or as it is if that is on another file system."""

    def link(file: str, place: str) -> None:
        try:
            os.link(file, place)
        except OSError:
            shutil.copy2(file, place)

    others = shutil.ignore_patterns("site-packages")  # of the Python that our environment is made from
    shutil.copytree(source, to, symlinks=True, ignore=others, copy_function=link, dirs_exist_ok=True)


@pytest.fixture
def shared(built: Checkout, users: list[pwd.struct_passwd]) -> Iterator[Path]:
    """A copy of the project that both may write, without anything that was asked."""
    with readable_folder("shared") as folder:
        shutil.copytree(built.folder, folder, dirs_exist_ok=True)
        shutil.rmtree(folder / "results/generate/wiki/chatgpt-prompt2")
        shutil.rmtree(folder / "state")
        for path in (folder, *folder.rglob("*")):
            os.chown(path, -1, users[0].pw_gid)
            path.chmod(0o2775 if path.is_dir() else path.stat().st_mode | 0o060)
        yield folder


def of(user: pwd.struct_passwd, environment: Path, folder: Path, *arguments: str) -> subprocess.Popen:
    """Start a controller of a user, as a login with `umask 002` would."""
    return controller(
        folder,
        *arguments,
        python=environment / "venv/bin/python",
        user=user.pw_uid,
        group=user.pw_gid,
        extra_groups=[],
        umask=0o002,
        env={
            **{"HOME": user.pw_dir, "USER": user.pw_name, "LOGNAME": user.pw_name, "TMPDIR": "/tmp"},
            "LD_LIBRARY_PATH": str(environment / "base/lib"),
        },
    )


def test_two_users_build_in_one_folder_at_once_and_go_on_with_each_others_results(shared, environment, users):
    first, second = users
    parts = [of(user, environment, shared, ANSWERS.format(part)) for part, user in enumerate((first, second))]
    for part in parts:
        ended(part)
    owners = [(shared / ANSWERS.format(part)).stat().st_uid for part in (0, 1)]
    assert owners == [first.pw_uid, second.pw_uid]
    # The table needs both; its journals, records and logs are the other's in part.
    ended(of(second, environment, shared, TARGET))
    assert "Nothing to be done" in ended(of(first, environment, shared, TARGET))
    journals = list(shared.glob("state/generate/chatgpt-*/loopback-*/wiki-prompt2-?-of-2.jsonl"))
    assert {path.stat().st_uid for path in journals} == {first.pw_uid, second.pw_uid}
