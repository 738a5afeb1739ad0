"""Pairs of a sentence and a text that a language model wrote for it, with a label."""

import logging
from typing import Annotated, ClassVar, Literal

import numpy as np
import pandas as pd
from pydantic import Field

from contrapose.base.errors import TableError
from contrapose.base.seeds import uniforms
from contrapose.jobs.inputs import Pairs, Sentences, Synthetic
from contrapose.jobs.step import InputFiles
from contrapose.pairs.pair_rows import as_pairs
from contrapose.pairs.strategy import Material, Strategy, corpus_material
from contrapose.settings.plan import Paths, Plan
from contrapose.settings.refs import DinoPairsId, Ref
from contrapose.settings.spec import Spec

logger = logging.getLogger(__name__)

RANDOM = "random"  # replaces the label in the ids of random pairs


class DinoPairs(Spec, Strategy):
    """A sentence is paired with texts that a language model wrote for it, with a label. DINO."""

    kind: Literal["dino"]
    labelled: ClassVar[bool] = True
    texts: Annotated[str, Ref("synthetic")] = Field(description="This names an entry under `synthetic`.")
    # Left out of the settings of its job: these pairs do not depend on the dev pairs.
    dev: DinoPairsId | None = Field(
        None,
        exclude=True,
        description="This names the pair set of kind `dino` that serves as the dev set of training and "
        "detection.",
    )
    kept: int = Field(2, ge=1, description="At most this many texts are kept for each sentence and label.")
    smoothing: float = Field(
        0.2, ge=0, lt=1, description="Label smoothing s turns a label y into (1 - s) y + s / 2."
    )
    random: int = Field(
        2,
        ge=0,
        description="Each sentence is also paired with this many random texts, with the label 0, which "
        "is not smoothed.",
    )
    seed: int = Field(
        42, ge=0, description="This seed decides which texts are kept, and draws the random pairs."
    )

    def inputs(self, paths: Paths) -> dict[str, InputFiles]:
        return {"texts": paths.texts(self.texts), "sentences": paths.corpus(self._corpus(paths.project))}

    def jobs(self, paths: Paths) -> list[str]:
        shards = paths.project.entry("synthetic", self.texts).shards(paths, self.texts)
        return [file.removesuffix(".parquet") for file in (*shards, paths.texts(self.texts))]

    def dev_pairs(self, project: Plan, pairs_id: str) -> str | None:
        return self.dev

    def material(self, project: Plan) -> Material:
        return corpus_material(project, self._corpus(project))

    def rows(self, project: Plan) -> float | None:
        """An upper bound: refused texts and pairs of equal texts are left out."""
        source = project.entry("synthetic", self.texts)
        labels = project.entry("instructions", source.instructions).labels
        count = project.sentences(source.corpus)
        return count and (len(labels) * self.kept + self.random) * count

    def _corpus(self, project: Plan) -> str:
        return project.entry("synthetic", self.texts).corpus


def build(spec: DinoPairs, texts: Synthetic, sentences: Sentences) -> Pairs:
    """Pair each sentence with texts written for it, and with some written for others.  DINO.

    Unusable texts are left out, then duplicates within a sentence and label, then texts equal to their
    sentence; of the rest, up to `kept` are taken per sentence and label.  The choice depends only on the seed
    and the texts' ids, so the first sentences of a corpus keep the same texts when it is cut short.  Random
    pairs draw from all kept texts, so they differ then.

    Returns PAIRS in the order of the sentences, for each its texts by descending label, then its random
    pairs.  Labels y become (1 - smoothing) y + smoothing / 2; random pairs have label 0.  Ids are
    `{sentence}/{label}/{entry}`, with the label before smoothing, or `{sentence}/random/{number}`.  Raises
    TableError if no text is usable, or the sentence of a text is not in the corpus.
    """
    if not (texts.refused == "").any():
        reasons = texts.refused.value_counts().to_dict()
        raise TableError(
            f"texts: none of the {len(texts)} texts can be used. Reasons: {reasons}. Check the "
            "language model."
        )
    lacking = texts[~texts.sentence_id.isin(sentences.id)]
    if len(lacking):
        raise TableError(
            f"texts: {len(lacking)} texts belong to sentences that are not in the corpus. The first "
            f"sentence is '{lacking.sentence_id.iloc[0]}'. Generate the texts again."
        )
    kept = _kept(texts, sentences, spec)
    smoothed = kept.assign(label=(1 - spec.smoothing) * kept.label + spec.smoothing / 2)
    chance = _random_rows(kept, sentences.id, spec)
    rows = pd.concat([smoothed, chance], ignore_index=True).sort_values("number", kind="stable")
    logger.info("%d pairs: %s", len(rows), levels(rows.id).value_counts().sort_index().to_dict())
    return as_pairs(id=rows.id, anchor=rows.anchor, positive=rows.text, label=rows.label)


