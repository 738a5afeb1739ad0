"""Typed settings: everything a person writes under `config/`.

Three kinds of files: `config.yaml` (what to build with), `worlds/*.yaml` (where everything comes from and
how big it is) and `studies/*/study.yaml` with `recipes.yaml` (what is compared).  Unknown keys are refused.
A field's description is the text of `config/README.md` and of the JSON schema.
"""

import math
from datetime import date
from typing import Annotated, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, ValidationError, model_validator

from contrapose.errors import ConfigError, unknown
from contrapose.tasks import TASKS, DevTask, Task, TransferTask

TextForm = Literal["senteval", "raw"]
Split = Literal["train", "dev", "test"]
SplitChoice = Literal["all", "train", "dev", "test"]
Reading = Literal["evaluated", "naive"]
Pooling = Literal["auto", "cls", "cls_before_pooler", "avg", "avg_top2", "avg_first_last"]
PlainPooler = Literal["cls_before_pooler", "avg", "avg_top2", "avg_first_last"]  # without a trained layer


class Spec(BaseModel):
    """Base of all settings: frozen, unknown keys refused with the nearest known one."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _only_known_keys(cls, data: object) -> object:
        for key in data if isinstance(data, dict) else ():
            if key not in cls.model_fields:
                raise ValueError(str(unknown("this section", str(key), cls.model_fields)))
        return data


S = TypeVar("S", bound=Spec)


def validated(kind: type[S], content: object, where: str) -> S:
    """Check `content` against the settings class `kind`; errors name file, key, value and what is allowed."""
    try:
        return kind.model_validate(content)
    except ValidationError as error:
        lines = []
        for one in error.errors(include_url=False):
            key = ".".join(str(part) for part in one["loc"]) or "top level"
            message = one["msg"].removeprefix("Value error, ")
            value = "" if isinstance(one["input"], dict) else f" (got {one['input']!r})"
            lines.append(f"{where}: {key}: {message}{value}")
        raise ConfigError("\n".join(lines)) from error


# ---------------------------------------------------------------------------------------- config.yaml


class Shards(Spec):
    """Into how many jobs a stage is split.  Never changes a result."""

    corpus: int = Field(2, ge=1, description="Jobs that sample one corpus")
    generate: int = Field(2, ge=1, description="Jobs that ask a language model about one corpus")


class Config(Spec):
    """`config/config.yaml`, and what `--config key=value` may replace."""

    world: str = Field("mini", description="Where everything comes from: a file under config/worlds/")
    studies: list[str] = Field(["thesis"], min_length=1, description="Folders under config/studies/")
    seeds: int = Field(1, ge=1, description="Trainings per run, with the seeds 42, 43, ...")
    search: bool = Field(
        False, description="Train every setting of the rows' grids too, and select on STS-B dev"
    )
    bootstrap: int = Field(1000, ge=100, description="Resamples behind each 95 % interval")
    folds: int = Field(10, ge=2, description="Folds of the transfer tasks; SentEval's fast mode has 5")
    data: str | None = Field(None, description="Folder with the original files; needed by world=files")
    encoder: str | None = Field(None, description="Encoder folder that results/tables/score.csv scores")
    pooling: Pooling = Field("auto", description="Its pooling; auto is what the folder itself says")
    endpoint: str | None = Field(
        None,
        description="Base URL or file:PATH in the place of every LLM endpoint; no key is sent to it",
    )
    pathvars: dict[Literal["results", "logs", "state"], str] = Field(
        {}, description="Other folders for what is made, e.g. {results: results-files}"
    )
    shards: Shards = Field(Shards(), description="Jobs per sharded stage")
    device: Literal["auto", "cpu", "cuda", "mps"] = Field("auto", description="Where encoders run")
    batch_size: int = Field(32, ge=1, description="Sentences encoded at once outside training")
    recompute: bool = Field(
        False, description="Train large batches in little memory: run them twice, a third more time"
    )


# --------------------------------------------------------------------------------------------- worlds


class MiniWorld(Spec):
    """The closed world that the generator writes, in English and Chinese, in the original file formats."""

    seed: int = Field(2023, description="Of the generator: another seed is another world")
    articles: int = Field(400, ge=1, description="Wikipedia articles")
    pairs: int = Field(60, ge=2, description="Scored pairs per STS subset; the other sets follow")


class ArticleFiles(Spec):
    """Article text in files."""

    kind: Literal["files"] = "files"
    path: str = Field(description="Files, `*` allowed, below the data folder")
    format: Literal["parquet", "jsonl", "wikiextractor"]
    text: str = Field("text", description="Column or key of the text")
    id: str | None = Field("id", description="Column or key of the id; null numbers the articles")
    title: str | None = Field("title", description="Column or key of the title; null if there is none")


class HubTable(Spec):
    """A data set of the Hugging Face hub, pinned."""

    kind: Literal["hub"] = "hub"
    dataset: str
    revision: str = Field(description="Commit, so that the data cannot change underneath")
    name: str | None = Field(None, description="Configuration of the data set")
    split: str = "train"
    rows: int | None = Field(
        None, ge=1, exclude=True, description="How many there are; only `make plan` asks"
    )


class BenchmarkFiles(Spec):
    """An evaluation set in its distribution files."""

    kind: Literal["sts", "stsb", "sick", "senteval_cn", "atec", "bq", "cnsd", "pawsx"] = Field(
        description="Its file format"
    )
    task: Task
    path: str = Field(description="Folder below the data folder, or below its senteval/")
    splits: list[Split] | None = Field(None, description="Splits that are taken; null: all that are there")
    form: TextForm = Field("senteval", description="senteval: Moses-tokenised as SimCSE evaluates; raw")
    complete: bool = Field(False, description="Refuse any other number of scored pairs than the published")


class BenchmarkHub(Spec):
    """An evaluation set of the hub, pinned."""

    kind: Literal["hub"] = "hub"
    task: Task
    dataset: str
    revision: str
    splits: dict[Split, str] = Field(description="Our split: the hub's split")
    form: TextForm = "senteval"
    scale: float = Field(1.0, gt=0, description="Factor that brings the gold score to the set's scale")


class TransferFiles(Spec):
    """A transfer task in the files that SentEval reads; the task decides their format."""

    path: str = Field(description="Folder below the data folder, or below its senteval/")
    complete: bool = Field(False, description="Refuse any other number of items than the published")


class SentenceFile(Spec):
    """A published corpus: a text file with one sentence a line."""

    kind: Literal["files"] = "files"
    path: str = Field(description="File below the data folder")
    note: str = Field("", description="What a reader of a table has to know: how much of it this is")

    @property
    def files(self) -> list[str]:
        """Paths below the data folder."""
        return [self.path]


class SimCSETriples(Spec):
    """Premise, entailment and contradiction in the format of SimCSE: CSV, columns sent0, sent1, hard_neg."""

    kind: Literal["simcse"]
    path: str = Field(description="File below the data folder")
    note: str = Field("", description="What a reader of a table has to know about it")

    @property
    def files(self) -> list[str]:
        """Paths below the data folder."""
        return [self.path]


class SNLITriples(Spec):
    """Labelled pairs in SentEval's format of SNLI, three parallel files, to be put together as triples."""

    kind: Literal["snli"]
    path: str = Field(description="Folder below the data folder")
    split: Split = "train"
    note: str = Field("", description="What a reader of a table has to know about it")

    @property
    def files(self) -> list[str]:
        """Paths below the data folder: premises, hypotheses, labels."""
        return [f"{self.path}/{part}.{self.split}" for part in ("s1", "s2", "labels")]


