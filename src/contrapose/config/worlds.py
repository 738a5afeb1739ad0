"""`config/worlds/*.yaml`: where everything comes from and how big it is."""

from datetime import date
from typing import Annotated, Literal

from pydantic import Field, Tag, model_validator

from contrapose.config.spec import Pooling, Spec, Split, TextForm, by_kind
from contrapose.tasks import TASKS, Task, TransferTask


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
    text: str = Field("text", description="Column of the text")
    id: str | None = Field("id", description="Column of the id; null numbers the articles")
    title: str | None = Field("title", description="Column of the title; null if there is none")
    rows: int | None = Field(
        None, ge=1, exclude=True, description="How many there are; only `make plan` asks"
    )


class DictionaryFiles(Spec):
    """A paraphrase dictionary in its distribution files, gzipped or plain."""

    kind: Literal["ppdb", "ehimerppdb", "word_pairs"] = Field(
        description="PPDB 2.0 or 1.0; EhiMerPPDB; two words a line"
    )
    files: list[str] = Field(
        min_length=1,
        description="Files, `*` allowed, below the data folder; ./FILE: below the project. Rows that need "
        "the dictionary have no numbers where one is not there",
    )
    probability: float | None = Field(
        None, gt=0, le=1, description="Of every rule of a dictionary without probabilities: kind word_pairs"
    )
    note: str = Field("", description="What a reader of a table has to know about it")

    @model_validator(mode="after")
    def _probability_once(self) -> "DictionaryFiles":
        if (self.kind == "word_pairs") != (self.probability is not None):
            raise ValueError("word_pairs need a probability; the files of the other kinds have them")
        return self


class BenchmarkFiles(Spec):
    """An evaluation set in its distribution files."""

    kind: Literal[
        "sts",
        "stsb",
        "sick",
        "senteval_cn",
        "atec",
        "bq",
        "cnsd",
        "pawsx",
        "mrpc",
        "qqp",
        "paws_qqp",
        "esci",
        "snli",
        "paws",
        "jglue",
        "jsick",
    ] = Field(description="Its file format")
    task: Task
    path: str = Field(
        description="Folder below the data folder, or below its senteval/; ./FOLDER: below the project"
    )
    splits: list[Split] | None = Field(None, description="Splits that are taken; null: all that are there")
    form: TextForm = Field("senteval", description="senteval: Moses-tokenised as SimCSE evaluates; raw")
    complete: bool = Field(False, description="Refuse any other number of scored pairs than the published")


class BenchmarkHub(Spec):
    """An evaluation set of the hub, pinned."""

    kind: Literal["hub"] = "hub"
    task: Task
    dataset: str
    revision: str
    name: str | None = Field(None, description="Configuration of the data set")
    splits: dict[Split, str] = Field(
        description="Our split: the hub's split; dev may be part of train where it was released so"
    )
    columns: dict[Literal["sentence1", "sentence2", "score"], str] = Field(
        {}, description="What the hub calls a column, where it is called otherwise"
    )
    where: dict[str, int | str] = Field(
        {}, description="Rows that are taken, by column of the hub: its value; others are no rows of the set"
    )
    form: TextForm = "senteval"
    scale: float = Field(1.0, gt=0, description="Factor that brings the gold score to the set's scale")

    @model_validator(mode="after")
    def _splits_apart(self) -> "BenchmarkHub":
        parts = TASKS[self.task].labels or TASKS[self.task].cut_dev
        if len(set(self.splits.values())) < len(self.splits) and not parts:
            raise ValueError(f"two splits of {self.task} are one of the hub; give each its own")
        return self


class TransferFiles(Spec):
    """A transfer task in the files that SentEval reads; the task decides their format."""

    path: str = Field(description="Folder below the data folder, or below its senteval/")
    complete: bool = Field(False, description="Refuse any other number of items than the published")


class SentenceFile(Spec):
    """A published corpus, or one of your own: a text file with one sentence a line."""

    kind: Literal["files"] = "files"
    path: str = Field(description="File below the data folder")
    note: str = Field("", description="What a reader of a table has to know: how much of it this is")

    @property
    def files(self) -> list[str]:
        """Paths below the data folder."""
        return [self.path]


