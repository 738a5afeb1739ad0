"""Correlations by the length of the shorter sentence, and how printed tables are read."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr

from contrapose.base.errors import TableError
from contrapose.report.about import TableRow
from contrapose.report.published import PrintedLayout, printed_rows
from contrapose.tables import BENCHMARK, COSINES
from tests.kinds import about, file, report

RNG = np.random.default_rng(5)
WORDS = RNG.integers(1, 14, size=(40, 2))
PAIRS = pd.DataFrame(
    [
        ("sickr", "senteval", "test", "sickr", row, f"a{row} " * first, f"b{row} " * second, float(score))
        for row, ((first, second), score) in enumerate(zip(WORDS, RNG.uniform(1, 5, 40), strict=True))
    ],
    columns=BENCHMARK.columns,
)
RUN = PAIRS.assign(cosine=RNG.uniform(-1, 1, 40))[COSINES.columns]
BANDS = [
    {"name": "Original"},
    {"name": ">8", "at_least": 9},
    {"name": "<=8", "at_most": 8},
    {"name": "none", "at_least": 99},
]
PRINTED = pd.DataFrame(
    {"model": ["A", "A", "B", "B"], "subset": [">8", "<=8"] * 2, "Spearman": [1.0, 2, 3, 4]}
)


def table(cosines):
    ours = TableRow(model="SimCSE", runs=["one"], published="A")
    rows = [ours, TableRow(model="other", note="skipped: x")]
    layout = {"rows": ["model"], "below": ["subset", "Spearman"]}
    encoders = [{"model": "m", "encoder": "e"}]
    settings = {"task": "sickr", "bands": BANDS, "rows": encoders, "layout": layout}
    return report(
        "lengths",
        settings,
        about(rows=rows, bootstrap=100),
        [file(cosines, COSINES)],
        PAIRS,
        published=PRINTED,
    )


def test_each_band_has_the_correlation_of_its_pairs_by_the_shorter_sentence():
    made = table(RUN)
    shorter = WORDS.min(axis=1)
    means = made.tidy[made.tidy.seed.isna() & (made.tidy["row"] == 0)].set_index("column")
    for band, chosen in (("Original", shorter > 0), (">8", shorter > 8), ("<=8", shorter <= 8)):
        expected = 100 * spearmanr(RUN.cosine[chosen], PAIRS.score[chosen]).statistic
        assert means.value[band] == pytest.approx(expected, abs=1e-10)
        assert means.n[band] == chosen.sum()
        assert means.ci_low[band] <= means.value[band] <= means.ci_high[band]
        assert len(means.resampled[band]) == 100  # for claims, the same pairs in every band
    assert np.isnan(means.value["none"])
    assert means.published.dropna().to_dict() == {">8": 1, "<=8": 2}
    assert f"Pairs: Original 40, >8 {(shorter > 8).sum()}" in made.markdown
    says = r"1 of 40 pairs have no cosine\. Build it again: contrapose run --force -- "
    with pytest.raises(TableError, match=says):
        table(RUN.head(39))


def test_a_printed_table_may_have_our_rows_side_by_side():
    table = pd.DataFrame({"encoder": ["x", "y"], "lambda_0.1": [1.0, 2.0], "lambda_0.2": [3.0, np.nan]})
    found = printed_rows("t", table, PrintedLayout(rows=["encoder"], across="Mean"))
    assert found == {
        "x: lambda_0.1": {"Mean": 1.0},
        "y: lambda_0.1": {"Mean": 2.0},
        "x: lambda_0.2": {"Mean": 3.0},
        "y: lambda_0.2": {},  # a row of the paper's whose number is not there
    }
