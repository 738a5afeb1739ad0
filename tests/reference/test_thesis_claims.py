"""The claims of the thesis on its own printed tables: the verdicts that were read off by hand."""

import numpy as np
import pytest

from contrapose.report.claims import claim_functions
from contrapose.report.claims.cells import Cells
from contrapose.report.claims_table import judged
from contrapose.settings.deviations import Claim
from tests.reference.printed import claims_of, exchanged, printed_tables

CLAIMS = claims_of("thesis")
PUBLISHED = printed_tables("thesis")
FUNCTIONS = claim_functions("thesis")
# The main differences, worked out by hand from the printed numbers.
DIFFERENCES = {
    "thesis_01": (75.236667 - 73.62 + 75.236667 - 73.296667) / 2,
    "thesis_02": 76.45 - 76.25,
    "thesis_03": 0.786 - 0.772,
    "thesis_04": 0.05 - 0.049,
    "thesis_06": (0.004 + 0.011) / 2,
    "thesis_07": (0.025 + 0.130 + 0.004 + 0.080) / 4,
    "thesis_08": (0.55 + 0.63) / 2,
    "thesis_09": (0.83 + 0.91 + 1.74) / 3,
    "thesis_10": (5.55 + 6.38) / 2,
    "thesis_11": (6.31 + 4.59) / 2,
    "thesis_12": (0.08 + 1.18) / 2,
    "thesis_13": (1.48 + 1.26 + 0.80 + 0.38 + 1.72 + 1.72 + 0.93) / 7,
    "thesis_14": 71.12 - 68.40,
    "thesis_15": 0.30 + 0.02,
    "thesis_16": (0.91 + 0.57 + 0.33) / 3,
    "thesis_18": 0.30 + 1.74,
    "thesis_19": 25.9 - 23.5,
    "thesis_20": 0.63 - 0.52,
    "thesis_21": (0.0612 + 0.0895 + 0.0951) / 3,
    "thesis_22": (1.9854 + 1.9993 + 2.4198) / 3,
    "thesis_23": 0.2136 - 0.2135,
}


@pytest.mark.parametrize("claim", CLAIMS, ids=[claim.claim_id for claim in CLAIMS])
def test_the_printed_tables_give_the_recorded_verdict(claim: Claim):
    found, missing = judged(claim, FUNCTIONS[claim.claim_id], PUBLISHED)
    if claim.holds_in_published.startswith("not printed"):
        assert found is None
        assert "has no column" in missing
    else:
        assert claim.holds_in_published.startswith("yes")
        assert found is not None, missing
        assert (found.kind, found.error, found.seeds) == ("holds", None, 1)
        assert found.difference == pytest.approx(DIFFERENCES[claim.claim_id], abs=1e-6)


def test_every_claim_of_the_thesis_has_its_function_and_its_printed_tables():
    assert [claim.claim_id for claim in CLAIMS] == list(FUNCTIONS) == [f"thesis_{n:02}" for n in range(1, 24)]
    assert {name for claim in CLAIMS for name in claim.needs} <= PUBLISHED.keys()


@pytest.mark.parametrize(
    ("claim", "words"),
    [
        ("thesis_01", "method 1 alone: 74.01 to 76.45"),
        ("thesis_02", "draw 1 +0.2; draw 2 -1; draw 3 -2.24"),  # one draw of three
        ("thesis_10", "roberta-base +5.55; roberta-large +6.38"),
        ("thesis_14", "STS12 +2.72"),
        ("thesis_15", "bert-base-uncased -1.74; roberta-base -0.02; roberta-large +0.3"),
    ],
)
def test_what_was_recorded_beside_a_verdict_is_said_beside_it(claim, words):
    assert words in FUNCTIONS[claim](PUBLISHED).detail


