"""The data folder as a tar file of a hub data set, e.g. SimCSE's copy of the SentEval files."""

import logging
import tarfile
from pathlib import Path

from contrapose.config import HubArchive
from contrapose.errors import BackendError

logger = logging.getLogger(__name__)


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
    from huggingface_hub import hf_hub_download
    from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError

    try:
        path = hf_hub_download(source.dataset, source.file, repo_type="dataset", revision=source.revision)
    except (HfHubHTTPError, LocalEntryNotFoundError, OSError) as error:
        raise BackendError(
            f"archive: {source.dataset}/{source.file} could not be fetched from the hub. {error} "
            "Check the network, or use world=files with a folder of your own."
        ) from error
    # The snapshot folder is named by the commit, so the log holds it even where `revision` is a branch.
    logger.info("unpacking %s of commit %s", source.file, Path(path).parent.name)
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with tarfile.open(path) as archive:
            archive.extractall(folder, filter="data")
    except tarfile.TarError as error:
        raise BackendError(f"archive: {source.file} is not a usable tar file. {error}") from error