class HubFile(Spec):
    """A file of a hub data set, in the format of SimCSE."""

    kind: Literal["hub"] = "hub"
    dataset: str
    file: str
    revision: str
    rows: int | None = Field(None, ge=1, description="Refuse any other number of sentences or triples")
    note: str = Field("", description="What a reader of a table has to know about it")


class HubArchive(Spec):
    """A tar file of a hub data set, unpacked as the data folder."""

    dataset: str
    file: str
    revision: str


class EncoderFolder(Spec):
    """A `transformers` or sentence-transformers folder on disk."""

    kind: Literal["folder"] = "folder"
    path: str = Field(description="Folder; `{data}` stands for the data folder, else below the project")
    otherwise: str | None = Field(None, description="Python package whose encoder folder stands in")
    optional: bool = Field(False, description="Without the folder, rows that need it have no numbers")
    note: str = Field("", description="What a reader of a table has to know about it")
    pooling: Pooling = Field("auto", description="Its pooling as a scorer; training has the recipe's")


class Shape(Spec):
    """What decides the size and the work of an encoder, by the names of its config.json."""

    num_hidden_layers: int = Field(ge=1)
    hidden_size: int = Field(ge=1)
    intermediate_size: int = Field(ge=1, description="Width inside a feed-forward layer")
    vocab_size: int = Field(ge=1)
    max_position_embeddings: int = Field(ge=1)
    type_vocab_size: int = Field(ge=1, description="Kinds of segments: BERT has two, RoBERTa one")


