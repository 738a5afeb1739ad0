"""LoRA adapters, through `peft`: trained beside frozen weights, and read from folders."""

import json
from pathlib import Path
from typing import Any, NamedTuple

import torch

from contrapose.errors import ConfigError
from contrapose.seeds import derived_seed
from contrapose.settings.recipes import LoRA

ADAPTER = "adapter_config.json"  # marks a folder of `peft`


class Adapter(NamedTuple):
    """The adapter of a model that is trained."""

    layers: Any  # PeftModel
    merge: bool  # into the weights of the model, before it is saved


def new_adapter(model: Any, lora: LoRA, seed: int, source: str | Path, revision: str | None) -> Adapter:
    """Put fresh matrices beside the linear layers of a model, and freeze its own weights.

    With peft's initial values the model's vectors are unchanged; those drawn follow from `seed` alone.

    Parameters
    ----------
    source, revision : of the model; an adapter that is saved alone names them

    Raises
    ------
    ConfigError
        No layer has one of the names in `targets`.
    """
    from peft import LoraConfig, get_peft_model

    base = str(source) if revision else str(Path(source).resolve())
    config = LoraConfig(
        r=lora.rank,
        lora_alpha=lora.alpha,  # type: ignore[arg-type]  # peft takes fractions, too
        lora_dropout=lora.dropout,
        target_modules=lora.targets,
        base_model_name_or_path=base,
        revision=revision,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(derived_seed("lora", seed))
        try:
            layers = get_peft_model(model, config, revision=revision)
        except ValueError as error:
            kinds = sorted({name.rsplit(".", 1)[-1] for name, part in model.named_modules() if _linear(part)})
            raise ConfigError(
                f"recipe: lora.targets {lora.targets} fits no layer of a {model.config.model_type} model. "
                f"Its linear layers: {', '.join(kinds)}."
            ) from error
    layers.peft_config["default"].base_model_name_or_path = base
    return Adapter(layers, lora.save == "merged")


def _linear(part: torch.nn.Module) -> bool:
    return isinstance(part, torch.nn.Linear)


def base_of(folder: Path) -> tuple[str, str | None] | None:
    """Return source and revision of the model that an adapter was trained on; None if it is no adapter.

    A folder that the adapter names by a relative path is looked for beside it.

    Raises
    ------
    ConfigError
        The adapter names no model, or neither a folder that is there nor a commit of the hub.
    """
    if not (folder / ADAPTER).is_file():
        return None
    content = json.loads((folder / ADAPTER).read_text(encoding="utf-8"))
    name, revision = content.get("base_model_name_or_path"), content.get("revision")
    if name and (folder / name).is_dir():  # an absolute path stays what it is
        return str(folder / name), None
    if name and revision and not Path(name).is_absolute():
        return name, revision
    raise ConfigError(
        f"encoder '{folder}' is an adapter of '{name}', which is no folder here, and {ADAPTER} names no "
        f"commit of the hub (revision). Put the model there, set base_model_name_or_path in {ADAPTER}, or "
        "merge the adapter into its model."
    )


def with_adapter(model: Any, folder: Path) -> Any:
    """Return a model with the adapter of a folder merged into its weights.

    Raises ConfigError if the adapter does not fit the model.
    """
    from peft import PeftModel

    try:
        return PeftModel.from_pretrained(model, str(folder)).merge_and_unload()
    except (RuntimeError, ValueError, KeyError) as error:
        raise ConfigError(f"encoder '{folder}': the adapter does not fit its model: {error}") from error
