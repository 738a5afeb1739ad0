"""What the scripts of the workflow are set to, beside what a person writes.

`contrapose.plan` fills them in from the settings of a project.
"""

from typing import Literal, NamedTuple

from pydantic import Field

from contrapose.config.corpora import DinoTexts, SampledCorpus
from contrapose.config.instructions import Instructions
from contrapose.config.pairs import DropoutPairs, PrefixPairs, PunctuationPairs
from contrapose.config.recipes import (
    ContrastiveTensionRecipe,
    FlowRecipe,
    Identifier,
    LengthProbe,
    Recipe,
    WhiteningRecipe,
)
from contrapose.config.rows import (
    Band,
    BiasColumn,
    EditedText,
    IdentifiedSource,
    Measure,
    Metric,
    PrintedLayout,
    SizesRow,
    StatisticsRow,
)
from contrapose.config.spec import Language, Pooling, Reading, Spec, Split, SplitChoice, TextForm
from contrapose.config.studies import Claim, Deviation
from contrapose.config.worlds import (
    Asked,
    EncoderHub,
    LanguageModelHub,
    PretrainedLanguageModel,
    SentenceSource,
)
from contrapose.tasks import Task, TransferTask


class CorpusDraws(SampledCorpus):
    """What the drawing of a corpus needs beside it: the size of the work."""

    draws: int = Field(ge=1, description="Draws made; those that give no sentence count too")


class CorpusSample(CorpusDraws):
    """What the joining of a corpus needs beside its draws: how many sentences to keep."""

    sentences: int = Field(ge=1, description="Sentences wanted")


class CorpusSegments(Spec):
    """Which sentences of a collection may come into a corpus: those of lowest rank."""

    language: Language = Field(description="Decides how text is split into sentences")
    seed: int = Field(ge=0, description="Of the ranks")
    candidates: int = Field(ge=1, description="Sentences of lowest rank that are kept")


class SegmentedSample(CorpusSegments):
    """Which of them do, and how many."""

    sentences: int = Field(ge=1, description="Sentences wanted")
    min_words: int = Field(ge=1, description="Fewest words, inclusive")
    max_words: int = Field(ge=1, description="Most words, inclusive")
    confidence: float = Field(ge=0, le=1, description="Least that langdetect gives the language")


class PublishedSample(Spec):
    """What a published corpus is made of."""

    file: str = Field(description="Name in the world's sentence_files")
    source: SentenceSource = Field(description="Where the file is, without its note")
    sentences: int | None = Field(ge=1, description="Sentences wanted; null: every line")
    seed: int = Field(ge=0, description="Which lines, if not every one")


class TaskSentences(Spec):
    """What a corpus of the sentences of evaluation sets is made of."""

    tasks: list[Task] = Field(description="Sets, in the order in which they are joined before the shuffling")
    split: Split
    sentences: int | None = Field(ge=1, description="Sentences wanted; null: every one")
    at_most: bool = Field(False, description="Fewer will do")
    seed: int = Field(ge=0, description="Of the order")


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


class TranslationSample(Spec):
    """Which pairs of the Chinese sets are translated."""

    pairs: int | None = Field(ge=1, description="Of each set; null: every one")
    seed: int = Field(ge=0, description="Which pairs, if not every one")


class TripleSample(HeldOutRows):
    """Which of the published triples become pairs."""

    triples: int | None = Field(ge=1, description="Triples wanted; null: every one")
    seed: int = Field(ge=0, description="Which triples, if not every one")


class PunktTraining(Spec):
    """How the sentence splitter is trained where NLTK's own English parameters are not installed."""

    punkt_articles: int = Field(1000, ge=1, description="Articles that Punkt is trained on, from the first")


Wanted = Literal["paraphrases", "translation", "continuation"]


