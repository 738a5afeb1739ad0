"""Resamples from influences: their variance, and what columns and rows have in common."""

import numpy as np
import pytest

from contrapose.evaluate.influence import mean, spearman
from contrapose.report.resampling import Resamples, scored_pairs
from contrapose.tables import BENCHMARK, write_table
from tests.tables import benchmark


def test_the_variance_of_resamples_is_that_of_the_influences():
    rng = np.random.default_rng(0)
    gold = rng.normal(size=500)
    found = spearman(gold + rng.normal(size=500), gold)
    resampled = Resamples(4000)("stsb", found.value, found.influence)
    assert resampled.mean() == pytest.approx(found.value, abs=0.003)
    assert resampled.var() == pytest.approx((found.influence**2).sum() / 500**2, rel=0.07)


def test_scores_of_one_set_are_drawn_alike():
    values = np.random.default_rng(1).normal(size=40)
    resamples = Resamples(50)
    resampled = resamples("x", values.mean(), mean(values).influence)
    assert resamples("x", 0.0, mean(values).influence) == pytest.approx(resampled - values.mean(), abs=1e-6)


def test_pairs_of_two_sets_that_share_a_sentence_are_drawn_together(tmp_path):
    rows = [(f"a{at}", f"b{at}", float(at)) for at in range(30)]
    sets = [benchmark(rows, task, form="raw") for task in ("sts12", "stsb")]
    others = benchmark([(f"c{at}", f"d{at}", 1.0) for at in range(30)], "sickr", form="raw")
    files = []
    for number, table in enumerate([*sets, others]):
        files.append(tmp_path / f"{number}.parquet")
        write_table(table, files[-1], BENCHMARK)
    resamples = Resamples(2000, scored_pairs(files, ["sts12", "stsb", "sickr"], "raw", "test"))
    influence = np.random.default_rng(2).normal(size=30)
    influence -= influence.mean()
    same, again, apart = (resamples(task, 0.0, influence) for task in ("sts12", "stsb", "sickr"))
    assert same == pytest.approx(again, abs=1e-6)
    assert abs(np.corrcoef(same, apart)[0, 1]) < 0.1
    assert resamples.effective("sts12", 30) == 30
    assert scored_pairs(files, ["sts12"], "senteval", "test") is None
