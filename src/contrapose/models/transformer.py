"""The transformer of an encoder and its tokenizer: loaded from their folder, with adapters."""

import inspect
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from tokenizers import normalizers
from torch import nn
from transformers import AutoConfig, AutoModel, AutoTokenizer
from transformers.models.auto.modeling_auto import MODEL_MAPPING
from transformers.utils import logging

from contrapose.base.errors import ConfigError, said, shown
from contrapose.base.seeds import derived_seed
from contrapose.models.declared import declared
from contrapose.models.dropout_rates import set_dropout
from contrapose.models.folder_files import ADAPTER, VOCABULARIES
from contrapose.models.folders import (
    base_of,
    check_counts,
    model_folder,
    tensor_names,
    transformer_folder,
)
from contrapose.models.linear import with_fast_layers
from contrapose.settings.recipes import LoRA

if TYPE_CHECKING:
    from peft import PeftModel
    from transformers import PretrainedConfig, PreTrainedModel, PreTrainedTokenizerBase

LOCAL = {"local_files_only": True, "trust_remote_code": False}  # only local folders, and never run their code


class Adapter(NamedTuple):
    """The adapter of a model that is trained."""

    layers: "PeftModel"
    merge: bool  # into the weights of the model, before it is saved


def base_config(folder: Path) -> "PretrainedConfig":
    """Return the configuration of a model, or of the one that an adapter is for."""
    base = base_of(folder)
    return base_config(model_folder(*base)) if base else read_config(folder)


def read_config(folder: Path, what: str = "encoder") -> "PretrainedConfig":
    """Return the configuration of a model folder; `what` describes the model in the ConfigError."""
    part = transformer_folder(folder)
    check_counts(part, what)
    try:
        config = AutoConfig.from_pretrained(part, **LOCAL)
    except Exception as error:  # the type depends on the library that rejects the value
        raise ConfigError(f"{what} '{folder}': its config.json cannot be used: {said(error)}") from error
    for key, value in declared(folder).of_transformer.config_args.items():
        if not hasattr(config, key) or key.startswith("_"):
            raise ConfigError(
                f"{what} '{folder}': config_args.{key} does not exist in its config.json. Remove this key."
            )
        setattr(config, key, value)
    return config


def load_transformer(
    folder: Path, dropout: float | None = None, device: str | None = None
) -> tuple[Any, Any, dict[str, nn.Module]]:
    """Load model, tokenizer and by name the parts of the model that no vector needs; merge an adapter.

    On the `device` meta the weights are compared with the configuration, but not read, and take no memory.
    """
    if base := base_of(folder):
        model, tokenizer, unused = load_transformer(model_folder(*base), dropout, device)
        if has_vocabulary(folder):
            tokenizer = own_tokenizer(folder)
        return with_adapter(model, folder) if device is None else model, tokenizer, unused
    config = read_config(folder)
    if type(config) not in MODEL_MAPPING or getattr(config, "is_encoder_decoder", False):
        raise ConfigError(
            f"encoder '{folder}' is of type {config.model_type}, which is not an encoder. Use a model "
            "like BERT."
        )
    if dropout is not None:
        set_dropout(config, dropout, folder)
    parameters = inspect.signature(MODEL_MAPPING[type(config)].__init__).parameters
    pools = any(".pooler." in f".{name}" for name in tensor_names(transformer_folder(folder)))
    options: dict[str, Any] = {"add_pooling_layer": pools} if "add_pooling_layer" in parameters else {}
    options |= {"device_map": device} if device else {}
    model, tokenizer = model_and_tokenizer(AutoModel, folder, config, **options)
    unused = {}
    if pools and getattr(model, "pooler", None) is not None:
        unused, model.pooler = {"pooler": model.pooler}, None
    return model, tokenizer, unused


def model_and_tokenizer(
    auto: Any,
    folder: Path,
    config: "PretrainedConfig",
    what: str = "encoder",
    new_head: bool = False,
    **options: object,
) -> tuple[Any, Any]:
    """Load a model from safetensors, as float32 whatever the file holds, and its tokenizer.

    `auto` is an auto class of `transformers`; `what` describes the model in the ConfigError if something is
    missing, does not fit or is not usable.  With `new_head`, layers on top of the encoder, its pooling layer
    included, may be missing; they are then initialised from PyTorch's random number generator.
    """
    part = transformer_folder(folder)
    how = {"dtype": torch.float32, "use_safetensors": True, "output_loading_info": True, **LOCAL}
    try:
        with _quiet():  # what is missing or does not fit is said below
            model, loaded = auto.from_pretrained(
                part, config=config, ignore_mismatched_sizes=True, **how, **options
            )
    except Exception as error:  # as for the configuration
        raise ConfigError(f"{what} '{folder}' cannot be used: {said(error)}") from error
    for name, found, expected in sorted(loaded["mismatched_keys"]):
        raise ConfigError(
            f"{what} '{folder}': the weights do not fit its config.json. The shape of {name} is "
            f"{[*found]}, but {[*expected]} is expected. Save the folder again from the whole model."
        )
    prefix = f"{model.base_model_prefix}."
    missing = sorted(
        name
        for name in loaded["missing_keys"]
        if not new_head or (name.startswith(prefix) and not name.startswith(f"{prefix}pooler."))
    )
    if missing:
        raise ConfigError(
            f"{what} '{folder}': its weights lack {len(missing)} tensors of a {config.model_type} "
            f"model. The first is {missing[0]}. Save the folder again from the whole model."
        )
    return with_fast_layers(model), own_tokenizer(folder, what)


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep transformers from reporting what it loads."""
    verbosity, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(verbosity)
        if bars:
            logging.enable_progress_bar()


def own_tokenizer(folder: Path, what: str = "encoder") -> "PreTrainedTokenizerBase":
    """Load the tokenizer of a model's folder, with what that declares about it; a ConfigError without one."""
    part, settings = transformer_folder(folder), declared(folder).of_transformer
    if not has_vocabulary(part):
        # transformers would continue with a tokenizer that knows no words.
        raise ConfigError(
            f"{what} '{folder}' has no tokenizer, because none of these files exists: "
            f"{', '.join(VOCABULARIES)}. Save the tokenizer there with save_pretrained."
        )
    try:
        tokenizer = AutoTokenizer.from_pretrained(part, **settings.tokenizer_args, **LOCAL)
    except Exception as error:  # the type depends on the library that rejects the value
        raise ConfigError(f"{what} '{folder}' has a tokenizer that cannot be used: {said(error)}") from error
    most = tokenizer.model_max_length
    if not isinstance(most, int | float) or most < 1:
        raise ConfigError(
            f"{what} '{folder}': model_max_length of its tokenizer is {shown(most)}, but it must be 1 "
            "or more. Correct it in tokenizer_config.json, or remove it there."
        )
    if settings.do_lower_case:
        _lower_case(tokenizer)
    return tokenizer


