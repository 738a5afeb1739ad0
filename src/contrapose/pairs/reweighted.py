"""Pairs of another set with weights, or with fewer rows."""

import logging
from typing import ClassVar, Literal

import numpy as np
import pandas as pd
from pydantic import Field

from contrapose.base.errors import OutdatedError
from contrapose.base.seeds import uniforms
from contrapose.jobs.inputs import Detections, Pairs
from contrapose.jobs.step import InputFiles, planned
from contrapose.pairs.strategy import Material, Strategy
from contrapose.settings.plan import Paths, Plan
from contrapose.settings.refs import DetectorName, DinoPairsId
from contrapose.settings.spec import Spec

logger = logging.getLogger(__name__)


class ReweightedPairs(Spec, Strategy):
    """It takes pairs of kind `dino`, and adds weights or drops pairs. RISE, section 4 and its variants."""

    kind: Literal["reweighted"]
    labelled: ClassVar[bool] = True
    of: DinoPairsId = Field(description="This names a pair set of kind `dino`.")
    strategy: Literal["importance", "scaled", "shuffled", "random", "filtering"] = Field(
        "importance",
        description="With `importance`, the weight of a pair is the probability p(human) of its text. "
        "With `scaled`, the weights are divided by their mean. With `shuffled`, pairs get "
        "the weights of other pairs. With `random`, weights are uniform in [0, 1). With "
        "`filtering`, all weights are 1, and the pairs of lowest p(human) are dropped.",
    )
    identifier: DetectorName = Field(
        "sdi",
        description="This entry under `identifiers` gives p(human). The strategy `random` does not need it.",
    )
    temperature: float = Field(
        1.0,
        gt=0,
        description="The logits are divided by the temperature. A small value makes p(human) extreme.",
    )
    dropped: float = Field(
        0.1, gt=0, lt=1, description="The strategy `filtering` drops this share of the pairs."
    )
    seed: int = Field(1, ge=0, description="This seed makes the weights of `random` and `shuffled`.")

    @property
    @planned
    def unused(self) -> tuple[str, ...]:
        return ("identifier",) if self.strategy == "random" else ()

    def inputs(self, paths: Paths) -> dict[str, InputFiles]:
        detections = [] if self.unused else [paths.detections(f"{self.of}/{self.identifier}")]
        return {"pairs": paths.pairs(self.of), "detections": detections}

    def dev_pairs(self, project: Plan, pairs_id: str) -> str | None:
        return project.pairs(self.of).dev_pairs(project, self.of)

    def material(self, project: Plan) -> Material:
        return project.pairs(self.of).material(project)

    def rows(self, project: Plan) -> float | None:
        return project.pairs(self.of).rows(project)


def build(spec: ReweightedPairs, pairs: Pairs, detections: Detections) -> Pairs:
    """Weight pairs by how human their texts look, or leave out the least human ones.  RISE, section 4.

    As in RISE's code, weights are not normalised; with `scaled` their mean is 1.  Random choices depend only
    on the draw and the ids of all pairs, not on the order of the rows.  DETECTIONS, in any order, are matched
    by id, which each pair has for itself; `random` needs none.  Raises TableError if a pair has no score.
    """
    if spec.strategy == "filtering":
        return _filtered(pairs, _human(pairs.id, detections, spec.temperature), spec.dropped)
    drawn = uniforms((("pairs", spec.strategy, spec.seed, each) for each in pairs.id), 1)[:, 0]
    if spec.strategy == "random":
        weight = drawn
    else:
        weight = _human(pairs.id, detections, spec.temperature)
        if spec.strategy == "scaled":
            weight = weight / weight.mean()
        elif spec.strategy == "shuffled":
            weight[np.argsort(drawn)] = weight[np.argsort(pairs.id.to_numpy())]
    low, mean, high = np.min(weight), np.mean(weight), np.max(weight)
    logger.info("%d weights from %.4f to %.4f, mean %.4f", len(pairs), low, high, mean)
    return pairs.assign(weight=weight.astype("float32"))


def _human(ids: pd.Series, detections: pd.DataFrame, temperature: float) -> np.ndarray:
    """Return p(human) of each pair: float64 of shape (len(ids),), in [0, 1]."""
    from scipy.special import expit  # too slow to import while planning

    logits = detections.set_index("id").logit.reindex(ids)
    lacking = logits.index[logits.isna()]
    if len(lacking):
        raise OutdatedError("detections", f"it was made from other pairs, so '{lacking[0]}' has no score")
    return expit(logits.to_numpy() / temperature)


def _filtered(pairs: pd.DataFrame, p: np.ndarray, dropped: float) -> pd.DataFrame:
    """Return the pairs without the share of lowest p; the id breaks ties."""
    count = round(dropped * len(pairs))
    lowest = np.lexsort((pairs.id.to_numpy(), p))[:count]
    logger.info(
        "%d of %d pairs are dropped, with p(human) up to %.4f", count, len(pairs), p[lowest].max(initial=0)
    )
    return pairs.drop(pairs.index[lowest])
