"""Folders of models of `transformers` and sentence-transformers: where they are, and checks before use."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import safetensors
from torch import nn

from contrapose.base.directory import fetch
from contrapose.base.errors import BackendError, ConfigError, UnavailableError, shown
from contrapose.jobs.status import why_unavailable
from contrapose.models.declared import first_folder
from contrapose.models.folder_files import ADAPTER, AGAIN, MODULES, WEIGHTS, damaged, read_json
from contrapose.settings.catalogs.model_folders import CONFIG
from contrapose.settings.hub import (
    FETCHED,
    NOT_FETCHED,
    SAVE_AGAIN,
    is_model_name,
    not_a_model,
    unavailable,
)

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

WEIGHTS_INDEX = "model.safetensors.index.json"  # if the weights are in several files
ADAPTER_WEIGHTS = "adapter_model.safetensors"
# Keys of CONFIG that say how many layers are built, of BERT, GPT-2, T5, BART, ALBERT and later ones.
LAYERS = re.compile("num_(hidden_|decoder_|encoder_)?layers|n_layers?|(en|de)coder_layers|num_hidden_groups")
MOST_LAYERS = 1000  # of the deepest transformer.  DeepNet, Wang et al. (2022)
MOST_TENSORS = 100_000  # ten times those of the largest encoders; transformers takes minutes for more
MOST_LABELS = 1_000_000  # each becomes an entry of a dictionary; no encoder needs any
NO_LIMIT = 1 << 31  # `model_max_length` of tokenizers that state none is far above it


def model_folder(source: str | Path, revision: str | None = None, what: str = "encoder") -> Path:
    """Return the folder of a model: `source` itself, or fetched from the hub if there is a `revision`.

    `what` describes the model in error messages.  Raises ConfigError if the folder lacks something, or its
    weights are only available as a pickle; BackendError if the model cannot be fetched from the hub; and
    UnavailableError if the model was to be trained, but there was too little training data.
    """
    folder = Path(source) if revision is None else _fetched(str(source), revision, what)
    if not folder.is_dir():
        raise ConfigError(
            f"{what} '{folder}' is not a folder. Check the {what}s of the catalog. A model of the hub "
            "also needs a revision."
        )
    if why := why_unavailable(folder):
        raise UnavailableError(why)
    if odd := next((path for path in _parts(folder) if path.exists() and not path.is_file()), None):
        raise ConfigError(f"{what}: {odd} is a pipe or a device, not a file. Remove it from the folder.")
    if (folder / ADAPTER).is_file():
        _need_weights(folder, what, ADAPTER_WEIGHTS)
        return folder
    part = transformer_folder(folder)
    if not (part / CONFIG).is_file():
        raise ConfigError(f"{what} '{part}' has no {CONFIG}. Save it with save_pretrained of transformers.")
    _need_weights(part, what, WEIGHTS, WEIGHTS_INDEX)
    if not (part / WEIGHTS).is_file():
        _check_index(part / WEIGHTS_INDEX)
    return folder


def encoder_source(encoder: str | Path) -> tuple[str | Path, str | None]:
    """Return a folder and no revision, or an encoder's name on the hub and its whole commit, once fetched.

    A text that is not a folder here is ORG/NAME or ORG/NAME@REVISION; without a revision, the commit is the
    newest, or without internet the cached one.  Raises ConfigError for what is neither a folder nor such a
    name, and BackendError if the encoder cannot be fetched.
    """
    if isinstance(encoder, Path) or _is_folder(Path(encoder)):
        return encoder, None
    name, _, revision = encoder.partition("@")
    if not is_model_name(name):
        raise ConfigError(f"encoder '{encoder}' is not a folder. Name one, or a model of the hub: ORG/NAME.")
    # The hub's cache names the folder by the commit, also where the revision is a branch.
    advice = "Name a folder that exists, or check name, revision and network. Fetched encoders stay cached."
    try:
        return name, _fetched(name, revision or "main", "encoder", advice).name
    except BackendError as error:
        if why := not_a_model(name, error.__cause__):
            kind = BackendError if "/" in name else ConfigError
            raise kind(f"encoder '{encoder}' is not a folder{why}") from error
        raise


def transformer_folder(folder: Path) -> Path:
    """Return where the transformer of a model is: in a folder of sentence-transformers perhaps below it."""
    return first_folder(folder) if (folder / MODULES).is_file() else folder


def _parts(folder: Path) -> Iterator[Path]:
    """Yield all that is not a folder in the folder of an encoder and those of its modules."""
    return (path for path in (*folder.glob("*"), *folder.glob("*/*")) if not path.is_dir())


def _check_index(index: Path) -> None:
    """Refuse weights in several files if one of them is no file of safetensors beside the index.

    Of transformers a file with another name would be read as a pickle.
    """
    content = read_json(index)
    files = content.get("weight_map") if isinstance(content, dict) else None
    if not isinstance(files, dict):
        raise ConfigError(
            f"{index}: weight_map is {shown(files)}, but a mapping of tensors to files is expected. {AGAIN}"
        )
    for name in files.values():
        if not (isinstance(name, str) and name.endswith(".safetensors") and Path(name).name == name):
            raise ConfigError(
                f"{index}: the file name {shown(name)} is not allowed. Expected the name of a file "
                f"*.safetensors in the same folder. {AGAIN}"
            )


def _need_weights(folder: Path, what: str, *names: str) -> None:
    if any((folder / name).is_file() for name in names):
        return
    pickles = sorted(path.name for path in folder.glob("*.bin"))
    weights = (
        f"only {', '.join(pickles)}, a pickle, which Contrapose never reads" if pickles else "no weights"
    )
    advice = "" if names[0] == ADAPTER_WEIGHTS else f" {SAVE_AGAIN}"
    raise ConfigError(f"{what} '{folder}' has {weights}, but {names[0]} is needed.{advice}")


def _fetched(model: str, revision: str, what: str, advice: str = "") -> Path:
    from huggingface_hub import snapshot_download

    try:
        return Path(
            snapshot_download(model, revision=revision, allow_patterns=FETCHED, ignore_patterns=NOT_FETCHED)
        )
    except Exception as error:  # a lost connection raises an error of the HTTP library
        raise unavailable(
            f"{what} '{model}' at revision '{revision}' is not in the cache and could not be downloaded",
            error,
            advice or f"Check the name and the revision. {fetch()}",
        ) from error


def base_of(folder: Path, of: tuple[Path, ...] = ()) -> tuple[str, str | None] | None:
    """Return source and revision of the model that an adapter was trained on; None if it is no adapter.

    A folder that the adapter names by a relative path is looked for beside it.  Raises ConfigError if the
    adapter names no model, itself, or neither a folder that is there nor a commit of the hub.  `of` are the
    adapters, resolved, that name this folder as their model.
    """
    if not (folder / ADAPTER).is_file():
        return None
    content = read_json(folder / ADAPTER)
    content = content if isinstance(content, dict) else {}
    name, revision = (content.get(key) for key in ("base_model_name_or_path", "revision"))
    if isinstance(name, str) and name and _is_folder(folder / name):  # an absolute path stays what it is
        named_by = (*of, folder.resolve())
        if (folder / name).resolve() in named_by:
            raise ConfigError(
                f"encoder '{folder}': {ADAPTER} names the adapter itself as its model. Set "
                "base_model_name_or_path to the model."
            )
        base_of(folder / name, named_by)
        return str(folder / name), None
    if isinstance(name, str) and name and isinstance(revision, str) and not Path(name).is_absolute():
        return name, revision
    raise ConfigError(
        f"encoder '{folder}' is an adapter of {shown(str(name))}. This is not a folder on this "
        f"machine, and {ADAPTER} has no `revision` with a commit of the hub. Put the model there, "
        f"correct base_model_name_or_path in {ADAPTER}, or merge the adapter into its model."
    )


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:  # the name is too long for a file
        return False


def tensor_names(folder: Path) -> list[str]:
    """Return the names of all tensors of the weights of a folder; a ConfigError names a damaged file."""
    names: list[str] = []
    for path in folder.glob("*.safetensors"):
        try:
            with safetensors.safe_open(path, framework="pt") as file:
                names += file.keys()
        except safetensors.SafetensorError as error:
            raise damaged(path, error) from error
    return names


def check_counts(folder: Path, what: str) -> None:
    """Raise a ConfigError if a model has more layers, labels or tensors than can be built in seconds.

    Of more layers than there are tensors, transformers would build for hours what it then has no weights for.
    """
    config, tensors = read_json(folder / CONFIG), len(tensor_names(folder))
    if tensors > MOST_TENSORS:
        raise ConfigError(
            f"{what} '{folder}': its weights have {tensors} tensors, but Contrapose reads at most "
            f"{MOST_TENSORS}."
        )
    for key, count in config.items() if isinstance(config, dict) else ():
        if not isinstance(count, int):
            continue
        if LAYERS.fullmatch(key) and 0 < tensors < count:
            raise ConfigError(
                f"{what} '{folder}': {key} is {count} in its {CONFIG}, but its weights have only "
                f"{tensors} tensors. Save the folder again from the whole model."
            )
        most = MOST_LAYERS if LAYERS.fullmatch(key) else MOST_LABELS if key == "num_labels" else count
        if count > most:
            raise ConfigError(
                f"{what} '{folder}': {key} is {count} in its {CONFIG}, but Contrapose builds at most {most}."
            )


def position_limit(model: nn.Module) -> int:
    """Return how many tokens a model has position embeddings for, special tokens included; else NO_LIMIT."""
    limits = [NO_LIMIT]
    for part in model.modules():
        positions = getattr(part, "position_embeddings", None)
        if isinstance(positions, nn.Embedding):
            # RoBERTa counts positions from the padding id + 1.
            used = 0 if positions.padding_idx is None else positions.padding_idx + 1
            limits.append(positions.num_embeddings - used)
    return min(limits)


def length_limit(model: nn.Module, tokenizer: "PreTrainedTokenizerBase") -> int:
    """Return the most tokens of a text that are read where its folder does not say how many.

    No more than `position_limit`, than its configuration states, where -1 is no limit (XLNet), and than its
    tokenizer states.
    """
    stated = getattr(getattr(model, "config", None), "max_position_embeddings", None)
    limits = [stated] if isinstance(stated, int) and stated > 0 else []
    return int(min(position_limit(model), tokenizer.model_max_length, *limits))