class EncoderHub(Spec):
    """An encoder of the hub, pinned."""

    kind: Literal["hub"] = "hub"
    model: str
    revision: str
    pooling: Pooling = Field("auto", description="Its pooling as a scorer; training has the recipe's")
    # Left out of the settings of jobs: the encoder itself decides.
    shape: Shape | None = Field(
        None,
        exclude=True,
        description="For `make plan`, which fetches nothing; the cached encoder must agree",
    )


class VectorsFile(Spec):
    """Word vectors in GloVe's text format; a sentence is the mean of its words."""

    kind: Literal["vectors"]
    path: str = Field(
        description="File; `{data}` stands for the data folder, else below the project; .gz too"
    )
    optional: bool = Field(False, description="Without the file, rows that need it have no numbers")
    note: str = Field("", description="What a reader of a table has to know about it")


class TrainedVectors(Spec):
    """Word vectors trained here. GloVe; the defaults are those of its paper or its code."""

    kind: Literal["glove"]
    corpus: str = Field(description="Sentences that they are trained on, a name under corpora")
    dimensions: int = Field(300, ge=1)
    window: int = Field(10, ge=1, description="Words to the left and to the right that count")
    min_count: int = Field(5, ge=1, description="Rarer words have no vector")
    x_max: float = Field(100.0, gt=0, description="Pairs that occur together more often weigh alike")
    alpha: float = Field(0.75, gt=0, description="Power of the weight of rarer pairs")
    learning_rate: float = Field(0.05, gt=0, description="Of AdaGrad")
    epochs: int = Field(50, ge=1)
    seed: int = Field(1, ge=0, description="Of the first vectors and the order of words")
    note: str = Field("", description="What a reader of a table has to know about them")


class SmallEncoder(Spec):
    """How a small encoder is pre-trained by masked language modelling."""

    architecture: Literal["bert", "roberta"] = "bert"
    layers: int = Field(2, ge=1)
    hidden: int = Field(128, ge=8)
    heads: int = Field(2, ge=1)
    vocabulary: int = Field(2000, ge=300, description="Size of the vocabulary, special tokens included")
    positions: int = Field(128, ge=16, description="Longest input in tokens")
    texts: int = Field(60_000, ge=100, description="Texts read, from the first; all if there are fewer")
    steps: int = Field(5000, ge=1)
    batch: int = Field(32, ge=1)
    learning_rate: float = Field(1e-3, gt=0, description="Peak, after 5 % warm-up; then linear to 0")
    seed: int = 1


class PretrainedEncoder(SmallEncoder):
    """A small encoder that is pre-trained here, for text that no encoder at hand can read."""

    kind: Literal["pretrained"]
    corpus: str = Field(description="Sentences that it reads, a name under corpora")
    note: str = Field("", description="What a reader of a table has to know about it")
    pooling: Pooling = Field("auto", description="Its pooling as a scorer; training has the recipe's")


def _kind(default: str) -> Discriminator:
    """Choose the class by `kind`, which may be left out for the usual one."""
    return Discriminator(lambda value: value.get("kind", default) if isinstance(value, dict) else value.kind)


ArticleSource = Annotated[
    Annotated[ArticleFiles, Tag("files")] | Annotated[HubTable, Tag("hub")], _kind("files")
]
EncoderSource = Annotated[
    Annotated[EncoderFolder, Tag("folder")]
    | Annotated[EncoderHub, Tag("hub")]
    | Annotated[VectorsFile, Tag("vectors")]
    | Annotated[TrainedVectors, Tag("glove")]
    | Annotated[PretrainedEncoder, Tag("pretrained")],
    _kind("folder"),
]


SentenceSource = Annotated[
    Annotated[SentenceFile, Tag("files")] | Annotated[HubFile, Tag("hub")], _kind("files")
]
TripleSource = Annotated[SimCSETriples | SNLITriples | HubFile, Field(discriminator="kind")]


