"""The claims of PrdSimCSE on its own printed tables: the verdicts that were read off by hand."""

import numpy as np
import pytest

from contrapose.report.claims import claim_functions
from contrapose.report.claims.cells import Cells
from contrapose.report.claims_table import judged
from contrapose.settings.deviations import Claim
from tests.reference.printed import claims_of, exchanged, printed_tables

CLAIMS = claims_of("prdsimcse")
PUBLISHED = printed_tables("prdsimcse")
FUNCTIONS = claim_functions("prdsimcse")
# What `holds_in_published` begins with, and the verdict that it stands for.
VERDICTS = {"yes": "holds", "partly": "same direction"}
# The main differences, worked out by hand from the printed numbers.
DIFFERENCES = {
    "prdsimcse_01": 77.33 - 76.25,
    "prdsimcse_02": (1.15 + 1.06 + 0.80 + 1.23 + 2.01 + 1.52) / 6,
    "prdsimcse_03": 78.86 - 76.85,
    "prdsimcse_04": 77.10 - 76.57,
    "prdsimcse_05": 73.37 - 68.56,
    "prdsimcse_06": 77.33 - (61.32 + 56.70 + 66.55 + 66.28 + 66.58 + 72.05) / 6,
    "prdsimcse_07": 81.32 - 81.18,  # MR, the fifth largest gain
    "prdsimcse_08": 89.80 - 80.91,
    "prdsimcse_09": (1.63 + 2.17 + 0.85 + 1.37) / 4,
    "prdsimcse_10": (0.9 + 0.4) / 2,
    "prdsimcse_11": (0.1 + 0.6) / 2,
    "prdsimcse_12": (0.9 + 0.3 + 0.6) / 3,
    "prdsimcse_13": (1.5 + 0.7 + 1.0) / 3,
    "prdsimcse_14": (0.4 + 2.1 + 1.2 + 1.4 + 0.9 + 0.7) / 6,
    "prdsimcse_15": (3.47 + 3.91) / 2,
    "prdsimcse_16": (1.84 - 1.46 + 2.07 - 2.01) / 2,
    "prdsimcse_17": 87.14 - 80.91,
    "prdsimcse_18": 1 - 6 * 4 / (6 * 35),  # ranks 2 1 3 5 4 6
    "prdsimcse_19": 1.0,
}


@pytest.mark.parametrize("claim", CLAIMS, ids=[claim.claim_id for claim in CLAIMS])
def test_the_printed_tables_give_the_recorded_verdict(claim: Claim):
    found, missing = judged(claim, FUNCTIONS[claim.claim_id], PUBLISHED)
    assert found is not None, missing
    said = claim.holds_in_published.replace(",", " ").split()[0]
    assert (found.kind, found.error, found.seeds) == (VERDICTS[said], None, 1)
    assert found.difference == pytest.approx(DIFFERENCES[claim.claim_id], abs=1e-6)


def test_every_claim_of_prdsimcse_has_its_function_and_its_printed_tables():
    ids = [f"prdsimcse_{n:02}" for n in range(1, 20)]
    assert [claim.claim_id for claim in CLAIMS] == list(FUNCTIONS) == ids
    assert {name for claim in CLAIMS for name in claim.needs} == PUBLISHED.keys()


@pytest.mark.parametrize(
    ("claim", "words"),
    [
        ("prdsimcse_05", "STS12 -0.87; STS13 +1.75; STS14 +1.78; STS15 -0.23; STS16 -1.81; STS-B -1.7"),
        ("prdsimcse_08", "Average of all sets -0.80"),
        ("prdsimcse_11", "above +PosPrd +0.1"),
        ("prdsimcse_12", "level-um above level-[CLS], best of 6 others +0.6"),
        ("prdsimcse_14", "one-reversal below prefix1 +0.9; one-reversal below prefix2 +0.7"),
        ("prdsimcse_18", "+20% above SimCSE -0.2"),
        ("prdsimcse_18", "+80% above +60% -0.2"),
    ],
)
def test_what_was_recorded_beside_a_verdict_is_said_beside_it(claim, words):
    assert words in FUNCTIONS[claim](PUBLISHED).detail


BERT = ("SimCSE-BERT-base", "PrdSimCSE-BERT-base")
ROBERTA = ("SimCSE-RoBERTa-base", "PrdSimCSE-RoBERTa-base")


