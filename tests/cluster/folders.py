"""Folders in the system's temporary one that any user may read, as those of pytest are not."""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def readable_folder(name: str, emptied: Callable[[Path], None] = lambda folder: None) -> Iterator[Path]:
    """Have a new folder; take it away in the end, and first those that killed runs have left.

    Before a left folder is removed, `emptied` stops what runs from it.  The folder of a run that goes on is
    locked.
    """
    for left in Path(tempfile.gettempdir()).glob(f"contrapose-{name}-*"):
        with suppress(OSError), _locked(left):
            emptied(left)
            shutil.rmtree(left)
    folder = Path(tempfile.mkdtemp(prefix=f"contrapose-{name}-"))
    with _locked(folder):
        folder.chmod(0o755)
        try:
            yield folder
        finally:
            shutil.rmtree(folder)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(handle)
