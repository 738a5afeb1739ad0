"""The files of `config/` whose entries are of kinds: catalogs, `recipes.yaml` and each `study.yaml`."""

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from contrapose.base.errors import unknown
from contrapose.base.tasks import TransferTask
from contrapose.corpus.divided import DividedCorpus
from contrapose.corpus.draw import SampledCorpus
from contrapose.corpus.published_lines import PublishedCorpus, SentenceSource
from contrapose.corpus.segmented import SegmentedCorpus
from contrapose.corpus.task_sentences import TaskCorpus
from contrapose.evaluate.mteb_files import MtebTasks
from contrapose.generate.sentences import AskedCorpus
from contrapose.pairs.kinds import PairSet
from contrapose.report.kinds.union import AnyFigure, AnyTable
from contrapose.retrieve.archive import HubArchive
from contrapose.retrieve.articles import ArticleSource
from contrapose.retrieve.benchmarks import BenchmarkSource
from contrapose.retrieve.dictionary_lines import DictionaryFiles
from contrapose.retrieve.download import Download
from contrapose.retrieve.grammar_files import GrammarFiles
from contrapose.retrieve.transfer import TransferFiles
from contrapose.retrieve.triple_files import TripleSource
from contrapose.settings.catalogs import (
    BackTranslator,
    EncoderSource,
    LanguageModelSource,
    LLMSource,
    MiniWorld,
    Translator,
)
from contrapose.settings.classifiers import Detector, FineTuning
from contrapose.settings.corpora import Rewrites, SyntheticTexts
from contrapose.settings.deviations import Deviation
from contrapose.settings.recipes import LengthProbe
from contrapose.settings.refs import references
from contrapose.settings.spec import ByKind, Name, PathText, Precision, Spec
from contrapose.train.recipe import AnyRecipe

Corpus = Annotated[
    SampledCorpus | PublishedCorpus | DividedCorpus | TaskCorpus | SegmentedCorpus | AskedCorpus,
    ByKind("sampled"),
]
SECTIONS = ("synthetic", "rewrites", "pairs")  # whose entries name entries of other sections


class TrainingScale(Spec):
    """What a smaller catalog changes about training, in every contrastive recipe and identifier."""

    learning_rate: float = Field(1.0, gt=0, description="Factor on their learning rates")
    dev_every: int | None = Field(None, ge=1, description="Steps between dev scores, if not the recipe's")
    steps: int | None = Field(None, ge=1, description="Steps of contrastive tension, if not the recipe's")

    def rate(self, learning_rate: float) -> float:
        """Scale a learning rate; rounded, so that the product of two decimals has no stray digits."""
        return float(f"{learning_rate * self.learning_rate:.12g}")


class Sections(Spec):
    """A file whose sections hold entries by name."""

    def entries(self, section: str) -> dict[str, Any]:
        return dict(self)[section]


