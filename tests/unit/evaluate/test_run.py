"""Scores of a run whose encoder is there, and of one that had nothing to be trained on."""

from pathlib import Path

from contrapose.evaluate.jobs import EvaluationJob
from contrapose.evaluate.run import run_scores
from contrapose.tables import BENCHMARK, COSINES, SCORES, checked_arrays, empty
from contrapose.train.left_out import leave_out


def test_a_run_without_pairs_has_tables_without_rows_and_the_reason(tmp_path: Path):
    leave_out("pairs: none", tmp_path / "encoder", tmp_path / "history.parquet", {})
    job = EvaluationJob(run="p/r/seed1", bootstrap=100)
    scores, cosines, told = run_scores(empty(BENCHMARK), job, str(tmp_path / "encoder"), "cpu", 8)
    assert told == {"lacking": "pairs: none"}
    for rows, table in ((scores, SCORES), (cosines, COSINES)):
        assert rows.empty
        checked_arrays(rows, "made", table)
