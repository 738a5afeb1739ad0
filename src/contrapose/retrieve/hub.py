"""Single files of data sets of the Hugging Face hub, what is taken of its models, and its errors."""

import logging
from pathlib import Path

from contrapose.errors import BackendError, TableError

# Of a model: never a pickle, and not the weights once more for other programs.
FETCHED = ["*.json", "*.txt", "*.model", "*.safetensors"]
NOT_FETCHED = ["onnx/*", "openvino/*"]
# In the messages of `huggingface_hub` and `datasets`; the latter does not pass on the class of the error.
GATED = ("access gated repo", "is a gated dataset")

logger = logging.getLogger(__name__)


def hub_file(dataset: str, file: str, revision: str) -> Path:
    """Fetch a file of a data set, or find it in the hub's cache on this machine.

    Raises BackendError if the hub cannot be reached or has no such file.
    """
    from huggingface_hub import hf_hub_download

    try:
        path = Path(hf_hub_download(dataset, file, repo_type="dataset", revision=revision))
    except Exception as error:  # a connection that breaks off is an error of the HTTP library
        raise unavailable(
            f"{dataset}/{file}@{revision} could not be fetched from the hub",
            error,
            "Check the network, or use world=files with a folder of your own.",
        ) from error
    # The snapshot folder is named by the commit, so the log holds it even where `revision` is a branch.
    logger.info("%s of commit %s", file, path.parent.name)
    return path


def unavailable(what: str, error: Exception, otherwise: str) -> BackendError:
    """Build the error for something that the hub does not give.

    `what` is the thing and what could not be done with it, without a full stop; `error` is of a client of
    the hub; `otherwise` says what to do, unless access is to be asked for.
    """
    if any(words in str(error) for words in GATED):
        otherwise = "Ask for access on its page of the hub, and set HF_TOKEN to a token that has it."
    return BackendError(f"{what} ({type(error).__name__}: {error}). {otherwise}")


def check_rows(found: int, expected: int | None, file: str) -> None:
    """Raise a TableError if a file has another number of rows than its entry in the world says."""
    if expected is not None and found != expected:
        raise TableError(
            f"{file}: has {found} rows, expected {expected}. It has changed on the hub: choose a revision "
            "in the world file, or change `rows` there."
        )
