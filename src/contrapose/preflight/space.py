"""Free space on the disks that jobs write, against the forecast of what the jobs will leave there."""

import os
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from contrapose.errors import ContraposeError
from contrapose.forecast.disk import checkpoint, disk
from contrapose.forecast.generation import Asking
from contrapose.plan import Plan
from contrapose.preflight.findings import Finding, fine, missing, unchecked, warning
from contrapose.preflight.needs import Needs

# The forecast is good to a quarter (docs/plan.md).
MARGIN = 1.25
FILES = 20  # that a job leaves: tables, a log, a record of Snakemake; the folder of an encoder has ten


class Want(NamedTuple):
    """What will be written to a folder."""

    what: str
    folder: Path
    size: float  # bytes
    unknown: int = 0  # files whose size nothing tells


class Free(NamedTuple):
    """What a file system still takes."""

    device: int
    size: float  # bytes
    files: int | None  # None: it does not count them


def check_space(
    plan: Plan, needs: Needs, asked: Sequence[Asking], folders: Mapping[str, Path], fetched: float
) -> list[Finding]:
    """Compare what the jobs leave and fetch with what is free.

    Parameters
    ----------
    plan, needs : Plan, Needs
    asked : sequence of Asking
        For their journals.
    folders : mapping of results, state: path
    fetched : float
        Bytes that come into the hub's cache.
    """
    try:
        wants = _wants(plan, needs, asked, folders, fetched)
    except ContraposeError as error:
        return [unchecked("disk", f"what the jobs will leave is not known: {error}")]
    return compared(wants, len(needs.jobs), free_at)


def _wants(
    plan: Plan, needs: Needs, asked: Sequence[Asking], folders: Mapping[str, Path], fetched: float
) -> list[Want]:
    from huggingface_hub import constants

    left = disk(plan, needs.jobs, asked, ())
    journals = sum(space.size for what, space in left.items() if what.startswith("journals"))
    largest = checkpoint(plan, needs.jobs)
    unknown = int(largest is None)
    return [
        Want(
            "results", folders["results"],
            sum(space.size for space in left.values()) - journals,
            sum(space.unknown for space in left.values()),
        ),
        Want("state, with one checkpoint", folders["state"], journals + (largest or 0), unknown),
        Want("cache of the hub", Path(constants.HF_HOME), fetched),
        Want("temporary files", Path(tempfile.gettempdir()), 0.0),
    ]  # fmt: skip


def free_at(folder: Path) -> Free:
    """Return what the file system of a folder, or of the folder that it will be made in, still takes."""
    there = next(place for place in (folder.absolute(), *folder.absolute().parents) if place.exists())
    about = os.statvfs(there)
    return Free(there.stat().st_dev, shutil.disk_usage(there).free, about.f_favail if about.f_files else None)


def compared(wants: Sequence[Want], jobs: int, free_at: Callable[[Path], Free]) -> list[Finding]:
    """Compare with the free space of each file system what all folders on it want together."""
    together: dict[int, list[Want]] = defaultdict(list)
    free: dict[int, Free] = {}
    for want in wants:
        space = free_at(want.folder)
        together[space.device].append(want)
        free[space.device] = space
    return [one for device, same in together.items() for one in _judged(same, free[device], jobs)]


def _judged(wants: Sequence[Want], free: Free, jobs: int) -> list[Finding]:
    what = "disk of " + "; ".join(f"{want.what} ({want.folder})" for want in wants)
    need, unknown = sum(want.size for want in wants), sum(want.unknown for want in wants)
    findings = []
    numbers = f"{_gb(free.size)} free, {_gb(need)} expected"
    if unknown:
        numbers += f" and {unknown} {'file' if unknown == 1 else 'files'} of unknown size"
    if free.size < need:
        findings.append(missing(what, f"{numbers}. Make room, or move them: pathvars, HF_HOME, TMPDIR."))
    elif free.size < MARGIN * need:
        findings.append(warning(what, f"{numbers}. It is close: the forecast is good to a quarter."))
    else:
        findings.append(fine(what, numbers))
    if free.files is not None and free.files < jobs * FILES:
        findings.append(
            missing(
                what,
                f"takes {free.files:,} more files, {jobs:,} jobs leave up to {jobs * FILES:,}. Remove files.",
            )
        )
    return findings


def _gb(size: float) -> str:
    return f"{size / 1e9:,.2f} GB"