class SimCSETriples(Spec):
    """Pairs, with hard negatives or without, in the format of SimCSE: CSV, columns sent0, sent1, hard_neg."""

    kind: Literal["simcse"]
    path: str = Field(description="File below the data folder; behind `./` below the project")
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


class JSNLITriples(Spec):
    """Labelled pairs in the format of JSNLI, tab-separated, to be put together as triples."""

    kind: Literal["jsnli"]
    path: str = Field(description="File below the data folder; behind `./` below the project")
    note: str = Field("", description="What a reader of a table has to know about it")

    @property
    def files(self) -> list[str]:
        """Paths below the data folder."""
        return [self.path]


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


class RinnaSource(Spec):
    """A model with rinna's sentencepiece vocabulary. A job makes an ordinary folder of it."""

    kind: Literal["rinna"]
    path: str | None = Field(
        None, description="Folder; `{data}` stands for the data folder, else below the project"
    )
    model: str | None = Field(None, description="Name on the hub, in the place of path")
    revision: str | None = Field(None, description="Commit on the hub")
    optional: bool = Field(False, description="Without the folder, rows that need it have no numbers")
    note: str = Field("", description="What a reader of a table has to know about it")

    @model_validator(mode="after")
    def _one_place(self) -> "RinnaSource":
        if (self.path is None) == (self.model is None) or (self.model is None) != (self.revision is None):
            raise ValueError("set either path, or model and revision")
        return self


class RinnaEncoder(RinnaSource):
    """A RoBERTa whose positions count from 0 and whose start token is put by hand."""

    pooling: Pooling = Field("auto", description="Its pooling as a scorer; training has the recipe's")
    shape: Shape | None = Field(None, exclude=True, description="For `make plan`, which fetches nothing")


class TrainedRun(Spec):
    """An encoder that a training of ours makes, with the first seed."""

    kind: Literal["run"]
    pairs: str = Field(description="Id of a pair set")
    recipe: str = Field(description="Id of a recipe")
    note: str = Field("", description="What a reader of a table has to know about it")


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


class LanguageModelFolder(Spec):
    """A causal language model in a `transformers` folder on disk."""

    kind: Literal["folder"] = "folder"
    path: str = Field(description="Folder; `{data}` stands for the data folder, else below the project")
    optional: bool = Field(False, description="Without the folder, rows that need it have no numbers")
    note: str = Field("", description="What a reader of a table has to know about it")


class LanguageModelShape(Spec):
    """What decides the size and the work of a model like GPT-2, by the names of its config.json."""

    n_layer: int = Field(ge=1)
    n_embd: int = Field(ge=1)
    vocab_size: int = Field(ge=1)
    n_positions: int = Field(ge=1)


class LanguageModelHub(Spec):
    """A causal language model of the hub, pinned."""

    kind: Literal["hub"] = "hub"
    model: str
    revision: str
    # Left out of the settings of jobs: the model itself decides.
    shape: LanguageModelShape | None = Field(
        None, exclude=True, description="For `make plan`, which fetches nothing"
    )


class RinnaLanguageModel(RinnaSource):
    """A GPT-2 of that form."""

    shape: LanguageModelShape | None = Field(
        None, exclude=True, description="For `make plan`, which fetches nothing"
    )


class SmallLanguageModel(Spec):
    """How a small GPT-2 is trained, on texts or on instructions with pairs of sentences behind them."""

    layers: int = Field(4, ge=1)
    hidden: int = Field(192, ge=8)
    heads: int = Field(4, ge=1)
    dropout: float = Field(0.1, ge=0, lt=1)
    vocabulary: int = Field(2000, ge=300, description="Size of the vocabulary, special tokens included")
    positions: int = Field(192, ge=64, description="Longest input in tokens")
    documents: int = Field(
        60_000, ge=100, description="Documents read, drawn at random; all if there are fewer"
    )
    steps: int = Field(4000, ge=1)
    batch: int = Field(16, ge=1)
    learning_rate: float = Field(1e-3, gt=0, description="Peak, after 5 % warm-up; then linear to 0")
    seed: int = 1


