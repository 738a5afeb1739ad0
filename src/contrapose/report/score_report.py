"""A table of scores as CSV, Markdown and a plot."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from functools import partial
from typing import Any

import pandas as pd

from contrapose.base.markdown import bullets, markdown_table
from contrapose.jobs.stage import run_of
from contrapose.jobs.status import missing_sets, read_status, with_status
from contrapose.report.about import About
from contrapose.report.between_encoders import best_of_encoders
from contrapose.report.cells import BEST_ON_DEV, BEST_SEED
from contrapose.report.comparison import (
    SECOND,
    difference_sections,
    legend,
    marked_ties,
    only_baseline,
    rank_note,
    shown_on,
    summary,
    summary_parts,
)
from contrapose.report.files import shown_table
from contrapose.report.forgetting import forgetting, with_forgetting
from contrapose.report.headers import COMPARISON, COST, SCORE
from contrapose.report.kinds.base import Report, TableSettings
from contrapose.report.recommendation import (
    RANKING,
    RUN,
    VERDICT,
    Recommendation,
    recommendations,
    verdict_text,
)
from contrapose.report.resampling import Resamples, scored_pairs
from contrapose.report.row_costs import Costs, printed_costs, with_costs
from contrapose.report.scores import (
    ScoreColumn,
    ScoreTable,
    score_cells,
    selected_rows,
    size_notes,
    unavailable_columns,
    unscored_notes,
)
from contrapose.report.table_plots import scores_plot
from contrapose.tables import SCORES, read_provenance, read_tables


def score_report(
    spec: TableSettings,
    about: About,
    columns: Sequence[ScoreColumn],
    scores: Sequence[str],
    sets: Sequence[str],
    costs: Costs | None = None,
    answer: Callable[[pd.DataFrame, str], str] | None = None,
    **fixed: Any,
) -> Report:
    """Build a table of scores from files: `scores`, sets or transfer tasks, and the logs of trainings.

    Fields of its ScoreTable are settings of the same name, or `fixed`.  `answer` replaces the recommendation,
    from cells and the name of the column that decides.  Raises TableError if a run lacks a score.
    """
    of_spec = {each.name: getattr(spec, each.name) for each in fields(ScoreTable) if hasattr(spec, each.name)}
    table = ScoreTable(**{**of_spec, **fixed, "columns": columns})
    about, tidy, resamples = _scored(about, table, scores, sets, costs)
    shown = spec.printed_parts(tidy[tidy.variant != SECOND])
    costs_of_rows = printed_costs(tidy, about.rows) if table.costs else pd.DataFrame(index=shown.index)
    shown = shown.join(pd.concat({COST: costs_of_rows}, axis=1))
    average = table.deciding(tidy.column)
    compared = [average] if table.has_average else table.names
    said = recommendations(tidy, compared, table.names, table.decimals, table.items, table.margin, about.rows)
    said = with_forgetting(said, tidy, about, table.general, table.decimals)
    if table.by_encoder and table.costs:
        said = [*best_of_encoders(said, tidy, about, average, table.decimals), *said]
    said = [Recommendation(answer(tidy, average))] if answer else said
    body, sections = _arranged(tidy, marked_ties(tidy, shown), table, average, about)
    means = legend(tidy, about, table.items, table.margin, shown)
    forgotten = [forgetting(tidy, about, average, column, table.decimals) for column in table.general]
    absent, sizes = unavailable_columns(table, missing_sets(sets)), size_notes(tidy, table, about)
    notes = _notes(tidy, table, about, absent, average)
    best, choice = _choice(tidy, table, about)
    return spec.report(
        about,
        with_status(tidy, facts=_facts(said, tidy, average)),
        [*notes, *sizes, *_sharing(tidy, table, resamples), *_order(tidy, average, about)],
        *sections,
        *choice,
        columns=[*table.names, *filter(None, [table.average])],
        shown=shown,
        body="\n\n".join(filter(None, [verdict_text(said), body, means, *forgotten])),
        csv=shown.join(pd.concat({COMPARISON: best}, axis=1)),
        first=test_origins(columns, sets),
        common=[*(f"left out: {name} ({path} is missing)" for name, path in absent.items()), *sizes],
        plot=partial(scores_plot, tidy, about, table.measure),
    )


def _scored(
    about: About, table: ScoreTable, scores: Sequence[str], sets: Sequence[str], costs: Costs | None
) -> tuple[About, pd.DataFrame, Resamples]:
    """Return cells with their costs, and what is known with the files: selected runs, notes of trainings.

    What several rows have in common is noted once.
    """
    rows = read_tables(scores, SCORES)
    about = about.model_copy(update={"rows": selected_rows(about.rows, rows, table)})
    not_used = {run_of(log): skipped_and_cut(log) for log in map(read_provenance, about.histories)}
    labels: dict[str, list[str]] = {}
    for row in about.rows:
        for text in next((not_used[run] for run in row.runs if not_used.get(run)), []):
            labels.setdefault(text, []).append(row.label)
    notes = dict.fromkeys(note for path in sets for note in read_status(path).notes)
    of_rows = [f"{text}: {', '.join(names)}." for text, names in labels.items()]
    of_rows += unscored_notes(rows, table, about)
    about = about.model_copy(update={"notes": [*about.notes, *notes, *of_rows]})
    tasks = [column.task for column in table.columns]
    resamples = Resamples(about.bootstrap, scored_pairs(sets, tasks, table.form, table.split))
    tidy = score_cells(rows, table, about, resamples)
    return about, with_costs(tidy, about.rows, costs) if table.costs and costs else tidy, resamples


def skipped_and_cut(log: Mapping) -> list[str]:
    """Return notes on a training from the metadata of its log: dropout, what its pairs skip, what was cut."""
    status = read_status(log)
    notes = [*status.notes, *["; ".join(status.skipped)] * bool(status.skipped)]
    if cut := status.counts.get("cut"):
        share, longest = 100 * cut / status.counts["texts"], log["settings"]["recipe"]["max_length"]
        notes.append(f"{share:.1f} % of the training texts are cut after {longest} word pieces")
    return notes


def test_origins(columns: Sequence[ScoreColumn], sets: Sequence[str]) -> str:
    """Return how one's own test pairs came about, a sentence for each column of them; empty without any."""
    facts = {task: how for path in sets for task, how in read_status(path).facts.items()}
    return " ".join(f"{each.name}: {facts[each.task]}." for each in columns if each.task in facts)


