"""`config/worlds/*.yaml`: where everything comes from and how big it is, a module for each kind of source."""

from typing import Annotated

from pydantic import Field

from contrapose.settings.spec import Name, Precision, Spec
from contrapose.settings.worlds.back_translators import LLMBackTranslator, Seq2SeqBackTranslator
from contrapose.settings.worlds.benchmarks import (
    BenchmarkFiles,
    BenchmarkHub,
    LLMTranslator,
    Seq2SeqTranslator,
    TransferFiles,
    TranslatedPairs,
)
from contrapose.settings.worlds.encoders import (
    EncoderFolder,
    EncoderHub,
    EncoderSource,
    PretrainedEncoder,
    Prompts,
    RinnaEncoder,
    RinnaSource,
    Shape,
    SmallEncoder,
    TrainedRun,
    TrainedVectors,
    VectorsFile,
)
from contrapose.settings.worlds.language_models import (
    LanguageModelFolder,
    LanguageModelHub,
    LanguageModelShape,
    LanguageModelSource,
    PretrainedLanguageModel,
    RinnaLanguageModel,
    SmallLanguageModel,
)
from contrapose.settings.worlds.llms import (
    LLM,
    RECORDED,
    Connection,
    LLMSource,
    RecordedLLM,
    SamplingParams,
)
from contrapose.settings.worlds.mteb import MtebFiles, MtebTasks
from contrapose.settings.worlds.texts import (
    ArticleFiles,
    ArticleSource,
    DictionaryFiles,
    HubArchive,
    HubFile,
    HubSentences,
    HubTable,
    JSNLITriples,
    PairFile,
    SentenceFile,
    SentenceSource,
    SNLITriples,
    TripleSource,
)
from contrapose.tasks import TransferTask


class MiniWorld(Spec):
    """The closed world that the generator writes, in English and Chinese, in the original file formats."""

    seed: int = Field(2023, description="Seed of the generator: another seed gives another world")
    articles: int = Field(400, ge=1, description="Wikipedia articles")
    pairs: int = Field(60, ge=2, description="Scored pairs per STS subset; the other sets follow")


class TrainingScale(Spec):
    """What a smaller world changes about training, in every contrastive recipe and detector."""

    learning_rate: float = Field(1.0, gt=0, description="Factor on their learning rates")
    dev_every: int | None = Field(None, ge=1, description="Steps between dev scores, if not the recipe's")
    steps: int | None = Field(None, ge=1, description="Steps of contrastive tension, if not the recipe's")


class World(Spec):
    """`config/worlds/<world>.yaml`: where everything named in a study comes from, and how big it is."""

    description: str
    labels: dict[str, str] = Field(
        {},
        description="Names of this world's models, which replace those of the papers in labels and captions",
    )
    scale: float = Field(1.0, gt=0, le=10**6, description="Factor on articles, pairs and corpus sizes")
    mini: MiniWorld | None = Field(None, description="Generate the data folder with these settings")
    archive: HubArchive | None = Field(None, description="Fetch and unpack this as the data folder")
    articles: ArticleSource | None = Field(
        None, description="Articles that corpora are sampled from; null: no corpus is sampled"
    )
    punkt_articles: int = Field(
        1000, ge=1, description="Articles that Punkt is trained on where NLTK's model is not installed"
    )
    draws_per_sentence: int = Field(8, ge=1, description="Draws made for each sentence wanted")
    sizes: dict[Name, Annotated[int, Field(ge=1, le=10**12)]] = Field(
        {}, description="Sentences in a corpus of each size"
    )
    encoders: dict[Name, EncoderSource | None] = Field(
        description="Role: encoder; null: this world has none, rows that need it have no numbers"
    )
    llms: dict[Name, LLMSource] = Field({}, description="Role: chat model, or its recorded answers")
    language_models: dict[Name, LanguageModelSource | None] = Field(
        {},
        description="Role: language model that runs here, causal or, for queries, an encoder-decoder; null: "
        "this world has none, rows that need it have no numbers",
    )
    benchmarks: dict[str, Annotated[BenchmarkFiles | BenchmarkHub, Field(discriminator="kind")]]
    collections: dict[Name, ArticleSource | None] = Field(
        {}, description="Further articles, by name; null: rows that need them have no numbers"
    )
    dictionaries: dict[Name, DictionaryFiles | None] = Field(
        {}, description="Paraphrase dictionaries, by name; null: as for collections"
    )
    transfer: dict[TransferTask, TransferFiles] = Field({}, description="Where the transfer tasks are")
    mteb: dict[Name, MtebTasks] = Field({}, description="Lists of tasks of mteb, by name")
    translator: Annotated[LLMTranslator | Seq2SeqTranslator, Field(discriminator="kind")] | None = Field(
        None,
        description="Translator of bq and lcqmc; null: none, then benchmarks may have bq_en and lcqmc_en",
    )
    back_translators: dict[
        Name, Annotated[LLMBackTranslator | Seq2SeqBackTranslator, Field(discriminator="kind")] | None
    ] = Field({}, description="Models for back-translation, by name; null: as for collections")
    sentence_files: dict[Name, SentenceSource] = Field(
        {}, description="Text files with a sentence a line, by name"
    )
    triple_files: dict[Name, TripleSource] = Field(
        {}, description="NLI triples and pairs of your own, by name"
    )
    training: TrainingScale = TrainingScale()
    precision: Precision = Field("auto", description="What `precision: auto` of the config means in it")
