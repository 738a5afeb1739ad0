"""In how many jobs a set is made: a finished one keeps its shards."""

import re
from collections.abc import Sequence
from glob import escape, glob
from pathlib import Path
from typing import TYPE_CHECKING

from contrapose.errors import ContraposeError
from contrapose.project.today import is_current
from contrapose.tables import read_provenance

if TYPE_CHECKING:
    from contrapose.project import Project


def shard_names(project: "Project", stage: str, files: Sequence[str]) -> list[str]:
    """Name the shards of a set: those that it is made in, or as many as the config says.

    Their number changes no byte, but the files that Snakemake sees behind the set: another one would run
    everything again that follows.  So a set keeps its shards while all are there, today's settings and code
    make them and what they are made from, and none is older than that.  Jobs that look again find the same:
    when a job reads the shards, they have been made.

    Parameters
    ----------
    stage : str
        A field of `Shards`.
    files : paths with `<results>` in front
        Those with `{shard}` in them are of one shard, the others are what all are made from.
    """
    configured = getattr(project.config.shards, stage)
    places = [each.replace("<results>", project.results) for each in files]
    first = next(each for each in places if "{shard}" in each)
    found = glob(escape(first).replace("{shard}", "0-of-*"))
    counts = {int(number) for path in found for number in re.findall(r"/0-of-(\d+)", path)} - {configured}
    for count in [configured, *sorted(counts)] if counts else []:
        if _is_kept(project, places, _names(count)):
            return _names(count)
    return _names(configured)


def _names(count: int) -> list[str]:
    return [f"{shard}-of-{count}" for shard in range(count)]


def _is_kept(project: "Project", places: list[str], names: list[str]) -> bool:
    sources = [Path(each) for each in places if "{shard}" not in each]
    shards = [Path(each.replace("{shard}", name)) for each in places if "{shard}" in each for name in names]
    try:
        made = min(path.stat().st_mtime for path in shards)
        return all(path.stat().st_mtime <= made for path in sources) and all(
            is_current(project, read_provenance(path)) for path in [*sources, *shards]
        )
    except (FileNotFoundError, ContraposeError):  # not there, not readable, or not of today's config
        return False