class Asked(Spec):
    """What of an LLM's settings can change an answer; the rest only says how to reach it."""

    model: str = Field(description="Name the endpoint knows the model by")
    temperature: float = Field(1.0, ge=0, le=2, description="Chat default. SPEC 1.4")
    top_p: float = Field(1.0, gt=0, le=1)
    max_tokens: int = Field(600, ge=16, description="Upper limit of an answer; five paraphrases take ~300")
    send_seed: bool = Field(False, description="Send a seed per try, where the endpoint knows the field")
    tries: int = Field(3, ge=1, description="Paid answers per sentence before it is replaced. SPEC 1.4")


class LLM(Asked):
    """A chat model behind an OpenAI-compatible endpoint, in one role of the studies."""

    endpoint: str = Field(
        description="Base URL ending in /v1, file:PATH that holds one, or loopback: the mini world's"
    )
    key: str | None = Field(None, description="Environment variable that holds the API key")
    replacements: int = Field(20, ge=0, description="New sentences drawn for one before giving up")
    concurrency: int = Field(8, ge=1, description="Requests in flight per job; never changes a result")
    timeout: float = Field(120.0, gt=0, description="Seconds a request may take in all")
    patience: float = Field(300.0, gt=0, description="Seconds without any answer before the job stops")
    requests_per_minute: float | None = Field(
        None, gt=0, description="Limit of the key, for all jobs together"
    )
    tokens_per_minute: float | None = Field(None, gt=0, description="Limit of the key, for all jobs together")
    tokens_counted: Literal["reserved", "used"] = Field(
        "reserved", description="What the limit counts: prompt and max_tokens, or what was used"
    )
    max_tokens_name: Literal["max_tokens", "max_completion_tokens"] = Field(
        "max_tokens", description="What the endpoint calls the upper limit of an answer"
    )
    prompt_price: float = Field(0.0, ge=0, description="USD per million prompt tokens")
    completion_price: float = Field(0.0, ge=0, description="USD per million completion tokens")
    tokens_per_second: float | None = Field(
        None, gt=0, description="Speed of one answer, for the hours of `make plan`; null: not known"
    )
    prices_as_of: date | None = Field(None, description="Date of the prices")
    budget: float | None = Field(
        None,
        ge=0,
        description="USD that all answers in the journals of this LLM may cost together; null: no cap",
    )

    def asked(self) -> Asked:
        """Return the part that can change an answer: what a rule's settings may hold."""
        return Asked(**{name: getattr(self, name) for name in Asked.model_fields})

    def connection(self, role: str) -> "Connection":
        """Return the part that cannot: what a rule's resources may hold."""
        shared = {name: getattr(self, name) for name in Connection.model_fields if name != "role"}
        return Connection(role=role, **shared)


class Connection(Spec):
    """How to reach an LLM.  Nothing here can change an answer."""

    role: str = Field(description="Of the LLM in the world, for messages")
    endpoint: str
    key: str | None = None
    concurrency: int = Field(8, ge=1)
    timeout: float = Field(120.0, gt=0)
    patience: float = Field(300.0, gt=0)
    requests_per_minute: float | None = Field(None, gt=0)
    tokens_per_minute: float | None = Field(None, gt=0)
    tokens_counted: Literal["reserved", "used"] = "reserved"
    max_tokens_name: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    prompt_price: float = Field(0.0, ge=0)
    completion_price: float = Field(0.0, ge=0)
    prices_as_of: date | None = None
    budget: float | None = Field(None, ge=0)


class TranslatedPairs(Spec):
    """How much of the Chinese sets is translated; test splits of BQ and LCQMC. PrdSimCSE, table 6."""

    size: str | None = Field(
        None, description="Name of a size in the world: pairs of each set; null: every pair"
    )
    seed: int = Field(1, ge=0, description="Which pairs, if not every one")


class LLMTranslator(TranslatedPairs):
    """A chat model translates, a sentence a request."""

    kind: Literal["llm"]
    llm: str = Field(description="Role in the world")
    prompt: str = Field("translate", description="File name under config/prompts/ without .txt")


class Seq2SeqTranslator(TranslatedPairs):
    """A `transformers` translation model from Chinese to English, like opus-mt-zh-en, on this machine."""

    kind: Literal["seq2seq"]
    path: str = Field(description="Folder; `{data}` stands for the data folder, else below the project")


class TrainingScale(Spec):
    """What a smaller world changes about training, for every contrastive recipe alike."""

    learning_rate: float = Field(1.0, gt=0, description="Factor on their learning rates")
    dev_every: int | None = Field(None, ge=1, description="Steps between dev scores, if not the recipe's")
    steps: int | None = Field(None, ge=1, description="Steps of contrastive tension, if not the recipe's")


