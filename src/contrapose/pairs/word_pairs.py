"""Helpers of strategies whose positive is the sentence with changed words."""

import logging
from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
from pydantic import Field

from contrapose.base.seeds import uniforms
from contrapose.jobs.inputs import PairPieces, Slots
from contrapose.pairs.pair_rows import as_pairs, no_pairs, row_groups, sampled
from contrapose.pairs.strategy import SentencePairs
from contrapose.settings.spec import Language

logger = logging.getLogger(__name__)

# Thai, Lao, Burmese, Khmer, kana and Han: scripts without spaces between words.
UNSPACED = "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]"

BETWEEN = "\0"  # words of a sentence that is split; no text has it
# The words of a sentence and 1 + len(words) uniform numbers -> the words of its positive.
Change = Callable[[Sequence[str], np.ndarray], Sequence[str]]


class WordPairs(SentencePairs):
    """Base of pairs whose positive is the sentence with changed words."""

    slots: Slots = 1
    language: Language | None = Field(
        None,
        description="The language decides how sentences are split into words. With null, they are split "
        "at white space.",
    )


def is_unspaced(sentences: pd.DataFrame) -> bool:
    """Return whether most sentences have letters of a script without spaces."""
    return bool(sentences.text.str.contains(UNSPACED).mean() > 0.5)


def changed_pairs(spec: WordPairs, sentences: pd.DataFrame, change: Change) -> PairPieces:
    """Pair each sentence with itself after a change of its words.

    The change depends only on the kind, the draw, the sentence's id and the slot: a sentence has the same
    positives in every corpus and sample.  Both sides are rebuilt from the words.

    Yields a PAIRS table, slot by slot, within a slot in the order of the sentences or of the sample.  If
    `language` is None and most sentences are written without spaces, the result is `no_pairs`.
    """
    # Too slow to import while planning.
    from contrapose.text.languages import detokeniser, tokeniser

    sentences = sampled(sentences, spec.size, spec.seed, "sentences")
    if spec.language is None and is_unspaced(sentences):
        yield no_pairs(
            f"pairs of kind {spec.kind}: most sentences of the corpus '{spec.corpus}' have no spaces "
            "between words, and language is null, which splits at white space. For Japanese, set "
            "language: japanese. Contrapose has no word splitter for Chinese; use another kind, such "
            "as punctuation"
        )
        return
    split: Callable[[str], Sequence[str]] = str.split
    join: Callable[[Sequence[str]], str] = " ".join
    if spec.language:
        # Splitting takes long, and lists of words ten times the memory of the text.
        texts = map(BETWEEN.join, map(tokeniser(spec.language), sentences.text))
        sentences = sentences.assign(text=pd.Series(texts, sentences.index, dtype=str))
        split, join = _split_again, detokeniser(spec.language)
    same = 0
    for slot in range(spec.slots):
        for rows in row_groups(sentences):
            words = [split(text) for text in rows.text]
            keys = ((spec.kind, spec.seed, each, slot) for each in rows.id)
            anchors = pd.Series(map(join, words), dtype=str)
            positives = pd.Series(
                (
                    join(change(each, uniforms([key], 1 + len(each))[0]))
                    for each, key in zip(words, keys, strict=True)
                ),
                dtype=str,
            )
            same += int((positives == anchors).sum())
            yield as_pairs(rows.id, anchors, positives, slot=slot)
    logger.info(
        "%d sentences x %d slots; %d positives equal their sentence", len(sentences), spec.slots, same
    )


def _split_again(words: str) -> list[str]:
    return words.split(BETWEEN) if words else []
