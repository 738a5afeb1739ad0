"""Data sets of the Hugging Face hub and single files of them, the files fetched of its models, its errors."""

import logging
import re
from pathlib import Path
from typing import Literal, NamedTuple

from pydantic import Field

from contrapose.base.directory import fetch
from contrapose.base.errors import BackendError, TableError, said
from contrapose.settings.plan import Plan
from contrapose.settings.spec import Commit, Language, Noted, Spec

# Files of a model: never a pickle, and no further copies of the weights for other frameworks.
FETCHED = ["*.json", "*.txt", "*.model", "*.safetensors"]
NOT_FETCHED = ["onnx/*", "openvino/*"]
# What to do about a folder whose weights are a pickle.
SAVE_AGAIN = (
    "Load the model where you trust it, and save it again: save_pretrained of transformers writes "
    "safetensors."
)
# In the messages of `huggingface_hub` and `datasets`; the latter does not keep the class of the error.
GATED = ("access gated repo", "is a gated dataset")
OFFLINE = "offline mode is enabled"  # in the message of `huggingface_hub`
NO_ANSWER = {"ConnectionError", "TransportError"}  # classes of errors, of the HTTP libraries of these two
# Models that are often named without the organisation.
LIKELY = "google-bert/bert-base-uncased"
SENTENCE = "sentence-transformers"
SENTENCE_MODEL = re.compile("all-|multi-qa-|paraphrase-")  # how the names of its models begin

logger = logging.getLogger(__name__)


LANGUAGE: Language = Field(
    "english",
    exclude=True,
    description="The language decides how text is split into words, where words are counted.",
)


def is_model_name(text: str) -> bool:
    """Whether a text has the form of a model's name on the hub, ORG/NAME or NAME, and not that of a path."""
    return not text.startswith((".", "/", "~")) and text.count("/") < 2


class HubRepository(NamedTuple):
    """What jobs fetch from the hub, pinned: a model, a data set, or one file of it."""

    kind: Literal["dataset", "model"]
    name: str
    revision: str
    file: str = ""


class HubDataset(Spec):
    """A data set of the hub, pinned."""

    dataset: str = Field(description="This is the name of the data set on the hub.")
    revision: Commit = Field(description="This is the commit, so that the data cannot change.")

    @property
    def hub_repository(self) -> HubRepository:
        return HubRepository("dataset", self.dataset, self.revision)

    @property
    def files(self) -> list[str]:
        """Its files on this machine: none, as jobs fetch them."""
        return []

    def lacking(self, project: Plan, name: str) -> str:
        """Return what this catalog lacks for an entry of some name; empty if nothing."""
        return ""


class HubFile(HubDataset, Noted):
    """The file is one of a hub data set. Triplets are in the format of SimCSE."""

    kind: Literal["hub"] = "hub"
    file: str = Field(description="This is the file in the repository.")
    rows: int | None = Field(
        None, ge=1, description="The file is refused unless it has this number of sentences or triplets."
    )
    language: Language = LANGUAGE

    @property
    def hub_repository(self) -> HubRepository:
        return super().hub_repository._replace(file=self.file)

    def located(self, data: Path | None) -> list[Path]:
        """Return the file in the hub's cache, fetched if it is not there; raises as `hub_file`."""
        return [hub_file(self.dataset, self.file, self.revision)]

    def check_rows(self, rows: int) -> None:
        """Raise a TableError if the file does not have the number of rows that its entry states."""
        if self.rows is not None and rows != self.rows:
            raise TableError(
                f"{self.file}: the file has {rows} rows, but its entry in the catalog expects "
                f"{self.rows}, so it has changed on the hub. Choose another revision in the catalog "
                "file, or change `rows` there."
            )


def hub_file(dataset: str, file: str, revision: str) -> Path:
    """Fetch a file of a data set, or find it in the hub's cache on this machine.

    Raises BackendError if the hub cannot be reached or has no such file.
    """
    from huggingface_hub import hf_hub_download

    try:
        path = Path(hf_hub_download(dataset, file, repo_type="dataset", revision=revision))
    except Exception as error:  # a connection that breaks off is an error of the HTTP library
        raise unavailable(
            f"{dataset}/{file}@{revision} could not be downloaded from the hub",
            error,
            f"Check the network. {fetch()}",
        ) from error
    # The snapshot folder is named by the commit, so the log holds it even where `revision` is a branch.
    logger.info("%s of commit %s", file, path.parent.name)
    return path


def unavailable(what: str, error: Exception, otherwise: str) -> BackendError:
    """Build the error for something that cannot be loaded from the hub.

    `what` names the thing and what failed, without a full stop; `error` comes from a client of the hub;
    `otherwise` is the advice, unless access has to be requested.
    """
    if any(words in str(error) for words in GATED):
        otherwise = "Request access on its page of the hub. Then set HF_TOKEN to a token that has access."
    reason = unreachable(error)
    why = f"the hub cannot be reached: {reason}" if reason else f"{type(error).__name__}: {error}"
    return BackendError(f"{what} ({why}). {otherwise}")


def unreachable(error: BaseException | None) -> str:
    """Return why a client of the hub got no answer; empty if it got one, or something else has failed."""
    while isinstance(error, Exception):
        if NO_ANSWER & {kind.__name__ for kind in type(error).__mro__}:
            return re.sub(r"\[Errno -?\d+\] ", "", said(error)).rstrip(".")
        error = error.__cause__
    return ""


def not_a_model(name: str, error: BaseException | None) -> str:
    """Return what follows on "is not a folder" where the hub does not give a model; empty if nothing helps.

    `error` comes from a client of the hub.
    """
    if "/" not in name:
        likely = f"{SENTENCE}/{name}" if SENTENCE_MODEL.match(name) else LIKELY
        return f". A name on the hub has the form ORG/NAME, for example {likely}."
    if reason := unreachable(error):
        offline = "HF_HUB_OFFLINE is set, so the hub is not contacted"
        why = offline if OFFLINE in reason else f"the hub cannot be reached ({reason})"
        return (
            f", and {why}. Name a folder of this machine. To make one on a machine with internet: hf "
            f"download {name} --local-dir FOLDER"
        )
    return ""
