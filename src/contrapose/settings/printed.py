"""Printed tables, by kind: parts of `config/studies/*/study.yaml`."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, model_validator

from contrapose.errors import unknown
from contrapose.settings.recipes import Recipe
from contrapose.settings.rows import (
    OF_PAIRS,
    Band,
    BiasColumn,
    BiasRow,
    EditedText,
    IdentificationRow,
    IdentifiedSource,
    Measure,
    PrintedLayout,
    PromptRow,
    RewritesRow,
    Row,
    SettingsRow,
    SizesRow,
    StatisticsRow,
    TaskMetric,
)
from contrapose.settings.spec import Reading, Spec, SplitChoice, TextForm
from contrapose.tasks import FINE_TUNED_SUITES, TASKS, Suite, Task, TransferTask


class Printed(Spec):
    """What all tables have in common."""

    caption: str
    published: str | None = Field(None, description="CSV file under the study's published/")
    layout: PrintedLayout = PrintedLayout()


def _only_suite(columns: Mapping[str, TaskMetric]) -> Suite:
    suites = {TASKS[column.task].suite for column in columns.values()}
    if len(suites) > 1:
        raise ValueError("columns of several suites; an encoder is scored on one at a time")
    return suites.pop()


def _spelled_out(column: object) -> object:
    """Make a task's name the column of its Spearman correlations."""
    return {"task": column} if isinstance(column, str) else column


class STSTable(Printed):
    """Correlations of encoders on evaluation sets, or accuracy and F1 on those with labels."""

    kind: Literal["sts"]
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

    @model_validator(mode="after")
    def _one_suite(self) -> "STSTable":
        if _only_suite(self.columns) in FINE_TUNED_SUITES:
            raise ValueError("encoders are fine-tuned on these tasks: take a table of kind fine_tuned")
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


class FineTunedTable(Printed):
    """What encoders are worth for tasks on pairs that each of them is fine-tuned on; fractions of 1."""

    kind: Literal["fine_tuned"]
    columns: dict[
        str,
        dict[
            str,
            Annotated[TaskMetric, BeforeValidator(_spelled_out, json_schema_input_type=Task | TaskMetric)],
        ],
    ] = Field(
        min_length=1,
        description="Printed name: by group of the rows, task, or task and metric; a group has one suite",
    )
    fine_tuning: str = Field(description="Name under fine_tunings")
    split: Literal["dev", "test"] = "test"
    average: str | None = Field("Avg.", description="Name of the mean of the columns; null: no mean")
    rows: list[Row] = Field(min_length=1, description="Grids and choices are selected by the mean on dev")

    @model_validator(mode="after")
    def _one_suite(self) -> "FineTunedTable":
        for group in {row.group for row in self.rows}:
            lacking = [name for name, of_groups in self.columns.items() if group not in of_groups]
            if lacking:
                raise ValueError(f"columns.{lacking[0]} has no task for the rows of group '{group}'")
            if _only_suite(self.tasks_of(group)) not in FINE_TUNED_SUITES:
                wanted = ", ".join(FINE_TUNED_SUITES)
                raise ValueError(f"no task that encoders are fine-tuned on, of {wanted}, for group '{group}'")
        return self

    def tasks_of(self, group: str) -> dict[str, TaskMetric]:
        """Return what each column holds in the rows of a group, by printed name."""
        return {name: of_groups[group] for name, of_groups in self.columns.items()}

    @model_validator(mode="after")
    def _without_pooling(self) -> "FineTunedTable":
        if any(row.pooling != "auto" for row in self.rows):
            raise ValueError("a fine-tuned encoder reads off [CLS] with a new layer: leave pooling out")
        return self


class SettingsTable(Printed):
    """With which settings the runs behind another table were trained."""

    kind: Literal["settings"]
    of: str = Field(description="Table of the same study whose runs they are")
    columns: dict[str, str] = Field(
        min_length=1, description="Printed name: setting of a recipe, or of a pair set, `pairs.temperature`"
    )
    rows: list[SettingsRow] = Field(min_length=1)

    @model_validator(mode="after")
    def _known_settings(self) -> "SettingsTable":
        for name in self.columns.values():
            if not name.startswith(OF_PAIRS) and name not in Recipe.model_fields:
                raise ValueError(str(unknown("settings of a recipe", name, Recipe.model_fields)))
        return self


class RunsTable(Printed):
    """A table whose rows are runs, or encoders as they are, with the settings that they are given."""

    rows: Sequence[Row] = Field(min_length=1)

    @model_validator(mode="after")
    def _without_choices(self) -> "RunsTable":
        if any(row.grid or row.choices for row in self.rows):
            raise ValueError(
                "settings are chosen in a table of kind sts or fine_tuned; give the settings themselves"
            )
        return self


class GeometryTable(RunsTable):
    """Alignment and uniformity of encoders on STS-B."""

    kind: Literal["geometry"]
    split: SplitChoice = Field("dev", description="That is printed; all: those that are there, together")
    form: TextForm = Field("senteval", description="senteval: Moses-tokenised as SimCSE evaluates; raw")


class TransferTable(RunsTable):
    """Accuracy of a classifier on the vectors of encoders, on the transfer tasks of SentEval."""

    kind: Literal["transfer"]
    columns: dict[str, TransferTask] = Field(description="Printed name: task")
    split: Literal["test", "dev"] = Field(
        "test", description="dev: the accuracy that the penalty is chosen by, SentEval's devacc"
    )


