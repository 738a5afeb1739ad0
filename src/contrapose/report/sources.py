"""What the files behind a table say of themselves in their metadata."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import pandas as pd

from contrapose.jobs import STSTableJob
from contrapose.report.files import cut_texts
from contrapose.report.sts_table import selected_rows
from contrapose.stage import run_of
from contrapose.tables import read_provenance


def missing_sets(sets: Iterable[str | Path]) -> dict[str, str]:
    """Return {`task/form/split`: file below the data folder} of evaluation sets that are not there.

    Parameters
    ----------
    sets : files of BENCHMARK or TRANSFER tables
    """
    return {what: path for each in sets for what, path in read_provenance(each).get("missing", {}).items()}


def completed(
    job: STSTableJob, scores: pd.DataFrame, scored: Sequence[str], sets: Sequence[str]
) -> STSTableJob:
    """Return the job with what only files tell: the runs of selected settings, and further notes.

    Parameters
    ----------
    job : STSTableJob
    scores : SCORES table of all runs and candidates
    scored : its files
    sets : files of the BENCHMARK or TRANSFER table

    Raises
    ------
    TableError
        A candidate has no score on a dev set.
    """
    notes = [note for path in sets for note in read_provenance(path).get("notes", [])]
    lacking = dict.fromkeys(read_provenance(path).get("lacking") for path in scored)
    notes += [f"Left out: {why}." for why in lacking if why]
    rows = selected_rows(job.rows, scores, job.form, job.columns if job.fine_tuned else [])
    return job.model_copy(update={"rows": rows, "notes": [*job.notes, *notes]})


def cuts(histories: Iterable[str | Path]) -> dict[str, str]:
    """Return {run: what its maximum length cut off} from the files of training logs."""
    return {run_of(log): cut_texts(log) for log in map(read_provenance, histories)}
