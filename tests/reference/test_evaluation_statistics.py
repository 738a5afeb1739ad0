"""Correlations and averages against scipy, worked values and a paper's printed table."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import pearsonr, rankdata, spearmanr

from contrapose.evaluate.evaluation import RunSettings
from contrapose.evaluate.suite import sts_scores
from contrapose.report.scores import average
from tests.tables import scored

TABLE = Path(__file__).parents[2] / "config/studies/thesis/published/table4_1.csv"
COLUMNS = ["STS12", "STS13", "STS14", "STS15", "STS16", "STS-B", "SICK-R"]


def test_correlations_equal_those_of_scipy():
    data = np.random.default_rng(7)
    gold = np.round(5 * data.random(500), 1)  # many ties, as in real gold scores
    cosines = gold / 5 + data.normal(0, 0.3, 500)
    scores = sts_scores(scored(gold, "sts12"), cosines, RunSettings(run="x"))
    found = scores.set_index(["metric", "aggregation"]).value
    assert found["spearman", "all"] == pytest.approx(spearmanr(cosines, gold).statistic, abs=1e-12)
    assert found["spearman", "all"] == pytest.approx(
        np.corrcoef(rankdata(cosines), rankdata(gold))[0, 1], abs=1e-12
    )
    assert found["pearson", "all"] == pytest.approx(pearsonr(cosines, gold).statistic, abs=1e-12)


def test_the_printed_averages_follow_from_the_printed_cells():
    printed = pd.read_csv(TABLE)
    assert len(printed) == 8
    for row in printed.to_dict("records"):
        # Some rows were averaged before rounding, which moves the second decimal by one at most.
        assert average([row[name] for name in COLUMNS]) == pytest.approx(row["Avg."], abs=0.0101), row[
            "model"
        ]
