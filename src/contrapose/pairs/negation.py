"""Pairs of a sentence with itself, and its negation as hard negative."""

from typing import Literal

from pydantic import Field

from contrapose.jobs.inputs import Pairs, Sentences
from contrapose.pairs.pair_rows import as_pairs, in_lists, no_pairs, sampled
from contrapose.pairs.parts_of_speech import (
    EnglishPairs,
    Tags,
    joined,
    negated,
    not_english,
    prefixed,
    tokens_of,
)
from contrapose.settings.plan import Plan


class NegationPairs(EnglishPairs):
    """A sentence is its own positive, and its negation is the hard negative. SNCSE."""

    kind: Literal["negation"]
    otherwise: str = Field(
        "Not",
        min_length=1,
        description="These words stand before a sentence without a finite verb, to negate it.",
    )

    def sides(self, project: Plan) -> int:
        return 3


def build(spec: NegationPairs, sentences: Sentences, tags: Tags) -> Pairs:
    """Pair each sentence with itself, and push it from its negation: see `negated`.  SNCSE, section 3.2.

    Rules of Sense-GVT/SNCSE, generate_soft_negative_samples.py, which uses spaCy.  Unlike there, `n't` is a
    `not`, the text keeps its spaces, and the first word after `otherwise` loses its capital letter.  SNCSE
    trains on these soft negatives with a loss of their own.
    """
    if why := not_english(spec, sentences):
        return no_pairs(why)
    sentences = sampled(sentences, spec.size, spec.seed, "sentences")
    changed = (
        joined(words) if (words := negated(tokens)) else prefixed(spec.otherwise, tokens)
        for tokens in tokens_of(sentences, tags)
    )
    return as_pairs(sentences.id, sentences.text, sentences.text, negatives=in_lists(changed))
