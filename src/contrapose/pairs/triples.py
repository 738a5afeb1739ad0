"""Pairs of a premise with what it entails, and a contradiction as hard negative where there is one."""

import logging
from typing import TYPE_CHECKING, Annotated, Literal

import pandas as pd
from pydantic import Field

from contrapose.kinds import Paths, planned
from contrapose.pairs.rows import as_pairs, in_lists, sampled
from contrapose.pairs.strategy import HeldOutPairs, Material, Triples
from contrapose.refs import Ref, Size

if TYPE_CHECKING:
    from contrapose.project import Places, Project

logger = logging.getLogger(__name__)


class TriplePairs(HeldOutPairs):
    """A premise, what it entails, and what contradicts it as hard negative. SimCSE, supervised."""

    kind: Literal["triples"]
    source: Annotated[str, Ref("triple_files")] = Field(description="Name in the world's triple_files")
    size: Size | None = Field(None, description="Name of a size in the world; null: every triple")
    seed: int = Field(1, ge=0, description="Which triples, if not every one")

    @planned
    def inputs(self, places: "Places") -> dict[str, Paths]:
        """The triples."""
        return {"triples": places.triples(self.source)}

    @planned
    def material(self, project: "Project") -> Material:
        """Triples of a file."""
        amount = "every triple" if self.size is None else f"{project.size(self.size)} triples"
        return Material(self.source, amount, project.entry("triple_files", self.source).note)

    @planned
    def sides(self, project: "Project") -> int:
        """With the contradiction."""
        return 3

    @planned
    def rows(self, project: "Project") -> float | None:
        """A row for each triple."""
        if self.size is not None:
            return project.size(self.size)
        return getattr(project.entry("triple_files", self.source), "rows", None)


def build(spec: TriplePairs, triples: Triples) -> pd.DataFrame:
    """Pair each premise with its entailment; its contradiction is a hard negative.  SimCSE, section 4.

    Every triple in its order, or a sample of them, see `sampled`.
    """
    triples = sampled(triples, spec.size, spec.seed, "triples", spec.held_out, spec.part)
    logger.info(
        "%d pairs, %d of them with a hard negative", len(triples), triples.contradiction.notna().sum()
    )
    hard = in_lists(triples.contradiction)
    return as_pairs(id=triples.id, anchor=triples.premise, positive=triples.entailment, negatives=hard)
