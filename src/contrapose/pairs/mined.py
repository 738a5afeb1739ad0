"""Pairs of another set with mined hard negatives."""

import logging
from collections import Counter
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd
from pydantic import Field, model_validator

from contrapose.base.errors import OutdatedError
from contrapose.base.seeds import generator
from contrapose.jobs.inputs import CorpusTexts, Neighbours, Pairs
from contrapose.jobs.step import InputFiles
from contrapose.pairs.strategy import OtherPairs
from contrapose.settings.plan import Paths, Plan
from contrapose.settings.refs import CorpusName, TrainableName
from contrapose.text.equal_text import equal_text

logger = logging.getLogger(__name__)

RANGE = 10  # candidates per hard negative if range_max is null.  sentence-transformers


class MinedPairs(OtherPairs):
    """It takes the pairs of another pair set and adds hard negatives: texts that an encoder finds similar
    to the anchor. NV-Retriever, section 3.

    The settings are those of sentence-transformers' `mine_hard_negatives`.  By default a negative has at most
    95 % of the positive's cosine: TopK-PercPos, the best in Moreira et al. 2024.
    """

    kind: Literal["mined"]
    encoder: TrainableName = Field(
        description="This is the catalog's name of the encoder that computes the cosines.",
    )
    corpus: CorpusName | None = Field(
        None,
        description="The sentences of this corpus are candidates, too. With null, only the positives of "
        "all anchors are candidates.",
    )
    cross_encoder: TrainableName | None = Field(
        None,
        description="This is the catalog's name of a cross-encoder, whose output layer gives one number. Its "
        "scores replace the cosines of candidates and positives. With null, the cosines "
        "count.",
    )
    negatives: int = Field(1, ge=1, description="At most this many hard negatives are added to a pair.")
    range_min: int = Field(
        0,
        ge=0,
        description="This many of the nearest candidates are skipped, because the nearest ones may be "
        "further positives.",
    )
    range_max: int | None = Field(
        None,
        ge=1,
        description="Only this many of the nearest candidates are considered, the skipped ones included. "
        "With null, it is range_min + 10 x negatives + 1.",
    )
    margin: float | None = Field(
        None,
        description="A candidate becomes a negative only if its cosine with the anchor is at least this "
        "much below that of the positive. With null, any difference is accepted. In "
        "sentence-transformers this is `absolute_margin`.",
    )
    relative_margin: float | None = Field(
        0.05,
        description="The same difference, divided by |cos(anchor, positive)|, must be at least this "
        "large. With 0.05, a negative has at most 95 % of the positive's cosine. With null, any "
        "difference is accepted.",
    )
    ceiling: float | None = Field(
        None,
        description="The cosine of anchor and negative is at most this high. With null, there is no "
        "upper limit. In sentence-transformers this is `max_score`.",
    )
    floor: float | None = Field(
        None,
        description="The cosine of anchor and negative is at least this high. With null, there is no "
        "lower limit. In sentence-transformers this is `min_score`.",
    )
    sampling: Literal["top", "random"] = Field(
        "top",
        description="The negatives are the nearest candidates that remain (`top`), or they are drawn "
        "from these at random (`random`).",
    )
    random: int = Field(
        0,
        ge=0,
        description="Each anchor gets this many further negatives, drawn from all texts at random. Pairs "
        "of kind `scored` need some of them, so that low labels occur.",
    )
    seed: int = Field(1, ge=0, description="This seed makes all random choices.")

    @model_validator(mode="after")
    def _enough(self) -> "MinedPairs":
        if self.negatives > self.nearest - self.range_min:
            raise ValueError(
                f"negatives is {self.negatives}, but there are fewer texts from range_min "
                f"{self.range_min} to range_max {self.nearest}. Raise range_max"
            )
        return self

    @property
    def nearest(self) -> int:
        return self.range_max or self.range_min + RANGE * self.negatives + 1

    def inputs(self, paths: Paths) -> dict[str, InputFiles]:
        search = (self.pairs, self.encoder, self.nearest, self.corpus)
        near = paths.neighbours(*search, self.cross_encoder)
        others = {"corpus": paths.corpus(self.corpus)} if self.corpus else {}
        return {"pairs": paths.pairs(self.pairs), "neighbours": near, **others}

    def jobs(self, paths: Paths) -> list[str]:
        """The search comes before a cross-encoder's scores."""
        searched = paths.neighbours(self.pairs, self.encoder, self.nearest, self.corpus)
        return list(dict.fromkeys([searched.removesuffix(".parquet"), *super().jobs(paths)]))

    def sides(self, project: Plan) -> int:
        added = self.negatives + self.random
        return self.other(project).sides(project) + added * self.views(project)


class Mined(NamedTuple):
    """Hard negatives of an anchor, nearest first."""

    texts: list[str]
    cosines: list[float]


