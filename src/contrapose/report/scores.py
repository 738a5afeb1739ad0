"""Tables of scores on evaluation sets or transfer tasks: rows are encoders, columns are tasks and metrics."""

import math
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Literal, NamedTuple, cast

import numpy as np
import pandas as pd

from contrapose.base.errors import TableError
from contrapose.base.tasks import TASKS, TRANSFER_ITEMS, Task, TransferTask
from contrapose.report.about import About, Candidate, TableRow
from contrapose.report.cells import BEST_ON_DEV, BEST_SEED, EMPTY_CELL, Cells, cell_table, encoder_cells
from contrapose.report.comparison import baseline_rows, with_differences
from contrapose.report.headers import apart
from contrapose.report.inference import Score
from contrapose.report.resampling import Resamples
from contrapose.report.row_settings import AnyMetric, BaselineRow
from contrapose.settings.spec import TextForm

AVERAGE = "Avg."
DEV = "STS-B dev"  # selects English checkpoints and settings
STSB = ("stsb", "stsb_glue")  # the same pairs in two suites
PERCENT_DECIMALS, FRACTION_DECIMALS = 2, 3  # of numbers x100, and of others
DEV_SETS = "dev sets"  # the mean over them selects settings of encoders of other languages


Form = TextForm | Literal["mteb"]


class ScoreColumn(NamedTuple):
    """A column of a table of scores."""

    name: str  # printed
    task: str  # of mteb any
    metric: AnyMetric = "spearman"
    group: str | None = None  # group of rows that have it; None: all


@dataclass(frozen=True)
class ScoreTable:
    """What a table of scores prints: the scores of a split and form, in columns.

    average : name of the mean of the columns, or None
    best_of_seeds : beside the mean over seeds, show the best by the printed average, and the best on dev
    choose_among : groups of rows to choose among
    transfer : transfer tasks, which have items; else sets of scored pairs
    fine_tuned : tasks that encoders were fine-tuned on: fractions, not rounded; their own dev sets select
    baseline : rows that others are compared with, see `baseline_rows`
    margin : differences within it count as none
    costs : show the costs of rows, and recommend the cheapest that is as good as the highest
    general : columns of what encoders could do before, which are in no average
    """

    columns: Sequence[ScoreColumn]
    split: Literal["dev", "test"] = "test"
    form: Form = "senteval"
    average: str | None = AVERAGE
    best_of_seeds: bool = False
    choose_among: Sequence[str] = ()
    transfer: bool = False
    fine_tuned: bool = False
    baseline: Sequence[BaselineRow] = ()
    margin: float | None = None
    costs: bool = False
    general: Sequence[str] = ()

    @property
    def names(self) -> list[str]:
        """The columns that an average is over."""
        return [
            name for name in dict.fromkeys(column.name for column in self.columns) if name not in self.general
        ]

    @property
    def factor(self) -> int:
        return 1 if self.fine_tuned else 100

    @property
    def decimals(self) -> int:
        """Papers print fractions with three."""
        return FRACTION_DECIMALS if self.fine_tuned else PERCENT_DECIMALS

    @property
    def rounded(self) -> int | None:
        """Decimals to which cells are rounded before averaging; None: no rounding."""
        return None if self.fine_tuned else PERCENT_DECIMALS

    @property
    def items(self) -> str:
        return "items" if self.transfer or self.form == "mteb" else "pairs"

    @property
    def measure(self) -> str:
        """What the columns hold, in words."""
        metrics = dict.fromkeys(each.metric.capitalize().replace("_f1", " F1") for each in self.columns)
        return ", ".join(metrics) + " x100" * (self.factor == 100)

    @property
    def measured(self) -> str:
        """What the column that decides holds, in words."""
        return self.measure + f", mean of {len(self.names)} test sets" * self.has_average

    @property
    def has_average(self) -> bool:
        """A single column needs none."""
        return self.average is not None and len(self.names) > 1

    @property
    def by_encoder(self) -> bool:
        """Whether only rows of the same encoder are compared."""
        return any(each.by == "encoder" for each in self.baseline)

    @property
    def dev_column(self) -> str:
        first = cast(Task, self.columns[0].task)  # no choice is made among rows of transfer tasks
        name = DEV if TASKS[first].suite in ("english", "paraphrase") else DEV_SETS
        return apart(name, [*self.names, *self.general], "dev")

    def mean_column(self, number: int) -> str:
        """Return the name of the mean of so many of the columns; no column of settings has it."""
        name = str(self.average) + f" of {number}" * (number != len(self.names))
        return apart(name, [*self.names, *self.general], "mean")

    def of_group(self, group: str) -> list[ScoreColumn]:
        return [column for column in self.columns if column.group in (None, group)]

    def held(self, group: str, name: str) -> tuple:
        """Return the content of a printed column in the rows of a group: equal contents can be compared."""
        of_group = [(each.name, each.task, each.metric) for each in self.of_group(group)]
        averaged = name not in (*self.names, *self.general)
        return tuple(each for each in of_group if each[0] == name or (averaged and each[0] in self.names))

    def ours(self, names: Iterable[str]) -> list[str]:
        """Return those of the columns of a table that settings do not name: the mean first."""
        return [name for name in dict.fromkeys(names) if name not in (*self.names, *self.general)]

    def deciding(self, names: Iterable[str]) -> str:
        """Return which of the columns of a table holds means: the first if there is no average."""
        return self.ours(names)[0] if self.has_average else self.columns[0].name