class World(Spec):
    """`config/worlds/<world>.yaml`: where everything named in a study comes from, and how big it is."""

    description: str
    scale: float = Field(1.0, gt=0, description="Factor on articles, pairs and corpus sizes")
    mini: MiniWorld | None = Field(None, description="Generate the data folder with these settings")
    archive: HubArchive | None = Field(None, description="Fetch and unpack this as the data folder")
    articles: ArticleSource
    punkt_articles: int = Field(1000, ge=1, description="Articles that Punkt is trained on if not installed")
    draws_per_sentence: int = Field(8, ge=1, description="Draws made for each sentence wanted")
    sizes: dict[str, int] = Field(description="Sentences in a corpus of each size")
    encoders: dict[str, EncoderSource | None] = Field(
        description="Role: encoder; null: this world has none, rows that need it have no numbers"
    )
    llms: dict[str, LLM]
    benchmarks: dict[str, Annotated[BenchmarkFiles | BenchmarkHub, Field(discriminator="kind")]]
    transfer: dict[TransferTask, TransferFiles] = Field({}, description="Where the transfer tasks are")
    translator: Annotated[LLMTranslator | Seq2SeqTranslator, Field(discriminator="kind")] | None = Field(
        None,
        description="Who translates bq and lcqmc of the benchmarks; null: nobody, they may have bq_en and "
        "lcqmc_en instead",
    )
    sentence_files: dict[str, SentenceSource] = Field({}, description="Published corpora, by name")
    triple_files: dict[str, TripleSource] = Field({}, description="Published NLI triples, by name")
    training: TrainingScale = TrainingScale()


# ------------------------------------------------------------------------------------------- studies


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
    _kind("sampled"),
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
    _kind("contrastive"),
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
    probes: dict[str, LengthProbe] = {}


Setting = int | float | str


class Row(Spec):
    """A row of a table: a run of ours, repeated over the seeds, or an encoder as it is."""

    group: str = ""
    model: str = Field(description="Label of the row")
    pairs: str | None = Field(
        None, description="Id of a pair set: a name and overrides, `paraphrase,llm=vicuna`"
    )
    recipe: str | None = Field(
        None, description="Id of a recipe: a name and overrides, `simcse,encoder=roberta-base`"
    )
    grid: dict[str, list[Setting]] = Field(
        {}, description="Values of the recipe's settings that `search` tries, in all combinations"
    )
    choices: list[dict[str, Setting]] = Field(
        [], description="Settings of the recipe that are all trained; the row is the best on the dev set"
    )
    redraw: bool = Field(False, description="Each seed has a draw of its own of the pair set's sentences")
    encoder: str | None = Field(None, description="Role of an encoder that is not trained by us")
    pooling: Pooling = Field("auto", description="Of that encoder; auto: what the world or its folder says")
    published: str | None = Field(None, description="The paper's label of its row, if it has one")

    @model_validator(mode="after")
    def _run_or_encoder(self) -> "Row":
        if (self.pairs is None) != (self.recipe is None) or (self.pairs is None) == (self.encoder is None):
            raise ValueError("set either pairs and recipe, or encoder")
        if self.encoder is not None and (self.grid or self.choices or self.redraw):
            raise ValueError("an encoder that is not trained has no grid, no choices and no redraw")
        if self.grid and self.choices:
            raise ValueError("give either a grid, which search adds, or choices, which are always trained")
        if any(not values for values in self.grid.values()):
            raise ValueError("a grid needs at least one value of each setting")
        return self


class PrintedLayout(Spec):
    """How the CSV file of a paper's table is to be read, where rows and columns are not those of ours."""

    rows: list[str] = Field(
        [], description="Columns that name a row, also by numbers; empty: the usual ones that hold words"
    )
    across: str | None = Field(
        None, description="The file has rows of ours side by side; they hold numbers of this column"
    )
    below: tuple[str, str] | None = Field(
        None, description="The file has columns of ours below each other: their names, their numbers"
    )


