"""A table of accuracy on the questions of TREC that are not too short: rows are encoders."""

from typing import Annotated, ClassVar, Literal

import pandas as pd
from pydantic import Field

from contrapose.base.markdown import bullets
from contrapose.jobs.status import missing_sets
from contrapose.jobs.step import InputFiles, Rows
from contrapose.report.about import About
from contrapose.report.cells import EMPTY_CELL, Cells, cell_table, encoder_cells, first_sizes
from contrapose.report.files import seeds_note, shown_table
from contrapose.report.kinds.base import TableSettings
from contrapose.report.kinds.fields import Ordered, PlainRows
from contrapose.report.kinds.rows import EncoderRows
from contrapose.report.output import Report
from contrapose.report.planned_rows import score_files
from contrapose.settings.plan import Plan
from contrapose.tables import PREDICTIONS, TRANSFER, read_tables

TASK = "trec"
HELD_OUT = "CV on train"  # variant of a column: on the train part, each question held out once


class QuestionLengthsTable(EncoderRows, TableSettings):
    """The table shows the accuracy on the questions of TREC that are not too short."""

    kind: Literal["question_lengths"]
    columns: Ordered[int] = Field(
        description="Each entry maps a printed name to the fewest words of a question. The value 0 "
        "means all questions."
    )
    rows: PlainRows = Field(description="Each entry is a row of the table: an encoder, trained or not.")

    says_training: ClassVar[bool] = True

    def inputs(self, project: Plan, about: About) -> dict[str, InputFiles]:
        return {
            "predictions": score_files(project, about, "transfer", "-predictions"),
            "transfer": [project.paths.transfer],
        }


def build(
    spec: QuestionLengthsTable,
    about: About,
    predictions: Annotated[pd.DataFrame, Rows(PREDICTIONS)],
    transfer: list[str],
) -> Report:
    """Arrange accuracies x100 on questions with a minimum number of words as the cells of a table.

    Words are separated by white space; in TREC's files the question mark is one.  For each row first the test
    questions, then, as a variant, those of the train part by which the penalty was chosen; `n` is
    the number of questions left.  Without TREC, and if no question is left, cells are empty.
    """
    tasks = read_tables(transfer, TRANSFER)
    questions = tasks[tasks.task == TASK]
    words = questions.sentence1.str.split().str.len()
    said = predictions.merge(questions.assign(words=words)[["task", "split", "row", "words"]])
    right = said.assign(right=said.label == said.predicted)
    columns = {(name, ""): ("test", fewest) for name, fewest in spec.columns.items()}
    columns |= {(name, HELD_OUT): ("train", fewest) for name, fewest in spec.columns.items()}

    def cells(run: str) -> Cells:
        of_run, shown = right[right.run == run], {}
        for name, (split, fewest) in columns.items():
            left = of_run[(of_run.split == split) & (of_run.words >= fewest)].right
            shown[name] = {"value": 100 * left.mean(), "n": len(left)} if len(left) else EMPTY_CELL
        return shown

    tidy = cell_table(about, encoder_cells(about, cells))
    is_test = tidy.variant == ""
    path = missing_sets(transfer).get(f"{TASK}/senteval/test")
    common = [f"skipped: TREC ({path} is missing)"] if path else []
    common += _sizes(tidy[is_test])
    sections = [
        "## Held-out questions of the train part",
        (
            "These questions were held out fold by fold. The penalty of the classifier was selected on "
            "them, so this is not a test."
        ),
        shown_table(spec.printed(tidy[~is_test])),
        bullets(_sizes(tidy[~is_test])),
    ]
    notes, csv = [f"{seeds_note(about.seeds)}.", *common], spec.printed_parts(tidy)
    return spec.report(about, tidy, notes, *sections, common=common, csv=csv)


def _sizes(tidy: pd.DataFrame) -> list[str]:
    return [f"{column}: {n} questions" for column, n in first_sizes(tidy).items()]