def score_cells(scores: pd.DataFrame, table: ScoreTable, about: About, resamples: Resamples) -> pd.DataFrame:
    """Arrange scores as the cells of a table, for the rows of `about`, which have no candidates.

    Cells are the column's metric x100 with aggregation `all`.  The average of a row is the mean of its cells
    after rounding each to two decimals, as SimCSE's code prints it; a single column has none.
    For fine-tuned encoders, cells are fractions and nothing is rounded.
    A column without scores stays in place without values, and the name of the average then gives the number
    of columns, `Avg. of 4`: it is not comparable with a paper's.

    Means over seeds have their difference to the row of the baseline, and whether they tie with the best of
    their column: see `contrapose.report.comparison`.  What `best_of_seeds` adds has none.  An average of
    weights is compared where the trainings that it averages are scored, which say how another would differ.

    Raises a ConfigError if the paper has no row of the name given by a row.
    """
    scored = _scored_cells(scores, table, about, resamples)
    numbers = _numbers_of_columns(scored, table, about)
    cells_of = cache(
        lambda run: _run_cells(scored, run, table, numbers.get(run, max(numbers.values(), default=0)))
    )
    tidy = cell_table(about, encoder_cells(about, cells_of, best=_best(scored, table)))
    compared: dict[str, dict[int, Score]] = {}
    for number, row in enumerate(about.rows):
        per_run = [cells_of(run) for run in row.runs]
        for name in per_run[0] if per_run else ():
            # Dev pairs chose what is compared, and the error of some tasks is not known.
            of_runs = [cells[name] for cells in per_run]
            if any("resampled" not in each or np.isnan(each["resampled"]).all() for each in of_runs):
                continue
            values, resampled = (
                np.array([cells[name][key] for cells in per_run]) for key in ("value", "resampled")
            )
            freedom = min(cells[name]["effective"] for cells in per_run) - 1
            held = (*table.held(row.group, name), row.encoder if table.by_encoder else "")
            averaged = [cells_of(run)[name]["value"] for run in row.averaged]
            if None in averaged:
                continue
            seeds = np.array(averaged) if averaged else None
            compared.setdefault(name, {})[number] = Score(
                values, resampled, freedom, row.trained, held, seeds
            )
    baselines = [baseline_rows(about.rows, each) for each in table.baseline or (None,)]
    means = table.ours(compared)[:1] if table.has_average else []
    averaged_columns = [*means, *table.names] if means else []
    return with_differences(tidy, compared, about.rows, baselines, table.margin, averaged_columns)


def selected_rows(
    rows: Sequence[TableRow], scores: pd.DataFrame, table: ScoreTable, further: str = ""
) -> list[TableRow]:
    """Give every row with candidates the runs of the candidate that is best on dev, averaged over seeds.

    For fine-tuned encoders the mean of the columns on the dev splits counts, for others Spearman's
    correlation on the usual dev sets.  Of equally good candidates the first is taken; the note names it, and
    says if a number is at the end of those that were tried: further ones may be better.  `further` is a note
    of each such row.
    Raises TableError if a candidate has no score on a dev set.
    """
    usual = {} if table.fine_tuned else dev_scores(scores, table.form)
    where = DEV if set(scores.task[scores.split == "dev"]) <= {*STSB} else DEV_SETS

    def mean(candidate: Candidate, dev: Mapping[str, dict]) -> float:
        unscored = [run for run in candidate.runs if run not in dev]
        if unscored:
            raise TableError(
                f"{unscored[0]} has no score on {where}, so no setting can be selected. Check that the "
                "dev set is in the catalog."
            )
        return statistics.fmean(dev[run]["value"] for run in candidate.runs)

    selected = []
    for row in rows:
        if row.candidates:
            dev = column_means(scores, table, row.group) if table.fine_tuned else usual
            best = max(row.candidates, key=partial(mean, dev=dev))
            among, score = f"best of {len(row.candidates)} settings", f"{mean(best, dev):.{table.decimals}f}"
            choice = f"{best.setting}, {among} on {where} ({score}){_at_end(best, row.candidates)}"
            note = "; ".join(filter(None, [row.note, further, choice]))
            row = row.model_copy(update={"runs": best.runs, "candidates": [], "note": note})
        selected.append(row)
    return selected