class AskingJob(Spec):
    """Ask one LLM with one prompt about sentences, for five paraphrases or one text of each."""

    llm: str = Field(description="Role in the world")
    asked: Asked
    prompt: str = Field(description="File name under config/prompts/ without .txt")
    text: str = Field(description="Text of that file, so that an edited prompt asks again")
    wanted: Wanted = Field("paraphrases", description="What an answer is read as")
    entry: int = Field(0, ge=0, description="Which of several answers to one prompt, each asked for anew")


class InstructionJob(AskingJob):
    """Ask for a text of a label."""

    label: float = Field(description="Similarity that the text is to have")


class AskedTextsJob(Spec):
    """Ask one LLM for texts of several labels for every sentence."""

    instructions: list[InstructionJob] = Field(min_length=1)

    @property
    def llm(self) -> str:
        """Its role."""
        return self.instructions[0].llm


class ReplacementJob(AskingJob):
    """Replace the sentences that the LLM could not paraphrase, and put the shards together."""

    corpus: SampledCorpus = Field(description="Where the new sentences are drawn from")
    replacements: int = Field(20, ge=0, description="New sentences drawn for one before giving up")


class DinoJob(Spec):
    """What texts of a causal language model depend on, beside the corpus and the files of the model."""

    texts: DinoTexts
    instructions: Instructions = Field(description="Content of their file, so that edited ones write again")
    hub: LanguageModelHub | None = Field(None, description="The model, if it is one of the hub")


class PerplexityJob(Spec):
    """What perplexities depend on, beside the texts and the files of the model."""

    hub: LanguageModelHub | None = Field(None, description="The model, if it is one of the hub")


class RewriteStatisticsJob(Spec):
    """What is counted of candidates, beside them, their perplexities and the corpus."""

    threshold: float = Field(gt=0, le=1, description="Least p(d|s) of a candidate")
    at_most: int = Field(ge=1, description="Candidates of a sentence that are made")
    language: Language


class LanguageModelJob(Spec):
    """What a small language model depends on, beside the labelled pairs or the corpus."""

    language_model: PretrainedLanguageModel = Field(description="Without its note")
    instructions: list[Instructions]


class MiniLanguageModelJob(Spec):
    """What a language model of the mini world depends on, beside its recipe."""

    name: str = Field(description="Of its folder, a name in MINI_LANGUAGE_MODELS")
    # A list: the canonical text of settings sorts the keys of a map, and documents have them in turn.
    instructions: list[tuple[str, Instructions]] = Field(description="Name and content of their files")


class RinnaJob(Spec):
    """Where a model of rinna's form is from; without a model its files are the input."""

    model: str | None = Field(description="Name on the hub")
    revision: str | None = Field(description="Commit on the hub")


class EncoderJob(Spec):
    """What every job with an encoder is told about it, beside its folder."""

    encoder: EncoderHub | None = Field(
        None, description="Where a hub encoder is from; null: the input folder"
    )


class ScorerJob(EncoderJob):
    """The encoder that scores paraphrases, beside its folder."""

    pooling: Pooling = Field("auto", description="auto is what the folder itself says")


class HumanTexts(Spec):
    """What stands for human texts: all sentences of a corpus, or the second ones of its pairs."""

    tasks: list[Task] = Field([], description="Sets of the pairs; empty: the sentences of the corpus's file")
    split: Split = "train"


class IdentificationJob(EncoderJob):
    """What telling machine from human texts depends on, beside the pairs and the files of human texts."""

    identifier: Identifier = Field(description="With the world's learning-rate factor put in")
    human: list[HumanTexts] = Field(description="In each file: of the pairs, then of their dev pairs, if any")


class Question(Spec):
    """A corpus that one LLM is asked about with one prompt."""

    corpus: str
    job: AskingJob


class EstimateJob(Spec):
    """Estimate what asking will take."""

    questions: list[Question]
    codes: list[str] = Field(description="Of the jobs that ask; a loopback journal belongs to one")


class CostJob(Spec):
    """Add up what the answers have cost."""

    models: dict[str, str] = Field(description="Role of each LLM that is asked, and its model")
    codes: list[str] = Field(description="Of the jobs that ask; a loopback journal belongs to one")