def has_vocabulary(folder: Path) -> bool:
    """Whether a folder holds the words of a tokenizer."""
    return any(any(folder.glob(name)) for name in VOCABULARIES)


def _lower_case(tokenizer: "PreTrainedTokenizerBase") -> None:
    """Put texts into lower case before anything else, as sentence-transformers does."""
    if not tokenizer.is_fast:
        tokenizer.do_lower_case = True
        return
    backend = tokenizer.backend_tokenizer
    own = backend.normalizer
    steps: list[Any] = [] if own is None else [own]
    if isinstance(own, normalizers.Sequence):
        steps = [own[at] for at in range(len(own))]
    if not any(isinstance(step, normalizers.Lowercase) for step in steps):
        backend.normalizer = normalizers.Sequence([normalizers.Lowercase(), *steps])


def new_adapter(
    model: "PreTrainedModel", lora: LoRA, seed: int, source: str | Path, revision: str | None
) -> Adapter:
    """Put fresh matrices beside the linear layers of a model, and freeze its own weights.

    With peft's initial values the model's vectors are unchanged; those drawn follow from `seed` alone.  An
    adapter that is saved alone names `source` and `revision` of the model.  Raises ConfigError if no layer
    has one of the names in `targets`.
    """
    from peft import LoraConfig, get_peft_model

    config = LoraConfig(
        r=lora.rank,
        lora_alpha=lora.alpha,  # type: ignore[arg-type]  # peft takes fractions, too
        lora_dropout=lora.dropout,
        target_modules=lora.targets,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(derived_seed("lora", seed))
        try:
            layers = get_peft_model(model, config, revision=revision)
        except ValueError as error:
            linear = [name for name, part in model.named_modules() if isinstance(part, nn.Linear)]
            kinds = sorted({name.rsplit(".", 1)[-1] for name in linear})
            raise ConfigError(
                f"recipe: lora.targets {lora.targets} matches no layer of a {model.config.model_type} "
                f"model. Its linear layers are {', '.join(kinds)}."
            ) from error
    # peft takes the name from the model, and that is a folder of the hub's cache if there is a revision.
    base = str(source) if revision else str(Path(source).resolve())
    layers.peft_config["default"].base_model_name_or_path = base
    return Adapter(layers, lora.save == "merged")


def with_adapter(model: "PreTrainedModel", folder: Path) -> "PreTrainedModel":
    """Return a model with a folder's adapter merged in; raise ConfigError if it does not fit the model.

    Which layers it changes is taken from the names of its tensors.  peft would match regular expressions of
    its configuration with the name of each layer, and some of these take years.
    """
    from peft import PeftConfig, PeftModel

    try:
        config = PeftConfig.from_pretrained(str(folder))
        config.target_modules = _changed_layers(model, folder)
        config.exclude_modules = config.layers_to_transform = config.layers_pattern = None
        _check_patterns(config, folder)
        merged = PeftModel.from_pretrained(model, str(folder), config=config).merge_and_unload()
        return merged.requires_grad_(True)  # peft freezes a model that it puts an adapter to
    except ConfigError:
        raise
    except Exception as error:  # as for the configuration
        raise ConfigError(f"encoder '{folder}': the adapter does not fit its model: {said(error)}") from error


def _changed_layers(model: "PreTrainedModel", folder: Path) -> list[str]:
    """Return the names of the layers beside which an adapter has matrices."""
    layers = {name for name, _ in model.named_modules() if name}
    own = {name for name, _ in model.named_parameters()}  # of layers that were trained as a whole
    changed = set()
    for tensor in tensor_names(folder):
        name = tensor.removeprefix("base_model.model.")
        parents = [name[:end] for end, each in enumerate(name) if each == "."]
        inside = [parent for parent in parents if parent in layers]
        if inside and name not in own:
            changed.add(inside[-1])
    return sorted(changed)


def _check_patterns(config: "PretrainedConfig", folder: Path) -> None:
    """Refuse repetitions in what peft takes for regular expressions: some of these take years."""
    for key in ("modules_to_save", "rank_pattern", "alpha_pattern"):
        for name in getattr(config, key, None) or ():
            if re.search("[*+{]", str(name)):
                raise ConfigError(
                    f"encoder '{folder}': {key} of its {ADAPTER} contains {shown(name)}, but names of "
                    "layers without `*`, `+` and `{` are expected. Merge the adapter into its model."
                )
