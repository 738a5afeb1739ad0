"""Settings of the stage report: tables."""

from typing import Literal, NamedTuple

from pydantic import Field

from contrapose.config.recipes import LengthProbe
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
from contrapose.config.spec import Pooling, Reading, Spec, SplitChoice, TextForm
from contrapose.config.studies import Deviation
from contrapose.tasks import Task, TransferTask

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


class StatisticsTableJob(PrintedTable):
    """What a table of statistics depends on, beside benchmarks, corpora and the paper's table."""

    statistic: Literal["words_per_sentence", "mean_score_normalised"]
    reading: Reading
    form: TextForm
    rows: list[StatisticsRow] = Field(min_length=1)
    corpora: dict[str, str] = Field({}, description="Name of each corpus that is there: its note, if any")


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


class ScoreTableJob(Spec):
    """What `results/tables/score.csv` depends on, beside scores and benchmarks."""

    encoder: str = Field(description="Name of the folder, without the path to it")
    generated: bool = Field(False, description="The world makes its own sets, of its own sizes")
    pooling: Pooling = "auto"
