"""`config/studies/*/study.yaml`: a paper as data, its rows, tables, figures, deviations and claims."""

import math
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, model_validator

from contrapose.config.recipes import Recipe
from contrapose.config.spec import Pooling, Reading, S, Spec, Split, SplitChoice, TextForm
from contrapose.errors import unknown
from contrapose.tasks import TASKS, Task, TransferTask

Setting = int | float | str
OF_PAIRS = "pairs."  # in front of a setting of a pair set
Metric = Literal["spearman", "pearson", "accuracy", "f1"]


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


class TaskMetric(Spec):
    """What a column of scores holds."""

    task: Task
    metric: Metric = Field("spearman", description="accuracy, f1: of tasks with labels, on test")

    @model_validator(mode="after")
    def _labels(self) -> "TaskMetric":
        if self.metric in ("accuracy", "f1") and not TASKS[self.task].labels:
            raise ValueError(f"{self.task} has no labels, so no {self.metric}: take spearman or pearson")
        return self


def _spelled_out(column: object) -> object:
    """Make a task's name the column of its Spearman correlations."""
    return {"task": column} if isinstance(column, str) else column


class STSTable(Spec):
    """Correlations of encoders on evaluation sets, or accuracy and F1 on those with labels."""

    kind: Literal["sts"]
    caption: str
    columns: dict[
        str, Annotated[TaskMetric, BeforeValidator(_spelled_out, json_schema_input_type=Task | TaskMetric)]
    ] = Field(min_length=1, description="Printed name: task, or task and metric; all of one suite")
    split: Literal["dev", "test"] = "test"
    form: TextForm = Field("senteval", description="senteval: Moses-tokenised as SimCSE evaluates; raw")
    average: str | None = Field(
        "Avg.", description="Name of the mean of the columns; one column has none; null: no mean"
    )
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
        if len({TASKS[column.task].suite for column in self.columns.values()}) > 1:
            raise ValueError("columns of several suites; an encoder is scored on one at a time")
        return self

    @model_validator(mode="after")
    def _a_mean_to_choose_by(self) -> "STSTable":
        if self.average is None and (self.best_of_seeds or self.choose_among):
            raise ValueError("average is null, but best_of_seeds and choose_among compare it: name it")
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
    columns: dict[str, str] = Field(
        min_length=1, description="Printed name: setting of a recipe, or of a pair set, `pairs.temperature`"
    )
    rows: list[SettingsRow] = Field(min_length=1)
    published: str | None = Field(None, description="CSV file under the study's published/")
    layout: PrintedLayout = PrintedLayout()

    @model_validator(mode="after")
    def _known_settings(self) -> "SettingsTable":
        for name in self.columns.values():
            if not name.startswith(OF_PAIRS) and name not in Recipe.model_fields:
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


class Identified(Spec):
    """Machine texts of a pair set, and the classifier that tells them from human ones."""

    pairs: str = Field(description="Id of a pair set of kind dino")
    identifier: str = Field("sdi", description="Name under identifiers")
    temperature: float = Field(1.0, gt=0, description="The paper's: logits are divided by it")


class IdentificationRow(Identified):
    """A row of a table of identification."""

    group: str = ""
    model: str = Field(description="Label of the row")
    published: str | None = Field(None, description="The paper's label of its row, if it has one")


class IdentificationTable(Spec):
    """How well classifiers tell machine from human texts that they were not taught, and how calibrated."""

    kind: Literal["identification"]
    caption: str
    rows: list[IdentificationRow] = Field(min_length=1)
    published: str | None = Field(None, description="CSV file under the study's published/")
    layout: PrintedLayout = PrintedLayout()


class PrefixWordsTable(Spec):
    """How many words a pair set puts in front of sentences of some length."""

    kind: Literal["prefix_words"]
    caption: str
    pairs: str = Field(description="Id of a pair set of kind prefix")
    bands: list[Band] = Field(min_length=1, description="Rows; lengths of the sentence")
    published: str | None = Field(None, description="CSV file under the study's published/")
    layout: PrintedLayout = PrintedLayout()


class ExamplesTable(Spec):
    """Some texts of a pair set."""

    kind: Literal["examples"]
    caption: str
    pairs: str = Field(description="Id of a pair set")
    order: Literal["file", "weight"] = Field(
        "file", description="file: the first ones; weight: those of highest, then those of lowest weight"
    )
    rows: int = Field(4, ge=1, description="By weight so many of each end")
    published: None = None
    layout: PrintedLayout = PrintedLayout()


