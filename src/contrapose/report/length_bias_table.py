"""A table of what a change of length that changes no meaning does to cosines: rows are encoders and pairs."""

from functools import partial

import pandas as pd

from contrapose.config.recipes import LengthProbe
from contrapose.jobs import BiasTableRow, LengthBiasTableJob
from contrapose.report.files import bullets, deviation_parts, joined, markdown_table, row_notes, seeds_note
from contrapose.report.published import printed_rows, published_table
from contrapose.report.sts_table import NOTHING, NUMBERS, laid_out, printed_table
from contrapose.tasks import TASKS

DECIMALS = 4  # as EdaCSE prints its largest cosines


def length_bias_table(
    measured: pd.DataFrame, published: pd.DataFrame | None, job: LengthBiasTableJob
) -> pd.DataFrame:
    """Lay out cosines and their changes as the cells of a table, tidy.

    Parameters
    ----------
    measured : LENGTH_BIAS table of all runs and probes
    published : the paper's printed table, optional
    job : LengthBiasTableJob

    Returns
    -------
    PUBLISHABLE table
        As `laid_out` has it; changes have intervals.  Without a printed table `published_row` is what the row
        says, so that claims find it.

    Raises
    ------
    ConfigError
        The paper has no row of the name that a row gives.
    """
    found = measured.set_index(["run", "probe", "label", "added", "comparison"]).to_dict("index")

    def cells(row: BiasTableRow, run: str) -> dict[str, dict]:
        shown = {}
        for name, column in job.columns:
            values = found.get((run, row.probe, row.label, column.added, column.comparison), {"n": 0})
            ends = ("low", "high") if column.measure == "change" else ()
            cell = {"value": values.get(column.measure), **{end: values.get(end) for end in ends}}
            shown[name] = {**NOTHING, **cell, "n": values["n"]} if values["n"] else NOTHING
        return shown

    parts = []
    for number, row in enumerate(job.rows):
        named = row if published is not None else row.model_copy(update={"published": None})
        part = laid_out(partial(cells, row), published, job.model_copy(update={"rows": [named]}))
        parts.append(part.assign(row=number, published_row=row.published or ""))
    return pd.concat(parts, ignore_index=True).astype(NUMBERS)


def length_bias_csv(tidy: pd.DataFrame, job: LengthBiasTableJob) -> pd.DataFrame:
    """Return the printed table with the world in front, and pairs and a note behind each row."""
    table = printed_table(tidy, DECIMALS, intervals=True)
    table.insert(0, "world", job.world)
    table["pairs"] = _pairs(tidy)
    table["note"] = [row.note for row in job.rows]
    return table


def _pairs(tidy: pd.DataFrame) -> list[int]:
    """Return the number of pairs of each row."""
    return tidy.groupby("row", sort=True).n.max().tolist()


def length_bias_markdown(tidy: pd.DataFrame, published: pd.DataFrame | None, job: LengthBiasTableJob) -> str:
    """Write the table for people; the paper's numbers only if the world does not make its own text."""
    table = printed_table(tidy, DECIMALS, intervals=True).replace("", "–").assign(pairs=_pairs(tidy))
    parts = [
        f"# {job.table}",
        job.caption,
        f"World `{job.world}`: {job.world_description}.",
        markdown_table(table),
        f"![{job.table}]({job.table}.png)",
        bullets(_notes(tidy, job)),
    ]
    if published is not None and not job.generated:
        labels, columns = [row.published for row in job.rows], [name for name, _ in job.columns]
        theirs = published_table(printed_rows(job.table, published, job.layout), labels, columns, DECIMALS)
        parts += ["## The paper's numbers", f"As printed in: {job.source}.", markdown_table(theirs)]
    return joined([*parts, *deviation_parts(job.deviations)])


def _notes(tidy: pd.DataFrame, job: LengthBiasTableJob) -> list[str]:
    notes = [f"{seeds_note(job.seeds)}. In brackets: 95 % bootstrap intervals over pairs."]
    notes += [
        f"{name}: {_COMPARISONS[column.comparison].format(added=_ADDED[column.added])}, "
        f"{_MEASURES[column.measure]}."
        for name, column in job.columns
    ]
    counts: dict[tuple[str, str], int] = {}
    for row, n in zip(job.rows, _pairs(tidy), strict=True):  # a row without an encoder has none
        counts[row.probe, row.label] = max(n, counts.get((row.probe, row.label), 0))
    notes += [_probe_note(name, label, n, job.probes[name]) for (name, label), n in counts.items()]
    notes += row_notes(job.rows)
    if job.generated:
        notes.append(f"World {job.world} makes its own text: these numbers do not compare with any paper's.")
    return notes + job.notes


_ADDED = {"filler": "the filler in front", "marks": "English punctuation marks at random gaps"}
_COMPARISONS = {
    "equalised": "the shorter sentence lengthened by {added} until both are equally long",
    "diverged": "the longer sentence lengthened by {added} in the same ratio",
    "bias": "both equally long against lengths further apart, each by the same share of {added}",
}
_MEASURES = {
    "change": "mean change of the cosine",
    "before": "mean cosine before",
    "after": "mean cosine after",
}


def _probe_note(name: str, label: str, n: int, probe: LengthProbe) -> str:
    """Say which pairs a probe took, and whether it found as many as it wanted."""
    score = f"of {probe.positive:g} or more" if label == "positive" else f"of {probe.negative:g} or less"
    found = f"{n} {label} pairs" + ("" if n == probe.pairs else f", where {probe.pairs} are wanted")
    return (
        f"Probe {name}: {found}; test splits of {', '.join(probe.tasks)} "
        f"(scores up to {TASKS[probe.tasks[0]].high:g}), a gold score {score}, lengths that differ by "
        f"{probe.difference} {probe.unit} or more; filler '{probe.filler}'."
    )
