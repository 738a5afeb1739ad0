"""What stands beside pairs that people look at: the score of their method."""

import pandas as pd
import pytest

from contrapose.report.cells import TYPES
from contrapose.report.look import scores_in_words
from contrapose.tables import CELLS, write_table


@pytest.mark.parametrize(
    ("ranking", "expected"), [("Avg.", "61.00 †, +1.00 [+0.50, +1.50]"), ("old", "40.00 †")]
)
def test_the_score_is_that_of_the_column_that_ranks(tmp_path, ranking, expected):
    about = {"table": "t", "catalog": "c", "row": 0, "model": "a", "run": "", "variant": "", "tied": True}
    gain = {"baseline": "b", "difference": 1.0, "difference_low": 0.5, "difference_high": 1.5}
    rows = [{**about, "column": "Avg.", "value": 61.0, **gain}, {**about, "column": "old", "value": 40.0}]
    texts = dict.fromkeys(("group", "variant", "baseline", "fair_for", "published_row"), "")
    cells = pd.DataFrame([{**texts, "n": 9, **row} for row in rows], columns=CELLS.columns).astype(TYPES)
    write_table(cells, tmp_path / "t.parquet", CELLS, {"status": {"facts": {"ranking column": ranking}}})
    assert scores_in_words(tmp_path / "t.parquet")[0].startswith(expected)