def build(spec: MinedPairs, pairs: Pairs, neighbours: Neighbours, corpus: CorpusTexts = ()) -> Pairs:
    """Append to the negatives of each row the texts nearest to its anchor that no setting rules out.

    As in `mine_hard_negatives`, a candidate is removed if its cosine is above the ceiling, below the floor,
    or not at least a margin below the lowest cosine of the anchor with one of its positives; of the first
    `range_max` left, the first `range_min` are skipped.  Unlike there, rows with too few candidates are kept,
    no negative is the anchor or one of its positives, in whatever spelling `equal_text` takes for the same,
    and a cross-encoder's scores count also without a bound on them.
    All rows of an anchor, in every slot and view, get the same hard negatives.  `negative_scores` are
    cosines, or scores of the cross-encoder; NaN for negatives that a row already had without a score, and
    for those drawn from all texts.  Raises TableError if the neighbours belong to other pairs.
    """
    if set(neighbours.anchor) != set(pairs.anchor):
        raise OutdatedError("neighbours")
    texts = np.array([*pairs.positive, *corpus], object)
    own = _own_texts(pairs)
    rows = zip(neighbours.anchor, neighbours.positive, neighbours.rows, neighbours.cosines, strict=True)
    mined = {}
    for anchor, lowest, places, cosines in rows:
        other = [equal_text(text) not in own[equal_text(anchor)] for text in texts[places]]
        mined[anchor] = _chosen(spec, anchor, lowest, places[other], cosines[other], texts)
    if spec.random:
        mined = _with_random(spec, mined, pairs, own)
    extended = [
        _appended(texts_before, scores, mined[anchor])
        for texts_before, scores, anchor in zip(
            pairs.negatives, pairs.negative_scores, pairs.anchor, strict=True
        )
    ]
    counts = [len(mined[anchor].texts) for anchor in pairs.anchor]
    logger.info(
        "%d rows have %d hard negatives; %d rows have fewer than %d, and %d of these have none",
        len(pairs),
        sum(counts),
        sum(count < spec.negatives for count in counts),
        spec.negatives,
        counts.count(0),
    )
    columns = pd.DataFrame(extended, columns=["negatives", "negative_scores"], dtype=object)
    return pairs.assign(**{name: columns[name].array for name in columns})


def _chosen(
    spec: MinedPairs, anchor: str, positive: float, rows: np.ndarray, cosines: np.ndarray, texts: np.ndarray
) -> Mined:
    """Choose the hard negatives of an anchor, in float32 like the cosines."""
    lowest = np.float32(positive)
    kept = np.ones(len(rows), bool)
    if spec.margin is not None:
        kept &= cosines + np.float32(spec.margin) <= lowest
    if spec.relative_margin is not None:
        kept &= cosines <= lowest - abs(lowest) * np.float32(spec.relative_margin)
    if spec.ceiling is not None:
        kept &= cosines <= np.float32(spec.ceiling)
    if spec.floor is not None:
        kept &= cosines >= np.float32(spec.floor)
    left = np.flatnonzero(kept)[spec.range_min : spec.nearest]
    if spec.sampling == "random" and len(left) > spec.negatives:
        left = np.sort(generator("pairs", "mined", spec.seed, anchor).choice(left, spec.negatives, False))
    left = left[: spec.negatives]
    return Mined(texts[rows[left]].tolist(), cosines[left].tolist())


def _own_texts(pairs: pd.DataFrame) -> dict[str, set[str]]:
    """Return {anchor: it and its positives}, each as `equal_text` has it."""
    own: dict[str, set[str]] = {}
    for anchor, positive in zip(pairs.anchor.map(equal_text), pairs.positive.map(equal_text), strict=True):
        own.setdefault(anchor, {anchor}).add(positive)
    return own


def _with_random(
    spec: MinedPairs, mined: dict[str, Mined], pairs: pd.DataFrame, own: dict[str, set[str]]
) -> dict[str, Mined]:
    """Put texts drawn from all positives, by draw and anchor, after the hard negatives of each anchor.

    None is the anchor, one of its positives or among its negatives; a small set may have too few texts.
    """
    texts = pairs.positive.drop_duplicates().tolist()
    keys = {text: equal_text(text) for text in texts}
    spellings = Counter(keys.values())
    extended = {}
    for anchor, (near, cosines) in mined.items():
        barred = own[equal_text(anchor)].union(map(equal_text, near))
        draws = generator("pairs", "mined", "random", spec.seed, anchor)
        most = sum(max(1, spellings[each]) for each in barred)
        tries = min(len(texts), spec.random + most)  # enough, however many of these are barred
        drawn = (texts[at] for at in draws.choice(len(texts), tries, replace=False, shuffle=True))
        added = [each for each in drawn if keys[each] not in barred][: spec.random]
        extended[anchor] = Mined([*near, *added], [*cosines, *[np.nan] * len(added)])
    return extended


def _appended(texts: np.ndarray, scores: np.ndarray, mined: Mined) -> tuple[list[str], list[float]]:
    known = list(scores) if len(scores) else [np.nan] * len(texts)
    new = [each for each in zip(*mined, strict=True) if each[0] not in set(texts)]
    return [*texts, *(text for text, _ in new)], [*known, *(cosine for _, cosine in new)]