class PretrainedLanguageModel(SmallLanguageModel):
    """A small language model that is trained here, where no published one is at hand."""

    kind: Literal["pretrained"]
    instructions: list[str] = Field(
        [], description="File names under config/prompts/dino/ without .yaml, with labelled pairs behind them"
    )
    corpus: str | None = Field(
        None, description="Sentences that it reads in their place, a name under corpora"
    )
    note: str = Field("", description="What a reader of a table has to know about it")

    @model_validator(mode="after")
    def _one_source(self) -> "PretrainedLanguageModel":
        if bool(self.instructions) == (self.corpus is not None):
            raise ValueError("set either instructions or corpus")
        return self


LanguageModelSource = Annotated[
    Annotated[LanguageModelFolder, Tag("folder")]
    | Annotated[LanguageModelHub, Tag("hub")]
    | Annotated[PretrainedLanguageModel, Tag("pretrained")]
    | Annotated[RinnaLanguageModel, Tag("rinna")],
    by_kind("folder"),
]
ArticleSource = Annotated[
    Annotated[ArticleFiles, Tag("files")] | Annotated[HubTable, Tag("hub")], by_kind("files")
]
EncoderSource = Annotated[
    Annotated[EncoderFolder, Tag("folder")]
    | Annotated[EncoderHub, Tag("hub")]
    | Annotated[VectorsFile, Tag("vectors")]
    | Annotated[TrainedVectors, Tag("glove")]
    | Annotated[PretrainedEncoder, Tag("pretrained")]
    | Annotated[RinnaEncoder, Tag("rinna")]
    | Annotated[TrainedRun, Tag("run")],
    by_kind("folder"),
]


SentenceSource = Annotated[
    Annotated[SentenceFile, Tag("files")] | Annotated[HubFile, Tag("hub")], by_kind("files")
]
TripleSource = Annotated[SimCSETriples | SNLITriples | JSNLITriples | HubFile, Field(discriminator="kind")]


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
    """What a smaller world changes about training, for every contrastive recipe and identifier alike."""

    learning_rate: float = Field(1.0, gt=0, description="Factor on their learning rates")
    dev_every: int | None = Field(None, ge=1, description="Steps between dev scores, if not the recipe's")
    steps: int | None = Field(None, ge=1, description="Steps of contrastive tension, if not the recipe's")


class World(Spec):
    """`config/worlds/<world>.yaml`: where everything named in a study comes from, and how big it is."""

    description: str
    scale: float = Field(1.0, gt=0, description="Factor on articles, pairs and corpus sizes")
    mini: MiniWorld | None = Field(None, description="Generate the data folder with these settings")
    archive: HubArchive | None = Field(None, description="Fetch and unpack this as the data folder")
    articles: ArticleSource | None = Field(
        None, description="Articles that corpora are sampled from; null: no corpus is sampled"
    )
    punkt_articles: int = Field(1000, ge=1, description="Articles that Punkt is trained on if not installed")
    draws_per_sentence: int = Field(8, ge=1, description="Draws made for each sentence wanted")
    sizes: dict[str, int] = Field({}, description="Sentences in a corpus of each size")
    encoders: dict[str, EncoderSource | None] = Field(
        description="Role: encoder; null: this world has none, rows that need it have no numbers"
    )
    llms: dict[str, LLM] = Field({}, description="Role: chat model")
    language_models: dict[str, LanguageModelSource | None] = Field(
        {},
        description="Role: causal language model that runs here; null: this world has none, rows that need "
        "it have no numbers",
    )
    benchmarks: dict[str, Annotated[BenchmarkFiles | BenchmarkHub, Field(discriminator="kind")]]
    collections: dict[str, ArticleSource | None] = Field(
        {},
        description="Further articles, by name; null: rows that need them have no numbers",
    )
    dictionaries: dict[str, DictionaryFiles | None] = Field(
        {}, description="Paraphrase dictionaries, by name; null: as of collections"
    )
    transfer: dict[TransferTask, TransferFiles] = Field({}, description="Where the transfer tasks are")
    translator: Annotated[LLMTranslator | Seq2SeqTranslator, Field(discriminator="kind")] | None = Field(
        None,
        description="Who translates bq and lcqmc of the benchmarks; null: nobody, they may have bq_en and "
        "lcqmc_en instead",
    )
    sentence_files: dict[str, SentenceSource] = Field(
        {}, description="Text files with a sentence a line, by name"
    )
    triple_files: dict[str, TripleSource] = Field(
        {}, description="NLI triples and pairs of your own, by name"
    )
    training: TrainingScale = TrainingScale()