def _arranged(
    tidy: pd.DataFrame, shown: pd.DataFrame, table: ScoreTable, decides: str, about: About
) -> tuple[str, list[str]]:
    """Return a table as printed, and the sections after the notes: of one with costs a summary comes first.

    `decides` is the column that rows are compared by there.
    """
    sections = difference_sections(tidy, table.decimals)
    if not table.costs:
        not_general = ~tidy.column.isin(list(table.general))
        return shown_table(shown), [*sections, rank_note(tidy[tidy.seed.isna() & not_general])]
    scores = [name for name in dict.fromkeys(tidy.column) if (SCORE, name) in shown]
    first = summary(tidy, shown, scores, decides, table.decimals)
    if not scores[1:]:
        alone = {(SCORE, scores[0]): (SCORE, table.measure)}
        first.columns = pd.MultiIndex.from_tuples([alone.get(key, key) for key in first.columns])
    body, took = summary_parts(first, shown, about)
    return body, [*(sections if scores[1:] else []), *took]


def _facts(said: Sequence[Recommendation], tidy: pd.DataFrame, decides: str) -> dict[str, str]:
    """Return the column that ranks rows, the first sentence for readers, and a run of the row to use."""
    rows, first = [each.row for each in said if each.row is not None], verdict_text(said).split("\n\n")[0]
    runs = tidy.run[tidy["row"].isin(rows[:1]) & (tidy.run != "")]
    advice = {VERDICT: first, RUN: runs.iloc[0] if len(runs) else ""} if said else {}
    return {RANKING: decides, **advice}


