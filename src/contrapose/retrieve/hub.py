"""Single files of data sets of the Hugging Face hub, and what is taken of its models."""

import logging
from pathlib import Path

from contrapose.errors import BackendError, TableError

# Of a model: never a pickle, and not the weights once more for other programs.
FETCHED = ["*.json", "*.txt", "*.model", "*.safetensors"]
NOT_FETCHED = ["onnx/*", "openvino/*"]

logger = logging.getLogger(__name__)


def hub_file(dataset: str, file: str, revision: str) -> Path:
    """Fetch a file of a data set, or find it in the hub's cache on this machine.

    Raises
    ------
    BackendError
        The hub cannot be reached or has no such file.
    """
    from huggingface_hub import hf_hub_download
    from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError

    try:
        path = Path(hf_hub_download(dataset, file, repo_type="dataset", revision=revision))
    except (HfHubHTTPError, LocalEntryNotFoundError, OSError) as error:
        raise BackendError(
            f"{dataset}/{file} could not be fetched from the hub. {error} "
            "Check the network, or use world=files with a folder of your own."
        ) from error
    # The snapshot folder is named by the commit, so the log holds it even where `revision` is a branch.
    logger.info("%s of commit %s", file, path.parent.name)
    return path


def check_rows(found: int, expected: int | None, file: str) -> None:
    """Refuse a file that has another number of rows than its entry in the world says.

    Raises
    ------
    TableError
        It has.
    """
    if expected is not None and found != expected:
        raise TableError(
            f"{file}: has {found} rows, expected {expected}. It has changed on the hub: choose a revision "
            "in the world file, or change `rows` there."
        )
