"""LoRA adapters, through `peft`: trained beside frozen weights, and read from folders."""

from pathlib import Path
from typing import Any, NamedTuple

import torch

from contrapose.errors import ConfigError
from contrapose.seeds import derived_seed
from contrapose.settings.recipes import LoRA


class Adapter(NamedTuple):
    """The adapter of a model that is trained."""

    layers: Any  # PeftModel
    merge: bool  # into the weights of the model, before it is saved


def new_adapter(model: Any, lora: LoRA, seed: int, source: str | Path, revision: str | None) -> Adapter:
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
            kinds = sorted({name.rsplit(".", 1)[-1] for name, part in model.named_modules() if _linear(part)})
            raise ConfigError(
                f"recipe: lora.targets {lora.targets} fits no layer of a {model.config.model_type} model. "
                f"Its linear layers: {', '.join(kinds)}."
            ) from error
    # peft takes the name from the model, and that is a folder of the hub's cache if there is a revision.
    base = str(source) if revision else str(Path(source).resolve())
    layers.peft_config["default"].base_model_name_or_path = base
    return Adapter(layers, lora.save == "merged")


def _linear(part: torch.nn.Module) -> bool:
    return isinstance(part, torch.nn.Linear)


def with_adapter(model: Any, folder: Path) -> Any:
    """Return a model with a folder's adapter merged in; raise ConfigError if it does not fit the model."""
    from peft import PeftModel

    try:
        return PeftModel.from_pretrained(model, str(folder)).merge_and_unload()
    except (RuntimeError, ValueError, KeyError) as error:
        raise ConfigError(f"encoder '{folder}': the adapter does not fit its model: {error}") from error
