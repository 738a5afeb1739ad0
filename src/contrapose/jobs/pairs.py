"""Settings of the stage pairs."""

from typing import Literal

from pydantic import Field

from contrapose.config.pairs import DropoutPairs, PrefixPairs, PunctuationPairs
from contrapose.config.spec import Spec


class DrawnSentences(Spec):
    """How many sentences of a corpus become pairs."""

    sentences: int | None = Field(ge=1, description="Sentences wanted; null: every one")


class HeldOutRows(Spec):
    """How many of the pairs are held out, and whether it is those that are wanted."""

    dev: int = Field(0, ge=0, description="Pairs held out, the first of the draw")
    part: Literal["train", "dev"] = "train"


class DropoutJob(DropoutPairs, DrawnSentences, HeldOutRows):
    """What pairs of a sentence with itself depend on, beside the corpus."""


class PunctuationJob(PunctuationPairs, DrawnSentences):
    """What pairs with inserted marks depend on, beside the corpus."""


class PrefixJob(PrefixPairs, DrawnSentences):
    """What pairs with prefixes depend on, beside the corpus."""


class DictionaryJob(Spec):
    """What pairs of a dictionary depend on, beside the corpus, its candidates and their perplexities."""

    threshold: float = Field(gt=0, le=1, description="Least p(d|s) of a candidate")
    choice: Literal["fluent", "random"]
    draw: int = Field(ge=0, description="Of random")
    skipped: int = Field(ge=0, description="Pairs in front, which are of the other part")
    pairs: int | None = Field(ge=1, description="Pairs wanted; null: every one")


class TripleSample(HeldOutRows):
    """Which of the published triples become pairs."""

    triples: int | None = Field(ge=1, description="Triples wanted; null: every one")
    seed: int = Field(ge=0, description="Which triples, if not every one")
