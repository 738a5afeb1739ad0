"""A table of scores by the share of the sentences that rows are trained on, and whether more would help."""

from collections.abc import Container, Mapping, Sequence
from functools import partial
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
import pandas as pd
from pydantic import Field

from contrapose.base.errors import ConfigError
from contrapose.base.markdown import bullets
from contrapose.jobs.stage import run_of
from contrapose.jobs.status import read_status
from contrapose.report.about import About, row_label
from contrapose.report.cells import scores_of_rows
from contrapose.report.comparison import SECOND
from contrapose.report.comparison_text import p_text
from contrapose.report.inference import LEVEL, Difference, Score, holm, mean_difference
from contrapose.report.kinds.sts import ScoredRows
from contrapose.report.output import Report
from contrapose.report.plots import Files, Layout, draw, point_table
from contrapose.report.row_runs import with_poolings
from contrapose.report.row_settings import BaselineRow, Row
from contrapose.report.score_report import score_report
from contrapose.settings.ids import changed_id, named
from contrapose.settings.plan import Plan
from contrapose.tables import read_provenance

QUESTION = "Would more sentences help?"
HALF = 0.5  # the share behind the last doubling


def _label(share: float) -> str:
    return f"{100 * share:g} %"


def _share(label: str) -> float:
    return float(label.removesuffix(" %")) / 100


ALL = _label(1)


class LearningCurve(ScoredRows):
    """The methods of another table are also trained on shares of their sentences, for as many steps as on all
    of them.
    """

    kind: Literal["learning_curve"]
    of: str = Field(
        description="This table of kind `sts` is shown, by its full name with the study's prefix, such "
        "as `compare_pairs`. It may be of any study."
    )
    rows: list[str] = Field(  # type: ignore[assignment]  # names of rows
        min_length=1,
        description="These labels name methods of that table. `--config learning_curve_methods=` adds "
        "further ones.",
    )
    shares: list[Annotated[float, Field(gt=0, lt=1)]] = Field(
        [0.25, HALF],
        min_length=1,
        description="Each row is also trained on these shares of its sentences. The whole is the "
        "training of that table.",
    )

    plotted: ClassVar[bool] = True

    def chosen(self, project: Plan, name: str) -> list[Row]:
        """Return the rows of the other table; raise a ConfigError for a name that is not there."""
        table = project.shown(self.of, "sts", f"{name}.of: ").spec
        known = {row_label(row.group, row.model): row for row in table.rows}
        labels = dict.fromkeys([*self.rows, *project.config.learning_curve_methods])
        return [named(known, label, f"{name}.rows: the list of methods of {self.of}") for label in labels]

    def check_in(self, tables: Mapping[str, Any], name: str, project: Plan) -> None:
        for row in self.chosen(project, name):
            kind = project.entry("recipes", row.recipe).kind if row.recipe else "contrastive"
            if kind != "contrastive":
                raise ConfigError(
                    f"{name}.rows: the method '{row.model}' has a recipe of kind {kind}, which cannot "
                    "train on a share of the sentences. Name a method that is trained on pairs."
                )

    def encoder_rows(self, project: Plan, name: str) -> Sequence[Row]:
        rows = []
        for row in self.chosen(project, name):
            plain = row.model_copy(update={"grid": {}, "published": None, "fair_for": None})
            if row.recipe is None:
                rows.append(plain)
                continue
            for share in (*sorted(self.shares), 1.0):
                recipe = changed_id(row.recipe, {"train_fraction": share}) if share < 1 else row.recipe
                changes = {"group": row_label(row.group, row.model), "model": _label(share), "recipe": recipe}
                rows.append(plain.model_copy(update=changes))
        return with_poolings(project, rows)

    def about(self, project: Plan, name: str) -> About:
        about = super().about(project, name)
        notes = [
            (
                "Each share is trained for as many steps as all sentences, so its sentences are repeated "
                "more often. Each seed draws its own shares, and a smaller share is part of a larger one."
            )
        ]
        if project.config.learning_curve_methods:
            notes.append(
                f"{ALL} shows the trainings of {self.of}. If a method was selected there for its "
                "score, its score is likely too high, and so is its difference to the shares."
            )
        return about.model_copy(update={"notes": [*about.notes, *notes]})


