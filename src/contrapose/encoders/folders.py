"""Encoder folders of `transformers` and sentence-transformers: what they hold, checked before use."""

import json
import logging
import re
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import safetensors
from safetensors.torch import load_file
from torch import Tensor, nn

from contrapose.encoders.glow import Glow
from contrapose.encoders.poolers import ACTIVATIONS, ALL_LAYERS, AVERAGED, Dense, Normalize
from contrapose.errors import ConfigError, UnavailableError
from contrapose.retrieve.hub_data import FETCHED, NOT_FETCHED, unavailable
from contrapose.settings.worlds import Prompts
from contrapose.status import why_unavailable

logger = logging.getLogger(__name__)

CONFIG = "config.json"
ADAPTER = "adapter_config.json"  # marks a folder of `peft`
WEIGHTS = "model.safetensors"
WEIGHTS_INDEX = "model.safetensors.index.json"  # if the weights are in several files
MODULES = "modules.json"  # marks a folder of sentence-transformers
LIMIT = "sentence_bert_config.json"  # its length limit, `max_seq_length`
PROMPTS = "config_sentence_transformers.json"  # texts before sentences, and the name of the default one
# Names of a dense layer on [CLS]: of a BERT or RoBERTa pooler, and of SimCSE's MLP before its converter
# renames it.
MLP_KEYS = ("pooler.dense", "mlp.dense")
DENSE = ("weight", "bias")
# Keys of CONFIG that say how many layers are built, of BERT, GPT-2, T5, BART, ALBERT and later ones.
LAYERS = re.compile("num_(hidden_|decoder_|encoder_)?layers|n_layers?|(en|de)coder_layers|num_hidden_groups")


@dataclass(frozen=True)
class OwnPooling:
    """The pooling that a folder declares."""

    pooler: str  # a name in POOLERS
    head: list[nn.Module] = field(default_factory=list)  # what follows the pooler
    max_length: int | None = None


def model_folder(source: str | Path, revision: str | None = None, what: str = "encoder") -> Path:
    """Return the folder of a model: `source` itself, or fetched from the hub if there is a `revision`.

    `what` describes the model in error messages.  Raises ConfigError if the folder lacks something, or its
    weights are only available as a pickle; BackendError if the model cannot be fetched from the hub; and
    UnavailableError if the model was to be trained, but there was too little training data.
    """
    folder = Path(source) if revision is None else _fetched(str(source), revision, what)
    if not folder.is_dir():
        raise ConfigError(
            f"{what} '{folder}' is not a folder. Check the world's {what}s; a model of the hub needs a "
            "revision."
        )
    if why := why_unavailable(folder):
        raise UnavailableError(why)
    if (folder / ADAPTER).is_file():
        return folder
    if not (folder / CONFIG).is_file():
        raise ConfigError(f"{what} '{folder}' has no {CONFIG}. Save it with save_pretrained of transformers.")
    if not (folder / WEIGHTS).is_file() and not (folder / WEIGHTS_INDEX).is_file():
        pickles = sorted(path.name for path in folder.glob("*.bin"))
        weights = f"only {', '.join(pickles)}, a pickle, which is never read" if pickles else "no weights"
        raise ConfigError(
            f"{what} '{folder}' has {weights}; {WEIGHTS} is needed. Make such a folder of it: "
            "contrapose convert -- MODEL FOLDER"
        )
    return folder


def _fetched(model: str, revision: str, what: str) -> Path:
    from huggingface_hub import snapshot_download

    try:
        return Path(
            snapshot_download(model, revision=revision, allow_patterns=FETCHED, ignore_patterns=NOT_FETCHED)
        )
    except Exception as error:  # a lost connection raises an error of the HTTP library
        raise unavailable(
            f"{what} '{model}' at revision '{revision}' is not cached and could not be fetched",
            error,
            "Check name and revision; where there is internet, call contrapose fetch -- TARGETS.",
        ) from error