def _order(tidy: pd.DataFrame, column: str, about: About) -> list[str]:
    """Return a note on whether settings that a search selects change the order of the rows in a column."""
    means = tidy[tidy.seed.isna() & (tidy.variant == "") & (tidy.column == column) & tidy.value.notna()]
    values: dict[str, float] = {}
    chosen: dict[str, float] = {}
    for number, value in zip(means["row"], means.value, strict=True):
        row = about.rows[number]
        (values if row.selected_for is None else chosen)[row.selected_for or row.label] = value
    rows = [name for name in values if name in chosen]
    original, selected = (sorted(rows, key=each.__getitem__, reverse=True) for each in (values, chosen))
    if len(rows) < 2:
        return []
    if original == selected:
        return ["Settings that dev pairs select leave the order of the rows as it is."]
    orders = f"{', '.join(selected)}; by those of the study it is {', '.join(original)}"
    return [f"By settings that dev pairs select the order of the rows is {orders}."]


def _sharing(tidy: pd.DataFrame, table: ScoreTable, resamples: Resamples) -> list[str]:
    """Return a note on how many independent pairs those of each set count as, where that is fewer."""
    sizes = tidy[tidy.n > 0].groupby("column").n.first()
    tasks = {column.name: column.task for column in table.columns if column.name in sizes}
    counts = {name: resamples.effective(task, int(sizes[name])) for name, task in tasks.items()}
    fewer = [
        f"{name} {sizes[name]:,} as {count:,.0f}" for name, count in counts.items() if count < sizes[name]
    ]
    return [f"Pairs that share a sentence are no independent evidence; {', '.join(fewer)}."] * bool(fewer)


def _notes(
    tidy: pd.DataFrame,
    table: ScoreTable,
    about: About,
    absent: Mapping[str, str],
    average: str,
) -> list[str]:
    notes = [f"The plot shows 95 % intervals over {table.items}."] * (len(about.seeds) == 1)
    if any(column.metric in ("accuracy", "f1") for column in table.columns) and not table.transfer:
        notes.append("Accuracy and F1 at thresholds that dev pairs choose, each its own; F1 of label 1.")
    if table.has_average:
        rounded = "" if table.fine_tuned else " after rounding each to two decimals, as SimCSE's code does"
        notes.append(
            f"{average}: mean of {'the columns' if not table.general else ', '.join(table.names)}{rounded}."
        )
    if table.best_of_seeds:
        notes.append(
            f"{average}{BEST_SEED}: the largest of {len(about.seeds)} seeds, which is selected on the "
            f"printed sets and so too high; {average}{BEST_ON_DEV}: of the seed that is best on the "
            f"{table.dev_column}."
        )
    if table.has_average and average != table.mean_column(len(table.names)):
        notes.append(
            f"{average} is over the available columns only: do not compare it with one over all columns."
        )
    return [
        *notes,
        *(f"{name} is left out: {path} is missing." for name, path in absent.items()),
        *_difference_notes(tidy, table, about),
    ]


def _difference_notes(tidy: pd.DataFrame, table: ScoreTable, about: About) -> list[str]:
    cells = tidy[tidy.baseline != ""]
    if cells.empty:
        names = " or ".join(each.row for each in table.baseline)
        return [f"No row is compared with {names}: it has no numbers, or no other row has."] * bool(names)
    cells = cells[~cells.column.isin(list(table.general))]
    single = len(about.seeds) == 1 and any(row.trained and row.runs for row in about.rows)
    return [] if single else [*_on_sets(cells, table.names), *_power(cells, table.decimals, table.items)]


