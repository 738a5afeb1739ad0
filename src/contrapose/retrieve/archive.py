"""The data folder as a tar file of a hub data set, e.g. SimCSE's copy of the SentEval files."""

import shutil
import tarfile
from functools import partial
from pathlib import Path

from contrapose.errors import BackendError
from contrapose.retrieve.hub_data import HubDataset, hub_file
from contrapose.steps import Project, Writer, planned


class HubArchive(HubDataset):
    """A tar file of a hub data set, unpacked as the data folder."""

    file: str


@planned
def plan(project: Project) -> HubArchive | None:
    return project.world.archive


def build(spec: HubArchive) -> Writer:
    """Fetch the data folder from the hub."""
    return partial(unpack_archive, spec)


def unpack_archive(source: HubArchive, folder: Path) -> None:
    """Fetch an archive of the hub and unpack it into `folder`, which is created if missing.

    Links, absolute paths and paths that lead out of it are refused.  Raises BackendError if the hub cannot
    be reached or the file is not a tar archive.
    """
    path = hub_file(source.dataset, source.file, source.revision)
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with tarfile.open(path) as archive:
            for member in archive:
                _unpack(archive, member, folder)
    except tarfile.TarError as error:
        raise BackendError(f"archive: {source.file} is not a usable tar file. {error}") from error


def _unpack(archive: tarfile.TarFile, member: tarfile.TarInfo, folder: Path) -> None:
    """Write a file of an archive.  The filters of `tarfile` would do, but Debian 12's Python lacks them."""
    path = folder / member.name
    if member.isdir():
        return
    if not member.isreg() or not path.resolve().is_relative_to(folder.resolve()):
        raise tarfile.ExtractError(f"'{member.name}' is a link, or lies outside the folder.")
    path.parent.mkdir(parents=True, exist_ok=True)
    content = archive.extractfile(member)
    assert content is not None
    with content, path.open("wb") as file:
        shutil.copyfileobj(content, file)
