"""A table of accuracy on the questions of TREC that are not too short: rows are encoders."""

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

import pandas as pd
from pydantic import Field

from contrapose.markdown import bullets
from contrapose.report.about import About
from contrapose.report.budgets import with_budgets
from contrapose.report.cells import NOTHING, Cells, first_sizes, tidy_cells
from contrapose.report.files import seeds_note, shown_table
from contrapose.report.kinds.base import OfEncoders, Ordered, PlainRows, Printed, Published, Report
from contrapose.status import missing_sets
from contrapose.steps import Paths, Project, Rows, planned
from contrapose.tables import PREDICTIONS, TRANSFER, read_tables

TASK = "trec"
HELD_OUT = "CV on train"  # appended to a column's name: on the train part, each question held out once


class QuestionLengthsTable(OfEncoders, Printed):
    """Accuracy on the questions of TREC that are not too short."""

    kind: Literal["question_lengths"]
    columns: Ordered[int] = Field(description="Printed name: fewest words of a question, 0 for all")
    rows: PlainRows

    says_training: ClassVar[bool] = True

    @planned
    def inputs(self, project: Project, name: str) -> dict[str, Paths]:
        return {
            "predictions": project.reports.scores(name, "transfer", "-predictions"),
            "transfer": [project.places.transfer],
        }


def build(
    spec: QuestionLengthsTable,
    about: About,
    predictions: Annotated[pd.DataFrame, Rows(PREDICTIONS)],
    transfer: list[str],
    histories: list[str],
    published: Published,
) -> Report:
    """Arrange accuracies x100 on questions with a minimum number of words as the cells of a table.

    Words are separated by white space; in TREC's files the question mark is one.  For each row first the test
    questions, then, `Original, CV on train`, those of the train part by which the penalty was chosen; `n` is
    the number of questions left.  Without TREC, and if no question is left, cells are empty.
    """
    tasks = read_tables(transfer, TRANSFER)
    questions = tasks[tasks.task == TASK]
    words = questions.sentence1.str.split().str.len()
    said = predictions.merge(questions.assign(words=words)[["task", "split", "row", "words"]])
    right = said.assign(right=said.label == said.predicted)
    columns = {name: ("test", fewest) for name, fewest in spec.columns.items()}
    columns |= {f"{name}, {HELD_OUT}": ("train", fewest) for name, fewest in spec.columns.items()}

    def cells(run: str) -> Cells:
        of_run = right[right.run == run]
        found = {}
        for name, (split, fewest) in columns.items():
            left = of_run[(of_run.split == split) & (of_run.words >= fewest)].right
            found[name] = {**NOTHING, "value": 100 * left.mean(), "n": len(left)} if len(left) else NOTHING
        return found

    tidy = with_budgets(tidy_cells(cells, about.rows, about, published), histories)
    held_out = tidy.column.str.endswith(f", {HELD_OUT}")
    own, on_train, missing = tidy[~held_out], tidy[held_out], missing_sets(transfer)
    common = [*_left_out(missing), *_sizes(own)]
    parts = [
        "## Held-out questions of the train part",
        "Held out fold by fold. The penalty of the classifier was chosen on these questions, so this is "
        "no test.",
        shown_table(spec.printed(on_train)),
        bullets(_sizes(on_train)),
    ]
    notes, csv = [f"{seeds_note(about.seeds)}.", *common], spec.printed(tidy)
    return spec.report(
        about, tidy, notes, *parts, columns=spec.columns, common=common, csv=csv, published=published
    )


def _left_out(missing: Mapping[str, str]) -> list[str]:
    path = missing.get(f"{TASK}/senteval/test")
    return [f"left out: TREC ({path} is missing)"] if path else []


def _sizes(tidy: pd.DataFrame) -> list[str]:
    return [f"{column}: {n} questions" for column, n in first_sizes(tidy).items()]
