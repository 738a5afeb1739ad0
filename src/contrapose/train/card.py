"""The model card of a trained encoder, README.md in its folder, in the form of the Hugging Face hub."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from huggingface_hub import ModelCard, ModelCardData
from torch import nn

from contrapose.encoders.glow import Glow
from contrapose.stage import run_of
from contrapose.train.training import CardFacts

TEMPLATE = Path(__file__).with_name("card.md")
TASK = "sentence-similarity"
NOT_SHOWN = ("kind", "encoder")  # settings of a recipe that appear elsewhere in the card


def encoder_card(facts: CardFacts, made_by: Mapping[str, Any], steps: int, head: Iterable[nn.Module]) -> str:
    """Return the model card of a training run.  Equal runs give equal text: it holds no time and no path.

    `made_by` is the provenance of its HISTORY, with the counts of `train_encoder`; `head` are the modules
    that follow the pooler at evaluation.
    """
    recipe = made_by["settings"]["recipe"]
    data = ModelCardData(
        language=facts.language,
        base_model=facts.base_model,
        library_name="sentence-transformers",
        pipeline_tag=TASK,
        tags=["sentence-transformers", TASK, "feature-extraction", "contrapose"],
    )
    shown = {name: value for name, value in recipe.items() if name not in NOT_SHOWN and value is not None}
    words = {"facts": facts, "run": run_of(made_by), "made_by": made_by, "steps": steps, "recipe": shown}
    words["has_flow"] = any(isinstance(module, Glow) for module in head)
    return f"{ModelCard.from_template(data, str(TEMPLATE), **words)}\n"