def base_of(folder: Path) -> tuple[str, str | None] | None:
    """Return source and revision of the model that an adapter was trained on; None if it is no adapter.

    A folder that the adapter names by a relative path is looked for beside it.  Raises ConfigError if the
    adapter names no model, or neither a folder that is there nor a commit of the hub.
    """
    if not (folder / ADAPTER).is_file():
        return None
    content = _json(folder / ADAPTER)
    name, revision = content.get("base_model_name_or_path"), content.get("revision")
    if name and (folder / name).is_dir():  # an absolute path stays what it is
        return str(folder / name), None
    if name and revision and not Path(name).is_absolute():
        return name, revision
    raise ConfigError(
        f"encoder '{folder}' is an adapter of '{name}', which is not a folder here, and {ADAPTER} names no "
        f"commit of the hub (revision). Put the model there, set base_model_name_or_path in {ADAPTER}, or "
        "merge the adapter into its model."
    )


def check_layers(folder: Path, what: str) -> None:
    """Raise a ConfigError if a configuration has more layers than the weights have tensors.

    Of such a model, transformers would build layer by layer, for hours, what it then has no weights for.
    """
    config = _json(folder / CONFIG)
    with suppress(safetensors.SafetensorError):  # said when the weights are read
        tensors = 0
        for path in folder.glob("*.safetensors"):
            with safetensors.safe_open(path, framework="pt") as file:
                tensors += len(file.keys())
        for key, layers in config.items() if tensors and isinstance(config, dict) else ():
            if LAYERS.fullmatch(key) and isinstance(layers, int) and layers > tensors:
                raise ConfigError(
                    f"{what} '{folder}': {key} of its {CONFIG} is {layers}, but its weights have {tensors} "
                    "tensors in all. Save the folder again from the whole model."
                )


def own_pooling(folder: Path) -> OwnPooling:
    """Return the pooling a folder declares: that of its modules.json, else [CLS] without a head.

    Raises ConfigError for a module or pooling mode that is not supported.
    """
    if not (folder / MODULES).is_file():
        logger.info("%s names no pooling: [CLS] of the last layer, no head (cls_before_pooler)", folder.name)
        return OwnPooling("cls_before_pooler")
    pooler, layers = "avg", None
    head: list[nn.Module] = []
    modules = _json(folder / MODULES)
    if not isinstance(modules, list) or not all(
        isinstance(each, dict) and {"type", "path"} <= each.keys() for each in modules[1:]
    ):
        raise ConfigError(
            f"{folder / MODULES} is not a list of modules with type and path. Save the folder again."
        )
    for module in modules[1:]:  # the first is the transformer itself
        kind, path = module["type"].rsplit(".", 1)[-1], folder / module["path"]
        if kind == "WeightedLayerPooling":
            layers = _layers(path)
        elif kind == "Pooling":
            pooler = _pooler(path)
        elif kind in HEADS:
            head.append(HEADS[kind](path))
        elif kind != "Dropout":  # which does nothing in evaluation
            raise ConfigError(f"{path}: module {kind} is not supported. Choose a pooling other than auto.")
    if layers is not None and pooler != "avg":
        raise ConfigError(
            f"{folder}: weighted layers with pooling '{pooler}' are not supported, only with mean pooling."
        )
    return OwnPooling(layers or pooler, head, _own_limit(folder / LIMIT))


def own_prompts(folder: Path) -> Prompts:
    """Return the prompts of a folder that has a default one, as sentence-transformers applies it; else none.

    Documents get the prompt that is named document or passage, if there is one, else the default one.
    """
    content = _json(folder / PROMPTS) if (folder / PROMPTS).is_file() else {}
    known, default = content.get("prompts") or {}, content.get("default_prompt_name")
    if default is None:
        return Prompts()
    if default not in known:
        raise ConfigError(
            f"{folder / PROMPTS}: default_prompt_name is '{default}', prompts are {sorted(known)}. Name one."
        )
    others = [known[name] for name in ("document", "passage") if name in known]
    return Prompts(query=known[default], document=[*others, known[default]][0])


def _own_limit(path: Path) -> int | None:
    content = _json(path) if path.is_file() else {}
    limit = content.get("max_seq_length") if isinstance(content, dict) else content
    if limit is not None and (not isinstance(limit, int) or limit < 1):
        raise ConfigError(f"{path}: max_seq_length is {limit!r}, expected null or a number from 1.")
    return limit


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ConfigError(f"{path} cannot be read as JSON: {error}") from error


