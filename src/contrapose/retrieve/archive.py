"""The data folder as a tar file of a hub data set, e.g. SimCSE's copy of the SentEval files."""

import tarfile
from pathlib import Path

from contrapose.config.worlds import HubArchive
from contrapose.errors import BackendError
from contrapose.retrieve.hub import hub_file


def unpack_archive(source: HubArchive, folder: Path) -> None:
    """Fetch an archive of the hub and unpack it into `folder`.

    Parameters
    ----------
    source : HubArchive
    folder : Path
        Made if missing.  Links, absolute paths and paths that lead out of it are refused.

    Raises
    ------
    BackendError
        The hub cannot be reached or the file is no tar archive.
    """
    path = hub_file(source.dataset, source.file, source.revision)
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with tarfile.open(path) as archive:
            archive.extractall(folder, filter="data")
    except tarfile.TarError as error:
        raise BackendError(f"archive: {source.file} is not a usable tar file. {error}") from error
