"""A table of accuracy on the questions of TREC that are not too short: rows are encoders."""

from collections.abc import Mapping

import pandas as pd

from contrapose.jobs import QuestionLengthsJob
from contrapose.report.files import bullets, deviation_parts, joined, markdown_table, row_notes, seeds_note
from contrapose.report.published import printed_rows, published_table
from contrapose.report.sts_table import NOTHING, laid_out, printed_table

TASK = "trec"
HELD_OUT = "CV on train"  # behind the name of a column: of the train part, each question held out once


def question_lengths_table(
    predictions: pd.DataFrame, transfer: pd.DataFrame, published: pd.DataFrame | None, job: QuestionLengthsJob
) -> pd.DataFrame:
    """Lay out accuracies x100 on questions of at least so many words as the cells of a table, tidy.

    A word is what stands between white space; in TREC's files the question mark is one.

    Parameters
    ----------
    predictions : PREDICTIONS table of all runs
    transfer : TRANSFER table
    published : the paper's printed table, optional
    job : QuestionLengthsJob

    Returns
    -------
    PUBLISHABLE table
        As `laid_out` has it.  First of each row the test questions, then, `Original, CV on train`, those of
        the train part by which the penalty was chosen; `n` are the questions left.  Without TREC, and
        where no question is left, cells are empty.

    Raises
    ------
    ConfigError
        The paper has no row of the name that a row gives.
    """
    questions = transfer[transfer.task == TASK]
    words = questions.sentence1.str.split().str.len()
    said = predictions.merge(questions.assign(words=words)[["task", "split", "row", "words"]])
    right = said.assign(right=said.label == said.predicted)
    columns = {name: ("test", fewest) for name, fewest in job.columns}
    columns |= {f"{name}, {HELD_OUT}": ("train", fewest) for name, fewest in job.columns}

    def cells(run: str) -> dict[str, dict]:
        of_run = right[right.run == run]
        found = {}
        for name, (split, fewest) in columns.items():
            left = of_run[(of_run.split == split) & (of_run.words >= fewest)].right
            found[name] = {**NOTHING, "value": 100 * left.mean(), "n": len(left)} if len(left) else NOTHING
        return found

    return laid_out(cells, published, job)


def _held_out(tidy: pd.DataFrame) -> pd.Series:
    return tidy.column.str.endswith(f", {HELD_OUT}")


def question_lengths_csv(
    tidy: pd.DataFrame, job: QuestionLengthsJob, missing: Mapping[str, str]
) -> pd.DataFrame:
    """Return the printed table with the world in front and a note behind each row.

    Parameters
    ----------
    tidy : PUBLISHABLE table
    job : QuestionLengthsJob
    missing : mapping of `task/form/split`: folder below the data folder
        From the metadata of the TRANSFER table.
    """
    table = printed_table(tidy)
    table.insert(0, "world", job.world)
    common = [*_left_out(missing), *_sizes(tidy[~_held_out(tidy)])]
    table["note"] = ["; ".join(filter(None, [row.note, *common])) for row in job.rows]
    return table


def _left_out(missing: Mapping[str, str]) -> list[str]:
    path = missing.get(f"{TASK}/senteval/test")
    return [f"left out: TREC ({path} is not there)"] if path else []


def _sizes(tidy: pd.DataFrame) -> list[str]:
    """Say how many questions each column has left."""
    found = tidy[tidy.n > 0].groupby("column", sort=False).n.first()
    return [f"{column}: {n} questions" for column, n in found.items()]


def question_lengths_markdown(
    tidy: pd.DataFrame, published: pd.DataFrame | None, job: QuestionLengthsJob, missing: Mapping[str, str]
) -> str:
    """Write the table for people: the test questions, those of the train part, what we did otherwise.

    The paper's numbers stand in a table of their own, and not at all if the world makes its own text.
    """
    held_out = _held_out(tidy)
    parts = [
        f"# {job.table}",
        job.caption,
        f"World `{job.world}`: {job.world_description}.",
        markdown_table(printed_table(tidy[~held_out]).replace("", "–")),
        bullets(_notes(tidy[~held_out], job, missing)),
        "## Held-out questions of the train part",
        "Held out fold by fold; the penalty of the classifier was chosen on these, so they are no test.",
        markdown_table(printed_table(tidy[held_out]).replace("", "–")),
        bullets(_sizes(tidy[held_out])),
    ]
    if published is not None and not job.generated and any(row.published for row in job.rows):
        labels = [row.published for row in job.rows]
        columns = [name for name, _ in job.columns]
        theirs = published_table(printed_rows(job.table, published), labels, columns, decimals=2)
        parts += ["## The paper's numbers", f"As printed in: {job.source}.", markdown_table(theirs)]
    return joined([*parts, *deviation_parts(job.deviations)])


def _notes(tidy: pd.DataFrame, job: QuestionLengthsJob, missing: Mapping[str, str]) -> list[str]:
    notes = [f"{seeds_note(job.seeds)}.", *_left_out(missing), *_sizes(tidy), *row_notes(job.rows)]
    if job.generated:
        notes.append(f"World {job.world} makes its own text: these numbers do not compare with any paper's.")
    return notes + job.notes