class STSTable(Spec):
    """Correlations of encoders on evaluation sets."""

    kind: Literal["sts"]
    caption: str
    columns: dict[str, Task] = Field(min_length=1, description="Printed name: task; all of one suite")
    split: Literal["dev", "test"] = "test"
    average: str = Field("Avg.", description="Name of the mean of the columns; one column has none")
    best_of_seeds: bool = Field(
        False, description="Beside the mean over seeds: the best by the printed average, and the best on dev"
    )
    choose_among: list[str] = Field(
        [],
        description="Groups of rows that a choice is made among: that on STS-B dev stands beside that on the "
        "test average, with the spread of each group",
    )
    rows: list[Row] = Field(min_length=1)
    published: str | None = Field(None, description="CSV file under the study's published/")
    layout: PrintedLayout = PrintedLayout()

    @model_validator(mode="after")
    def _one_suite(self) -> "STSTable":
        if len({TASKS[task].suite for task in self.columns.values()}) > 1:
            raise ValueError("columns of several suites; an encoder is scored on one at a time")
        return self

    @model_validator(mode="after")
    def _known_groups(self) -> "STSTable":
        for group in self.choose_among:
            if group not in {row.group for row in self.rows}:
                raise ValueError(str(unknown("groups of the rows", group, {row.group for row in self.rows})))
        return self


class SettingsRow(Spec):
    """A row of a table of settings: a row of the table it is about."""

    group: str = ""
    model: str
    published: str | None = Field(None, description="The paper's label of its row, if it has one")


class SettingsTable(Spec):
    """With which settings the runs behind another table were trained."""

    kind: Literal["settings"]
    caption: str
    of: str = Field(description="Table of the same study whose runs they are")
    columns: dict[str, str] = Field(min_length=1, description="Printed name: setting of a recipe")
    rows: list[SettingsRow] = Field(min_length=1)
    published: str | None = Field(None, description="CSV file under the study's published/")
    layout: PrintedLayout = PrintedLayout()

    @model_validator(mode="after")
    def _known_settings(self) -> "SettingsTable":
        for name in self.columns.values():
            if name not in Recipe.model_fields:
                raise ValueError(str(unknown("settings of a recipe", name, Recipe.model_fields)))
        return self


def _without_choices(table: S) -> S:
    if any(row.grid or row.choices for row in table.rows):  # type: ignore[attr-defined]
        raise ValueError("settings are chosen in a table of kind sts; give the settings themselves")
    return table


class GeometryTable(Spec):
    """Alignment and uniformity of encoders on STS-B."""

    kind: Literal["geometry"]
    caption: str
    split: SplitChoice = Field("dev", description="That is printed; all: those that are there, together")
    form: TextForm = Field("senteval", description="senteval: Moses-tokenised as SimCSE evaluates; raw")
    rows: list[Row] = Field(min_length=1)
    published: str | None = Field(None, description="CSV file under the study's published/")
    layout: PrintedLayout = PrintedLayout()

    _as_given = model_validator(mode="after")(_without_choices)


class TransferTable(Spec):
    """Accuracy of a classifier on the vectors of encoders, on the transfer tasks of SentEval."""

    kind: Literal["transfer"]
    caption: str
    columns: dict[str, TransferTask] = Field(description="Printed name: task")
    split: Literal["test", "dev"] = Field(
        "test", description="dev: the accuracy that the penalty is chosen by, SentEval's devacc"
    )
    rows: list[Row] = Field(min_length=1)
    published: str | None = Field(None, description="CSV file under the study's published/")
    layout: PrintedLayout = PrintedLayout()

    _as_given = model_validator(mode="after")(_without_choices)


class QuestionLengthsTable(Spec):
    """Accuracy on the questions of TREC that are not too short."""

    kind: Literal["question_lengths"]
    caption: str
    columns: dict[str, int] = Field(description="Printed name: fewest words of a question, 0 for all")
    rows: list[Row] = Field(min_length=1)
    published: str | None = Field(None, description="CSV file under the study's published/")
    layout: PrintedLayout = PrintedLayout()

    _as_given = model_validator(mode="after")(_without_choices)


class Band(Spec):
    """Pairs of sentences by the length of the shorter one, in words between white space."""

    name: str
    at_least: int = Field(0, ge=0, description="Words, inclusive")
    at_most: int | None = Field(None, ge=0, description="Words, inclusive; null: no limit")

    @property
    def most(self) -> float:
        """The upper end, infinite where there is none."""
        return math.inf if self.at_most is None else self.at_most


class LengthsTable(Spec):
    """Correlations of encoders on the pairs of an evaluation set, by length."""

    kind: Literal["lengths"]
    caption: str
    task: Task
    bands: list[Band] = Field(min_length=1, description="Columns; they may overlap")
    rows: list[Row] = Field(min_length=1)
    published: str | None = Field(None, description="CSV file under the study's published/")
    layout: PrintedLayout = PrintedLayout()

    _as_given = model_validator(mode="after")(_without_choices)


