"""Let a causal language model write texts for the sentences of one shard of a corpus; see `dino_texts`."""

from typing import Annotated

import pandas as pd
from pydantic import Field

from contrapose.base.errors import ConfigError
from contrapose.jobs.step import Rows, Shard, State, planned
from contrapose.models.given import LanguageModel, OfCausalLM
from contrapose.settings.corpora import DinoTexts
from contrapose.settings.instructions import Instructions
from contrapose.settings.plan import Plan
from contrapose.tables import SENTENCES, SYNTHETIC


class TextWriting(OfCausalLM):
    """What texts of a causal language model depend on, beside the corpus and the files of the model."""

    texts: DinoTexts
    instructions: Instructions = Field(description="Content of their file, so that edited ones write again")


@planned
def plan(project: Plan, texts: str, **shard: str) -> TextWriting:
    """Return how DINO's model writes texts; raise ConfigError for instructions that mask words."""
    spec = project.entry("synthetic", texts)
    instructions, model = project.entry("instructions", spec.instructions), project.language_model(spec.lm)
    precision = project.config.precision
    if any(each.masked for each in instructions.labels):
        raise ConfigError(
            f"synthetic.{texts}.instructions: '{spec.instructions}' masks words, which only chat "
            "models understand. Set kind: llm_generated, or name other instructions."
        )
    return TextWriting(texts=spec, instructions=instructions, hub=model.hub, precision=precision)


def build(
    spec: TextWriting,
    sentences: Annotated[pd.DataFrame, Rows(SENTENCES, ["id", "text"])],
    lm: LanguageModel,
    state: State,
    shard: Shard,
) -> Annotated[pd.DataFrame, Rows(SYNTHETIC)]:
    """Write the texts."""
    from contrapose.generate.dino_texts import dino_texts

    return dino_texts(lm, sentences, spec.instructions, spec.texts, state, *shard)
