"""Dropout in the configurations of models: where it is, and what trainings have where there is none."""

from pathlib import Path
from typing import TYPE_CHECKING

from torch import nn

from contrapose.base.errors import ConfigError

if TYPE_CHECKING:
    from transformers import PretrainedConfig

# Names in configurations of the dropout of hidden states and of attention weights: BERT and most others,
# DistilBERT, ModernBERT; decoders such as Qwen3 and Llama have that of attention weights alone, XLNet has one
# for both.  Each with the dropout of trainings where all are 0: the best of SimCSE's Table 3, and LLM2Vec's
# `simcse_dropout` (McGill-NLP/llm2vec, `train_configs/simcse`).
DROPOUTS = {
    ("hidden_dropout_prob", "attention_probs_dropout_prob"): 0.1,
    ("dropout", "attention_dropout"): 0.1,
    ("embedding_dropout", "mlp_dropout", "attention_dropout"): 0.1,
    ("attention_dropout",): 0.3,
    ("dropout",): 0.1,
}


def has_dropout(model: nn.Module) -> bool:
    """Return whether a model drops anything out in training mode."""
    in_layers = any(isinstance(part, nn.Dropout) and part.p > 0 for part in model.modules())
    return in_layers or (getattr(model.config, "attention_dropout", None) or 0) > 0


def added_dropout(config: "PretrainedConfig") -> float | None:
    """Return the dropout to train an encoder with if its own is 0; None if it has one, or no place for it."""
    names = _places(config)
    return None if names is None or any(getattr(config, name) for name in names) else DROPOUTS[names]


def set_dropout(config: "PretrainedConfig", dropout: float, folder: Path) -> None:
    """Set all dropout of a configuration; raise a ConfigError, naming `folder`, if it has no place for it."""
    if names := _places(config):
        for name in names:
            setattr(config, name, dropout)
        return
    known = " or ".join("/".join(names) for names in DROPOUTS)
    raise ConfigError(
        f"recipe: dropout has no effect on encoder '{folder}', because a model of type "
        f"{config.model_type} has no {known}. Remove dropout from the recipe."
    )


def _places(config: "PretrainedConfig") -> tuple[str, ...] | None:
    return next((names for names in DROPOUTS if all(hasattr(config, name) for name in names)), None)
