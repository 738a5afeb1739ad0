"""`config/recipes.yaml`: corpora, pair sets and training recipes that studies share by name."""

from typing import Annotated, Literal

from pydantic import Field, Tag, model_validator

from contrapose.config.spec import PlainPooler, Spec, Split, TextForm, by_kind
from contrapose.tasks import TASKS, DevTask, Task


class SampledCorpus(Spec):
    """A corpus of sentences sampled from articles. Thesis, section 3.1."""

    kind: Literal["sampled"] = "sampled"
    method: Literal[1, 2, 3] = Field(description="Sampling method of the thesis")
    seed: int = Field(1, ge=0, description="Of the sampling; the thesis's draw x-y has seed y")
    size: str = Field("small", description="Name of a size in the world")
    min_words: int = Field(10, ge=1, description="Fewest NLTK tokens, inclusive")
    max_words: int = Field(50, ge=1, description="Most NLTK tokens, inclusive")
    line_breaks: Literal["delete", "space"] = Field(
        "delete", description="How method 1 removes them; delete gives the thesis's sentence length"
    )


class PublishedCorpus(Spec):
    """A corpus of sentences that somebody published, as it is."""

    kind: Literal["published"]
    file: str = Field(description="Name in the world's sentence_files")
    size: str | None = Field(None, description="Name of a size in the world; null: every line of the file")
    seed: int = Field(1, ge=0, description="Which lines, if not every one")


class TaskCorpus(Spec):
    """The distinct sentences of evaluation sets, without their scores, shuffled. EdaCSE, section 4.1."""

    kind: Literal["tasks"]
    tasks: list[Task] = Field(min_length=1, description="Sets of one suite")
    split: Split = "train"
    size: str | None = Field(None, description="Name of a size in the world; null: every sentence")
    seed: int = Field(1, ge=0, description="Of the order")

    @model_validator(mode="after")
    def _one_suite(self) -> "TaskCorpus":
        if len({TASKS[task].suite for task in self.tasks}) > 1:
            raise ValueError("tasks of several suites; a corpus has one language")
        return self


Corpus = Annotated[
    Annotated[SampledCorpus, Tag("sampled")]
    | Annotated[PublishedCorpus, Tag("published")]
    | Annotated[TaskCorpus, Tag("tasks")],
    by_kind("sampled"),
]


class SentencePairs(Spec):
    """What pairs made of the sentences of a corpus have in common."""

    corpus: str
    size: str | None = Field(None, description="Name of a size in the world; null: every sentence, in order")
    draw: int = Field(1, ge=0, description="Which sentences, if not every one, and all else that is random")


class DropoutPairs(SentencePairs):
    """A sentence is its own positive. SimCSE, unsupervised."""

    kind: Literal["dropout"]


class ParaphrasePairs(Spec):
    """The positives are an LLM's paraphrases, one slot each. Thesis, section 4.1."""

    kind: Literal["paraphrase"]
    corpus: str
    llm: str = Field("chatgpt", description="Role in the world")
    prompt: str = Field("2", description="File name under config/prompts/ without .txt")


class TriplePairs(Spec):
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


PairSet = Annotated[
    DropoutPairs | ParaphrasePairs | TriplePairs | PunctuationPairs | PrefixPairs,
    Field(discriminator="kind"),
]


class Recipe(Spec):
    """How an encoder is trained. The defaults are SimCSE's for unsupervised BERT-base (methods 1.4)."""

    kind: Literal["contrastive"] = "contrastive"
    encoder: str = Field("bert-base", description="Role in the world")
    loss: Literal["info_nce"] = "info_nce"
    temperature: float = Field(0.05, gt=0, description="Cosines are divided by it")
    view_weight: float = Field(1.0, ge=0, description="Of the loss of views after the first: EdaCSE's lambda")
    batch_size: int = Field(64, ge=2, description="Pairs per step")
    learning_rate: float = Field(3e-5, gt=0, description="Peak of the schedule")
    epochs: int = Field(1, ge=1)
    max_length: int = Field(32, ge=3, description="Word pieces per sentence, the rest is cut off")
    dropout: float | None = Field(None, ge=0, lt=1, description="Hidden and attention; null: the encoder's")
    pooler: Literal["cls", "cls_before_pooler", "avg", "avg_top2", "avg_first_last"] = "cls"
    mlp: Literal["train_only", "always"] = Field("train_only", description="MLP head of the cls pooler")
    weight_decay: float = Field(0.0, ge=0)
    warmup: float = Field(0.0, ge=0, lt=1, description="Share of the steps with a rising learning rate")
    schedule: Literal["linear", "cosine", "constant"] = "linear"
    clip: float = Field(1.0, gt=0, description="Gradient norm")
    precision: Literal["no", "fp16", "bf16"] = Field("no", description="Mixed precision of training")
    dev: DevTask = Field("stsb", description="Whose dev split selects the checkpoint")
    dev_every: int = Field(125, ge=1, description="Steps between dev scores; one more at the end")