class Catalog(Sections):
    """`config/catalogs/<catalog>.yaml`: where everything named in a study comes from, and how big it is."""

    description: str
    labels: dict[str, str] = Field(
        {},
        description="Names of this catalog's models, in place of those of the papers in labels and captions",
    )
    scale: float = Field(1.0, gt=0, le=10**6, description="Factor on articles, pairs and corpus sizes")
    mini: MiniWorld | None = Field(None, description="Generate the data folder with these settings")
    archive: HubArchive | None = Field(None, description="Fetch and unpack this as the data folder")
    articles: ArticleSource | None = Field(
        None, description="Articles that corpora are sampled from; null: no corpus is sampled"
    )
    punkt: Download | None = Field(
        None, description="Punkt's English folder; null: what NLTK has installed, or it is trained"
    )
    punkt_articles: int = Field(
        1000, ge=1, description="Articles that Punkt is trained on where NLTK's model is not installed"
    )
    draws_per_sentence: int = Field(8, ge=1, description="Draws made for each sentence wanted")
    downloads: dict[PathText, Download] = Field(
        {}, description="File below the project: where `contrapose fetch` gets it from, if a target needs it"
    )
    sizes: dict[Name, Annotated[int, Field(ge=1, le=10**12)]] = Field(
        {}, description="Sentences in a corpus of each size"
    )
    encoders: dict[Name, EncoderSource | None] = Field(
        description="Role: encoder; null: this catalog has none, rows that need it have no numbers"
    )
    llms: dict[Name, LLMSource] = Field({}, description="Role: chat model, or its recorded answers")
    language_models: dict[Name, LanguageModelSource | None] = Field(
        {},
        description="Role: language model that runs here, causal or, for queries, an encoder-decoder; null: "
        "this catalog has none, rows that need it have no numbers",
    )
    benchmarks: dict[str, BenchmarkSource]
    collections: dict[Name, ArticleSource | None] = Field(
        {}, description="Further articles, by name; null: rows that need them have no numbers"
    )
    dictionaries: dict[Name, DictionaryFiles | None] = Field(
        {}, description="Paraphrase dictionaries, by name; null: as for collections"
    )
    grammars: dict[Name, GrammarFiles] = Field(
        {"english": GrammarFiles()}, description="Part-of-speech taggers and WordNet, by name"
    )
    transfer: dict[TransferTask, TransferFiles] = Field({}, description="Where the transfer tasks are")
    mteb: dict[Name, MtebTasks] = Field({}, description="Lists of tasks of mteb, by name")
    translator: Translator | None = Field(
        None,
        description="Translator of bq and lcqmc; null: none, then benchmarks may have bq_en and lcqmc_en",
    )
    back_translators: dict[Name, BackTranslator | None] = Field(
        {}, description="Models for back-translation, by name; null: as for collections"
    )
    sentence_files: dict[Name, SentenceSource] = Field(
        {}, description="Text files with a sentence a line, by name"
    )
    triple_files: dict[Name, TripleSource] = Field(
        {}, description="NLI triples and pairs of your own, by name"
    )
    training: TrainingScale = TrainingScale()
    precision: Precision = Field("auto", description="What `precision: auto` of the config means in it")

    @property
    def generated(self) -> bool:
        """Whether its texts are made up, so that no number of a paper can stand beside one of it."""
        return self.mini is not None

    @property
    def makes_data(self) -> bool:
        """Whether it generates or fetches its data folder."""
        return self.generated or self.archive is not None


class Recipes(Sections):
    """`config/recipes.yaml`: what studies share by name."""

    corpora: dict[Name, Corpus]
    synthetic: dict[Name, SyntheticTexts] = Field(
        {}, description="Texts that language models write for a corpus by instruction"
    )
    rewrites: dict[Name, Rewrites] = Field(
        {}, description="Sentences of a corpus with phrases of a dictionary in them"
    )
    identifiers: dict[Name, Detector] = Field({}, description="Classifiers of machine and human texts")
    fine_tunings: dict[Name, FineTuning] = Field({}, description="How encoders are fine-tuned")
    pairs: dict[Name, PairSet]
    recipes: dict[Name, AnyRecipe]
    probes: dict[Name, LengthProbe] = Field({}, description="Pairs on which length bias is measured")

    @model_validator(mode="after")
    def _known_names(self) -> "Recipes":
        """Check that each name in an entry is another entry of the file, even if no study uses it."""
        for section in SECTIONS:
            for name, entry in self.entries(section).items():
                for key, ref, wanted in references(entry):
                    known = dict(self).get(ref.registry)
                    if known is not None and wanted not in known:
                        raise ValueError(f"{section}.{name}.{key}: {unknown(ref.registry, wanted, known)}")
        return self


class Study(Spec):
    """`config/studies/<paper>/study.yaml`: a paper as data."""

    title: str
    source: str
    prefix: Name | Literal[""] = Field(description="Prefix of its tables' names; empty for the main study")
    tables: dict[Name, AnyTable]
    figures: dict[Name, AnyFigure] = Field({})
    deviations: list[Deviation] = Field([])
