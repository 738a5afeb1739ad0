"""The number of jobs that make a set: a finished set keeps its shards."""

import re
from collections.abc import Sequence
from glob import escape, glob
from pathlib import Path

from contrapose.base.errors import ContraposeError
from contrapose.project.lookups import Lookups
from contrapose.project.staleness import is_current
from contrapose.tables import read_provenance


def shard_names(project: Lookups, stage: str, files: Sequence[str]) -> list[str]:
    """Name the shards of a set: those that exist already, or as many as the config says.

    Their number does not change the set, but the files that Snakemake sees behind it: another number would
    run everything again that depends on it.  So a set keeps its shards while all exist, they and their inputs
    match today's settings and code, and none is older than its inputs.  Jobs that look again find the same
    shards: when a job reads them, they have been made.

    `stage` is a field of `Shards`.  `files` are paths with `<results>` in front: those with `{shard}` in them
    are the shards, the others are the inputs of all.
    """
    configured = getattr(project.config.shards, stage)
    places = [each.replace("<results>", project.results) for each in files]
    first = next(each for each in places if "{shard}" in each)
    paths = glob(escape(first).replace("{shard}", "0-of-*"))
    counts = {int(number) for path in paths for number in re.findall(r"/0-of-(\d+)", path)} - {configured}
    for count in [configured, *sorted(counts)] if counts else []:
        if _is_kept(project, places, _names(count)):
            return _names(count)
    return _names(configured)


def _names(count: int) -> list[str]:
    return [f"{shard}-of-{count}" for shard in range(count)]


def _is_kept(project: Lookups, places: list[str], names: list[str]) -> bool:
    sources = [Path(each) for each in places if "{shard}" not in each]
    shards = [Path(each.replace("{shard}", name)) for each in places if "{shard}" in each for name in names]
    try:
        made = min(path.stat().st_mtime for path in shards)
        return all(path.stat().st_mtime <= made for path in sources) and all(
            is_current(project, read_provenance(path)) for path in [*sources, *shards]
        )
    except (FileNotFoundError, ContraposeError):  # missing, unreadable, or not of today's config
        return False
