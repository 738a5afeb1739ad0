"""Tables and figures of what fine-tuned encoders are worth."""

import pandas as pd
import pytest
from contrapose.jobs import CurveJob, STSTableJob
from contrapose.report.curves import curve_points
from contrapose.report.sts_table import printed_table, selected_rows, sts_table

from contrapose.errors import TableError
from contrapose.report.about import SELECTED, Candidate, TableRow
from contrapose.report.files import csv_table, sts_markdown

PUBLISHED = pd.DataFrame({"group": ["English"], "model": ["Ours"], "SNLI": [0.904], "STS-B": [0.841]}).assign(
    **{"Avg.": [0.838]}
)
ABOUT = {"table": "p_table3", "caption": "c", "source": "A paper", "world": "tiny", "world_description": "d"}
COLUMNS = [("SNLI", "snli", "macro_f1"), ("STS-B", "stsb_pairs", "spearman")]


def job(**changed) -> STSTableJob:
    rows = [TableRow(group="English", model="Ours", runs=["p/r/seed42"], published="English: Ours")]
    own = {
        "generated": False,
        "seeds": [42],
        "columns": COLUMNS,
        "fine_tuned": True,
        "form": "raw",
        "rows": rows,
    }
    return STSTableJob(**{**ABOUT, **own, **changed})


def scores(**values) -> pd.DataFrame:
    """Scores of runs on test and dev: run=(SNLI, STS-B, SNLI on dev, STS-B on dev); None: not scored."""
    rows = []
    for run, of_run in values.items():
        cases = [("test", *COLUMNS[0][1:]), ("test", *COLUMNS[1][1:])]
        cases += [("dev", *COLUMNS[0][1:]), ("dev", *COLUMNS[1][1:])]
        for (split, task, metric), value in zip(cases, of_run, strict=True):
            if value is not None:
                about = {"run": run.replace("__", "/"), "task": task, "form": "raw", "split": split}
                ours = {"value": value, "low": value - 0.01, "high": value + 0.01, "n": 9824}
                rows.append({**about, "metric": metric, "aggregation": "all", **ours})
                rows.append({**about, "metric": "accuracy", "aggregation": "all", **ours, "value": 0.111})
    return pd.DataFrame(rows)


def test_cells_are_fractions_with_three_decimals_and_the_average_rounds_nothing():
    tidy = sts_table(scores(p__r__seed42=(0.90449, 0.84049, 0.5, 0.5)), PUBLISHED, job())
    assert printed_table(tidy, 3).iloc[0, 2:].tolist() == ["0.904", "0.840", "0.872"]
    means = tidy[tidy.seed.isna()].set_index("column")
    assert means.value["Avg."] == pytest.approx((0.90449 + 0.84049) / 2)
    assert means.published.to_dict() == {"SNLI": 0.904, "STS-B": 0.841, "Avg.": 0.838}
    assert csv_table(tidy, job(), {}).iloc[0]["STS-B"] == "0.840"
    text = sts_markdown(tidy, PUBLISHED, job(), {})
    assert "| English: Ours | 0.904 | 0.841 | 0.838 |" in text
    assert "Avg.: mean of the columns." in text
    assert "0.838" not in sts_markdown(tidy, PUBLISHED, job(generated=True), {})


def test_the_spread_is_that_over_seeds_also_of_encoders_that_are_only_fine_tuned():
    rows = [TableRow(group="English", model="none", runs=["released/b/seed42", "released/b/seed43"])]
    found = scores(released__b__seed42=(0.8, 0.7, 0, 0), released__b__seed43=(0.82, 0.7, 0, 0))
    tidy = sts_table(found, None, job(rows=rows, seeds=[42, 43]))
    assert printed_table(tidy, 3).SNLI.tolist() == ["0.810 ± 0.014"]


def test_a_task_without_scores_is_an_empty_cell_and_the_average_says_so():
    tidy = sts_table(scores(p__r__seed42=(0.9, None, 0.5, None)), PUBLISHED, job())
    printed = printed_table(tidy, 3).iloc[0]
    assert (printed["STS-B"], printed["Avg. of 1"]) == ("", "0.900")
    two = [*job().rows, TableRow(model="other", runs=["p/q/seed42"])]
    with pytest.raises(TableError, match="--forcerun evaluate_fine_tuned"):
        sts_table(scores(p__r__seed42=(0.9, 0.8, 0, 0), p__q__seed42=(0.9, None, 0, 0)), None, job(rows=two))


def test_settings_are_selected_by_the_mean_of_the_columns_on_dev():
    # q is best on SNLI's dev and on every test split, r on the mean.
    found = scores(p__q__seed42=(0.9, 0.9, 0.8, 0.2), p__r__seed42=(0.1, 0.1, 0.6, 0.5))
    settings = [("pairs.threshold=0.2", "p/q/seed42"), ("pairs.threshold=0.4", "p/r/seed42")]
    row = TableRow(model="Ours", candidates=[Candidate(setting=name, runs=[run]) for name, run in settings])
    (selected,) = selected_rows([row], found, "raw", job().columns)
    assert selected.runs == ["p/r/seed42"]
    assert selected.note == "pairs.threshold=0.4, best of 2 settings on dev sets (0.550)"
    lacking = scores(p__q__seed42=(0.9, 0.9, 0.8, None), p__r__seed42=(0.1, 0.1, 0.6, 0.5))
    with pytest.raises(TableError, match="p/q/seed42 has no score on dev sets"):
        selected_rows([row], lacking, "raw", job().columns)


def test_a_curve_has_a_line_per_language_and_one_more_of_what_a_search_selects():
    def table(group: str, best: float) -> pd.DataFrame:
        runs = {
            "0.2": f"{group}__a__seed42",
            "0.4": f"{group}__b__seed42",
            f"0.4{SELECTED}": f"{group}__c__seed42",
        }
        rows = [
            TableRow(group=group, model=name, runs=[run.replace("__", "/")]) for name, run in runs.items()
        ]
        values = zip(runs.values(), (0.5, 0.6, best), strict=True)
        return sts_table(
            scores(**{run: (0, 0, v, v) for run, v in values}), None, job(rows=rows, split="dev")
        )

    points = [("0.2", 0.2), ("0.4", 0.4)]
    curve = CurveJob(
        **{**ABOUT, "table": "p_fig2", "generated": True, "of": ["fig2_en", "fig2_ja"], "column": "Avg."},
        points=points,
        axis="theta",
        logarithmic=False,
    )
    tables = {"fig2_en": table("English", 0.7), "fig2_ja": table("Japanese", 0.8)}
    found = curve_points(tables, curve)
    drawn = {line: list(zip(own.x, own.value.round(3), strict=True)) for line, own in found.groupby("line")}
    assert drawn == {
        "English": [(0.2, 0.5), (0.4, 0.6)],
        "English, selected": [(0.4, 0.7)],
        "Japanese": [(0.2, 0.5), (0.4, 0.6)],
        "Japanese, selected": [(0.4, 0.8)],
    }