def _at_end(best: Candidate, tried: Sequence[Candidate]) -> str:
    """Say of which settings with three or more numbers the highest or lowest was selected."""
    settings = pd.DataFrame(dict(s.partition("=")[::2] for s in each.setting.split(",")) for each in tried)
    values = settings.apply(pd.to_numeric, errors="coerce")  # of texts NaN
    numbers = values.loc[:, values.notna().all() & (values.nunique() > 2)]
    ends = {"highest": numbers.max(), "lowest": numbers.min()}
    return "".join(
        f", the {end} {name} tried"
        for end, of_end in ends.items()
        for name in numbers.columns[numbers.iloc[tried.index(best)] == of_end]
    )


def dev_scores(scores: pd.DataFrame, form: Form) -> Cells:
    """Return {run: cell} of the Spearman scores on dev, x100: on STS-B, or the mean of a suite's dev sets."""
    cells: dict[str, list[dict]] = {}
    for (run, _), cell in _cells(scores[(scores.split == "dev") & (scores.form == form)], "spearman").items():
        cells.setdefault(run, []).append(cell)
    return {run: of_run[0] if len(of_run) == 1 else _average_cell(of_run) for run, of_run in cells.items()}


def column_means(scores: pd.DataFrame, table: ScoreTable, group: str) -> Cells:
    """Return {run: cell} of the mean of a group's existing columns on dev, as fractions."""
    dev = scores[(scores.split == "dev") & (scores.form == table.form)]
    cells: dict[str, list[dict]] = {}
    for column in table.of_group(group):
        for (run, _), cell in _cells(dev[dev.task == column.task], column.metric, 1).items():
            cells.setdefault(run, []).append(cell)
    most = max(map(len, cells.values()), default=0)
    return {run: _average_cell(of_run, None) for run, of_run in cells.items() if len(of_run) == most}


def _cells(
    scores: pd.DataFrame, metric: str, factor: int = 100, resamples: Resamples | None = None
) -> dict[tuple[str, str], dict]:
    wanted = scores[(scores.metric == metric) & (scores.aggregation == "all")]
    cells = {}
    for score in wanted.to_dict("records"):
        cell = {"n": score["n"], **{name: factor * score[name] for name in ("value", "ci_low", "ci_high")}}
        if resamples:
            of_pairs = score["task"], score["value"], score["influence"]
            cell["effective"] = resamples.effective(score["task"], score["n"])
            cell["resampled"] = factor * resamples(*of_pairs).astype(float)
        cells[score["run"], score["task"]] = cell
    return cells


def average(values: list[float], decimals: int | None = PERCENT_DECIMALS) -> float:
    """Return the mean of values, rounded before to two decimals unless None.  SimCSE, `evaluation.py`."""
    return statistics.fmean(values if decimals is None else (round(value, decimals) for value in values))


def _scored_cells(
    scores: pd.DataFrame, table: ScoreTable, about: About, resamples: Resamples
) -> dict[tuple[str, str], dict]:
    wanted = scores[(scores.split == table.split) & (scores.form == table.form)]
    cells_of: dict[tuple[str, str], dict] = {}
    for column in table.columns:
        cells = _cells(wanted[wanted.task == column.task], column.metric, table.factor, resamples)
        cells_of |= {(run, column.name): cell for (run, _), cell in cells.items()}
    dev = dev_scores(scores, table.form) if table.choose_among or table.best_of_seeds else {}
    return {**cells_of, **{(run, table.dev_column): cell for run, cell in dev.items()}}


def unscored_notes(scores: pd.DataFrame, table: ScoreTable, rows: Sequence[TableRow]) -> list[str]:
    """Return a note for each row that is empty in a column in which other rows have a score."""
    cells = scores[(scores.split == table.split) & (scores.form == table.form)]
    notes = []
    for column in table.columns:
        scored = {*cells.run[(cells.task == column.task) & (cells.metric == column.metric)]}
        shown = [row for row in rows if row.runs and column.group in (None, row.group)]
        lacking = {row.label: [run for run in row.runs if run not in scored] for row in shown}
        if any(run in scored for row in shown for run in row.runs):
            notes += [
                f"{column.name}: {row.label} has no number, because scores are missing "
                f"({len(lacking[row.label])} of {len(row.runs)} encoders)."
                for row in shown
                if lacking[row.label]
            ]
    return notes