@pytest.mark.parametrize(
    ("claim", "table", "one", "other", "kind"),
    [
        ("thesis_01", "table3_1", "Method 1-1", "Method 3-2", "opposite"),
        ("thesis_03", "table3_2", "ChatGPT: Prompt 1", "ChatGPT: Prompt 2", "opposite"),
        ("thesis_04", "table3_2", "ChatGPT: Prompt 3", "ChatGPT: Prompt 2", "opposite"),
        ("thesis_06", "table3_2", "ChatGPT: Prompt 2", "ChatGPT: Prompt 4", "same direction"),
        ("thesis_12", "table4_1", "ChatGPT paraphrases: bert-base-uncased",
         "Vicuna paraphrases: bert-base-uncased", "same direction"),
        ("thesis_13", "table4_1", "ChatGPT paraphrases: roberta-base", "Vicuna paraphrases: roberta-base",
         "opposite"),
        ("thesis_18", "table4_3", "1M paraphrases: bert-base-uncased", "1M paraphrases: roberta-large",
         "opposite"),
        ("thesis_19", "table4_5", "Our original sentence dataset", "Unsupervised SimCSE sentence dataset",
         "opposite"),
        ("thesis_20", "table4_7", "SICK-R", "STS-B", "opposite"),
        ("thesis_21", "table4_8", "Unsupervised SimCSE: SimCSE-BERT-base",
         "Ours with paraphrases: bert-base-uncased", "same direction"),
        ("thesis_23", "table4_8", "Unsupervised SimCSE: SimCSE-BERT-base",
         "Unsupervised SimCSE: SimCSE-RoBERTa-base", "opposite"),
    ],
)  # fmt: skip
def test_a_claim_does_not_survive_exchanged_rows(claim, table, one, other, kind):
    assert FUNCTIONS[claim](exchanged(PUBLISHED, table, one, other)).kind == kind


SIMCSE = "Unsupervised SimCSE: SimCSE-"
OURS = "Ours with paraphrases: "


@pytest.mark.parametrize(
    ("claim", "table", "row", "column", "shift", "kind"),
    [
        ("thesis_10", "table4_1", "ChatGPT paraphrases: roberta-base", "SICK-R", 1.44, "holds"),  # 6.99
        ("thesis_10", "table4_1", "ChatGPT paraphrases: roberta-base", "SICK-R", 1.46, "same direction"),
        ("thesis_10", "table4_1", "ChatGPT paraphrases: roberta-large", "SICK-R", -1.89, "same direction"),
        ("thesis_11", "table4_3", "1M paraphrases: roberta-large", "SICK-R", -0.58, "holds"),  # 4.01
        ("thesis_11", "table4_3", "1M paraphrases: roberta-large", "SICK-R", -0.60, "same direction"),
        ("thesis_15", "table4_3", "1M paraphrases: roberta-base", "Avg.", 0.02, "holds"),  # as SimCSE
        ("thesis_15", "table4_3", "1M paraphrases: roberta-base", "Avg.", 0.12, "same direction"),
        ("thesis_21", "table4_8", SIMCSE + "BERT-base", "uniformity", 3.0, "opposite"),
        ("thesis_22", "table4_8", OURS + "roberta-base", "uniformity", 1.5, "same direction"),
        ("thesis_22", "table4_8", OURS + "roberta-base", "alignment", -1.0, "same direction"),
        ("thesis_23", "table4_8", SIMCSE + "RoBERTa-base", "uniformity", -1.0, "opposite"),
    ],
)
def test_a_claim_holds_up_to_its_limit(claim, table, row, column, shift, kind):
    values = {**PUBLISHED[table].values}
    values[row, column] = values[row, column] + shift
    assert FUNCTIONS[claim]({**PUBLISHED, table: Cells(table, values)}).kind == kind


@pytest.mark.parametrize("falling", [4, 5])
def test_one_prompt_with_a_gradient_is_one_too_many(falling):
    values = {
        (f"ChatGPT: Prompt {prompt}", f"Sim {place}"): np.array([-place / 10 if prompt == falling else 0.8])
        for prompt in (4, 5)
        for place in range(1, 6)
    }
    assert FUNCTIONS["thesis_05"]({"table3_2": Cells("table3_2", values)}).kind == "opposite"
