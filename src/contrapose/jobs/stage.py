"""What every workflow script needs around its one function call: the log and the provenance."""

import errno
import json
import logging
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Protocol

from contrapose.base.errors import ContraposeError
from contrapose.base.orphans import JOB_LOG, end_with_snakemake, open_log
from contrapose.jobs.allocator import keep_freed_memory
from contrapose.jobs.processes import is_launched
from contrapose.jobs.timing import timed
from contrapose.jobs.warm import is_fork


class Named(Protocol):
    """Values by name, as Snakemake gives them to a script."""

    def __getattr__(self, name: str) -> Any: ...
    def __getitem__(self, name: int | str) -> Any: ...
    def __iter__(self) -> Iterator[Any]: ...


class SnakemakeJob(Protocol):
    """What Snakemake gives to a script, as far as jobs read it."""

    rule: str
    threads: int
    log: Named
    input: Named
    output: Named
    params: Named
    resources: Named
    wildcards: Named


# The packages whose version can change a number.
RECORDED = (
    "contrapose",
    "torch",
    "transformers",
    "tokenizers",
    "numpy",
    "scipy",
    "pandas",
    "pyarrow",
    "nltk",
    "scikit-learn",
)

# Errors of a disk that cannot be written to: full, over quota, read-only, forbidden, broken.
UNWRITABLE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO)


@contextmanager
def log_to(path: str, threads: int | None = None) -> Iterator[None]:
    """Send all output of this process and its children to the file `path`; set PyTorch's threads and memory.

    Works on file descriptors, so output of C code and child processes is included.  A ContraposeError ends
    the script with its message alone; any other error keeps its traceback.  One of several processes of a job
    leaves its output to the launcher, which has called this before.  From here on the job ends with its
    Snakemake, and stops writing once a newer job with the same log has begun.  The time it takes is written
    to a file beside the log.  What a full log cannot take goes to where messages went before.
    """
    before = os.dup(2)
    if not is_launched():
        descriptor = open_log(path)
        os.dup2(descriptor, 1)
        os.dup2(descriptor, 2)
        os.close(descriptor)
        if not is_fork():
            end_with_snakemake()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", stream=sys.stderr, force=True)
    try:
        if threads is not None:
            import_module("torch").set_num_threads(threads)
            keep_freed_memory()
        with nullcontext() if is_launched() else timed(path):
            yield
    except ContraposeError as error:
        _tell(f"{type(error).__name__}: {error}", before, path)
        sys.exit(error.exit_code)
    except OSError as error:
        if error.errno not in UNWRITABLE:  # a missing file is our mistake
            raise
        # The system's message is clearest; Parquet's writer does not name the file.
        where = f": {error.filename}" if error.filename else ""
        failure = f"{type(error).__name__}: {error.strerror or error}{where}. What was made before is kept. "
        _tell(
            f"{failure}Free disk space or change the permissions, and run the same command again.",
            before,
            path,
        )
        sys.exit(1)
    finally:
        os.close(before)
        os.environ.pop(JOB_LOG, None)


def _tell(text: str, before: int, log: str) -> None:
    """Print the message that ends a job, to the descriptor `before` if its log is full."""
    try:
        print(text, file=sys.stderr, flush=True)
    except OSError as error:
        os.write(before, f"{log}: {error.strerror}. {text}\n".encode())


def provenance(snakemake: SnakemakeJob) -> dict[str, object]:
    """Return what the output of a job is made from, for the metadata of its Parquet files, as JSON values.

    Rule, wildcards, settings (parsed), code digest, package versions, and what precision models ran in
    (`auto_precision`: what `auto` meant for encoders).  No times and no paths, so that
    equal work gives equal bytes.
    """
    devices = sys.modules.get("contrapose.models.devices")  # imported by the script, where there is one
    ran_in = {"precision": sorted(devices.USED)} if devices and devices.USED else {}
    if devices and devices.AUTO:
        ran_in["auto_precision"] = devices.AUTO
    return {
        **ran_in,
        "rule": snakemake.rule,
        "wildcards": dict(snakemake.wildcards.items()),
        "settings": json.loads(snakemake.params.settings),
        "code": snakemake.params.code,
        "packages": packages(),
    }


def packages() -> dict[str, str]:
    """Return the installed versions of the packages that can change a number."""
    return {name: installed for name in RECORDED if (installed := _version(name))}


def run_of(log: Mapping) -> str:
    """Return the id of the run whose training log has this provenance."""
    return "{pairs}/{recipe}/seed{seed}".format(**log["wildcards"])


def input_files(snakemake: SnakemakeJob, name: str) -> list[str]:
    """Return the input files of a name: Snakemake gives a single one as a text, and none not at all."""
    files = snakemake.input.get(name) or []
    return [files] if isinstance(files, str) else list(files)


def all_input_files(snakemake: SnakemakeJob) -> list[str]:
    """Return all input files of a job; every input of a rule has a name."""
    return [path for name, _ in snakemake.input.items() for path in input_files(snakemake, name)]


def _version(package: str) -> str | None:
    """Return the version of an installed package; an environment for data steps has no torch."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None