class IdentifiedSource(Spec):
    """Pairs of synthetic texts that an identifier has judged."""

    name: str = Field(description="Printed name of what the texts were written for")
    pairs: str = Field(description="Id of a pair set of kind dino, of a corpus of kind tasks")
    identifier: str = Field("sdi", description="Name under identifiers")


Measure = Literal[
    "bleu1", "bleu2", "bleu3", "bleu4", "bleu", "jaccard",
    "distinct1", "distinct2", "distinct3", "distinct", "zipf", "zipf_10_1000",
]  # fmt: skip


class LinguisticsTable(Spec):
    """The wording of human sentences, and of the machine texts that look most and least human."""

    kind: Literal["linguistics"]
    caption: str
    measures: dict[str, Measure] = Field(min_length=1, description="Printed name of a row: what it holds")
    sources: list[IdentifiedSource] = Field(
        min_length=1, description="Three columns each: `name_human`, `name_top10`, `name_bottom10`"
    )
    texts: Literal["equal", "all"] = Field(
        "equal", description="equal: of every group as many as in the smallest, as Distinct falls with size"
    )
    partner: Literal["all", "positive"] = Field(
        "all", description="Gold pairs whose second sentences are the human texts"
    )
    published: str | None = Field(None, description="CSV file under the study's published/")
    layout: PrintedLayout = PrintedLayout()


class MachineTable(Spec):
    """Machine and software, as papers print theirs."""

    kind: Literal["machine"]
    caption: str
    published: str | None = Field(None, description="CSV file under the study's published/")
    layout: PrintedLayout = PrintedLayout()


class SizesRow(Spec):
    """A row of a table of sizes: pair sets, or splits of evaluation sets."""

    label: str
    pairs: dict[str, str] = Field({}, description="Column: id of a pair set")
    tasks: dict[str, Task] = Field({}, description="Column: task")
    split: Split = Field("test", description="Of the tasks")
    published: str | None = Field(None, description="The paper's label of its row, if it has one")

    @model_validator(mode="after")
    def _one_kind(self) -> "SizesRow":
        if bool(self.pairs) == bool(self.tasks):
            raise ValueError("set either pairs or tasks")
        return self


class SizesTable(Spec):
    """How many rows pair sets have, and how many pairs evaluation sets."""

    kind: Literal["sizes"]
    caption: str
    columns: list[str] = Field(min_length=1, description="Printed names; a row may leave some out")
    form: TextForm = Field("senteval", description="Text form of the evaluation sets")
    rows: list[SizesRow] = Field(min_length=1)
    published: str | None = Field(None, description="CSV file under the study's published/")
    layout: PrintedLayout = PrintedLayout()

    @model_validator(mode="after")
    def _known(self) -> "SizesTable":
        for name in (name for row in self.rows for name in (*row.pairs, *row.tasks)):
            if name not in self.columns:
                raise ValueError(str(unknown("columns", name, self.columns)))
        if len({TASKS[task].suite for row in self.rows for task in row.tasks.values()}) > 1:
            raise ValueError("tasks of several suites; they are read one at a time")
        return self


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


class CalibrationPanel(Identified):
    """A panel of a figure of calibration."""

    label: str


class Calibration(Spec):
    """A figure: how many of the texts with some p(human) are human, as it is and at two temperatures."""

    kind: Literal["calibration"]
    caption: str
    panels: list[CalibrationPanel] = Field(min_length=1)
    bins: int = Field(10, ge=1, description="Equal bins of p(human)")


class Tenths(Spec):
    """A figure: the labels in each tenth of synthetic pairs by p(human), a panel per source."""

    kind: Literal["tenths"]
    caption: str
    sources: list[IdentifiedSource] = Field(min_length=1)


class Differences(Spec):
    """A figure: how far rows of a table are above one of their group, with intervals over seeds."""

    kind: Literal["differences"]
    caption: str
    of: str = Field(description="Table of kind sts in the same study; a panel per group of its rows")
    baseline: str = Field(description="Label of the row in each group that the others are compared with")


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
    | IdentificationTable
    | PrefixWordsTable
    | ExamplesTable
    | LinguisticsTable
    | SizesTable
    | MachineTable,
    Field(discriminator="kind"),
]
Figure = Annotated[
    Histogram | Scatter | Curve | Calibration | Tenths | Differences, Field(discriminator="kind")
]


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
    figures: dict[str, Figure] = Field({})
    deviations: list[Deviation] = Field([])