def _on_sets(cells: pd.DataFrame, sets: Sequence[str]) -> list[str]:
    """Return notes on how many of several sets at least rows are above a baseline or below it."""
    notes = []
    for baseline, compared in cells[cells.column.isin(sets)].groupby("baseline") if sets[1:] else ():
        found: dict[str, dict[str, int]] = {}
        for word, sign in (("Above", 1), ("Below", -1)):
            of_rows = {each.model.iloc[0]: len(shown_on(each, sign)) for _, each in compared.groupby("row")}
            found[word] = {name: number for name, number in of_rows.items() if number}
            counts = ", ".join(f"{name} on {number}" for name, number in found[word].items())
            notes.append(f"{word} {baseline} on at least so many of {len(sets)} sets: {counts or 'no row'}.")
        if mixed := [name for name in found["Above"] if name in found["Below"]]:
            notes.append(f"Help on some sets and harm on others: {', '.join(mixed)}.")
    return notes


def _power(cells: pd.DataFrame, decimals: int, items: str) -> list[str]:
    """Return a note on the least difference that the last compared column shows, and on what halves it.

    To the first baseline, over the rows whose spread over seeds is known well enough.
    """
    first = cells[cells.variant != SECOND]
    last = first[(first.column == cells.column.iloc[-1]) & first.least.notna()]
    if last.empty:
        return []
    least, more_pairs, more_seeds = (last[name].median() for name in ("least", "more_pairs", "more_seeds"))
    ways = {f"test {items}": more_pairs, "seeds": more_seeds}
    finite = [f"{factor:.1f} times the {name}" for name, factor in ways.items() if factor < math.inf]
    takes = f"takes {' or '.join(finite)}" if finite else f"takes more test {items} and more seeds together"
    difference = f"a difference of {least:.{decimals}f} to {only_baseline(last) or 'the baseline'}"
    return [f"{last.column.iloc[0]}: {difference} is found with 80 % (median over rows); half of it {takes}."]


def _choice(tidy: pd.DataFrame, table: ScoreTable, about: About) -> tuple[pd.DataFrame, list[str]]:
    """Return a column of the columns in which each row is best, and the section on the choice among rows.

    `STS-B dev`, `Avg.` or both.  Means over seeds are compared; of equal rows, the first is the best.
    """
    if not table.choose_among:
        return pd.DataFrame(index=range(len(about.rows))), []
    looked_at = tidy.column.isin(table.ours(tidy.column))
    among = tidy["group"].isin(table.choose_among)
    means = tidy[among & looked_at & tidy.seed.isna() & tidy.value.notna()]
    columns_of: dict[int, list[str]] = {}
    for column, values in means.groupby("column", sort=False):
        columns_of.setdefault(int(values.loc[values.value.idxmax(), "row"]), []).append(str(column))
    best = {number: " and ".join(columns) for number, columns in columns_of.items()}
    return pd.DataFrame({"best in": [best.get(number, "") for number in range(len(about.rows))]}), [
        "## The choice, and how far it can be trusted",
        bullets([f"Best in {columns}: {about.rows[number].label}." for number, columns in best.items()]),
        "Standard deviations over the rows of a group and over the seeds of a row. A choice on test sets "
        "is not one that a user can make.",
        markdown_table(_spreads(means)),
    ]


def _spreads(means: pd.DataFrame) -> pd.DataFrame:
    """Return how far apart the rows of a group are, and how far the seeds of a row: `–` for fewer than two.

    Mean and standard deviation of the rows' means over seeds; `over seeds` is the standard deviation within a
    row, pooled over the rows.
    """
    rows = []
    for (group, column), values in means.groupby(["group", "column"], sort=False):
        pooled = math.sqrt((values.spread**2).mean())
        numbers = (values.value.mean(), values.value.std(ddof=1), pooled)
        texts = [f"{number:.2f}" if pd.notna(number) else "–" for number in numbers]
        rows.append((group, column, len(values), *texts))
    return pd.DataFrame(rows, columns=["group", "column", "rows", "mean", "over rows", "over seeds"])
