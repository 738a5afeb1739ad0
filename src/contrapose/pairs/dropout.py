"""Pairs of a sentence with itself."""

import logging
from typing import ClassVar, Literal

from contrapose.jobs.inputs import PairPieces, Sentences
from contrapose.pairs.pair_rows import as_pairs, row_groups, sampled
from contrapose.pairs.strategy import HeldOutPairs, SentencePairs

logger = logging.getLogger(__name__)


class DropoutPairs(SentencePairs, HeldOutPairs):
    """A sentence is its own positive. SimCSE, unsupervised."""

    kind: Literal["dropout"]
    same_text: ClassVar[bool] = True


def build(spec: DropoutPairs, sentences: Sentences) -> PairPieces:
    """Pair each sentence with itself; the encoder's dropout makes the two sides differ.  SimCSE, section 3.

    One row per sentence, in the order of the sentences or of the sample, see `sampled`.
    """
    sentences = sampled(sentences, spec.size, spec.seed, "sentences", spec.held_out, spec.part)
    logger.info("%d sentences are their own positives", len(sentences))
    for rows in row_groups(sentences):
        yield as_pairs(id=rows.id, anchor=rows.text, positive=rows.text)