class BiasRow(Row):
    """A row of a table of length bias: an encoder, and pairs of a probe."""

    probe: str = Field(description="Name under probes")
    label: Literal["positive", "negative"] = Field(description="Of the pairs")


class BiasColumn(Spec):
    """What a column of a table of length bias holds."""

    added: Literal["filler", "marks"] = Field(description="To the sentences: the probe's, or EdaCSE's six")
    comparison: Literal["equalised", "diverged", "bias"] = Field(
        "equalised",
        description="equalised: the shorter sentence is lengthened until both are equally long; "
        "diverged: the longer one in the same ratio; bias: the first against the second",
    )
    measure: Literal["change", "before", "after"] = Field(
        "change", description="Mean change of the cosine, with an interval; mean cosine before, after"
    )


class LengthBiasTable(Spec):
    """How the cosines of pairs change with lengths that mean nothing."""

    kind: Literal["length_bias"]
    caption: str
    columns: dict[str, BiasColumn] = Field(min_length=1, description="Printed name: what it holds")
    rows: list[BiasRow] = Field(min_length=1)
    published: str | None = Field(
        None, description="CSV file under the study's published/; without one, claims name rows as they like"
    )
    layout: PrintedLayout = PrintedLayout()

    _as_given = model_validator(mode="after")(_without_choices)


class EditedText(Spec):
    """A text that is compared with the sentence it was made of."""

    label: str
    text: str
    published: str | None = Field(None, description="The paper's label of its row, if it has one")


class SimilaritiesTable(Spec):
    """Cosines of a sentence with texts that were made of it."""

    kind: Literal["similarities"]
    caption: str
    sentence: str
    texts: list[EditedText] = Field(min_length=1, description="Rows of the printed table")
    rows: list[Row] = Field(
        min_length=1, description="Encoders, which are its columns; `published` is the paper's name of one"
    )
    published: str | None = Field(None, description="CSV file under the study's published/")
    layout: PrintedLayout = PrintedLayout()

    _as_given = model_validator(mode="after")(_without_choices)

    @model_validator(mode="after")
    def _names(self) -> "SimilaritiesTable":
        for names in ([text.label for text in self.texts], [row.model for row in self.rows]):
            twice = sorted({name for name in names if names.count(name) > 1})
            if twice:
                raise ValueError(f"'{twice[0]}' is there twice; give each text and each encoder its own name")
        return self


class PromptRow(Spec):
    """A row of a table of prompts: what one language model answers to one prompt."""

    label: str
    prompt: str = Field(description="File name under config/prompts/ without .txt")
    llm: str = Field("chatgpt", description="Role in the world")
    corpus: str = Field(description="Sentences it is asked about")
    published: str | None = Field(None, description="`llm: prompt` of the paper's row, if it has one")


class PromptTable(Spec):
    """How near paraphrases stay to their sentence in meaning, and how far they go in wording."""

    kind: Literal["prompts"]
    caption: str
    scorer: str = Field("scorer", description="Role of the encoder that measures similarity")
    parascore: str | None = Field(
        None, description="Role of the encoder behind a ParaScore column; null: no such column"
    )
    rows: list[PromptRow] = Field(min_length=1)
    published: str | None = Field(None, description="CSV file under the study's published/")
    layout: PrintedLayout = PrintedLayout()


class StatisticsRow(Spec):
    """A row of a table of statistics: either `task` or `corpus` says of what."""

    group: str = ""
    label: str
    task: Task | None = None
    subset: str | None = Field(None, description="Of the task; null: all of it")
    split: SplitChoice = Field("all", description="Of the task; all: those that are there, together")
    corpus: str | None = Field(None, description="Name under corpora")
    published: str | None = Field(None, description="`group: name` or dataset of the paper's row")

    @model_validator(mode="after")
    def _one_source(self) -> "StatisticsRow":
        if (self.task is None) == (self.corpus is None):
            raise ValueError("set either task or corpus")
        return self


