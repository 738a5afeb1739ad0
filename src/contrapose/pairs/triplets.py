"""Pairs of a premise with what it entails, and contradictions as hard negatives if there are any."""

import logging
from typing import Annotated, Literal

import pandas as pd
from pydantic import Field

from contrapose.base.errors import TableError
from contrapose.jobs.inputs import Pairs, Triplets
from contrapose.jobs.step import InputFiles, planned
from contrapose.pairs.pair_rows import as_pairs, sampled
from contrapose.pairs.strategy import HeldOutPairs, Material
from contrapose.settings.plan import Paths, Plan
from contrapose.settings.refs import Ref, Size

logger = logging.getLogger(__name__)


class TripletPairs(HeldOutPairs):
    """The pairs come from a file. Each has an anchor, a positive, and perhaps hard negatives or a score. In
    NLI triplets (SimCSE, supervised), these are a premise, its entailment and its contradiction.
    """

    kind: Literal["triplets"]
    source: Annotated[str, Ref("triplet_files")] = Field(
        description="This names an entry of the catalog's `triplet_files`."
    )
    size: Size | None = Field(
        None,
        description="The pair set uses this many triplets: a number, or the name of a size of the "
        "catalog. They are drawn by `seed`. With null, it uses all triplets of the file.",
    )
    seed: int = Field(1, ge=0, description="This seed selects the triplets if only some of them are used.")
    scored: bool = Field(
        False,
        description="If true, the scores in the file become the labels of the pairs, for losses that "
        "need labels. If false, the pairs have no labels.",
    )

    @property
    @planned
    def labelled(self) -> bool:
        return self.scored

    def inputs(self, paths: Paths) -> dict[str, InputFiles]:
        return {"triplets": paths.triplets(self.source)}

    def material(self, project: Plan) -> Material:
        amount = "every triplet" if self.size is None else f"{project.size(self.size)} triplets"
        return Material(self.source, amount, project.entry("triplet_files", self.source).note)

    def sides(self, project: Plan) -> int:
        return 3

    def rows(self, project: Plan) -> float | None:
        if self.size is not None:
            return project.size(self.size)
        return project.entry("triplet_files", self.source).rows


def build(spec: TripletPairs, triplets: Triplets) -> Pairs:
    """Pair each premise with its entailment; its contradiction is a hard negative.  SimCSE, section 4.

    All triplets in order, or a sample of them, see `sampled`; a drawn triplet keeps all its slots.
    Raises TableError if `scored` does not match the file, or there are too few triplets.
    """
    if (count := int(triplets.label.notna().sum())) != len(triplets) * spec.scored:
        raise TableError(
            f"pairs: {count} of {len(triplets)} pairs of '{spec.source}' have a score, but scored is "
            f"{str(spec.scored).lower()}. Set scored to {str(not spec.scored).lower()}."
        )
    first = triplets[triplets.slot == 0]
    drawn = sampled(first, spec.size, spec.seed, "triplets", spec.held_out, spec.part).id
    slots = [rows.set_index("id").loc[drawn].reset_index() for _, rows in triplets.groupby("slot")]
    triplets = pd.concat(slots, ignore_index=True)
    hard = triplets.negatives.str.len()
    logger.info(
        "%d pairs in %d slots, %d of them with hard negatives", len(triplets), len(slots), (hard > 0).sum()
    )
    return as_pairs(
        id=triplets.id,
        anchor=triplets.premise,
        positive=triplets.entailment,
        slot=triplets.slot,
        negatives=triplets.negatives,
        negative_scores=triplets.negative_scores,
        label=triplets.label,
    )
