"""Pairs of sentences at all similarities, in both orders: to be graded, not to be trained on."""

from typing import Literal

import pandas as pd
from pydantic import Field

from contrapose.jobs.inputs import Pairs, Relevance
from contrapose.jobs.step import InputFiles
from contrapose.pairs.pair_rows import FEWEST, as_pairs, no_pairs
from contrapose.pairs.strategy import Material, Strategy, corpus_material
from contrapose.settings.plan import Paths, Plan
from contrapose.settings.refs import CorpusName, Size, TrainableName, as_number
from contrapose.settings.spec import Spec


class StratifiedPairs(Spec, Strategy):
    """Two sentences of a corpus are paired so that an encoder's cosines are spread out."""

    kind: Literal["stratified"]
    corpus: CorpusName = Field(description="The sentences of this corpus are paired.")
    encoder: TrainableName = Field(
        description="This is the catalog's name of the encoder whose cosines are spread out."
    )
    size: Size = Field(
        description="This is the number of pairs. It is at most half the number of sentences, since no "
        "sentence is in two pairs."
    )
    seed: int = Field(1, ge=0, description="This seed draws the pairs.")

    def inputs(self, paths: Paths) -> dict[str, InputFiles]:
        size = paths.project.size(self.size)
        return {"relevance": paths.stratified(self.corpus, self.encoder, size, self.seed)}

    def material(self, project: Plan) -> Material:
        return corpus_material(project, self.corpus)

    def slot_count(self, project: Plan) -> int:
        return 2

    def rows(self, project: Plan) -> float | None:
        return 2 * project.size(self.size)


def build(spec: StratifiedPairs, relevance: Relevance) -> Pairs:
    """Return each pair as it was drawn in slot 0, and in the other order in slot 1."""
    if len(relevance) < FEWEST:
        wanted = as_number(spec.size)
        return no_pairs(
            f"pairs of kind stratified: corpus '{spec.corpus}' gives {len(relevance)} of the {wanted} "
            "pairs that are needed"
        )
    ids = relevance.index.astype(str).to_series()
    both = [(relevance.anchor, relevance.text), (relevance.text, relevance.anchor)]
    parts = [as_pairs(ids, *sides, slot=slot) for slot, sides in enumerate(both)]
    return pd.concat(parts, ignore_index=True)
