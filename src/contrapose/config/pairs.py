"""Pair sets, entries of `config/recipes.yaml`: how pairs are made of sentences."""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from contrapose.config.spec import PathText, Spec


class HeldOutPairs(Spec):
    """What pair sets have in common from which dev pairs can be held out."""

    held_out: str | None = Field(
        None, description="Name of a size in the world: so many pairs, the first ones, are for dev alone"
    )
    part: Literal["train", "dev"] = Field("train", description="Which of both this is")


class SentencePairs(Spec):
    """What pairs made of the sentences of a corpus have in common."""

    corpus: str
    size: str | None = Field(None, description="Name of a size in the world; null: every sentence, in order")
    draw: int = Field(1, ge=0, description="Which sentences, if not every one, and all else that is random")


class DropoutPairs(SentencePairs, HeldOutPairs):
    """A sentence is its own positive. SimCSE, unsupervised."""

    kind: Literal["dropout"]


class ParaphrasePairs(Spec):
    """The positives are an LLM's paraphrases, one slot each. Thesis, section 4.1."""

    kind: Literal["paraphrase"]
    corpus: str
    llm: str = Field("chatgpt", description="Role in the world")
    prompt: PathText = Field("2", description="File name under config/prompts/ without .txt")


class TriplePairs(HeldOutPairs):
    """A premise, what it entails, and what contradicts it as hard negative. SimCSE, supervised."""

    kind: Literal["triples"]
    source: str = Field(description="Name in the world's triple_files")
    size: str | None = Field(None, description="Name of a size in the world; null: every triple")
    seed: int = Field(1, ge=0, description="Which triples, if not every one")


MarkSet = Literal[
    "english", "chinese", "english_statements", "chinese_statements", "english_and_symbols"
]  # fmt: skip


class PunctuationPairs(SentencePairs):
    """View 0: a sentence with itself; view 1: with itself lengthened by punctuation marks. EdaCSE."""

    kind: Literal["punctuation"]
    max_marks: int = Field(3, ge=1, description="Most marks in a sentence; the paper's K")
    marks: MarkSet = Field(
        "english", description="Statements: without exclamation and question mark. EdaCSE, tables 12-14"
    )
    slots: int = Field(1, ge=1, description="Epoch e takes slot e mod slots, each with other marks")


NegativePrefix = Literal["none", "reversal", "prefix1", "prefix2", "prefix3", "prefix3_chinese"]


class PrefixPairs(SentencePairs):
    """The positive and the hard negative are the sentence behind a prefix. PrdSimCSE."""

    kind: Literal["prefix"]
    positive: Literal["none", "one", "level"] = Field(
        "level", description="Words in front of the positive: none, one, or more with its length (Table 8)"
    )
    word: str = Field("um", description="That word; [CLS], [MASK]: the encoder's own special token")
    form: Literal["plain", "comma"] = Field("plain", description="`um um ` or `Um, um, `")
    unit: Literal["words", "characters"] = Field(
        "words", description="Of a sentence's length: between white space, or characters (Chinese; ours)"
    )
    share: float = Field(1.0, ge=0, le=1, description="Of the sentences with a positive prefix. Table 13")
    negative: NegativePrefix = Field("prefix3", description="Prefix of the negative; none: no negatives")
    joint: Literal["space", "colon"] = Field("space", description="Behind the negative's prefix")
    replaced: float = Field(0.0, ge=0, le=1, description="Share of the negatives replaced. Table 14")
    replaced_by: Literal["sentence", "empty"] = Field(
        "sentence", description="What stands there: the sentence without a prefix, or an empty text"
    )

    @model_validator(mode="after")
    def _fitting(self) -> "PrefixPairs":
        if self.form == "comma" and self.word.startswith("["):
            raise ValueError(f"form comma is one of words, and word is {self.word}: use form plain")
        if self.replaced and self.negative == "none":
            raise ValueError("replaced is a share of the negatives, and negative is none: name a prefix")
        return self


class DinoPairs(Spec):
    """A sentence and a text that a language model wrote for it, with a label. DINO (methods 4.4)."""

    kind: Literal["dino"]
    texts: str = Field(description="Name under synthetic")
    dev: str | None = Field(
        None, description="Name of the pair set of kind dino that training and identification are judged on"
    )
    kept: int = Field(2, ge=1, description="Most texts of a sentence and label")
    smoothing: float = Field(0.2, ge=0, lt=1, description="A label y becomes (1 - it) y + it / 2")
    random: int = Field(
        2, ge=0, description="Pairs of each sentence with any kept text, label 0, not smoothed"
    )
    seed: int = Field(42, ge=0, description="Of the order in which texts are kept, and of the random pairs")


class ReweightedPairs(Spec):
    """Another pair set with weights, or with fewer rows. RISE, section 4 and its variants."""

    kind: Literal["reweighted"]
    of: str = Field(description="Name of a pair set of kind dino")
    strategy: Literal["importance", "scaled", "shuffled", "random", "filtering"] = Field(
        "importance",
        description="Weights are p(human) of the text, that over its mean, that of any other row, or uniform "
        "in [0, 1); filtering: weight 1, without the rows of lowest p(human)",
    )
    identifier: str = Field("sdi", description="Name under identifiers: whose p(human); random needs none")
    temperature: float = Field(1.0, gt=0, description="The logits are divided by it; less makes p extreme")
    dropped: float = Field(0.1, gt=0, lt=1, description="Share of the rows that filtering drops")
    draw: int = Field(1, ge=0, description="Of random and shuffled: which weights")


class DictionaryPairs(HeldOutPairs):
    """The positive is the most fluent of the candidates that a dictionary gives. PPDB-CSE, section 3.2."""

    kind: Literal["dictionary"]
    rewrites: str = Field(description="Name under rewrites")
    threshold: float = Field(0.4, gt=0, le=1, description="Least p(d|s) of a rule; the paper's theta")
    size: str | None = Field(
        None, description="Name of a size in the world: pairs; sentences without a candidate do not count"
    )
    choice: Literal["fluent", "random"] = Field(
        "fluent", description="Of the candidates: the one of lowest perplexity, or any (ours, a control)"
    )
    draw: int = Field(1, ge=0, description="Of random")


PairSet = Annotated[
    DropoutPairs
    | ParaphrasePairs
    | TriplePairs
    | PunctuationPairs
    | PrefixPairs
    | DinoPairs
    | ReweightedPairs
    | DictionaryPairs,
    Field(discriminator="kind"),
]
