import numpy as np
import pandas as pd
import pytest

from contrapose.base.errors import TableError
from contrapose.report.about import Candidate, TableRow
from contrapose.report.scores import ScoreColumn, ScoreTable
from contrapose.tables import BENCHMARK, SCORES, empty
from tests.kinds import about, file, report

PUBLISHED = pd.DataFrame(
    {"group": ["English"], "model": ["Ours"], "SNLI": [0.904], "STS-B": [0.841], "Avg.": [0.838]}
)
CASES = [
    (split, *each) for split in ("test", "dev") for each in (("snli", "macro_f1"), ("stsb_pairs", "spearman"))
]
OURS = TableRow(group="English", model="Ours", runs=["p/r/seed42"], published="English: Ours")


def scores(**values) -> pd.DataFrame:
    """Scores of runs on test and dev: run=(SNLI, STS-B, SNLI on dev, STS-B on dev); None: not scored."""
    rows = []
    for run, of_run in values.items():
        for (split, task, metric), value in zip(CASES, of_run, strict=True):
            if value is not None:
                facts = {"run": run.replace("__", "/"), "task": task, "form": "raw", "split": split}
                ours = {"value": value, "ci_low": value - 0.01, "ci_high": value + 0.01, "n": 9824}
                ours["influence"] = np.resize([1.0, -1.0], 9824)
                rows.append({**facts, "metric": metric, "aggregation": "all", **ours})
                rows.append({**facts, "metric": "accuracy", "aggregation": "all", **ours, "value": 0.111})
    return pd.DataFrame(rows)


def table(found, published=None, rows=(OURS,), split="test", absent=(), **facts):
    metrics = {"SNLI": {"task": "snli", "metric": "macro_f1"}, "STS-B": "stsb_pairs"}
    groups = dict.fromkeys(row.group for row in rows)
    settings = {
        "columns": {name: dict.fromkeys(groups, each) for name, each in metrics.items()},
        "rows": [{"group": group, "model": "m", "encoder": "e"} for group in groups],
        **{"fine_tuning": "pair-tasks", "split": split},
    }
    without = [
        file(empty(SCORES), SCORES, settings={"run": run}, wildcards={}, unavailable="pairs: 3 of 9")
        for run in absent
    ]
    inputs = [file(scores(**found), SCORES), *without], [file(empty(BENCHMARK), BENCHMARK)]
    return report("fine_tuned", settings, about(rows=list(rows), **facts), *inputs, published=published)


def test_cells_have_three_decimals_and_the_average_is_exact():
    found = {"p__r__seed42": (0.90449, 0.84049, 0.5, 0.5)}
    made = table(found, PUBLISHED)
    scored = ["SNLI", "SNLI, published", "STS-B", "STS-B, published", "Avg.", "Avg., published"]
    assert made.csv.loc[0, scored].tolist() == ["0.904", "0.904", "0.840", "0.841", "0.872", "0.838"]
    means = made.tidy[made.tidy.seed.isna()].set_index("column")
    assert means.value["Avg."] == pytest.approx((0.90449 + 0.84049) / 2)
    assert means.published.to_dict() == {"SNLI": 0.904, "STS-B": 0.841, "Avg.": 0.838}
    assert "Avg.: mean of the columns." in made.markdown


def test_settings_are_selected_by_the_mean_of_the_columns_on_dev():
    # q is best on SNLI's dev and on every test split, r on the mean.
    found = {"p__q__seed42": (0.9, 0.9, 0.8, 0.2), "p__r__seed42": (0.1, 0.1, 0.6, 0.5)}
    settings = {"pairs.threshold=0.2": "p/q/seed42", "pairs.threshold=0.4": "p/r/seed42"}
    tried = [Candidate(setting=name, runs=[run]) for name, run in settings.items()]
    rows = [TableRow(group="English", model="Ours", candidates=tried)]
    made = table(found, rows=rows)
    assert made.tidy.run[0] == "p/r/seed42"
    assert made.csv.note[0].startswith("pairs.threshold=0.4, best of 2 settings on dev sets (0.550)")
    with pytest.raises(TableError, match="p/q/seed42 has no score on dev sets"):
        table({**found, "p__q__seed42": (0.9, 0.9, 0.8, None)}, rows=rows)


def test_a_setting_with_too_few_pairs_is_no_candidate():
    settings = {"pairs.size=40": "p/q/seed42", "pairs.size=160": "p/r/seed42"}
    tried = [Candidate(setting=name, runs=[run]) for name, run in settings.items()]
    rows = [
        TableRow(group="English", model="Ours", candidates=tried),
        TableRow(group="English", model="many", runs=["p/r/seed42"]),
        TableRow(group="English", model="all too many", candidates=tried[1:]),
    ]
    made = table({"p__q__seed42": (0.9, 0.9, 0.8, 0.2)}, rows=rows, absent=["p/r/seed42"])
    assert made.csv.SNLI.tolist() == ["0.900", "", ""]
    assert made.csv.note.tolist()[0].startswith("without pairs.size=160; pairs.size=40, best of 1 settings")
    assert made.csv.note.str.startswith("skipped: pairs: 3 of 9").tolist() == [False, True, True]
    assert made.markdown.count("skipped: pairs: 3 of 9\n") == 1
    with pytest.raises(TableError, match="p/r/seed42 has no score on dev sets"):  # nobody knows why
        table({"p__q__seed42": (0.9, 0.9, 0.8, 0.2)}, rows=rows)


def test_groups_with_other_sets_in_a_column_are_apart():
    sets = {"English": "snli", "Japanese": "jnli", "English again": "snli"}
    table = ScoreTable([ScoreColumn("RTE", task, "macro_f1", group) for group, task in sets.items()])
    for name in ("RTE", "Avg."):
        first, japanese, second = (table.held(group, name) for group in sets)
        assert first == second != japanese
