"""Jobs in SLURM's queue that an earlier call has left behind.

A controller that was killed leaves its jobs in the queue, and nothing attaches to them again.  Another call
would start the same work beside them: two jobs that write one checkpoint.  The executor writes rule and
wildcards into the comment of a job, so they can be found.
"""

import subprocess
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any

from contrapose.base.errors import BackendError

# Id, user, working directory, comment: last, as it may contain anything.
FORMAT = "%A|%u|%Z|%k"
LIVING = "PENDING,CONFIGURING,RUNNING,SUSPENDED,COMPLETING"  # states of a job that may still write something
SECONDS = 60  # for an answer of a busy scheduler


def comment_of(rule: str, wildcards: Sequence[str]) -> str:
    """Return the comment of a job in the queue, as snakemake-executor-plugin-slurm 2 writes it."""
    values = "_".join(wildcards).replace("/", "_")
    return f"rule_{rule}_wildcards_{values}" if values else f"rule_{rule}"


def comments_of(jobs: Iterable[Any]) -> set[str]:
    """Return the comments that Snakemake's jobs would have, without those that run here."""
    return {comment_of(job.rule.name, list(job.wildcards)) for job in jobs if not job.is_local}


def check_none_left_behind(comments: Collection[str], folder: Path) -> None:
    """Raise BackendError if jobs to be submitted, by their comments, are in the queue already.

    `folder` is the working directory of the workflow.  Who submitted them does not matter.
    """
    jobs = [row for row in _queue() if row[2] == str(folder) and row[3] in comments]
    if not jobs:
        return
    users = sorted({user for _, user, _, _ in jobs})
    ids = " ".join(identifier for identifier, *_ in jobs)
    raise BackendError(
        f"{len(jobs)} of the jobs to submit are in the queue already, submitted by "
        f"{', '.join(users)}. They remain from a call that was killed, or belong to another call. "
        f"Wait for them to end, or cancel them: scancel {ids}. Then run the same command again; "
        "trainings resume from their checkpoints."
    )


def _queue() -> list[list[str]]:
    """Return id, user, folder and comment of each job that has not ended; none if SLURM gives no answer."""
    command = ["squeue", "--noheader", f"--states={LIVING}", f"--format={FORMAT}"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=True)
    except (OSError, subprocess.SubprocessError):
        return []  # the first submission gives a better error
    return [line.split("|", 3) for line in done.stdout.splitlines() if line.count("|") >= 3]