class TrainingJob(EncoderJob):
    """What training one encoder depends on, beside its pairs and the dev pairs."""

    recipe: Recipe = Field(description="With the world's learning-rate factor and dev_every put in")
    seed: int = Field(ge=0, description="Of MLP head, dropout and the order of pairs")
    teacher: ScorerJob | None = Field(None, description="How the recipe's teacher encodes, if it has one")


class WhiteningJob(EncoderJob):
    """What whitening depends on, beside its sentences.  No seed: nothing is drawn."""

    recipe: WhiteningRecipe

    @property
    def pooling(self) -> Pooling:
        """That of the vectors that are whitened."""
        return self.recipe.pooler


class FlowJob(EncoderJob):
    """What the fitting of a flow depends on, beside its sentences."""

    recipe: FlowRecipe
    seed: int = Field(ge=0, description="Of the flow's first weights and the order of sentences")

    @property
    def pooling(self) -> Pooling:
        """That of the vectors that the flow is fitted to."""
        return self.recipe.pooler


class ContrastiveTensionJob(EncoderJob):
    """What contrastive tension depends on, beside its sentences and the dev rows."""

    recipe: ContrastiveTensionRecipe = Field(description="With what the world changes about training put in")
    seed: int = Field(ge=0, description="Of the draws of pairs")

    @property
    def pooling(self) -> Pooling:
        """That of the vectors whose products are compared."""
        return self.recipe.pooler


class EvaluationJob(ScorerJob):
    """What the scores of one encoder depend on, beside its folder and the benchmarks."""

    run: str = Field(description="{pairs}/{recipe}/seed{seed}, or encoder/{name}")
    bootstrap: int = Field(1000, ge=100, description="Resamples behind each 95 % interval")


class TransferJob(EvaluationJob):
    """What the scores of one encoder on the transfer tasks depend on, beside its folder and the tasks."""

    folds: int = Field(10, ge=2, description="Of tasks without given splits, and to choose penalties")


class FineTunedJob(EncoderJob):
    """What the scores of one fine-tuned encoder on a task depend on, beside its folder and the benchmarks."""

    run: str = Field(description="{pairs}/{recipe}/seed{seed}, or released/{role}/seed{seed}")
    task: Task
    recipe: Recipe = Field(description="Of the fine-tuning, with the task's max_length and the world's rate")
    bert_pooler: Literal["new", "kept"]
    train_pairs: int | None = Field(description="Most pairs learned from; null: every one")
    seed: int = Field(ge=0, description="Of new layers, dropout and the order of pairs")
    bootstrap: int = Field(1000, ge=100, description="Resamples behind each 95 % interval")


class GeometryJob(ScorerJob):
    """What alignment and uniformity of one encoder depend on, beside its folder and the benchmarks."""

    run: str = Field(description="{pairs}/{recipe}/seed{seed}, or released/{role}/{pooling}")


class LengthBiasJob(ScorerJob):
    """What the length bias of one encoder depends on, beside its folder and the benchmarks."""

    run: str = Field(description="{pairs}/{recipe}/seed{seed}, or released/{role}/{pooling}")
    probe: str = Field(description="Its name")
    pairs: LengthProbe
    bootstrap: int = Field(1000, ge=100, description="Resamples behind each 95 % interval")


class SimilaritiesJob(ScorerJob):
    """What the cosines of given texts depend on, beside the encoder's folder."""

    run: str = Field(description="{pairs}/{recipe}/seed{seed}, or released/{role}/{pooling}")
    sentence: str
    texts: list[tuple[str, str]] = Field(min_length=1, description="Label and text")


SELECTED = ", selected"  # behind the label of a row that a search selects the settings of


class Candidate(Spec):
    """A setting that a search tries, with its runs."""

    setting: str = Field(description="What it sets, `dropout=0.1,epochs=5`")
    runs: list[str] = Field(min_length=1, description="Run ids, one per seed of the table")