class WhiteningRecipe(Spec):
    """How the vectors of an encoder as it is are whitened. BERT-whitening (methods 3.4)."""

    kind: Literal["whitening"]
    encoder: str = Field("bert-base", description="Role in the world")
    pooler: PlainPooler = "avg_first_last"
    components: int | None = Field(
        None, ge=1, description="Directions kept, widest first; null: all. The paper's: 256, 384 of a large"
    )
    max_length: int = Field(64, ge=3, description="Word pieces per sentence of the fit, the rest is cut off")


class FlowRecipe(Spec):
    """How a normalising flow is put on an encoder as it is. BERT-flow (methods 3.5)."""

    kind: Literal["flow"]
    encoder: str = Field("bert-base", description="Role in the world")
    pooler: PlainPooler = "avg_first_last"
    levels: int = Field(3, ge=1, description="Half of the dimensions are done after each but the last")
    depth: int = Field(3, ge=1, description="Steps per level")
    width: int = Field(32, ge=1, description="Hidden units of a step's network")
    learning_rate: float = Field(1e-3, gt=0, description="Of AdamW, the same in every step")
    batch_size: int = Field(64, ge=2, description="Sentences per step; the authors': 32 pairs")
    epochs: int = Field(1, ge=1)
    max_length: int = Field(64, ge=3, description="Word pieces per sentence of the fit, the rest is cut off")


class ContrastiveTensionRecipe(Spec):
    """How two copies of an encoder are trained on single sentences. Contrastive Tension (methods 3.2)."""

    kind: Literal["contrastive_tension"]
    encoder: str = Field("bert-base", description="Role in the world")
    pooler: PlainPooler = "avg"
    negatives: int = Field(7, ge=1, description="Pairs of different sentences for each of one with itself")
    batch_size: int = Field(16, ge=2, description="Pairs per step, a multiple of negatives + 1")
    learning_rate: float = Field(
        1e-5, gt=0, description="Of RMSprop up to step 500; then 0.8, 0.6, 0.4 and 0.2 of it"
    )
    steps: int = Field(5000, ge=1, description="Of the optimiser: ten times 500 in the authors' code")
    max_length: int = Field(75, ge=3, description="Word pieces per sentence, the rest is cut off")
    dev: DevTask = Field("stsb", description="Whose dev split selects the checkpoint")
    dev_every: int = Field(500, ge=1, description="Steps between dev scores; one more at the end")

    @model_validator(mode="after")
    def _whole_groups(self) -> "ContrastiveTensionRecipe":
        if self.batch_size % (self.negatives + 1):
            raise ValueError(
                f"batch_size is {self.batch_size}, but must be a multiple of negatives + 1 = "
                f"{self.negatives + 1}"
            )
        return self


AnyRecipe = Annotated[
    Annotated[Recipe, Tag("contrastive")]
    | Annotated[WhiteningRecipe, Tag("whitening")]
    | Annotated[FlowRecipe, Tag("flow")]
    | Annotated[ContrastiveTensionRecipe, Tag("contrastive_tension")],
    by_kind("contrastive"),
]


class LengthProbe(Spec):
    """Pairs of sentences of different length, lengthened by what means nothing. EdaCSE, Table 1; SPEC 3.5."""

    tasks: list[Task] = Field(min_length=1, description="Sets of one suite and one scale; their test splits")
    form: TextForm = Field("senteval", description="senteval: Moses-tokenised as SimCSE evaluates; raw")
    positive: float = Field(description="Lowest gold score of a positive pair, on the sets' own scale")
    negative: float = Field(description="Highest gold score of a negative pair")
    pairs: int = Field(1000, ge=1, description="Pairs wanted of each kind; where there are fewer, all")
    seed: int = Field(1, ge=0, description="Which pairs, and where marks are put")
    unit: Literal["words", "characters"] = Field(description="Of length: between white space, or code points")
    difference: int = Field(ge=1, description="Pairs differ in length by so much or more")
    filler: str = Field(min_length=1, description="A word, or a character if lengths are in characters")

    @model_validator(mode="after")
    def _one_scale(self) -> "LengthProbe":
        if len({(TASKS[task].suite, TASKS[task].low, TASKS[task].high) for task in self.tasks}) > 1:
            raise ValueError("tasks of several suites or scales; gold scores are compared with one number")
        if self.negative >= self.positive:
            raise ValueError(f"negative is {self.negative:g}, it has to be below positive, {self.positive:g}")
        return self

    @model_validator(mode="after")
    def _one_unit(self) -> "LengthProbe":
        if self.unit == "characters" and len(self.filler) > 1:
            raise ValueError(f"filler '{self.filler}' is longer than a character, the unit of length")
        if len(self.filler.split()) != 1:
            raise ValueError(f"filler '{self.filler}' is not one word")
        return self


class Recipes(Spec):
    """`config/recipes.yaml`: what studies share by name."""

    corpora: dict[str, Corpus]
    pairs: dict[str, PairSet]
    recipes: dict[str, AnyRecipe]
    probes: dict[str, LengthProbe] = Field({}, description="Pairs on which length bias is measured")
