"""Pairs of a sentence with one that follows it in its document."""

import logging
from typing import Literal

import numpy as np
import pandas as pd
from pydantic import Field

from contrapose.base.seeds import uniforms
from contrapose.jobs.inputs import Pairs, Sentences, Slots
from contrapose.jobs.status import with_status
from contrapose.pairs.pair_rows import FEWEST, as_pairs, no_pairs, sampled
from contrapose.pairs.strategy import SentencePairs
from contrapose.settings.plan import Plan
from contrapose.settings.refs import DocumentCorpusName, as_number

logger = logging.getLogger(__name__)


class NextSentencePairs(SentencePairs):
    """The positive is the next sentence of the same document. SimCSE, Table 2."""

    kind: Literal["next_sentence"]
    slots: Slots = 1
    corpus: DocumentCorpusName = Field(
        description="This names a corpus whose documents are known. Its sentences are the anchors."
    )
    window: int = Field(
        1,
        ge=1,
        description="The positive is drawn from this many following sentences. The paper has 1 and 3.",
    )

    def rows(self, project: Plan) -> float | None:
        """`size` and the slots decide; without a size it is unknown how many sentences have a next one."""
        return None if self.size is None else super().rows(project)


def build(spec: NextSentencePairs, sentences: Sentences) -> Pairs:
    """Pair each sentence with one of the `window` next ones of its document.  SimCSE, Table 2.

    Quick-Thoughts (Logeswaran and Lee, 2018) also uses the previous sentence as context: its pairs are these
    and the same pairs reversed.  A sentence follows another if it has the same `article_id` and the next
    `position`.  Which of several is drawn depends only on the draw, the sentence's id and the slot.

    Returns PAIRS slot by slot, within a slot in the order of the sentences or of the sample.  A sentence
    without a next one in the corpus is not an anchor; `size` counts those that have one.  If there are fewer
    than wanted, the result is `no_pairs`.
    """
    places = pd.MultiIndex.from_arrays([sentences.article_id, sentences.position])
    ahead = [
        places.get_indexer(pd.MultiIndex.from_arrays([sentences.article_id, sentences.position + step]))
        for step in range(1, spec.window + 1)
    ]
    following = np.stack(ahead, axis=1)  # (n, window), numbers of rows; -1: not in the corpus
    exists = following >= 0
    anchors = sentences.assign(row=range(len(sentences)))[exists.any(axis=1)]
    alone = (
        f"{len(sentences) - len(anchors)} of {len(sentences)} sentences have no next sentence and are skipped"
    )
    logger.info("%s", alone)
    if len(anchors) < (wanted := as_number(spec.size) or FEWEST):
        return no_pairs(
            f"pairs of kind next_sentence: {len(anchors)} of {len(sentences)} sentences of the corpus "
            f"'{spec.corpus}' have a next sentence in their document, but {wanted} are needed. Check "
            "where documents end, or lower the size"
        )
    anchors = sampled(anchors, spec.size, spec.seed, "sentences")
    rows = anchors.row.to_numpy()
    parts = []
    for slot in range(spec.slots):
        # "adjacent": the kind's name up to version 0.4, kept so that the same pairs are drawn
        chances = uniforms((("adjacent", spec.seed, each, slot) for each in anchors.id), 1)[:, 0]
        drawn = (chances * exists[rows].sum(axis=1)).astype(int)  # index among the next sentences that exist
        steps = np.argmax(exists[rows].cumsum(axis=1) > drawn[:, None], axis=1)
        positives = sentences.text.iloc[following[rows, steps]]
        parts.append(as_pairs(anchors.id, anchors.text, positives, slot=slot))
    return with_status(pd.concat(parts, ignore_index=True), skipped=[alone])
