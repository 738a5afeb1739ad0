"""What survives a killed job: a folder of its own below `state/`, until its result is written."""

import fcntl
import logging
import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pandas as pd

from contrapose.base.orphans import end_if_replaced
from contrapose.tables import Table, read_table, write_table

LOCK = "lock"
STAGES = (
    "generate",
    "score",
    "train",
    "evaluate",
)  # folders of state/, as the rules name them
SECONDS_BETWEEN_TRIES = 1
WAITS = "%s: another job uses this folder; waiting until it ends"
NO_LOCK = "%s: this file system has no locks (%s); make sure that no second job uses this folder"

logger = logging.getLogger(__name__)


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Create the folder if needed, and lock it against other jobs; wait while another job holds the lock.

    The kernel releases the lock when its job ends, however it ends.  On a file system without locks the log
    says so, and there is no waiting.
    """
    lock = _locked(folder)
    try:
        yield
    finally:
        os.close(lock)


def _locked(folder: Path) -> int:
    waits = False
    while True:
        with suppress(FileNotFoundError):  # another job has just removed it, or a folder that it is in
            folder.mkdir(parents=True, exist_ok=True)
            lock = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o666)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if os.path.samestat(os.fstat(lock), os.stat(folder / LOCK)):
                    return lock
            except BlockingIOError:
                if not waits:
                    logger.info(WAITS, folder)
                waits = True
            except FileNotFoundError:
                pass
            except OSError as error:
                logger.warning(NO_LOCK, folder, error.strerror)
                return lock
            os.close(lock)
        time.sleep(SECONDS_BETWEEN_TRIES)


def remove_state(folder: Path) -> None:
    """Remove what a job has kept, and the folders of its stage that are empty then.

    Raises StoppedError if a newer job has begun, whose state it is.
    """
    end_if_replaced()
    shutil.rmtree(folder, ignore_errors=True)
    below = next((n for n, each in enumerate(folder.parents) if each.name in STAGES), 0)
    with suppress(OSError):  # not empty: others are at work there
        for parent in folder.parents[:below]:
            parent.rmdir()


def made_once(file: Path, table: Table, make: Callable[[], pd.DataFrame]) -> pd.DataFrame:
    """Return a part of a table: from its file if an earlier attempt has left it, else made and kept there."""
    if not file.exists():
        write_table(make(), file, table)
    return read_table(file, table)