class TableRow(Spec):
    """A row of a table with the runs behind it."""

    group: str = ""
    model: str = Field(description="Label of the row")
    runs: list[str] = Field(
        [],
        description="Run ids, one per seed of the table, or the id of an encoder as it is; none: this world "
        "cannot have the row",
    )
    trained: bool = Field(True, description="By us, once per seed; fine-tuned at least")
    candidates: list[Candidate] = Field([], description="Settings to select the runs from, on dev sets")
    published: str | None = Field(None, description="The paper's label of its row, if it has one")
    note: str = Field("", description="What a reader has to know, e.g. that another encoder stands in")


class PrintedTable(Spec):
    """What every printed table is told about itself."""

    table: str = Field(description="Its name, table4_1")
    caption: str
    source: str = Field(description="The paper, in words")
    world: str
    world_description: str
    generated: bool = Field(
        description="The world makes its own text: never print a paper's number beside its"
    )
    notes: list[str] = Field([])
    deviations: list[Deviation] = Field([])
    layout: PrintedLayout = Field(PrintedLayout(), description="Of the paper's table")


class ScoreColumn(NamedTuple):
    """A column of a table of scores."""

    name: str  # printed
    task: Task | TransferTask
    metric: Metric = "spearman"
    group: str | None = None  # whose rows it is about; None: all


class STSTableJob(PrintedTable):
    """What a table of scores depends on, beside them, benchmarks or transfer tasks, and the paper's table."""

    # A list: the canonical text of settings sorts the keys of a map, and columns have an order.
    columns: list[ScoreColumn] = Field(min_length=1)
    transfer: bool = Field(False, description="Transfer tasks, which have items; else sets of scored pairs")
    fine_tuned: bool = Field(
        False, description="Tasks that encoders were fine-tuned on: fractions of 1; their own dev sets select"
    )
    split: Literal["dev", "test"] = "test"
    average: str | None = "Avg."
    best_of_seeds: bool = False
    form: TextForm = Field("senteval", description="Text form of the benchmarks")
    seeds: list[int] = Field(min_length=1)
    rows: list[TableRow] = Field(min_length=1)
    choose_among: list[str] = Field([], description="Groups of rows that a choice is made among")


class LengthsTableJob(PrintedTable):
    """What a table by sentence length depends on, beside cosines, benchmarks and the paper's table."""

    task: Task
    form: TextForm = "senteval"
    bands: list[Band] = Field(min_length=1)
    seeds: list[int] = Field(min_length=1)
    rows: list[TableRow] = Field(min_length=1)
    runs: list[str] = Field(description="All that is scored, in the order of the files")
    bootstrap: int = Field(ge=100)


class BiasTableRow(TableRow):
    """A row of a table of length bias."""

    probe: str
    label: Literal["positive", "negative"]


class LengthBiasTableJob(PrintedTable):
    """What a table of length bias depends on, beside the measured bias and the paper's table."""

    # A list: the canonical text of settings sorts the keys of a map, and columns have an order.
    columns: list[tuple[str, BiasColumn]] = Field(min_length=1, description="Printed name and what it holds")
    probes: dict[str, LengthProbe]
    seeds: list[int] = Field(min_length=1)
    rows: list[BiasTableRow] = Field(min_length=1)


class SimilaritiesTableJob(PrintedTable):
    """What a table of similarities depends on, beside the cosines and the paper's table."""

    sentence: str
    texts: list[EditedText] = Field(min_length=1)
    seeds: list[int] = Field(min_length=1)
    rows: list[TableRow] = Field(min_length=1, description="Encoders: columns of the printed table")


class QuestionLengthsJob(PrintedTable):
    """What a table by length of question depends on, beside predictions, TREC and the paper's table."""

    # A list: the canonical text of settings sorts the keys of a map, and columns have an order.
    columns: list[tuple[str, int]] = Field(description="Printed name and fewest words of a question")
    seeds: list[int] = Field(min_length=1)
    rows: list[TableRow] = Field(min_length=1)


