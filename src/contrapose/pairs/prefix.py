"""Pairs of a sentence with itself after a prefix that means nothing, or that reverses its meaning."""

import logging
from collections import Counter
from typing import Literal

import numpy as np
import pandas as pd
from pydantic import Field, model_validator

from contrapose.base.seeds import generator
from contrapose.jobs.inputs import Pairs, Sentences
from contrapose.pairs.pair_rows import as_pairs, in_lists, sampled
from contrapose.pairs.strategy import SentencePairs
from contrapose.settings.plan import Plan

logger = logging.getLogger(__name__)

NegativePrefix = Literal["none", "reversal", "prefix1", "prefix2", "prefix3", "prefix3_chinese"]
LEVEL, MOST_WORDS = 8, 4  # one more word for every 8 of the sentence, up to 4.  PrdSimCSE, Table 8

# PrdSimCSE, section 5.3, as printed.  The last one is ours: prefix3 in Chinese, where the paper has none.
NEGATIVES: dict[NegativePrefix, str] = {
    "reversal": "reversal",
    "prefix1": "Sentence contradicts in time, place, people, number, emotion, type",
    "prefix2": "Contradictory in time, location, individuals, quantity, emotion, and category within the "
    "sentence",
    "prefix3": "The expression in terms of time, location, persons, number, emotion, and type in the "
    "following sentence is contradictory",
    "prefix3_chinese": "以下句子在时间、地点、人物、数量、情感和类型方面的表述是矛盾的",
}
JOINTS = {"space": " ", "colon": ": "}


class PrefixPairs(SentencePairs):
    """The positive and the hard negative are the sentence after a prefix. PrdSimCSE."""

    kind: Literal["prefix"]
    positive: Literal["none", "one", "level"] = Field(
        "level",
        description="The positive gets no prefix (`none`), one word (`one`), or more words the longer "
        "the sentence is (`level`). PrdSimCSE, Table 8.",
    )
    word: str = Field(
        "um",
        description="This word is the prefix. `[CLS]` and `[MASK]` stand for the encoder's own special "
        "tokens.",
    )
    form: Literal["plain", "comma"] = Field(
        "plain", description="The prefix looks like `um um ` (`plain`) or like `Um, um, ` (`comma`)."
    )
    unit: Literal["words", "characters"] = Field(
        "words",
        description="The length of a sentence counts words between white space, or characters. "
        "Characters are our addition, for Chinese.",
    )
    share: float = Field(
        1.0,
        ge=0,
        le=1,
        description="This share of the sentences gets a positive prefix. PrdSimCSE, Table 13.",
    )
    negative: NegativePrefix = Field(
        "prefix3", description="This is the prefix of the negative. With `none`, there are no negatives."
    )
    joint: Literal["space", "colon"] = Field(
        "space", description="A space or a colon separates the negative's prefix from the sentence."
    )
    replaced: float = Field(
        0.0, ge=0, le=1, description="This share of the negatives is replaced. PrdSimCSE, Table 14."
    )
    replaced_by: Literal["sentence", "empty"] = Field(
        "sentence",
        description="A replaced negative becomes the sentence without a prefix (`sentence`), or an "
        "empty text (`empty`).",
    )

    def sides(self, project: Plan) -> int:
        return 2 + (self.negative != "none")

    @model_validator(mode="after")
    def _fitting(self) -> "PrefixPairs":
        if self.form == "comma" and self.word.startswith("["):
            raise ValueError(f"form comma needs a word, but word is {self.word}. Set form: plain")
        if self.replaced and self.negative == "none":
            raise ValueError(
                "replaced is a share of the negatives, but negative is none. Name a prefix for negative, "
                "or remove replaced"
            )
        return self


def build(spec: PrefixPairs, sentences: Sentences) -> Pairs:
    """Pair each sentence with itself after a positive prefix, and push it from itself after a negative one.

    PrdSimCSE, section 3.  A positive without a prefix differs by dropout alone: those of the sentences that
    `share` leaves out and, with `level`, of the shortest.  Shares are exact fractions of all sentences,
    chosen once for all epochs; a smaller share is part of a larger one.  `[CLS]` and `[MASK]` are written as
    in BERT; tokenization replaces them by the tokenizer's own.
    """
    sentences = sampled(sentences, spec.size, spec.seed, "sentences")
    count, texts = len(sentences), sentences.text
    chosen = _chosen(count, spec.share, "share", spec.seed)
    words = [
        prefix_words(text, spec) if is_chosen else 0 for text, is_chosen in zip(texts, chosen, strict=True)
    ]
    logger.info("number of words before %d sentences: %s", count, dict(sorted(Counter(words).items())))
    prefixes = pd.Series([positive_prefix(number, spec) for number in words], texts.index, dtype=str)
    negatives = None
    if spec.negative != "none":
        replaced = _chosen(count, spec.replaced, "replaced", spec.seed)
        instead = texts if spec.replaced_by == "sentence" else ""
        negatives = in_lists((NEGATIVES[spec.negative] + JOINTS[spec.joint] + texts).mask(replaced, instead))
        logger.info("%d negatives replaced by: %s", replaced.sum(), spec.replaced_by)
    return as_pairs(id=sentences.id, anchor=texts, positive=prefixes + texts, negatives=negatives)


def prefix_words(text: str, spec: PrefixPairs) -> int:
    """Return the number of words in front of the positive of a sentence: 0 to 4.  PrdSimCSE, Table 8."""
    if spec.positive != "level":
        return {"none": 0, "one": 1}[spec.positive]
    length = len(text.split()) if spec.unit == "words" else len(text)
    return min(length // LEVEL, MOST_WORDS)


def positive_prefix(words: int, spec: PrefixPairs) -> str:
    """Return the prefix of `words` words, with a separator at its end; empty for 0 words."""
    if spec.form == "plain":
        return f"{spec.word} " * words
    prefix = f"{spec.word}, " * words  # Table 1: "Um, I love ..."
    return prefix[:1].upper() + prefix[1:]


def _chosen(count: int, share: float, what: str, draw: int) -> np.ndarray:
    """Choose a share of `count` sentences: bool of shape (count,)."""
    chosen = np.zeros(count, bool)
    chosen[generator("pairs", "prefix", what, draw).permutation(count)[: round(share * count)]] = True
    return chosen
