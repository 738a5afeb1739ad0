"""Results that were copied: their manifests say whether they are up to date, their times do not.

Snakemake knows results by the times of files and by its records in `.snakemake`.  A copy by `cp`, git, a zip
or a bucket has other times or no records.  What is found here is told to Snakemake in its own way, before it
plans: times in the order of the jobs, and the records that it lacks.
"""

import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from graphlib import TopologicalSorter
from pathlib import Path
from typing import TYPE_CHECKING

from contrapose.errors import ContraposeError, TableError
from contrapose.manifest import Manifest, content_digest, manifest_files, read_manifest, source_digest
from contrapose.project.staleness import is_current
from contrapose.project.steps import as_param

if TYPE_CHECKING:
    from contrapose.project import Project

STAMP = ".snakemake_timestamp"  # the file that has the time of a folder, for Snakemake


def recognize_copies(project: "Project", results: Path) -> None:
    """Give results that are as their jobs made them the times and records that Snakemake expects.

    Times change only where an output is older than an input and is still what today's settings and code make
    of the inputs that are there.  A folder that cannot be written stays as it is.
    """
    manifests = list(_readable(manifest_files(results))) if results.is_dir() else []
    owners = {path: manifest for manifest in manifests for path in manifest.paths.values()}
    with suppress(OSError):  # read-only: Snakemake plans from what it sees
        for manifest in _in_order(manifests, owners):
            _restore_times(manifest, owners, project, results)
        _restore_records(manifests)


def _readable(files: Iterable[Path]) -> Iterable[Manifest]:
    for file in files:
        with suppress(TableError):  # `run` and `verify` name it
            yield read_manifest(file)


def _in_order(manifests: Iterable[Manifest], owners: Mapping[Path, Manifest]) -> list[Manifest]:
    """Return manifests behind those of their inputs."""
    by_file = {manifest.file: manifest for manifest in manifests}
    needs = {
        manifest.file: {owners[path].file for path in manifest.input_paths.values() if path in owners}
        for manifest in manifests
    }
    return [by_file[file] for file in TopologicalSorter(needs).static_order()]


def _restore_times(
    manifest: Manifest, owners: Mapping[Path, Manifest], project: "Project", results: Path
) -> None:
    inputs = [path for path in manifest.input_paths.values() if path.exists()]
    outputs = [path for path in manifest.paths.values() if path.exists()]
    newest = max(map(_time, inputs), default=0)
    late = [path for path in outputs if _time(path) < newest]
    if late and _is_as_made(manifest, owners, project, results):
        for path in late:
            carrier = path / STAMP if path.is_dir() else path
            carrier.touch()
            os.utime(carrier, ns=(newest, newest))


def _time(path: Path) -> int:
    """Return the time of a file or folder in nanoseconds, as Snakemake takes it."""
    carrier = path / STAMP if (path / STAMP).is_file() else path
    return max(carrier.stat().st_mtime_ns, carrier.lstat().st_mtime_ns)


def _is_as_made(
    manifest: Manifest, owners: Mapping[Path, Manifest], project: "Project", results: Path
) -> bool:
    """Return whether the outputs are as made, and of today's inputs, settings and code."""

    def today(path: Path) -> str:
        owner = owners.get(path)
        if not owner:  # a file of a person; a manifest of a stranger could name a device, or all of a disk
            return source_digest(path) if path.is_file() else ""
        changed = dict(owner.changes(results, whole=False))
        files = owner.outputs[os.path.relpath(path, owner.file.parent)]
        return "" if path in changed else content_digest(files)

    try:
        return (
            not any(manifest.changes(results, whole=False))
            and all(
                today(path) == manifest.inputs[name] != ""
                for name, path in manifest.input_paths.items()
                if path.exists()
            )
            and is_current(project, manifest.made)
        )
    except ContraposeError:  # today's settings do not make it, or a manifest names what is not in the results
        return False


def _restore_records(manifests: Iterable[Manifest]) -> None:
    """Write what Snakemake compares settings and code with, where it has no record of an output."""
    from snakemake.persistence import RECORD_FORMAT_VERSION, MetadataRecord
    from snakemake.persistence.file import FilePersistence

    records = FilePersistence(nolock=True)
    for manifest in manifests:
        params = [as_param(manifest.made["settings"]), manifest.made["code"]]
        record = MetadataRecord(
            rule=manifest.made["rule"],
            params=sorted(map(repr, params)),
            record_format_version=RECORD_FORMAT_VERSION,
            incomplete=False,
            input_checksums={},
        )
        names = [str(path) for path in manifest.paths.values() if path.exists()]
        at_work = records._filter_incomplete_keys(names)
        for name in names:
            if name not in at_work and records._read_record(name) is None:
                records._write_record(name, record)
