"""The claims of PPDB-CSE on its own printed table: the verdicts that were read off by hand."""

import numpy as np
import pandas as pd
import pytest

from contrapose.report.claims import claim_functions
from contrapose.report.claims.cells import Cells, MissingCell, printed_cells
from contrapose.report.claims_table import judged
from contrapose.settings.deviations import Claim
from contrapose.settings.rows import PrintedLayout
from tests.reference.printed import claims_of, exchanged, folder

CLAIMS = claims_of("ppdbcse")
FUNCTIONS = claim_functions("ppdbcse")
PUBLISHED = {
    name: printed_cells(
        name, pd.read_csv(folder("ppdbcse") / "published" / f"{name}.csv"), PrintedLayout(rows=rows)
    )
    for name, rows in {"table3": ["language", "method"], "cost": []}.items()
}
# Figure 2 has no numbers: a curve with its peak where the paper says it is.
CURVE = Cells(
    "thresholds",
    {
        (f"{language}: {threshold}", "Avg."): np.array([value])
        for language, values in (("English", (81.0, 82.0, 83.0, 84.0, 83.5)), ("Japanese", (7, 7, 8, 9, 6)))
        for threshold, value in zip(("0.1", "0.2", "0.3", "0.4", "0.5"), values, strict=True)
    },
)
# Verdict and main difference, worked out by hand from the printed numbers.
EXPECTED = {
    "ppdbcse_01": ("holds", (0.002 + 0.007) / 2),
    "ppdbcse_02": ("same direction", (0.001 + 0.017 + 0.027 + 0 + 0.008 + 0.005) / 6),
    "ppdbcse_03": ("holds", (0.011 + 0.002 + 0.006 + 0.043 + 0.017 + 0.002) / 6),
    "ppdbcse_04": ("holds", (0.004 + 0.002 + 0.005 + 0.008 + 0.010 + 0 + 0.005 + 0.006 + 0.013) / 9),
    "ppdbcse_05": ("holds", 0.006),
    "ppdbcse_06": ("holds", (0.002 + 0.007) / 2),
    "ppdbcse_07": ("holds", (0.005 + 0.008) / 2),
    "ppdbcse_09": ("holds", (0 + 15) / 2),
}


@pytest.mark.parametrize(
    "claim",
    [claim for claim in CLAIMS if claim.claim_id in EXPECTED],
    ids=[claim.claim_id for claim in CLAIMS if claim.claim_id in EXPECTED],
)
def test_the_printed_table_gives_the_recorded_verdict(claim: Claim):
    found, missing = judged(claim, FUNCTIONS[claim.claim_id], PUBLISHED)
    assert found is not None, missing
    kind, difference = EXPECTED[claim.claim_id]
    assert (found.kind, found.error, found.seeds) == (kind, None, 1)
    assert found.difference == pytest.approx(difference, abs=1e-6)


def test_every_claim_has_its_function_and_only_the_curve_has_no_printed_numbers():
    assert [claim.claim_id for claim in CLAIMS] == list(FUNCTIONS)
    assert {name for claim in CLAIMS for name in claim.needs} - PUBLISHED.keys() == {"thresholds"}
    [curve] = [claim for claim in CLAIMS if claim.claim_id not in EXPECTED]
    assert judged(curve, FUNCTIONS[curve.claim_id], PUBLISHED) == (None, "not built: thresholds")


def test_the_best_threshold_has_to_be_the_best_in_both_languages():
    found = FUNCTIONS["ppdbcse_08"]({"thresholds": CURVE})
    assert (found.kind, found.difference) == ("holds", pytest.approx((0.5 + 1) / 2))
    assert "English: 0.4 above English: 0.5, best of 4 others +0.5" in found.detail
    swapped = exchanged({"thresholds": CURVE}, "thresholds", "Japanese: 0.4", "Japanese: 0.1")
    assert FUNCTIONS["ppdbcse_08"](swapped).kind == "opposite"  # half a point against two


@pytest.mark.parametrize(
    ("claim", "one", "other", "kind"),
    [
        ("ppdbcse_01", "Japanese: Ours", "Japanese: Supervised SimCSE", "opposite"),
        ("ppdbcse_03", "Japanese: Ours", "Japanese: Supervised SimCSE", "same direction"),
        ("ppdbcse_04", "English: w/o Additional Training", "English: Supervised SimCSE", "same direction"),
        ("ppdbcse_05", "English: Ours", "English: Transfer Fine-Tuning", "opposite"),
        ("ppdbcse_06", "Japanese: Ours", "Japanese: Supervised SimCSE", "opposite"),
        ("ppdbcse_07", "English: Ours", "English: RankCSE", "same direction"),
    ],
)
def test_a_claim_does_not_survive_exchanged_rows(claim, one, other, kind):
    assert FUNCTIONS[claim](exchanged(PUBLISHED, "table3", one, other)).kind == kind


def test_rows_that_a_world_does_not_have_are_named():
    lacking = {key: cell for key, cell in PUBLISHED["table3"].values.items() if "RankCSE" not in key[0]}
    tables = {"table3": Cells("table3", lacking)}
    assert FUNCTIONS["ppdbcse_01"](tables).detail.endswith("Without English: RankCSE, Japanese: RankCSE")
    with pytest.raises(MissingCell, match="no average in English of any of RankCSE"):
        FUNCTIONS["ppdbcse_07"](tables)


def test_half_an_hour_is_neither_an_hour_nor_a_minute():
    for minutes in (60.0, 1.0):
        tables = {"cost": Cells("cost", {("Ours", "minutes"): np.array([minutes])})}
        assert FUNCTIONS["ppdbcse_09"](tables).kind != "holds"
