"""Assign the GPUs of a machine to its jobs where no scheduler does (snakemake#281).

A GPU is taken by locking a file; the kernel releases the lock when the job ends, however it ends.  If a
scheduler or a user has set `CUDA_VISIBLE_DEVICES`, it is kept.  Jobs of other users, and jobs in containers
with another `/tmp`, are not seen.
"""

import fcntl
import logging
import os
import tempfile
import time
from pathlib import Path

from contrapose.errors import ConfigError

logger = logging.getLogger(__name__)

VISIBLE = "CUDA_VISIBLE_DEVICES"  # read by CUDA when it starts
SECONDS_BETWEEN_TRIES = 1

_taken: list[int] = []  # file descriptors, kept open until this job ends


def take_gpus(count: int, total: int) -> None:
    """Wait until `count` GPUs of this machine are free; this process and its children then see no others.

    Call this before CUDA starts.  Does nothing if `CUDA_VISIBLE_DEVICES` is set.  Raises ConfigError if the
    machine's total number of GPUs, `total`, is smaller.
    """
    if VISIBLE in os.environ or total == 0:
        return
    if count > total:
        raise ConfigError(
            f"processes is {count} and this machine has {total} GPUs. Lower processes to {total}."
        )
    waited = False
    while len(free := _locked(range(total), count)) < count:
        if not waited:
            logger.info("waiting for %d of %d GPUs: other jobs of this machine have taken them", count, total)
        waited = True
        time.sleep(SECONDS_BETWEEN_TRIES)
    _taken.extend(free.values())
    os.environ[VISIBLE] = ",".join(str(number) for number in free)
    logger.info("GPU %s of %d", os.environ[VISIBLE], total)


def _locked(numbers: range, count: int) -> dict[int, int]:
    """Lock the first free GPUs and return {number: descriptor}; lock none if there are too few.

    So two jobs that wait for several GPUs never hold some of them each.
    """
    locked: dict[int, int] = {}
    folder = Path(tempfile.gettempdir(), f"contrapose-{os.getuid()}-gpus")
    folder.mkdir(mode=0o700, exist_ok=True)
    for number in numbers:
        if len(locked) == count:
            break
        descriptor = os.open(folder / str(number), os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            locked[number] = descriptor
        except BlockingIOError:
            os.close(descriptor)
    if len(locked) < count:
        for descriptor in locked.values():
            os.close(descriptor)
        return {}
    return locked