def build(spec: LearningCurve, about: About, scores: list[str], sets: list[str]) -> Report:
    """Arrange scores x100, see `score_report`, with differences to all sentences, and to no training."""
    pretrained = [row.model for row in about.rows if row.runs and not row.trained]
    baselines = [BaselineRow(row=ALL), *(BaselineRow(row=each, by="encoder") for each in pretrained[:1])]
    answer = partial(would_help, unseen=_unseen(about), margin=spec.margin)
    report = score_report(spec, about, spec.score_columns, scores, sets, answer=answer, baseline=baselines)
    return report._replace(plot=partial(_plot, report.tidy, spec, about))


def _unseen(about: About) -> set[str]:
    """Return the groups of rows whose trainings on all sentences end before each was in a batch once."""
    logs = map(read_provenance, about.histories)
    counts = {run_of(log): read_status(log).counts for log in logs}
    return {
        row.group
        for row in about.rows
        for each in (counts.get(run, {}) for run in row.runs)
        if row.model == ALL and each.get("pairs_used", 0) * each.get("slots", 1) < each.get("pairs", 0)
    }


def would_help(
    tidy: pd.DataFrame, column: str, unseen: Container[str] = (), margin: float | None = None
) -> str:
    """Answer in Markdown whether more sentences would help, for each row: by its differences to all of them.

    Nothing is said of `unseen` groups, where steps and not sentences are what is short.  What another
    doubling would bring is said by the last one, with its interval, and nothing beyond it.  That the curve
    flattens is said where `bends` shows it, and not because a difference is not significant.
    """
    cells = tidy[tidy.seed.isna() & (tidy.variant == "") & (tidy.column == column) & tidy.difference.notna()]
    cells = cells[cells.baseline == cells["group"].map(lambda group: row_label(group, ALL))]
    bent = bends(tidy, column)
    answers = {
        str(group): _answer(of_row.to_dict("records")[::-1], group in unseen, margin, bent.get(str(group)))
        for group, of_row in cells.groupby("group", sort=False)
    }
    if not answers:
        return f"{QUESTION} This is not known, because no method has two shares with scores."
    short = "; ".join(f"{group}: {answer}" for group, (answer, _) in answers.items())
    return f"{QUESTION} {short}.\n\n" + bullets([f"{group}: {why}." for group, (_, why) in answers.items()])


def bends(tidy: pd.DataFrame, column: str) -> dict[str, Difference]:
    """Return how much more a doubling brings after the largest share than before it, for each row.

    That is below 0 for a curve that flattens.  A difference of differences over test pairs and seeds, with p
    corrected for the number of rows (Holm); of rows with scores for all sentences and two shares or more.
    """
    cells = tidy[tidy.column == column]
    labels = cells.drop_duplicates("row").set_index("row")
    curves: dict[str, dict[float, Score]] = {}
    for row, score in scores_of_rows(cells).items():
        if score.trained:
            curves.setdefault(labels.group[row], {})[_share(labels.model[row])] = score
    found = {}
    for group, curve in curves.items():
        last = sorted(curve)[-3:]
        if last[2:] != [1]:
            continue
        before, after = np.diff(np.log2(last))
        weights = np.array([1 / before, -1 / before - 1 / after, 1 / after])
        values = np.stack([curve[share].values for share in last])
        resampled = np.stack([curve[share].resampled for share in last])
        change = weights @ values, np.tensordot(weights, resampled, 1)
        found[group] = mean_difference(*change, curve[1].freedom)
    corrected = holm([each.p for each in found.values()])
    return {group: each._replace(p=p) for (group, each), p in zip(found.items(), corrected, strict=True)}


