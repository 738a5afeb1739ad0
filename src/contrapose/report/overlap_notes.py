"""Notes of a table on what its test pairs share with what its rows are trained on and selected by."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from contrapose.report.scores import ScoreColumn
from contrapose.retrieve.overlaps import DEV_PAIRS, TRAINING_PAIRS, TRAINING_SENTENCES, overlaps
from contrapose.tables import BENCHMARK, SENTENCES, TRIPLETS, Table, read_table, read_tables

SIDES = ["sentence1", "sentence2"]


def overlap_notes(
    columns: Sequence[ScoreColumn], form: str, sets: Sequence[str], trained: Mapping[str, Sequence[str]]
) -> list[str]:
    """Return a note for each column and kind of texts that share something, see `overlaps`.

    `sets` are the files of the columns' evaluation sets, of which the test pairs of this text form count;
    `trained` those of the `sentences` and `triplets` that rows are trained on, and of `dev` pairs.
    """
    every = read_tables(sets, BENCHMARK, ["task", "form", "split", *SIDES])
    test = every[(every.split == "test") & (every.form == form)]
    tasks = {each.task: each.name for each in reversed(columns)}  # the first of several columns of a task
    tests = {
        name: list(test.loc[test.task == task, SIDES].itertuples(index=False, name=None))
        for task, name in reversed(tasks.items())
    }
    texts = {
        TRAINING_SENTENCES.format(Path(file).stem): read_table(file, SENTENCES, ["text"]).text
        for file in trained["sentences"]
    }
    pairs = {
        TRAINING_PAIRS.format(Path(file).stem): _pairs(file, TRIPLETS, ["premise", "entailment"])
        for file in trained["triplets"]
    }
    pairs |= {DEV_PAIRS.format(Path(file).stem): _pairs(file, BENCHMARK, SIDES) for file in trained["dev"]}
    return overlaps(tests, texts, pairs)


def selection_note(columns: Sequence[ScoreColumn], notes: Sequence[str]) -> str:
    """Return the note of rows whose settings dev pairs select: which columns test some of these pairs again.

    `notes` are `overlap_notes`.  Empty if no column does.
    """
    dev = DEV_PAIRS.partition("{}")[0]
    names = [
        column.name
        for column in columns
        if any(note.startswith(f"{column.name}: ") and dev in note for note in notes)
    ]
    where = " and ".join(dict.fromkeys(names))
    return where and (
        f"its settings were selected on dev pairs that are also test pairs of {where}, so its score "
        "on them is likely too high"
    )


def _pairs(file: str, table: Table, sides: list[str]) -> Iterator[tuple[str, str]]:
    return read_table(file, table, sides)[sides].itertuples(index=False, name=None)
