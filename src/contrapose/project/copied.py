"""Results that were copied: their manifests say whether they are up to date, their times do not.

Snakemake knows results by the times of files and by its records in `.snakemake`.  A copy by `cp`, git, a zip
or a bucket has other times or no records.  What is found here is told to Snakemake in its own way, before it
plans: times in the order of the jobs, and the records that it lacks.
"""

import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

from contrapose.base.errors import ContraposeError, TableError
from contrapose.jobs.manifest import Manifest, content_digest, manifest_files, read_manifest, source_digest
from contrapose.project.lookups import Lookups
from contrapose.project.staleness import is_current
from contrapose.project.steps import as_param

STAMP = ".snakemake_timestamp"  # the file that has the time of a folder, for Snakemake


def recognize_copies(project: Lookups, results: Path) -> None:
    """Give results that are as their jobs made them the times and records that Snakemake expects.

    Times change only where an output is older than an input, and is still what today's settings and code
    make from the inputs that are there.  A folder that cannot be written stays as it is.
    """
    manifests = list(_readable(manifest_files(results))) if results.is_dir() else []
    owners = {path: manifest for manifest in manifests for path in manifest.paths.values()}

    @cache  # many jobs read the same encoder
    def content(path: Path) -> str:
        owner = owners.get(path)
        if owner and path not in dict(owner.changes(results, whole=False)):
            return content_digest(owner.outputs[os.path.relpath(path, owner.file.parent)])
        # A file of a person.  A manifest of a stranger could name a device, or a folder with all of a disk.
        return source_digest(path) if not owner and path.is_file() else ""

    def is_as_made(manifest: Manifest) -> bool:
        inputs = ((name, path) for name, path in manifest.input_paths.items() if path.exists())
        try:
            return (
                not any(manifest.changes(results, whole=False))
                and all(content(path) == manifest.inputs[name] != "" for name, path in inputs)
                and is_current(project, manifest.made)
            )
        except ContraposeError:  # today's settings do not make it, or it names what is not in the results
            return False

    with suppress(OSError):  # read-only: Snakemake plans from what it sees
        for manifest in _in_order(manifests, owners):
            _restore_times(manifest, is_as_made)
        _restore_records(manifests)


def _readable(files: Iterable[Path]) -> Iterable[Manifest]:
    for file in files:
        with suppress(TableError):  # `run` and `verify` name it
            yield read_manifest(file)


def _in_order(manifests: Iterable[Manifest], owners: Mapping[Path, Manifest]) -> list[Manifest]:
    """Return manifests in the order of their jobs: each one after those of the jobs that made its inputs."""
    by_file = {manifest.file: manifest for manifest in manifests}
    needs = {
        manifest.file: {owners[path].file for path in manifest.input_paths.values() if path in owners}
        for manifest in manifests
    }
    return [by_file[file] for file in TopologicalSorter(needs).static_order()]


def _restore_times(manifest: Manifest, is_as_made: Callable[[Manifest], bool]) -> None:
    """Give outputs that are older than an input the time of the newest input."""
    inputs = [path for path in manifest.input_paths.values() if path.exists()]
    outputs = [path for path in manifest.paths.values() if path.exists()]
    newest = max(map(_time, inputs), default=0)
    late = [path for path in outputs if _time(path) < newest]
    if late and is_as_made(manifest):
        for path in late:
            carrier = path / STAMP if path.is_dir() else path
            carrier.touch()
            os.utime(carrier, ns=(newest, newest))


def _time(path: Path) -> int:
    """Return the time of a file or folder in nanoseconds, as Snakemake takes it."""
    carrier = path / STAMP if (path / STAMP).is_file() else path
    return max(carrier.stat().st_mtime_ns, carrier.lstat().st_mtime_ns)


def _restore_records(manifests: Iterable[Manifest]) -> None:
    """Write what Snakemake compares settings and code with, where it has no record of an output.

    Snakemake has no public way to do so: tests/workflow/test_copies.py holds its own methods to it.
    """
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