def levels(ids: pd.Series) -> pd.Series:
    """Return the label that each pair's text was written for, taken from its id: 1, 0.5, 0, or random."""
    return ids.str.rsplit("/", n=2).str[-2]


def _kept(texts: pd.DataFrame, sentences: pd.DataFrame, spec: DinoPairs) -> pd.DataFrame:
    """Return the texts that become pairs, with `id`, `anchor` and its `number` in the corpus, in order."""
    # A corpus may contain a sentence twice: all its pairs go to the first occurrence.
    first = pd.Series(range(len(sentences)), sentences.id).groupby(sentences.text.array).transform("min")
    number = first.loc[texts.sentence_id].to_numpy()
    level = texts.label.map("{:g}".format)
    rows = texts.assign(
        number=number,
        anchor=sentences.text.array[number],
        level=level,
        id=texts.sentence_id + "/" + level + "/" + texts.entry.astype(str),
    )
    refused = rows.refused[rows.refused != ""].value_counts().to_dict()
    usable = rows[rows.refused == ""]
    order = uniforms((("pairs", "dino", spec.seed, each) for each in usable.id), 1)[:, 0]
    different = usable.iloc[np.argsort(order)].drop_duplicates(["anchor", "level", "text"])
    changed = different[different.text != different.anchor]
    kept = changed[changed.groupby(["anchor", "level"]).cumcount() < spec.kept]
    logger.info(
        "%d of %d texts are kept, for %d of %d sentences. Refused: %s; equal to another text of the "
        "same sentence and label: %d; equal to their sentence: %d; more than %d of a sentence and "
        "label: %d",
        len(kept),
        len(texts),
        kept.anchor.nunique(),
        sentences.text.nunique(),
        refused or "none",
        len(usable) - len(different),
        len(different) - len(changed),
        spec.kept,
        len(changed) - len(kept),
    )
    return kept.sort_values(["number", "label", "entry", "sentence_id"], ascending=[True, False, True, True])


def _random_rows(kept: pd.DataFrame, ids: pd.Series, spec: DinoPairs) -> pd.DataFrame:
    """Draw texts for each sentence from the pool of all kept texts, each row of the pool equally likely.

    A sentence never gets itself or one of its own texts, for which label 0 would be wrong, nor a text twice.
    """
    texts, counts = np.unique(kept.text.to_numpy(dtype=object), return_counts=True)
    pool = np.repeat(texts, counts)
    ends = dict(zip(texts, np.cumsum(counts).tolist(), strict=True))
    sizes = dict(zip(texts, counts.tolist(), strict=True))
    grouped = kept.groupby("number").agg(anchor=("anchor", "first"), texts=("text", set))
    grouped["id"] = ids.array[grouped.index]
    places = uniforms((("pairs", "dino", RANDOM, spec.seed, each) for each in grouped.id), spec.random)
    rows = []
    for one, of_one in zip(grouped.itertuples(), places, strict=True):
        excluded = {one.anchor, *one.texts} & sizes.keys()
        for chance, place in enumerate(of_one):
            left = len(pool) - sum(sizes[text] for text in excluded)
            if not left:
                break
            at = int(place * left)
            for text in sorted(excluded):  # in the order of the pool: skip the excluded texts
                if at >= ends[text] - sizes[text]:
                    at += sizes[text]
            excluded.add(pool[at])
            rows.append((f"{one.id}/{RANDOM}/{chance}", one.anchor, pool[at], 0.0, one.Index))
    if lacking := len(grouped) * spec.random - len(rows):
        logger.warning(
            "%d random pairs are missing, because no text of another sentence remained for them", lacking
        )
    return pd.DataFrame(rows, columns=["id", "anchor", "text", "label", "number"])
