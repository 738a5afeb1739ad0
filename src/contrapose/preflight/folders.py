"""Folders that jobs write: results, logs, state."""

import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from contrapose.errors import ContraposeError
from contrapose.preflight.findings import Finding, fine, missing
from contrapose.preflight.start import check_no_file_in_the_way, check_working_directory, check_writable

SECONDS = 20.0  # that taking a lock may take; a server of locks that is down lets one wait for ever
# What a second job does while a first one holds both kinds of lock: the journals' and the claims' on bytes of
# one file, by which no answer is paid twice.  Exit codes: bits of the locks that it got.
CHILD = """
import errno, fcntl, sys
got = 0
for bit, lock in ((1, fcntl.flock), (2, fcntl.lockf)):
    with open(sys.argv[bit], "r+b") as file:
        try:
            lock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            got |= bit
        except OSError as error:
            if error.errno not in (errno.EAGAIN, errno.EACCES):
                raise
sys.exit(got)
"""
KINDS = {1: "flock", 2: "byte-range"}


def check_folders(folders: Mapping[str, Path]) -> list[Finding]:
    """Try whether each can be made and written, and whether locks in that of the state keep others out."""
    findings = [_judged("working directory", check_working_directory, f"{Path.cwd()} can be written")]
    for name, folder in folders.items():
        findings.append(_judged(name, partial(_try, folder, name), f"{folder} can be written"))
    if all(one.level == "fine" for one in findings):
        findings.append(check_locks(folders["state"]))
    return findings


def _judged(what: str, look: Callable[[], None], found: str) -> Finding:
    try:
        look()
    except ContraposeError as error:
        return missing(what, f"{error}".removeprefix(f"{what}: "))
    return fine(what, found)


def _try(folder: Path, name: str) -> None:
    check_no_file_in_the_way(folder, name)
    check_writable(folder, name)


def check_locks(folder: Path) -> Finding:
    """Take the two kinds of lock in a folder and see that a second process is refused both."""
    import fcntl

    what = "locks"
    advice = (
        "Jobs that ask a language model would pay answers twice. Have the file system mounted with locks "
        "(NFS: without nolock; Lustre: with flock), or choose another folder: "
        "--config pathvars='{state: FOLDER}'"
    )
    try:
        with (
            tempfile.NamedTemporaryFile(dir=folder, prefix=".lock-") as whole,
            tempfile.NamedTemporaryFile(dir=folder, prefix=".lock-") as part,
        ):
            fcntl.flock(whole, fcntl.LOCK_EX | fcntl.LOCK_NB)
            fcntl.lockf(part, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, 0)
            got = _second(whole.name, part.name)
    except (OSError, subprocess.SubprocessError) as error:
        return missing(what, f"files in '{folder}' cannot be locked ({error}). {advice}")
    if got:
        kinds = " and ".join(kind for bit, kind in KINDS.items() if got & bit)
        return missing(what, f"{kinds} locks in '{folder}' do not keep a second process out. {advice}")
    return fine(what, f"flock and byte-range locks in {folder} keep a second process out (of this machine)")


def _second(whole: str, part: str) -> int:
    """Return which locks a second process could take: the sum of bits of KINDS."""
    command = [sys.executable, "-c", CHILD, whole, part]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    if done.returncode not in (0, 1, 2, 3) or done.stderr:
        raise OSError(done.stderr.strip().rpartition("\n")[2] or f"exit code {done.returncode}")
    return done.returncode
