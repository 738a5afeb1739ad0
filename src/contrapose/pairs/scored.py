"""Pairs of another set with labels: how similar an encoder or a cross-encoder finds the texts."""

import logging
from typing import ClassVar, Literal

import numpy as np
import pandas as pd
from pydantic import Field

from contrapose.base.errors import ConfigError, OutdatedError
from contrapose.generate.parsing.single import HIGHEST
from contrapose.jobs.inputs import Pairs, Relevance
from contrapose.jobs.step import InputFiles
from contrapose.pairs.judges import JudgedPairs, scores_of
from contrapose.pairs.pair_rows import as_pairs, rows_kept
from contrapose.settings.plan import Paths, Plan
from contrapose.settings.refs import PairsId, TrainableName
from contrapose.settings.spec import LabelKind

logger = logging.getLogger(__name__)


class SimilarityPairs(JudgedPairs):
    """It adds labels to the pairs of another pair set: the cosines of an encoder, or the scores of a
    cross-encoder or a chat model.

    They replace labels that it has.
    """

    kind: Literal["scored"]
    labelled: ClassVar[bool] = True
    judges: ClassVar[tuple[str, ...]] = ("encoder", "llm", "cross_encoder")
    pairs: PairsId = Field(
        description="This is the id of the pair set that is changed. It may have labels, such as one of "
        "kind `dino`: the new labels replace them. It must have one view."
    )
    encoder: TrainableName | None = Field(
        None,
        description="This is the catalog's name of the encoder whose cosines are the labels. Set exactly "
        "one of `encoder`, `llm` and `cross_encoder`.",
    )
    activation: Literal["sigmoid", "identity"] = Field(
        "sigmoid",
        description="This is the function after the output of the cross-encoder. With `sigmoid`, labels "
        "are in [0, 1], as `cosine_similarity` needs them. With `identity`, they are the "
        "outputs, for `score_distillation`.",
    )
    negatives: Literal["kept", "rows"] = Field(
        "kept",
        description="With `kept`, hard negatives have scores next to the label, for "
        "`score_distillation`. With `rows`, each hard negative becomes the positive of a "
        "pair with its own label, so that high and low labels occur.",
    )

    smoothing: float = Field(
        0.0,
        ge=0,
        lt=1,
        description="Label smoothing s turns a label y into (1 - s) y + s / 2. CLAIF has 0.2.",
    )

    def inputs(self, paths: Paths) -> dict[str, InputFiles]:
        if self.encoder is None:
            return super().inputs(paths)
        relevance = paths.pair_cosines(self.pairs, self.encoder)
        return {"pairs": paths.pairs(self.pairs), "relevance": relevance}

    def check(self, project: Plan) -> None:
        """Take pairs with labels, too, which these replace; refuse those of several views."""
        if (views := self.other(project).views(project)) > 1:
            raise ConfigError(
                f"pairs: {self.pairs} has {views} positives in a row, but labels need one. Name another "
                "pair set."
            )

    def labels(self, project: Plan) -> LabelKind:
        return "similarities" if self.sides(project) > 2 else "similarity"

    def sides(self, project: Plan) -> int:
        return 2 if self.negatives == "rows" else self.other(project).sides(project)

    def rows(self, project: Plan) -> float | None:
        count = self.other(project).rows(project)
        each = self.other(project).sides(project) - 1 if self.negatives == "rows" else 1
        return count and count * each

    def dev_pairs(self, project: Plan, pairs_id: str) -> str | None:
        """Return those of the other set, which have no labels, if a loss of pairs without labels selects."""
        return super().dev_pairs(project, pairs_id) if self.labels(project) == "similarities" else None


def build(spec: SimilarityPairs, pairs: Pairs, relevance: Relevance) -> Pairs:
    """Label each pair, and score its hard negatives; or make these rows, after those of their positives.

    An encoder's cosines are what `CoSENTLoss` and `DistillKLDivLoss` of sentence-transformers distil.
    Augmented SBERT (Thakur et al. 2021) labels pairs by a cross-encoder; the sigmoid is the default of
    sentence-transformers' `CrossEncoder` with one output.  A chat model's scores become labels in [0, 1], as
    in CLAIF (Cheng et al. 2023), and rows that it gave none are dropped; for others, raises TableError.

    Takes PAIRS with one view and their RELEVANCE.  Returns the pairs in their order, by a chat model slot by
    slot.  With `rows`, hard negative j of a row has `+j` after its id.
    """
    if spec.cross_encoder is not None and spec.activation == "sigmoid":
        from scipy.special import expit  # too slow to import while planning

        relevance = relevance.assign(score=expit(relevance.score))
    if spec.negatives == "rows":
        pairs = _a_row_each(pairs)
    if spec.llm is not None:
        relevance = relevance.assign(score=relevance.score / HIGHEST)
    label, scores = scores_of(pairs, relevance)
    label = (1 - spec.smoothing) * label + spec.smoothing / 2
    scores = scores.map(lambda each: np.array(each, "float32"))
    labelled = pairs.assign(label=label.astype("float32"), negative_scores=scores)
    known = label.notna() & ~scores.map(lambda each: bool(np.isnan(each).any()))
    about = len(pairs), label.min(), label.max(), label.mean()
    logger.info("%d labels from %.3f to %.3f, mean %.3f", *about)
    if spec.llm is not None:
        return rows_kept(labelled, known, "a score")
    if not known.all():
        raise OutdatedError("relevance")
    return labelled


def _a_row_each(pairs: pd.DataFrame) -> pd.DataFrame:
    texts = [[positive, *hard] for positive, hard in zip(pairs.positive, pairs.negatives, strict=True)]
    places = [range(len(each)) for each in texts]
    rows = pairs.assign(positive=texts, place=places).explode(["positive", "place"], ignore_index=True)
    ids = rows.id.where(rows.place == 0, rows.id + "+" + rows.place.astype(str))
    return as_pairs(ids, rows.anchor, rows.positive, rows.slot)