def _pooler(path: Path) -> str:
    """Return our name for the mode of a Pooling module, whose config is in the old or new format."""
    config = _json(path / CONFIG)
    modes = config.get("pooling_mode")
    if modes is None:
        modes = [
            key.removeprefix("pooling_mode_").removesuffix("_tokens").removesuffix("_token")
            for key, used in config.items()
            if key.startswith("pooling_mode_") and used
        ]
    modes = [modes] if isinstance(modes, str) else list(modes)
    known = {("cls",): "cls_before_pooler", ("mean",): "avg", ("lasttoken",): "last"}
    if tuple(modes) not in known:
        raise ConfigError(
            f"{path}: pooling {modes} is not supported, only cls, mean and lasttoken. Choose a pooling other "
            "than auto."
        )
    if config.get("include_prompt") is False:
        raise ConfigError(
            f"{path}: pooling without the prompt (include_prompt: false) is not supported. Choose a pooling "
            "other than auto, which includes it."
        )
    return known[tuple(modes)]


def _layers(path: Path) -> str:
    weights = _weights(path)["layer_weights"].tolist()
    start = _json(path / CONFIG)["layer_start"]
    weighted = {start + at: weight for at, weight in enumerate(weights) if weight}
    last = start + len(weights) - 1
    for name in ALL_LAYERS if len(set(weighted.values())) == 1 else ():
        if set(weighted) == {layer % (last + 1) for layer in AVERAGED[name]}:
            return name
    raise ConfigError(
        f"{path}: layer weights {weighted} are not supported, only the last two layers, or 1 and the last."
    )


def _dense(path: Path) -> Dense:
    config = _json(path / CONFIG)
    activation = config["activation_function"].rsplit(".", 1)[-1]
    if activation not in ACTIVATIONS or config.get("use_residual"):
        raise ConfigError(
            f"{path}: activation {activation} or a residual is not supported, only {', '.join(ACTIVATIONS)}."
        )
    dense = Dense(config["in_features"], config["out_features"], activation, config["bias"])
    dense.load_state_dict({name: tensor.float() for name, tensor in _weights(path).items()})
    return dense


def flow_of(path: Path) -> Glow:
    """Return the flow that a module's folder holds."""
    flow = Glow(**_json(path / CONFIG))
    flow.load_state_dict(_weights(path))
    return flow


HEADS = {"Dense": _dense, "Normalize": lambda path: Normalize(), "FlowModule": flow_of}


def _weights(path: Path) -> dict[str, Tensor]:
    if not (path / WEIGHTS).is_file():
        raise ConfigError(
            f"{path} has no {WEIGHTS}; pickles are never read. Save the folder again with safetensors."
        )
    return load_file(path / WEIGHTS)


def trained_mlp(folder: Path) -> Dense:
    """Return a checkpoint's dense layer with tanh on [CLS], as float32; a ConfigError if it has none."""
    for path in sorted(folder.glob("*.safetensors")):
        with safetensors.safe_open(path, framework="pt") as file:
            for name in file.keys():  # noqa: SIM118 (no dict)
                if f".{name}".endswith(tuple(f".{key}.weight" for key in MLP_KEYS)):
                    weight, bias = (file.get_tensor(name.removesuffix("weight") + each) for each in DENSE)
                    dense = Dense(weight.shape[1], weight.shape[0])
                    dense.linear.load_state_dict({"weight": weight.float(), "bias": bias.float()})
                    logger.info("%s: [CLS] goes through its %s", folder.name, name.removesuffix(".weight"))
                    return dense
    raise ConfigError(
        f"encoder '{folder}' has no dense layer for [CLS] ({' or '.join(MLP_KEYS)}). Set pooling to "
        "cls_before_pooler, which is also right for unsupervised SimCSE checkpoints."
    )


def position_limit(model: nn.Module, tokenizer: Any) -> int:
    """Return how many tokens the model can take, special tokens included."""
    for part in model.modules():
        positions = getattr(part, "position_embeddings", None)
        if isinstance(positions, nn.Embedding):
            # RoBERTa counts positions from the padding id + 1.
            used = 0 if positions.padding_idx is None else positions.padding_idx + 1
            return positions.num_embeddings - used
    # Relative positions: what the tokenizer says, which for some is no limit, and the configuration.
    config = getattr(model, "config", None)
    stated = getattr(config, "max_position_embeddings", None)
    return int(min(tokenizer.model_max_length, stated or tokenizer.model_max_length))
