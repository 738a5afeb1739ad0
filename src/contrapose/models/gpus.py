"""Assign the GPUs of a machine, or of a scheduler's job, to the jobs that run there (snakemake#281).

A GPU is taken by locking a file; the kernel releases the lock when the job ends, however it ends.  Of
`CUDA_VISIBLE_DEVICES`, as a user or a scheduler has set it, no other GPUs are taken.  A GPU whose memory is
mostly used by others, such as a server of a language model, is passed over.  Locks of other users, and of
jobs in containers with another `/tmp`, are not seen.
"""

import fcntl
import logging
import os
import subprocess
import tempfile
import time
from collections.abc import Sequence
from itertools import takewhile
from pathlib import Path

from contrapose.base.errors import ConfigError

logger = logging.getLogger(__name__)

VISIBLE = "CUDA_VISIBLE_DEVICES"  # read by CUDA when it starts
OURS = "CONTRAPOSE_GPUS"  # what it is set to here, for this process and those that it starts
# Within a job, schedulers number its GPUs from 0: equal numbers of two jobs are two GPUs.
SCHEDULERS = ("SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "JOB_ID", "FLUX_JOB_ID")
QUERY = ["nvidia-smi", "--query-gpu=index,uuid,memory.free,memory.total", "--format=csv,noheader,nounits"]
FREE = 0.5  # share of the memory; ours: a server takes 0.9 (vLLM's default), a desktop under a tenth
SECONDS_BETWEEN_TRIES = 1

_taken: list[int] = []  # file descriptors, kept open until this job ends


def take_gpus(count: int, total: int) -> None:
    """Wait until `count` GPUs are free; this process and its children then see no others.

    `total` is how many CUDA sees.  Call this before CUDA starts.  Raises ConfigError if `total` is smaller.
    GPUs are numbered as by `nvidia-smi`.
    """
    if total == 0 or (VISIBLE in os.environ and os.environ.get(OURS) == os.environ[VISIBLE]):
        return
    if count > total:
        raise ConfigError(
            f"nproc_per_node is {count}, but this machine has {total} GPUs. Lower nproc_per_node to {total}."
        )
    os.environ.setdefault("CUDA_DEVICE_ORDER", "PCI_BUS_ID")
    listed = os.environ[VISIBLE].split(",") if os.environ.get(VISIBLE) else map(str, range(total))
    every = [each.strip() for each in listed][:total]
    waited = False
    while len(free := _locked(_with_room(every, count), count)) < count:
        if not waited:
            logger.info(
                "waiting for %d of %d GPUs (%s), because other jobs use them or most of their memory",
                count,
                total,
                ",".join(every),
            )
        waited = True
        time.sleep(SECONDS_BETWEEN_TRIES)
    _taken.extend(free.values())
    os.environ[VISIBLE] = os.environ[OURS] = ",".join(free)
    logger.info("GPU %s of %s", os.environ[VISIBLE], ",".join(every))


def gpus_here() -> int:
    """Return how many jobs of this machine can have a GPU each; 0 if that is not known, or if none takes any.

    Counted are those that `nvidia-smi` and, if it is set, `CUDA_VISIBLE_DEVICES` name, without those whose
    memory is mostly used by others.
    """
    listed = os.environ.get(VISIBLE)
    if listed and os.environ.get(OURS) == listed:  # jobs share them
        return 0
    known = [name for index, uuid, *_ in _memory() for name in (index, uuid)]
    every = known[::2] if listed is None else [each.strip() for each in listed.split(",")]
    # CUDA sees none of those after a wrong one.  Parts of a GPU are not in the list; UUIDs may be cut.
    seen = [*takewhile(lambda name: name[:4] == "MIG-" or _begins(name, known), every)]
    return len(_with_room(seen, 0)) or len(seen)


def _begins(name: str, known: Sequence[str]) -> bool:
    return name != "" and any(each.startswith(name) for each in known)


def _with_room(every: Sequence[str], count: int) -> list[str]:
    """Return the GPUs without those whose memory is mostly used; all if there is nothing to choose."""
    if len(every) == count:
        return list(every)
    free: dict[str, float] = {}
    for index, uuid, unused, memory in _memory():
        free[index] = free[uuid] = float(unused) / float(memory)
    return [each for each in every if free.get(each, 1.0) >= FREE]


def _memory() -> list[list[str]]:
    """Return index, UUID, free and total memory of each GPU; nothing where that is not known."""
    try:
        output = subprocess.run(QUERY, capture_output=True, text=True, check=True, timeout=60).stdout
    except (OSError, subprocess.SubprocessError):
        return []
    rows = [line.split(", ") for line in output.splitlines()]
    return [row for row in rows if len(row) == 4 and row[2].isdigit() and row[3].isdigit()]


def _locked(names: Sequence[str], count: int) -> dict[str, int]:
    """Lock the first free GPUs and return {name: descriptor}; lock none if there are too few.

    So two jobs that wait for several GPUs never hold some of them each.
    """
    locked: dict[str, int] = {}
    job = next((os.environ[each] for each in SCHEDULERS if os.environ.get(each)), "")
    folder = Path(tempfile.gettempdir(), f"contrapose-{os.getuid()}-gpus{job and f'-{job}'}")
    folder.mkdir(mode=0o700, exist_ok=True)
    for name in names:
        if len(locked) == count:
            break
        descriptor = os.open(folder / name.replace("/", "_"), os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            locked[name] = descriptor
        except BlockingIOError:
            os.close(descriptor)
    if len(locked) < count:
        for descriptor in locked.values():
            os.close(descriptor)
        return {}
    return locked