class SettingsTableJob(PrintedTable):
    """What a table of settings depends on, beside training logs, scores and the paper's table."""

    form: TextForm = Field("senteval", description="Of the benchmarks whose scores select settings")
    # A list: the canonical text of settings sorts the keys of a map, and columns have an order.
    columns: list[tuple[str, str]] = Field(description="Printed name and setting of a recipe or of the pairs")
    pairs: dict[str, dict[str, int | float | str | None]] = Field(
        {}, description="Of each run: settings of its pair set, as far as columns show them"
    )
    seeds: list[int] = Field(min_length=1)
    rows: list[TableRow] = Field(min_length=1)


class GeometryTableJob(PrintedTable):
    """What a table of alignment and uniformity depends on, beside these, benchmarks and the paper's table."""

    split: SplitChoice
    form: TextForm
    seeds: list[int] = Field(min_length=1)
    rows: list[TableRow] = Field(min_length=1)


class PromptTableRow(Spec):
    """A row of a table of prompts."""

    label: str
    prompt: str = Field(description="File name under config/prompts/ without .txt")
    llm: str = Field(description="Role in the world")
    corpus: str
    published: str | None = Field(None, description="`llm: prompt` of the paper's row, if it has one")


class PromptTableJob(PrintedTable):
    """What a table of prompts depends on, beside the scores and the paper's table."""

    rows: list[PromptTableRow] = Field(min_length=1)


class ClaimsJob(Spec):
    """What the verdicts on a study's claims depend on, beside its tables."""

    study: str
    source: str = Field(description="The paper, in words")
    world: str
    world_description: str
    generated: bool = Field(description="The world makes its own text: no verdict is one on the paper")
    claims: list[Claim] = Field(min_length=1)
    tables: list[str] = Field(
        description="Tables that the claims need and there are, in the order of the files"
    )
    runs: list[str] = Field(description="Trained encoders behind them, in the order of their logs")
    published: list[str] = Field(description="Printed tables that the claims need, in the order of the files")
    layouts: list[PrintedLayout] = Field([], description="Of these printed tables, likewise")
    functions: str = Field(description="Digest of the study's module of claims, which is found by name")
    notes: list[str] = Field([], description="What a reader has to know, e.g. that another encoder stands in")


class StatisticsTableJob(PrintedTable):
    """What a table of statistics depends on, beside benchmarks, corpora and the paper's table."""

    statistic: Literal["words_per_sentence", "mean_score_normalised"]
    reading: Reading
    form: TextForm
    rows: list[StatisticsRow] = Field(min_length=1)
    corpora: dict[str, str] = Field({}, description="Name of each corpus that is there: its note, if any")


class HistogramJob(PrintedTable):
    """What a figure of gold scores depends on, beside the benchmarks."""

    # A list: the canonical text of settings sorts the keys of a map, and panels have an order.
    sets: list[tuple[str, Task]] = Field(min_length=1, description="Printed name and task")
    bins: int = Field(ge=1)


class ScatterJob(PrintedTable):
    """What a figure of alignment and uniformity depends on, beside the table that it shows."""


class IdentifiedRow(Spec):
    """A row or panel about texts that a classifier judged."""

    group: str = ""
    model: str = Field(description="Label of the row")
    identified: str | None = Field(description="{pairs}/{identifier}; null: this world cannot have the row")
    temperature: float
    published: str | None = None
    note: str = Field("", description="What a reader has to know")


class IdentificationTableJob(PrintedTable):
    """What a table of identification depends on, beside judged texts and the paper's table."""

    rows: list[IdentifiedRow] = Field(min_length=1)
    bootstrap: int = Field(ge=100)


class CalibrationJob(PrintedTable):
    """What a figure of calibration depends on, beside judged texts."""

    panels: list[IdentifiedRow] = Field(min_length=1)
    bins: int = Field(ge=1)


