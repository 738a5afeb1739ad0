"""Tables as files that people read: CSV and Markdown."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pandas as pd

from contrapose.config.studies import Deviation
from contrapose.jobs import RewritesTableRow, STSTableJob, TableRow
from contrapose.report.choice import choice_lines, chosen, spread_table
from contrapose.report.published import printed_rows, published_table
from contrapose.report.sts_table import (
    BEST_ON_DEV,
    BEST_SEED,
    column_names,
    decimals_of,
    dev_column,
    has_average,
    printed_average,
    printed_table,
    size_notes,
)
from contrapose.tables import written

LABELS = (
    "group",
    "model",
    "label",
    "relation",
    "text",
    "llm",
    "claim",
    "verdict",
    "one by one",
    "paper's numbers",
)  # columns of words, not of numbers


def csv_table(tidy: pd.DataFrame, job: STSTableJob, left_out: dict[str, str]) -> pd.DataFrame:
    """Return the printed table with the world in front and a note behind each row.

    Parameters
    ----------
    tidy : PUBLISHABLE table
    job : STSTableJob
    left_out : dict of printed name: expected file
    """
    table = printed_table(tidy, decimals_of(job))
    common = [f"left out: {name} ({path} is not there)" for name, path in left_out.items()]
    common += size_notes(tidy, job)
    table.insert(0, "world", job.world)
    if job.choose_among:
        best = chosen(tidy, job)
        table["best in"] = [best.get(number, "") for number in range(len(job.rows))]
    table["note"] = ["; ".join(filter(None, [row.note, *common])) for row in job.rows]
    return table


def write_csv(table: pd.DataFrame, path: str | Path) -> None:
    """Write a CSV file with a header line and Unix line ends."""
    with written(path) as draft:
        table.to_csv(draft, index=False, lineterminator="\n")


def write_text(text: str, path: str | Path) -> None:
    """Write a UTF-8 text file."""
    with written(path) as draft:
        draft.write_bytes(text.encode())


def sts_markdown(
    tidy: pd.DataFrame,
    published: pd.DataFrame | None,
    job: STSTableJob,
    left_out: dict[str, str],
    cuts: Mapping[str, str] | None = None,
) -> str:
    """Write the table for people: what it is, the numbers, what is missing, what we did otherwise.

    The paper's numbers stand in a table of their own, and not at all if the world makes its own text.

    Parameters
    ----------
    tidy : PUBLISHABLE table
    published : the paper's printed table, optional
    job : STSTableJob
    left_out : dict of printed name: expected file
    cuts : mapping of run: what its maximum length cut off, optional
        See `cut_texts`.
    """
    decimals = decimals_of(job)
    table = printed_table(tidy, decimals)
    parts = [
        f"# {job.table}",
        job.caption,
        f"World `{job.world}`: {job.world_description}.",
        markdown_table(table.replace("", "–")),
        f"![{job.table}]({job.table}.png)",
        bullets([*_notes(tidy, job, left_out, list(table.columns)), *_cut_notes(job, cuts or {})]),
    ]
    if job.choose_among:
        parts += ["## The choice, and how far it can be trusted", bullets(choice_lines(tidy, job))]
        parts += [
            "Standard deviations over the rows of a group and over the seeds of a row. A choice on test sets "
            "is not one that a user can make.",
            markdown_table(spread_table(tidy, job)),
        ]
    if published is not None and not job.generated and any(row.published for row in job.rows):
        parts += ["## The paper's numbers", f"As printed in: {job.source}."]
        columns = [*column_names(job), *filter(None, [job.average])]
        labels = [row.published for row in job.rows]
        theirs = published_table(printed_rows(job.table, published, job.layout), labels, columns, decimals)
        parts += [markdown_table(theirs.replace("", "–"))]
    return joined([*parts, *deviation_parts(job.deviations)])


def cut_texts(log: Mapping) -> str:
    """Say how many texts of a training lost tokens to its maximum length; empty if none did.

    Parameters
    ----------
    log : provenance of a HISTORY table
    """
    if not log.get("cut"):
        return ""
    share, longest = 100 * log["cut"] / log["texts"], log["settings"]["recipe"]["max_length"]
    return f"{share:.1f} % of the training texts are cut after {longest} word pieces"


def _cut_notes(job: STSTableJob, cuts: Mapping[str, str]) -> list[str]:
    """Say what maximum lengths cut off: what several rows have in common once."""
    saying: dict[str, list[str]] = {}
    for row in job.rows:
        if text := next((cuts[run] for run in row.runs if cuts.get(run)), ""):
            saying.setdefault(text, []).append(": ".join(filter(None, [row.group, row.model])))
    return [f"{text}: {', '.join(names)}." for text, names in saying.items()]


def deviation_parts(deviations: Sequence[Deviation]) -> list[str]:
    """Return the section on what a paper leaves open, as parts for `joined`; empty if there is nothing."""
    lines = [f"{each.where}. {each.paper} **Here:** {each.ours}" for each in deviations]
    return ["## Where we differ from the paper, or where it is open", bullets(lines)] if lines else []


def joined(parts: Sequence[str]) -> str:
    """Put the parts of a Markdown text together, the empty ones left out."""
    return "\n\n".join(part for part in parts if part) + "\n"


def markdown_table(table: pd.DataFrame) -> str:
    """Write a table of texts in Markdown."""
    lines = [list(table.columns), [":--" if name in LABELS else "--:" for name in table.columns]]
    lines += table.astype(str).to_numpy().tolist()
    return "\n".join(f"| {' | '.join(_escaped(cell) for cell in line)} |" for line in lines)


def _notes(tidy: pd.DataFrame, job: STSTableJob, left_out: dict[str, str], columns: list[str]) -> list[str]:
    behind = "items" if job.transfer else "pairs"
    interval = f"; the plot shows 95 % bootstrap intervals over {behind}" if len(job.seeds) == 1 else ""
    notes = [f"{seeds_note(job.seeds)}{interval}."]
    average = printed_average(columns, job)
    if any(column.metric in ("accuracy", "f1") for column in job.columns) and not job.transfer:
        notes.append("Accuracy and F1 at thresholds that dev pairs choose, each its own; F1 of label 1.")
    if has_average(job):
        rounded = "" if job.fine_tuned else " after rounding each to two decimals, as SimCSE's code does"
        notes.append(f"{average}: mean of the columns{rounded}.")
    if job.best_of_seeds:
        notes.append(
            f"{average}{BEST_SEED}: the largest of {len(job.seeds)}, a choice on the printed sets, which "
            f"is no honest one; {average}{BEST_ON_DEV}: of the seed that is best on the {dev_column(job)}."
        )
    if has_average(job) and average != job.average:
        notes.append(
            f"{average} covers what is there only: do not compare it with an average over all columns."
        )
    notes += [f"{name} is left out: {path} is not there." for name, path in left_out.items()]
    notes += size_notes(tidy, job)
    notes += row_notes(job.rows)
    if job.generated:
        notes.append(f"World {job.world} makes its own text: these numbers do not compare with any paper's.")
    return notes + job.notes


def seeds_note(seeds: Sequence[int]) -> str:
    """Say how many trainings are behind a row."""
    if len(seeds) == 1:
        return f"One training per row (seed {seeds[0]})"
    numbers = ", ".join(map(str, seeds))
    return f"Mean ± standard deviation over {len(seeds)} trainings per row (seeds {numbers})"


def row_notes(rows: Sequence[TableRow | RewritesTableRow]) -> Iterator[str]:
    """Yield what rows say of themselves: what several say without their names."""
    saying: dict[str, list[str]] = {}
    for row in rows:
        if row.note:
            saying.setdefault(row.note, []).append(": ".join(filter(None, [row.group, row.model])))
    for note, names in saying.items():
        yield note if len(names) > 1 else f"{names[0]}: {note}"


def bullets(lines: Sequence[str]) -> str:
    """Write lines as a Markdown list."""
    return "\n".join(f"- {_one_line(line)}" for line in lines)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _escaped(text: str) -> str:
    return _one_line(text).replace("|", "\\|")
