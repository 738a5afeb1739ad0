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
from contrapose.retrieve.triplet_files import TripletSource
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
    """A small catalog changes these settings of training, in every contrastive recipe and identifier."""

    learning_rate: float = Field(
        1.0, gt=0, description="The learning rates of all recipes are multiplied by this factor."
    )
    dev_every: int | None = Field(
        None, ge=1, description="This many steps lie between two dev scores. With null, the recipe decides."
    )
    steps: int | None = Field(
        None,
        ge=1,
        description="Contrastive tension trains for this many steps. With null, the recipe decides.",
    )

    def rate(self, learning_rate: float) -> float:
        """Scale a learning rate; rounded, so that the product of two decimals has no stray digits."""
        return float(f"{learning_rate * self.learning_rate:.12g}")


class Sections(Spec):
    """A file whose sections hold entries by name."""

    def entries(self, section: str) -> dict[str, Any]:
        return dict(self)[section]


class Catalog(Sections):
    """A catalog, `config/catalogs/<catalog>.yaml`, says where texts and models come from and how large
    they are.
    """

    description: str = Field(description="Tables print this sentence, which says what the catalog is.")
    labels: dict[str, str] = Field(
        {},
        description="Each entry maps the name of a model in a paper to the name of the model that this "
        "catalog has in its place. Labels and captions use the new name.",
    )
    scale: float = Field(
        1.0,
        gt=0,
        le=10**6,
        description="All sizes of this catalog are multiplied by this factor: the numbers of articles, "
        "pairs and sentences. For example, 0.1 gives a tenth of the data.",
    )
    mini: MiniWorld | None = Field(None, description="With these settings, the data folder is generated.")
    archive: HubArchive | None = Field(
        None, description="This archive is downloaded and unpacked as the data folder."
    )
    articles: ArticleSource | None = Field(
        None, description="Corpora are sampled from these articles. With null, no corpus can be sampled."
    )
    punkt: Download | None = Field(
        None,
        description="Punkt is the part of NLTK that splits text into sentences. Its English model is "
        "downloaded from here. With null, NLTK's installed model is used. If there is none, Punkt is "
        "trained on the articles.",
    )
    punkt_articles: int = Field(
        1000, ge=1, description="Punkt is trained on this many articles where NLTK's model is not installed."
    )
    draws_per_sentence: int = Field(
        8, ge=1, description="Sampling draws this many candidates for each sentence that is wanted."
    )
    downloads: dict[PathText, Download] = Field(
        {},
        description="`contrapose download` fetches each of these files to its path below the project, "
        "if a target needs it.",
    )
    sizes: dict[Name, Annotated[int, Field(ge=1, le=10**12)]] = Field(
        {}, description="Each entry names a number of sentences, for example `small`."
    )
    encoders: dict[Name, EncoderSource | None] = Field(
        description="Each entry is an encoder under the name that studies use. With null, this catalog "
        "has none, and methods that need it are skipped."
    )
    llms: dict[Name, LLMSource] = Field(
        {},
        description="Each entry is a chat model, or a file of recorded answers, under the name that "
        "studies use.",
    )
    language_models: dict[Name, LanguageModelSource | None] = Field(
        {},
        description="Each entry is a language model on this machine, under the name that studies use: a "
        "causal one, or an encoder-decoder for queries. With null, methods that need it are "
        "skipped.",
    )
    benchmarks: dict[str, BenchmarkSource] = Field(
        description="Each entry is an evaluation set of scored sentence pairs."
    )
    collections: dict[Name, ArticleSource | None] = Field(
        {},
        description="Each entry is a further collection of articles. With null, methods that need it "
        "are skipped.",
    )
    dictionaries: dict[Name, DictionaryFiles | None] = Field(
        {}, description="Each entry is a paraphrase dictionary. With null, methods that need it are skipped."
    )
    grammars: dict[Name, GrammarFiles] = Field(
        {"english": GrammarFiles()},
        description="Each entry names a folder with a part-of-speech tagger and WordNet.",
    )
    transfer: dict[TransferTask, TransferFiles] = Field(
        {}, description="Each entry says where a transfer task of SentEval is."
    )
    mteb: dict[Name, MtebTasks] = Field({}, description="Each entry is a list of tasks of mteb.")
    translator: Translator | None = Field(
        None,
        description="This model translates the Chinese sets `bq` and `lcqmc` into English. With null, "
        "nothing is translated. `benchmarks` can then name files of sets that are already "
        "translated, as `bq_en` and `lcqmc_en`.",
    )
    back_translators: dict[Name, BackTranslator | None] = Field(
        {},
        description="Each entry names the models of a back-translation. With null, methods that need it "
        "are skipped.",
    )
    sentence_files: dict[Name, SentenceSource] = Field(
        {}, description="Each entry is a file of sentences, one per line or in a column."
    )
    triplet_files: dict[Name, TripletSource] = Field(
        {}, description="Each entry is a file of NLI triplets, or of pairs of your own."
    )
    training: TrainingScale = Field(
        TrainingScale(), description="These settings change trainings for a small catalog."
    )
    precision: Precision = Field(
        "auto",
        description="If the key `precision` of config.yaml is `auto`, models of this catalog run in this "
        "precision. If this key is `auto`, too, the machine decides, as described there.",
    )

    @property
    def generated(self) -> bool:
        """Whether its texts are made up, so that no number of a paper can stand beside one of it."""
        return self.mini is not None

    @property
    def makes_data(self) -> bool:
        """Whether it generates or fetches its data folder."""
        return self.generated or self.archive is not None


class Recipes(Sections):
    """`config/recipes.yaml` holds the entries that studies share by name."""

    corpora: dict[Name, Corpus] = Field(
        description="Each entry is a corpus: a list of sentences, and how it is sampled."
    )
    synthetic: dict[Name, SyntheticTexts] = Field(
        {},
        description="Each entry describes texts that language models write for the sentences of a "
        "corpus by instruction.",
    )
    rewrites: dict[Name, Rewrites] = Field(
        {},
        description="Each entry describes sentences of a corpus in which phrases are replaced by those "
        "of a dictionary.",
    )
    identifiers: dict[Name, Detector] = Field(
        {}, description="Each entry is a classifier that detects machine texts among human ones."
    )
    fine_tunings: dict[Name, FineTuning] = Field(
        {}, description="Each entry says how encoders are fine-tuned on labelled pairs."
    )
    pairs: dict[Name, PairSet] = Field(description="Each entry is a pair set: a strategy with its settings.")
    recipes: dict[Name, AnyRecipe] = Field(description="Each entry is a recipe: how an encoder is trained.")
    probes: dict[Name, LengthProbe] = Field(
        {}, description="Each entry describes pairs on which length bias is measured."
    )

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
    """A study, `config/studies/<paper>/study.yaml`, describes a paper as data."""

    title: str = Field(description="This is the title of the paper or of the comparison.")
    source: str = Field(description="This is the reference of the paper.")
    prefix: Name | Literal[""] = Field(
        description="The names of the study's tables begin with this prefix. It is empty for the main study."
    )
    tables: dict[Name, AnyTable] = Field(description="Each entry is a table that the study can build.")
    figures: dict[Name, AnyFigure] = Field({}, description="Each entry is a figure that the study can build.")
    deviations: list[Deviation] = Field(
        [], description="Each entry says where the paper is open, or where this project differs from it."
    )