class QuestionLengthsTable(RunsTable):
    """Accuracy on the questions of TREC that are not too short."""

    kind: Literal["question_lengths"]
    columns: dict[str, int] = Field(description="Printed name: fewest words of a question, 0 for all")


class LengthsTable(RunsTable):
    """Correlations of encoders on the pairs of an evaluation set, by length."""

    kind: Literal["lengths"]
    task: Task
    bands: list[Band] = Field(min_length=1, description="Columns; they may overlap")


class LengthBiasTable(RunsTable):
    """How the cosines of pairs change with lengths that mean nothing."""

    kind: Literal["length_bias"]
    columns: dict[str, BiasColumn] = Field(min_length=1, description="Printed name: what it holds")
    rows: list[BiasRow] = Field(min_length=1)
    published: str | None = Field(
        None, description="CSV file under the study's published/; without one, claims name rows as they like"
    )


class SimilaritiesTable(RunsTable):
    """Cosines of a sentence with texts that were made of it."""

    kind: Literal["similarities"]
    sentence: str
    texts: list[EditedText] = Field(min_length=1, description="Rows of the printed table")
    rows: list[Row] = Field(
        min_length=1, description="Encoders, which are its columns; `published` is the paper's name of one"
    )

    @model_validator(mode="after")
    def _names(self) -> "SimilaritiesTable":
        for names in ([text.label for text in self.texts], [row.model for row in self.rows]):
            twice = sorted({name for name in names if names.count(name) > 1})
            if twice:
                raise ValueError(f"'{twice[0]}' is there twice; give each text and each encoder its own name")
        return self


class PromptTable(Printed):
    """How near paraphrases stay to their sentence in meaning, and how far they go in wording."""

    kind: Literal["prompts"]
    scorer: str = Field("scorer", description="Role of the encoder that measures similarity")
    parascore: str | None = Field(
        None, description="Role of the encoder behind a ParaScore column; null: no such column"
    )
    rows: list[PromptRow] = Field(min_length=1)


class StatisticsTable(Printed):
    """What texts and gold scores are like: words per sentence, or mean gold score in [0, 1]."""

    kind: Literal["statistics"]
    statistic: Literal["words_per_sentence", "mean_score_normalised"]
    reading: Reading = Field(
        "evaluated",
        description="Texts that are counted. evaluated: of pairs with a gold score, quotation marks are "
        "text; naive: every line of a year of STS, STS-B by a reader that obeys quotation marks",
    )
    form: TextForm = Field("senteval", description="senteval: Moses-tokenised as SimCSE evaluates; raw")
    rows: list[StatisticsRow] = Field(min_length=1)

    @model_validator(mode="after")
    def _scores_need_a_task(self) -> "StatisticsTable":
        if self.statistic == "mean_score_normalised" and any(row.task is None for row in self.rows):
            raise ValueError("only a task has gold scores: give every row a task")
        return self


class IdentificationTable(Printed):
    """How well classifiers tell machine from human texts that they were not taught, and how calibrated."""

    kind: Literal["identification"]
    rows: list[IdentificationRow] = Field(min_length=1)


class PrefixWordsTable(Printed):
    """How many words a pair set puts in front of sentences of some length."""

    kind: Literal["prefix_words"]
    pairs: str = Field(description="Id of a pair set of kind prefix")
    bands: list[Band] = Field(min_length=1, description="Rows; lengths of the sentence")


class ExamplesTable(Printed):
    """Some texts of a pair set."""

    kind: Literal["examples"]
    pairs: str = Field(description="Id of a pair set")
    order: Literal["file", "weight"] = Field(
        "file", description="file: the first ones; weight: those of highest, then those of lowest weight"
    )
    rows: int = Field(4, ge=1, description="By weight so many of each end")
    published: None = None


class LinguisticsTable(Printed):
    """The wording of human sentences, and of the machine texts that look most and least human."""

    kind: Literal["linguistics"]
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


class RewritesTable(Printed):
    """What a dictionary offers the sentences of a corpus, and what the choice by perplexity keeps of it."""

    kind: Literal["rewrites"]
    rows: list[RewritesRow] = Field(min_length=1)
    published: None = None


class MachineTable(Printed):
    """Machine and software, as papers print theirs."""

    kind: Literal["machine"]


class SizesTable(Printed):
    """How many rows pair sets have, and how many pairs evaluation sets."""

    kind: Literal["sizes"]
    columns: list[str] = Field(min_length=1, description="Printed names; a row may leave some out")
    form: TextForm = Field("senteval", description="Text form of the evaluation sets")
    rows: list[SizesRow] = Field(min_length=1)

    @model_validator(mode="after")
    def _known(self) -> "SizesTable":
        for name in (name for row in self.rows for name in (*row.pairs, *row.sets)):
            if name not in self.columns:
                raise ValueError(str(unknown("columns", name, self.columns)))
        if len({TASKS[task].suite for row in self.rows for task, _ in row.sets.values()}) > 1:
            raise ValueError("tasks of several suites; they are read one at a time")
        return self


# A row is a run or an encoder as it is.
RowTable = (
    STSTable
    | FineTunedTable
    | GeometryTable
    | LengthsTable
    | LengthBiasTable
    | SimilaritiesTable
    | TransferTable
    | QuestionLengthsTable
)


PrintedTable = Annotated[
    RowTable
    | PromptTable
    | SettingsTable
    | StatisticsTable
    | IdentificationTable
    | PrefixWordsTable
    | ExamplesTable
    | LinguisticsTable
    | SizesTable
    | RewritesTable
    | MachineTable,
    Field(discriminator="kind"),
]
