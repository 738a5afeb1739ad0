"""Scores of the pairs of texts of another pair set, by a language model or a cross-encoder."""

from typing import ClassVar

import pandas as pd
from pydantic import Field, model_validator

from contrapose.jobs.step import InputFiles, planned
from contrapose.pairs.strategy import OtherPairs
from contrapose.settings.plan import Paths, Plan
from contrapose.settings.refs import LLMName, PromptName, TrainableName


class JudgedPairs(OtherPairs):
    """Base of pair sets made of another one and of how similar its texts are to a judge."""

    judges: ClassVar[tuple[str, ...]] = ("llm", "cross_encoder")

    llm: LLMName | None = Field(
        None,
        description="This is the catalog's name of a chat model that scores two texts from 0.0 to 5.0, as "
        "in MultiCSR. Set exactly one of `llm` and `cross_encoder`; the kind `scored` also offers "
        "`encoder`.",
    )
    prompt: PromptName = Field(
        "similarity",
        description="This prompt asks the chat model for the grade: the name of a file under "
        "config/prompts/, without `.txt`.",
    )
    cross_encoder: TrainableName | None = Field(
        None,
        description="This is the catalog's name of a cross-encoder that scores the texts in place of a chat "
        "model. Its output layer gives one number. Set exactly one of the two.",
    )

    @model_validator(mode="after")
    def _one_judge(self) -> "JudgedPairs":
        if sum(value is not None for name, value in self if name in self.judges) != 1:
            raise ValueError(
                f"set exactly one of {', '.join(self.judges)} to the name of the model that scores the texts"
            )
        return self

    @property
    @planned
    def unused(self) -> tuple[str, ...]:
        return () if self.llm else ("prompt",)

    def inputs(self, paths: Paths) -> dict[str, InputFiles]:
        if self.llm:
            relevance = paths.judgements(self.pairs, self.llm, self.prompt)
        else:
            assert self.cross_encoder is not None
            relevance = paths.relevance(self.pairs, self.cross_encoder)
        return {"pairs": paths.pairs(self.pairs), "relevance": relevance}

    def judged(self, project: Plan) -> list[tuple[str, str, str]]:
        judged = [(project.pairs_id(self.pairs), self.llm, self.prompt)] if self.llm else []
        return judged + super().judged(project)


def scores_of(pairs: pd.DataFrame, relevance: pd.DataFrame) -> tuple[pd.Series, pd.Series]:
    """Return the score of each row's positive, and a list of those of its hard negatives; NaN if missing.

    Takes PAIRS and their RELEVANCE; in the order of the rows.
    """
    known = relevance.set_index(["anchor", "text"]).score.to_dict()
    none = float("nan")
    positive = [known.get(each, none) for each in zip(pairs.anchor, pairs.positive, strict=True)]
    negatives = [
        [known.get((anchor, text), none) for text in texts]
        for anchor, texts in zip(pairs.anchor, pairs.negatives, strict=True)
    ]
    return pd.Series(positive, pairs.index, float), pd.Series(negatives, pairs.index, object)