@pytest.mark.parametrize(
    ("claim", "table", "one", "other", "kind"),
    [
        ("prdsimcse_01", "table4", *BERT, "opposite"),
        ("prdsimcse_02", "table4", *BERT, "opposite"),
        ("prdsimcse_03", "table4", "SimCSE-BERT-base", "CT-BERT-base", "same direction"),  # 4.55, not about 2
        ("prdsimcse_04", "table4", *ROBERTA, "opposite"),
        ("prdsimcse_05", "table4", "PrdSimCSE-RoBERTa-base", "CT-BERT-base", "same direction"),  # 0.63
        ("prdsimcse_06", "table4", "PrdSimCSE-BERT-base", "CT-BERT-base", "same direction"),
        ("prdsimcse_07", "table5", *BERT, "opposite"),
        ("prdsimcse_08", "table5", "SimCSE-BERT-base", "GloVe embedding (avg.)", "same direction"),  # 2.09
        ("prdsimcse_09", "table6", *ROBERTA, "same direction"),
        ("prdsimcse_10", "table7", "SimCSE", "+NegPrd", "same direction"),
        ("prdsimcse_11", "table7", "PrdSimCSE", "+PosPrd", "same direction"),
        ("prdsimcse_12", "table9", "level-um", "level-[CLS]", "same direction"),
        ("prdsimcse_13", "table9", "one-um", "level-um", "same direction"),
        ("prdsimcse_14", "table10", "one-reversal", "prefix1", "same direction"),
        ("prdsimcse_16", "table11", "SimCSE", "PrdSimCSE", "opposite"),
        ("prdsimcse_18", "table13", "SimCSE", "PrdSimCSE", "opposite"),
        ("prdsimcse_19", "table14", "20%", "40%", "same direction"),
    ],
)  # fmt: skip
def test_a_claim_does_not_survive_exchanged_rows(claim, table, one, other, kind):
    assert FUNCTIONS[claim](exchanged(PUBLISHED, table, one, other)).kind == kind


def with_columns(table: str, names: dict[str, str]) -> dict[str, Cells]:
    """Return the printed tables with the columns of one of them renamed."""
    values = {(row, names.get(name, name)): cell for (row, name), cell in PUBLISHED[table].values.items()}
    return {**PUBLISHED, table: Cells(table, values)}


@pytest.mark.parametrize(
    ("claim", "table", "one", "other", "kind"),
    [
        ("prdsimcse_15", "table11", ">8", "<=8", "opposite"),
        ("prdsimcse_17", "table12", "Original", "Remove length < 6", "same direction"),
    ],
)
def test_a_claim_does_not_survive_exchanged_columns(claim, table, one, other, kind):
    assert FUNCTIONS[claim](with_columns(table, {one: other, other: one})).kind == kind


def test_earlier_systems_that_a_world_does_not_have_are_named():
    lacking = {key: cell for key, cell in PUBLISHED["table4"].values.items() if key[0] != "IS-BERT-base"}
    found = FUNCTIONS["prdsimcse_06"]({"table4": Cells("table4", lacking)})
    assert found.kind == "holds"
    assert found.detail.endswith("CT-BERT-base +5.28. Without IS-BERT-base")


def test_stss12_may_differ_in_a_seed_as_long_as_its_mean_does_not():
    values = {key: np.repeat(cell, 2) for key, cell in PUBLISHED["table4"].values.items()}
    values["PrdSimCSE-BERT-base", "STS12"] = np.array(
        [67.4, 69.0]
    )  # 1.0 below and 0.6 above, -0.2 on average
    assert FUNCTIONS["prdsimcse_02"]({"table4": Cells("table4", values)}).kind == "holds"
    values["PrdSimCSE-BERT-base", "STS12"] = np.array([67.4, 67.8])  # 0.8 below on average
    assert FUNCTIONS["prdsimcse_02"]({"table4": Cells("table4", values)}).kind == "same direction"


@pytest.mark.parametrize(
    ("claim", "table", "base", "column", "beyond", "kind"),
    [
        ("prdsimcse_03", "table4", ("SimCSE-BERT-base", "STS-B"), "STS-B", 2.45, "holds"),
        ("prdsimcse_03", "table4", ("SimCSE-BERT-base", "STS-B"), "STS-B", 2.55, "same direction"),
        ("prdsimcse_08", "table5", ("SimCSE-BERT-base", "TREC"), "TREC", -5.1, "holds"),
        ("prdsimcse_08", "table5", ("SimCSE-BERT-base", "TREC"), "TREC", -4.9, "same direction"),
        ("prdsimcse_17", "table12", ("PrdSimCSE", "Original"), "Remove length < 8", 7.4, "holds"),
        ("prdsimcse_17", "table12", ("PrdSimCSE", "Original"), "Remove length < 8", 7.6, "same direction"),
        ("prdsimcse_17", "table12", ("PrdSimCSE", "Original"), "Remove length < 6", -0.1, "same direction"),
    ],
)
def test_a_claim_holds_up_to_its_limit(claim, table, base, column, beyond, kind):
    """One number of ours is so far beyond another one."""
    ours = "PrdSimCSE" if table == "table12" else BERT[1]
    values = {**PUBLISHED[table].values, (ours, column): PUBLISHED[table](*base) + beyond}
    assert FUNCTIONS[claim]({**PUBLISHED, table: Cells(table, values)}).kind == kind