class StatisticsTable(Spec):
    """What texts and gold scores are like: words per sentence, or mean gold score in [0, 1]."""

    kind: Literal["statistics"]
    statistic: Literal["words_per_sentence", "mean_score_normalised"]
    caption: str
    reading: Reading = Field(
        "evaluated",
        description="Texts that are counted. evaluated: of pairs with a gold score, quotation marks are "
        "text; naive: every line of a year of STS, STS-B by a reader that obeys quotation marks",
    )
    form: TextForm = Field("senteval", description="senteval: Moses-tokenised as SimCSE evaluates; raw")
    rows: list[StatisticsRow] = Field(min_length=1)
    published: str | None = Field(None, description="CSV file under the study's published/")
    layout: PrintedLayout = PrintedLayout()

    @model_validator(mode="after")
    def _scores_need_a_task(self) -> "StatisticsTable":
        if self.statistic == "mean_score_normalised" and any(row.task is None for row in self.rows):
            raise ValueError("only a task has gold scores: give every row a task")
        return self


class PrefixWordsTable(Spec):
    """How many words a pair set puts in front of sentences of some length."""

    kind: Literal["prefix_words"]
    caption: str
    pairs: str = Field(description="Id of a pair set of kind prefix")
    bands: list[Band] = Field(min_length=1, description="Rows; lengths of the sentence")
    published: str | None = Field(None, description="CSV file under the study's published/")
    layout: PrintedLayout = PrintedLayout()


class ExamplesTable(Spec):
    """The first texts of a pair set."""

    kind: Literal["examples"]
    caption: str
    pairs: str = Field(description="Id of a pair set")
    rows: int = Field(4, ge=1)
    published: None = None
    layout: PrintedLayout = PrintedLayout()


class MachineTable(Spec):
    """Machine and software, as papers print theirs."""

    kind: Literal["machine"]
    caption: str
    published: str | None = Field(None, description="CSV file under the study's published/")
    layout: PrintedLayout = PrintedLayout()


class Histogram(Spec):
    """A figure: the distribution of gold scores of some evaluation sets."""

    kind: Literal["histogram"]
    caption: str
    sets: dict[str, Task] = Field(min_length=1, description="Printed name: task; all splits together")
    bins: int = Field(10, ge=1, description="Equal bins on the set's own scale")


class Scatter(Spec):
    """A figure: alignment against uniformity, a labelled point per row of a table."""

    kind: Literal["scatter"]
    caption: str
    of: str = Field(description="Table of kind geometry in the same study")


class Curve(Spec):
    """A figure: a column of tables against a number that their rows stand for, a line per group of rows."""

    kind: Literal["curve"]
    caption: str
    of: list[str] = Field(min_length=1, description="Tables of kind sts in the same study")
    column: str = Field(description="Printed name; the average over fewer columns stands for it, too")
    points: dict[str, float] = Field(min_length=2, description="Label of a row: its place on the axis")
    axis: str = Field(description="What the places are")
    logarithmic: bool = False


# A row is a run or an encoder as it is.
RowTable = (
    STSTable
    | GeometryTable
    | LengthsTable
    | LengthBiasTable
    | SimilaritiesTable
    | TransferTable
    | QuestionLengthsTable
)
PrintedTable = Annotated[
    STSTable
    | GeometryTable
    | LengthsTable
    | LengthBiasTable
    | SimilaritiesTable
    | TransferTable
    | QuestionLengthsTable
    | PromptTable
    | SettingsTable
    | StatisticsTable
    | PrefixWordsTable
    | ExamplesTable
    | MachineTable,
    Field(discriminator="kind"),
]
Figure = Annotated[Histogram | Scatter | Curve, Field(discriminator="kind")]


class Deviation(Spec):
    """Something a paper leaves open or we do otherwise."""

    where: str
    tables: list[str] = Field([], description="Tables and figures that it concerns; empty: all")
    paper: str = Field(description="What the paper says")
    ours: str = Field(description="What we do, and why")


class Claim(Spec):
    """A row of `config/studies/<paper>/claims.csv`: what a paper says, and what says so."""

    claim_id: str = Field(description="Name of its function in the paper's module of claims")
    claim: str
    tables: str = Field(description="Tables and figures behind it, with `; ` between them")
    how_to_check: str = ""
    holds_in_published: str = Field("", description="What the printed numbers say, in words")

    @property
    def needs(self) -> list[str]:
        """Names of the tables; a figure shows the numbers of one."""
        return [name for name in self.tables.split("; ") if not name.startswith("fig")]


class Study(Spec):
    """`config/studies/<paper>/study.yaml`: a paper as data."""

    title: str
    source: str
    prefix: str = Field(description="In front of its tables' names; the main study has none")
    tables: dict[str, PrintedTable]
    figures: dict[str, Figure] = {}
    deviations: list[Deviation] = []
