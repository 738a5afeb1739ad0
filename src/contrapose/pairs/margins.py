"""Pairs of another set, each with one hard negative and the margin that a cross-encoder sees."""

import logging
from typing import ClassVar, Literal

import pandas as pd
from pydantic import Field

from contrapose.base.errors import ConfigError, OutdatedError
from contrapose.jobs.inputs import Pairs, Relevance
from contrapose.jobs.status import with_status
from contrapose.jobs.step import InputFiles
from contrapose.pairs.pair_rows import FEWEST, as_pairs, in_lists, too_few
from contrapose.pairs.strategy import OtherPairs
from contrapose.settings.plan import Paths, Plan
from contrapose.settings.refs import TrainableName
from contrapose.settings.spec import LabelKind

logger = logging.getLogger(__name__)


class MarginPairs(OtherPairs):
    """It takes the pairs of another pair set and adds margins as labels, for the loss `margin_mse`. GPL,
    section 3.

    The margin is a cross-encoder's score of anchor and positive, minus that of anchor and hard negative.
    """

    kind: Literal["margins"]
    labelled: ClassVar[bool] = True
    cross_encoder: TrainableName = Field(
        description="This is the catalog's name of an encoder whose output layer gives one number, such as "
        "ms-marco-MiniLM-L-6-v2."
    )

    def inputs(self, paths: Paths) -> dict[str, InputFiles]:
        relevance = paths.relevance(self.pairs, self.cross_encoder)
        return {"pairs": paths.pairs(self.pairs), "relevance": relevance}

    def check(self, project: Plan) -> None:
        super().check(project)
        other = self.other(project)
        if (views := other.views(project)) > 1 or other.sides(project) == 2:
            has = "several positives in a row" if views > 1 else "no hard negatives"
            raise ConfigError(
                f"pairs: {self.pairs} has {has}, but margins are computed from one positive and hard "
                "negatives. Name a pair set of kind mined."
            )

    def labels(self, project: Plan) -> LabelKind:
        return "margin"

    def sides(self, project: Plan) -> int:
        return 3

    def slot_count(self, project: Plan) -> int:
        other = self.other(project)
        return other.slot_count(project) * (other.sides(project) - 2)

    def rows(self, project: Plan) -> float | None:
        count = self.other(project).rows(project)
        return count and count * (self.other(project).sides(project) - 2)


def build(spec: MarginPairs, pairs: Pairs, relevance: Relevance) -> Pairs:
    """Label each pair and hard negative with score(anchor, positive) - score(anchor, negative).

    Wang et al. 2022 (GPL), section 3.3; Hofstätter et al. 2020 (Margin-MSE), equation 6.  Takes PAIRS with
    one view and their RELEVANCE; raises TableError if the scores lack a pair.

    Hard negative j of a row in slot s of n is in slot s + n j, so that an epoch has each anchor once.  Rows
    without hard negatives are dropped, and the status says how many.
    """
    lacking = int((pairs.negatives.str.len() == 0).sum())
    dropped = f"{lacking} of {len(pairs)} rows without a hard negative are dropped" if lacking else ""
    logger.info("%s", dropped or f"all {len(pairs)} rows have hard negatives")
    parts = pairs.assign(place=pairs.negatives.map(lambda each: range(len(each))))
    rows = parts.explode(["negatives", "place"]).dropna(subset=["negatives"])
    if len(rows) < FEWEST:
        return too_few(spec.kind, dropped, len(rows), FEWEST)
    scores = relevance.set_index(["anchor", "text"]).score
    positive, negative = (
        scores.reindex(pd.MultiIndex.from_arrays([rows.anchor, rows[side]])).to_numpy()
        for side in ("positive", "negatives")
    )
    margin = positive - negative
    if pd.isna(margin).any():
        raise OutdatedError("relevance")
    place = rows.slot + (int(pairs.slot.max()) + 1) * rows.place
    slot = pd.Series(pd.factorize(place, sort=True)[0])  # without gaps
    labelled = as_pairs(rows.id, rows.anchor, rows.positive, slot, 0, in_lists(rows.negatives), label=margin)
    labelled = labelled.sort_values("slot", kind="stable", ignore_index=True)
    return with_status(labelled, skipped=[dropped] if dropped else [])