class PrefixWordsTableJob(PrintedTable):
    """What a table of words in front depends on, beside the pairs and the paper's table."""

    pairs: str
    bands: list[Band] = Field(min_length=1)


class ExamplesTableJob(PrintedTable):
    """What a table of examples depends on, beside the pairs."""

    pairs: str
    order: Literal["file", "weight"]
    rows: int = Field(ge=1)


class JudgedSource(IdentifiedSource):
    """Judged pairs, if this world can have them."""

    missing: str = Field("", description="What this world lacks for them")


class LinguisticsTableJob(PrintedTable):
    """What a table of wording depends on, beside the measurements and the paper's table."""

    # A list: the canonical text of settings sorts the keys of a map, and rows have an order.
    measures: list[tuple[str, Measure]] = Field(min_length=1, description="Printed name and what it holds")
    sources: list[JudgedSource] = Field(min_length=1)
    texts: Literal["equal", "all"]
    partner: Literal["all", "positive"]


class TenthsJob(PrintedTable):
    """What a figure of labels by p(human) depends on, beside the counts."""

    sources: list[JudgedSource] = Field(min_length=1)


class DifferencesJob(PrintedTable):
    """What a figure of differences depends on, beside the table that it shows."""

    baseline: str


class RewritesTableRow(Spec):
    """A row of a table of rewrites."""

    group: str = ""
    model: str = Field(description="Label of the row")
    statistics: str | None = Field(description="{rewrites}/statistics-{threshold}; null: not in this world")
    note: str = Field("", description="What a reader has to know")


class RewritesTableJob(PrintedTable):
    """What a table of rewrites depends on, beside their statistics."""

    rows: list[RewritesTableRow] = Field(min_length=1)


class SizesTableJob(PrintedTable):
    """What a table of sizes depends on, beside pair sets, benchmarks and the paper's table."""

    columns: list[str] = Field(min_length=1)
    form: TextForm
    rows: list[SizesRow] = Field(min_length=1, description="With canonical ids of pair sets")
    pairs: list[str] = Field(description="Pair sets that there are, in the order of the files")
    lacking: dict[str, str] = Field({}, description="The others: what this world lacks for them")


class CurveJob(PrintedTable):
    """What a figure of curves depends on, beside the tables that it shows."""

    of: list[str] = Field(min_length=1, description="Names of the tables, in the order of the files")
    column: str
    points: list[tuple[str, float]] = Field(min_length=2)
    axis: str
    logarithmic: bool


class ScoreTableJob(Spec):
    """What `results/tables/score.csv` depends on, beside scores and benchmarks."""

    encoder: str = Field(description="Name of the folder, without the path to it")
    generated: bool = Field(False, description="The world makes its own sets, of its own sizes")
    pooling: Pooling = "auto"


ResultKind = Literal["tables", "figures", "claims"]  # folders of results that people read


class PageJob(Spec):
    """What a page of the report depends on, beside the files of the table, figure or claims."""

    name: str
    kind: ResultKind
    study: str
    title: str = Field(description="Of the study")
    source: str = Field(description="The paper, in words")
    generated: bool = Field(
        description="The world makes its own text: never print a paper's number beside its"
    )
    command: str = Field(description="Builds it again")
    look: str = Field(description="Digest of the templates")


class StudyResults(Spec):
    """What a study consists of, for the overview."""

    name: str
    title: str
    source: str
    results: list[tuple[ResultKind, str, str]] = Field(description="Kind, name and caption of each")
    deviations: list[Deviation]
    command: str = Field(description="Builds all of it")


class OverviewJob(Spec):
    """What the overview depends on, beside the files of what is built."""

    world: str
    world_description: str
    generated: bool
    seeds: int = Field(ge=1, description="Trainings per run")
    studies: list[StudyResults]
    look: str = Field(description="Digest of the templates")
