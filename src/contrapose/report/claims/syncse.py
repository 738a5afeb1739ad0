"""The claims of SynCSE (synthetic positives and negatives, 2023), `config/studies/syncse/claims.csv`."""

from contrapose.report.claims.cell_arrays import Tables
from contrapose.report.claims.verdict import Verdict, mean_of, verdict, within
from contrapose.report.scores import AVERAGE

OURS, DROPOUT = "SynCSE-partial-RoBERTa-base", "SimCSE-RoBERTa-base"


def syncse_01_beats_unsupervised_simcse(tables: Tables) -> Verdict:
    """Averages of the seven STS sets."""
    return verdict({OURS: tables["sts"].above(OURS, DROPOUT, AVERAGE)})


def syncse_02_is_close_to_supervised_simcse(tables: Tables) -> Verdict:
    """The averages differ by less than a point."""
    apart = tables["sts"].above(OURS, f"supervised {DROPOUT}", AVERAGE)
    close = within(apart, 1.0)
    return verdict({OURS: apart}, close, holds=mean_of(close) > 0)
