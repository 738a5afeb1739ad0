"""The claims of RISE on its own printed tables: the verdicts that were read off by hand."""

import numpy as np
import pandas as pd
import pytest

from contrapose.report.claims import claim_functions
from contrapose.report.claims.cells import Cells, MissingCell, printed_cells
from contrapose.report.claims_table import judged
from contrapose.settings.deviations import Claim
from contrapose.settings.rows import PrintedLayout
from tests.reference.printed import claims_of, exchanged, folder

CLAIMS = claims_of("rise")
FUNCTIONS = claim_functions("rise")
LAYOUTS = {
    "table1": ["metric"],
    "table5": ["metric"],
    "table2": ["C_src", "model"],
    "table6": ["C_src", "model"],
    "sdi": ["C_src"],
}
PUBLISHED = {
    name: printed_cells(
        name, pd.read_csv(folder("rise") / "published" / f"{name}.csv"), PrintedLayout(rows=rows)
    )
    for name, rows in LAYOUTS.items()
}
COLUMNS = PUBLISHED["table6"].columns("GloVe")
# Verdict and main difference, worked out by hand from the printed numbers.
NEARER = {  # |bottom - human| - |top - human|: STSb, QQP, MRPC
    "BLEU-N": (31.87 - 9.05, 22.44 - 4.65, 42.94 - 1.56),
    "Jaccard": (36.00 - 8.01, 28.60 - 2.58, 43.03 - 0.22),
    "Distinct-N": (27.50 - 8.60, 14.00 - 12.87, 22.63 - 12.53),
    "BLEU-1": (43.49 - 10.15, 32.48 - 0.94, 46.67 - 2.69),
    "BLEU-2": (35.48 - 10.54, 24.54 - 3.89, 47.20 - 1.77),
    "BLEU-3": (27.31 - 8.63, 18.51 - 6.30, 41.65 - 1.15),
    "BLEU-4": (21.20 - 6.88, 14.23 - 7.48, 36.27 - 0.65),
    "Distinct-1": (6.7 - 3.4, 2.3 - 2.0, 5.3 - 3.5),
    "Distinct-2": (34.7 - 13.2, 16.1 - 14.0, 28.6 - 17.3),
    "Distinct-3": (41.1 - 9.2, 23.6 - 22.6, 34.0 - 16.8),
}
GAINS = {  # RISE - DINO
    "STSb": (0.66, 0.86, 1.33, 1.04, 2.40, 0.85, 2.94),
    "QQP": (13.43, 11.20, 0.15, 0.04, 1.63, 0.95, 1.81),
    "MRPC": (1.96, 2.99, 2.38, 3.12, 0.40, 0.40, 2.00),
}
ABOVE_FILTERING = (
    *(1.38, 1.12, 1.41, 1.14, 3.88, 0.66, 3.52),
    *(13.12, 10.77, -0.13, -0.19, 2.61, 1.09, 2.92),
    *(1.22, 1.98, 3.18, 4.00, 0.63, 1.19, 1.51),
)
ABOVE_RANDOM = (
    *(0.08, 0.18, 1.38, 1.05, 1.75, 0.39, 0.07),
    *(4.87, 4.25, 0.21, 0.01, 2.62, 0.52, -0.69),
    *(1.41, 2.35, 1.71, 2.37, -0.22, 0.24, 1.79),
)
EXPECTED = {
    "rise_01": ("same direction", np.mean(list(NEARER.values()))),
    "rise_02": ("holds", (22.82 + 27.99 + 27.09 + 31.18 + 41.38 + 42.81) / 6),
    "rise_03": ("holds", (3.3 + 0.3 + 1.8 + 21.5 + 2.1 + 11.3 + 31.9 + 1.0 + 17.2) / 9),
    "rise_04": ("holds", (27.87 + 43.05 + 33.21) / 3),
    "rise_05": ("holds", np.mean(list(GAINS.values()))),
    "rise_06": ("same direction", np.mean(ABOVE_FILTERING)),
    "rise_07": ("same direction", np.mean(ABOVE_RANDOM)),
    "rise_08": ("opposite", (4 - 17) / 21),
    "rise_09": ("holds", np.mean([8.56 / 5 - 0.76, 29.02 / 5 - 0.095, 12.45 / 5 - 0.40])),
    "rise_10": ("holds", (13.43 + 11.20) / 2),
    "rise_11": ("holds", (26.75 + 24.22 + 5.77 + 4.82 + 0.56 + 0.81 + 0.92) / 7),
    "rise_12": ("holds", 74.47 - 73.56),
}


@pytest.mark.parametrize("claim", CLAIMS, ids=[claim.claim_id for claim in CLAIMS])
def test_the_printed_tables_give_the_recorded_verdict(claim: Claim):
    found, missing = judged(claim, FUNCTIONS[claim.claim_id], PUBLISHED)
    assert found is not None, missing
    kind, difference = EXPECTED[claim.claim_id]
    assert (found.kind, found.error, found.seeds) == (kind, None, 1)
    assert found.difference == pytest.approx(difference, abs=1e-6)


def test_every_claim_of_rise_has_its_function_and_its_printed_tables():
    assert [claim.claim_id for claim in CLAIMS] == list(FUNCTIONS) == list(EXPECTED)
    assert {name for claim in CLAIMS for name in claim.needs} == PUBLISHED.keys()