def _answer(
    shares: list[dict[str, Any]], unseen: bool, margin: float | None, bend: Difference | None
) -> tuple[str, str]:
    """Return the answer for a row, and the reasons; `shares` are those below all, the largest first."""
    largest = shares[0]
    significant = [each for each in shares if each["p"] <= LEVEL]
    above, below = ([each for each in significant if each["difference"] * sign > 0] for sign in (-1, 1))
    ps = ["" if pd.isna(each["p"]) else f" ({p_text(each['p'])})" for each in shares]
    why = [f"{ALL} has {_gain(each)}{p} vs. {each['model']}" for each, p in zip(shares, ps, strict=True)]
    if unseen:
        return (
            "not known, because training ends before each sentence was used once (raise `steps`)",
            "; ".join(why),
        )
    if pd.isna(largest["p"]):
        return "not known, because each share was trained once (set `seeds` to 3 or more)", "; ".join(why)
    near = largest["model"]
    flattens = bool(above) and bend is not None and bend.difference < 0 and bend.p <= LEVEL
    if flattens and bend:
        less = f"{-bend.difference:.2f} [{-bend.high:.2f}, {-bend.low:.2f}] ({p_text(bend.p)})"
        why.append(f"a doubling brings {less} less after {near} than before")
    if near == _label(HALF):
        why.append(
            f"another doubling brings {_gain(largest)} if it is like the last one; curves mostly flatten"
        )
    if largest in above:
        answer = "probably" + ", but less and less" * flattens
    elif below:
        answer = f"no, because {ALL} is significantly worse than {below[0]['model']}"
    elif flattens:
        answer = (
            f"less and less, because {ALL} is better than {above[0]['model']}, but a doubling brings less "
            f"after {near}"
        )
    elif margin and largest["p_equal"] <= LEVEL:
        answer = f"no, because {near} is within {margin:g} of {ALL}"
    elif above:
        last = "the last doubling" if near == _label(HALF) else f"the step from {near}"
        answer = (
            f"perhaps, because {ALL} is better than {above[0]['model']}, but {last} brought "
            f"{_gain(largest)}, which does not differ significantly from 0"
        )
    else:
        answer = "not shown, because no share differs significantly"
    return answer, "; ".join(why)


def _gain(cell: dict[str, Any]) -> str:
    value, low, high = (-cell[name] for name in ("difference", "difference_high", "difference_low"))
    return f"{value:+.2f} [{low:+.2f}, {high:+.2f}]"


def _plot(tidy: pd.DataFrame, spec: LearningCurve, about: About, files: Files) -> None:
    """Draw scores by share, a line per row: as differences to no training with intervals, if it is a row."""
    cells = tidy[tidy.seed.isna() & (tidy["group"] != "") & ~tidy.column.isin(list(spec.general))]
    compared = cells[cells.variant == SECOND]
    if to := next(iter(compared.baseline), ""):
        low, high = compared.difference_low, compared.difference_high
        cells = compared.assign(value=compared.difference, ci_low=low, ci_high=high, std=np.nan)
    over = f"test pairs and {len(about.seeds)} seeds" if len(about.seeds) > 1 else "test pairs"
    bars = f"95 % interval over {over}" if to or len(about.seeds) == 1 else "standard deviation over seeds"
    share = 100 * cells.model.map(_share)
    points = cells.assign(panel=cells.column, line=cells["group"], label=cells.model, x=np.log2(share))
    layout = Layout(
        "line",
        "share of the sentences",
        f"Spearman x100, vs. {to}" if to else "Spearman x100",
        f"bar: {bars}",
        size=(4.2, 3.6),
        ticks=True,
        guide="zero" if to else "",
        gap=0.04,
    )
    draw(point_table(about, points.sort_values("x", kind="stable")), layout, about, files)