def _numbers_of_columns(scored: dict, table: ScoreTable, about: About) -> dict[str, int]:
    """Return {run: in how many columns of an average a run of a row with the same columns has a score}."""
    most: dict[tuple[ScoreColumn, ...], int] = {}
    columns = {run: tuple(table.of_group(row.group)) for row in about.rows for run in row.runs}
    for run, of_run in columns.items():
        most[of_run] = max(most.get(of_run, 0), sum((run, name) in scored for name in table.names))
    return {run: most[of_run] for run, of_run in columns.items()}


def _run_cells(scored: dict, run: str, table: ScoreTable, number: int) -> Cells:
    """Return the cells of one run, empty cells without a run.

    The average over a `number` of columns comes after them.
    """
    names = table.names
    cells = {name: scored.get((run, name), EMPTY_CELL) for name in names}
    if table.has_average:
        over = [cell for cell in cells.values() if cell["n"]]
        # A run that lacks a score which others have has no average: it would be over other columns.
        cells[table.mean_column(number)] = _average_cell(over if len(over) == number else [], table.rounded)
    cells |= {name: scored.get((run, name), EMPTY_CELL) for name in table.general}
    if table.choose_among or table.best_of_seeds:
        cells[table.dev_column] = scored.get((run, table.dev_column), EMPTY_CELL)
    return cells


def _average_cell(cells: list[dict], decimals: int | None = PERCENT_DECIMALS) -> dict:
    value = average([cell["value"] for cell in cells], decimals) if cells else None
    whole = {"value": value, "n": sum(cell["n"] for cell in cells)}
    if cells and "effective" in cells[0]:
        whole["effective"] = min(cell["effective"] for cell in cells)
        whole["resampled"] = np.mean([cell["resampled"] for cell in cells], axis=0)
    return whole


def _best(scored: dict, table: ScoreTable) -> Callable[[Sequence[str], list[Cells]], Cells] | None:
    if not table.best_of_seeds:
        return None

    def best(runs: Sequence[str], per_run: list[Cells]) -> Cells:
        name = table.deciding(per_run[0])
        by_average = max((cells[name] for cells in per_run), key=lambda cell: cell["value"] or -math.inf)
        scores = [scored.get((run, table.dev_column), EMPTY_CELL)["value"] for run in runs or [""]]
        by_dev = max(zip(scores, per_run, strict=True), key=lambda pair: pair[0] or -math.inf)[1][name]
        chosen = by_dev if any(score is not None for score in scores) else EMPTY_CELL
        first, second = (
            apart(name + which, [*table.names, *table.general], "mean") for which in (BEST_SEED, BEST_ON_DEV)
        )
        return {first: by_average, second: chosen}

    return best


def unavailable_columns(table: ScoreTable, missing: Mapping[str, str]) -> dict[str, str]:
    """Return {printed name: expected file or folder} of columns whose set is missing: see `missing_sets`."""
    sets = {_label(column): f"{column.task}/{table.form}/{table.split}" for column in table.columns}
    return {name: missing[what] for name, what in sets.items() if what in missing}


def size_note(n: int, task: str, split: str = "test", items: str = "pairs") -> str:
    """Return a note if the number of scored pairs or items of a set is not the published one, else ''."""
    # Without a dev part the train part chooses the penalty of transfer tasks; without splits, all items.
    sizes = TASKS[cast(Task, task)].pairs if items == "pairs" else TRANSFER_ITEMS[cast(TransferTask, task)]
    published = next(sizes[name] for name in (split, "train", "all") if name in sizes)
    return "" if published in (n, 0) else f"{n} {items}, {published} as published"


def size_notes(tidy: pd.DataFrame, table: ScoreTable, about: About) -> list[str]:
    """Return the note on the size of every column, named; empty in a catalog that makes its own text."""
    sizes = tidy[tidy.n > 0].groupby(["group", "column"]).n.first()
    notes = {}
    for (group, name), n in () if about.generated or table.form == "mteb" else sizes.items():
        column = next((each for each in table.of_group(group) if each.name == name), None)
        if column is not None:  # otherwise an average
            notes[_label(column)] = size_note(int(n), column.task, table.split, table.items)
    labels = [_label(column) for column in table.columns]
    return [f"{label}: {notes[label]}" for label in labels if notes.get(label)]


def _label(column: ScoreColumn) -> str:
    return column.name if column.group is None else f"{column.name}, {column.group}"