@pytest.mark.parametrize(
    ("claim", "words"),
    [
        ("rise_01", "Zipf coefficient, QQP -0.04"),
        ("rise_01", "32 of 33 are as claimed"),
        ("rise_05", "21 of 21 are as claimed"),
        ("rise_06", "QQP on QQP_acc -0.13; QQP on QQP_f1 -0.19"),
        ("rise_06", "19 of 21 are as claimed"),
        ("rise_07", "QQP on PAWS_f1 -0.69"),
        ("rise_07", "MRPC on MRPC_acc -0.22"),
        ("rise_08", "4 of 21 are as claimed"),
        ("rise_10", "mean gain above that of MRPC +2.28"),
        ("rise_11", "RISE of a source is higher in 19 of 21 cells"),
        ("rise_12", "STSb_r +0.39; STSb_rho +0.77; QQP_acc +0.91; QQP_f1 -0.19"),
    ],
)
def test_what_was_recorded_beside_a_verdict_is_said_beside_it(claim, words):
    assert words in FUNCTIONS[claim](PUBLISHED).detail


@pytest.mark.parametrize(
    ("claim", "table", "one", "other", "kind"),
    [
        ("rise_05", "table2", "QQP: RISE", "QQP: DINO", "opposite"),
        ("rise_09", "table2", "QQP: RISE", "QQP: DINO", "opposite"),
        ("rise_10", "table2", "QQP: RISE", "QQP: Random", "same direction"),  # 8.56 and 6.95
        ("rise_10", "table2", "QQP: DINO", "STSb: DINO", "opposite"),
        ("rise_11", "table6", "GloVe", "BERT*", "same direction"),
    ],
)  # fmt: skip
def test_a_claim_does_not_survive_exchanged_rows(claim, table, one, other, kind):
    assert FUNCTIONS[claim](exchanged(PUBLISHED, table, one, other)).kind == kind


def changed(table: str, cells: dict[tuple[str, str], float]) -> dict[str, Cells]:
    new = {key: np.array([value]) for key, value in cells.items()}
    return {**PUBLISHED, table: Cells(table, {**PUBLISHED[table].values, **new})}


def others_at_0() -> dict[tuple[str, str], float]:
    """RISE of two of the three sources."""
    return {(f"{source}: RISE", column): 0.0 for source in ("QQP", "MRPC") for column in COLUMNS}


@pytest.mark.parametrize(
    ("claim", "table", "cells", "kind"),
    [
        ("rise_01", "table1", {("Zipf coefficient", "QQP_top10"): 1.11}, "holds"),
        ("rise_02", "table5", {("Jaccard", "QQP_top10"): 31.3}, "same direction"),  # 19.99
        ("rise_03", "table5", {("Distinct-1", "QQP_top10"): 3.3}, "same direction"),
        ("rise_04", "sdi", {("STSb", "accuracy"): 59.9}, "same direction"),
        ("rise_04", "sdi", {("STSb", "accuracy"): 60.1}, "holds"),
        ("rise_06", "table2", {("QQP: Filtering", name): 0 for name in ("QQP_acc", "QQP_f1")}, "holds"),
        ("rise_06", "table2", {("QQP: RISE", "STSb_r"): 0.0}, "opposite"),
        ("rise_07", "table2", {("QQP: Random", "PAWS_f1"): 0, ("MRPC: Random", "MRPC_acc"): 0}, "holds"),
        ("rise_07", "table2", {("QQP: RISE", "STSb_r"): 0.0}, "opposite"),
        ("rise_10", "table2", {("QQP: RISE", "STSb_r"): 75.93}, "same direction"),  # 11.00
        ("rise_10", "table2", {("STSb: RISE", "STSb_r"): 99.0}, "same direction"),  # 20.55 instead of 0.66
        ("rise_10", "table2", {("MRPC: RISE", "STSb_r"): 99.0}, "same direction"),  # 23.49 instead of 1.96
        ("rise_11", "table6", others_at_0(), "same direction"),  # above in 7 of 21 cells
        ("rise_11", "table6", {**others_at_0(), ("QQP: RISE", "STSb_r"): 78.36}, "same direction"),  # 8
        *(("rise_12", "table6", {(f"{model}*", name): 99 for name in COLUMNS}, "opposite")
          for model in ("BERT", "RoBERTa", "USE", "InferSent")),
    ],
)  # fmt: skip
def test_a_claim_does_not_survive_another_number(claim, table, cells, kind):
    assert FUNCTIONS[claim](changed(table, cells)).kind == kind


def test_random_weights_that_hurt_in_most_cells_are_as_claimed():
    cells = {
        (f"{source}: Random", column): 0.0
        for source in ("STSb", "QQP")
        for column in ("STSb_r", "STSb_rho", "QQP_acc", "QQP_f1", "MRPC_acc", "MRPC_f1")
    }
    found = FUNCTIONS["rise_08"](changed("table2", cells))
    assert found.kind == "holds"
    assert found.difference == pytest.approx((12 - 9) / 21)


def test_baselines_and_sources_that_a_world_does_not_have_are_named():
    table = {key: cell for key, cell in PUBLISHED["table6"].values.items() if key[0] != "GloVe"}
    assert FUNCTIONS["rise_11"]({"table6": Cells("table6", table)}).detail.endswith("Without GloVe")
    table = {key: cell for key, cell in PUBLISHED["table2"].values.items() if not key[0].startswith("QQP")}
    with pytest.raises(MissingCell, match="no column of both RISE and DINO of QQP"):
        FUNCTIONS["rise_05"]({"table2": Cells("table2", table)})
    table = {key: cell for key, cell in PUBLISHED["table2"].values.items() if not key[1].startswith("QQP_")}
    with pytest.raises(MissingCell, match="no column of QQP's own set"):
        FUNCTIONS["rise_09"]({"table2": Cells("table2", table)})
