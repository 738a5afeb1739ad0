"""Pairs of another set that are near enough in meaning and far enough in wording."""

import operator
from typing import Annotated, Literal

import pandas as pd
from pydantic import Field, model_validator

from contrapose.base.errors import OutdatedError
from contrapose.jobs.inputs import Pairs
from contrapose.jobs.step import InputFiles, Rows
from contrapose.pairs.pair_rows import by_sentence, rows_kept
from contrapose.pairs.strategy import OtherPairs
from contrapose.settings.plan import Paths, Plan
from contrapose.settings.refs import TrainableName
from contrapose.tables import SLOT_SCORES

# A bound: the column of SLOT_SCORES that it is about, and what keeps a row.
BOUNDS = {
    "similarity_at_least": ("similarity", operator.ge),
    "similarity_at_most": ("similarity", operator.le),
    "bleu_at_most": ("bleu", operator.le),
}


class FilteredPairs(OtherPairs):
    """Pairs of another pair set are dropped if their similarity or BLEU is out of bounds.

    The measures are the thesis's of paraphrases (section 3.2), which it uses for no choice of pairs; so the
    bounds are yours.
    """

    kind: Literal["filtered"]
    encoder: TrainableName = Field(
        description="This is the catalog's name of the encoder that measures similarity.",
    )
    similarity_at_least: float | None = Field(
        None,
        ge=0,
        le=1,
        description="Pairs below this similarity are dropped. The similarity is (cosine + 1) / 2 of "
        "anchor and positive, by `encoder`. With null, there is no lower limit.",
    )
    similarity_at_most: float | None = Field(
        None,
        ge=0,
        le=1,
        description="Pairs above this similarity are dropped. With null, there is no upper limit.",
    )
    bleu_at_most: float | None = Field(
        None,
        ge=0,
        le=1,
        description="Pairs above this BLEU are dropped. The positive is the reference of the anchor. "
        "With null, there is no limit.",
    )

    @property
    def bounds(self) -> dict[str, float]:
        return {name: bound for name in BOUNDS if (bound := getattr(self, name)) is not None}

    @model_validator(mode="after")
    def _some_bound(self) -> "FilteredPairs":
        if not self.bounds:
            raise ValueError(f"set at least one of {', '.join(BOUNDS)}. Without a bound, every row is kept")
        return self

    def inputs(self, paths: Paths) -> dict[str, InputFiles]:
        slots = paths.pair_scores(self.pairs, self.encoder, "slots")
        return {"pairs": paths.pairs(self.pairs), "slots": slots}

    def jobs(self, paths: Paths) -> list[str]:
        """The cosines are a job of their own; BLEU takes no model."""
        return [paths.pair_scores(self.pairs, self.encoder, "similarities").removesuffix(".parquet")]

    def rows(self, project: Plan) -> float | None:
        return None  # the scores decide


def build(spec: FilteredPairs, pairs: Pairs, slots: Annotated[pd.DataFrame, Rows(SLOT_SCORES)]) -> Pairs:
    """Keep the rows within all bounds; `slots` are the scores of these pairs, else a TableError."""
    keys = ["sentence_id", "slot"]
    texts = by_sentence(pairs).rename(columns={"id": "sentence_id"})
    scores = texts[keys].merge(slots, on=keys, how="left")
    if scores.similarity.isna().any():
        raise OutdatedError("slots")
    kept = pd.Series(True, pairs.index)
    for name, bound in spec.bounds.items():
        column, keeps = BOUNDS[name]
        kept &= keeps(scores[column], bound)
    within = (f"{name.replace('_', ' ')} {bound:g}" for name, bound in spec.bounds.items())
    return rows_kept(pairs, kept, " and ".join(within))
