import math

import pandas as pd
import pytest

from contrapose.base.errors import TableError
from contrapose.pairs.paraphrase import paraphrase_pairs
from contrapose.score.paraphrase_quality import sentence_scores, slot_scores
from contrapose.tables import SENTENCE_SCORES, SLOT_SCORES, checked_arrays
from tests.tables import paired

SENTENCES = pd.DataFrame({"id": ["b", "a"], "text": ["the cat sat on the mat", "dogs run fast in the park"]})
TEXTS = {"b": ["a cat sat on the mat", "the cat was sitting on the mat"]}
TEXTS["a"] = ["hounds race quickly", "a swift hound"]
COSINES = {"b": [0.9, 0.7], "a": [0.5, -0.5]}


def long(values: dict, name: str) -> pd.DataFrame:
    rows = [(id, slot, value) for id in values for slot, value in enumerate(values[id])]
    return pd.DataFrame(rows, columns=["sentence_id", "slot", name]).astype({"slot": "int16"})


PAIRS = paraphrase_pairs(SENTENCES, long(TEXTS, "text"))
SLOTS = slot_scores(PAIRS, long(COSINES, "cosine"))


def test_each_paraphrase_is_scored_by_itself():
    checked_arrays(SLOTS, "slots", SLOT_SCORES)
    first = SLOTS[SLOTS.sentence_id == "b"].iloc[0]
    assert (first.slot, first.cosine, first.similarity) == (0, 0.9, pytest.approx(0.95))
    assert first.bleu == pytest.approx((5 / 6 * 4 / 5 * 3 / 4 * 2 / 3) ** 0.25)


@pytest.mark.parametrize(
    ("sentence", "paraphrase", "expected"),
    [
        # The sentence is the hypothesis and the paraphrase its reference: all found, but too short.
        ("the cat sat down", "the cat sat down there", math.exp(1 - 5 / 4)),
        ("the cat sat on the mat", "The cat sat on the mat", (5 / 6 * 4 / 5 * 3 / 4 * 2 / 3) ** 0.25),
        ("one, two, three", "one, two , three", 1),
    ],
)
def test_case_counts_and_marks_are_words(sentence, paraphrase, expected):
    pairs = paired([sentence], [paraphrase], id="x")
    assert slot_scores(pairs, long({"x": [1.0]}, "cosine")).bleu[0] == pytest.approx(expected)


def test_the_total_of_a_sentence_is_the_theses_formula_and_other_readings_stand_beside_it():
    scores = sentence_scores(PAIRS, SLOTS)
    checked_arrays(scores, "scores", SENTENCE_SCORES)
    assert scores.sentence_id.tolist() == ["b", "a"]
    b, a = scores.to_dict("records")
    assert b["similarity"] == pytest.approx(0.9)  # cosines 0.9 and 0.7 are 0.95 and 0.85
    assert b["bleu"] == pytest.approx(0.840896, abs=1e-6)  # both as references: methods, appendix
    assert b["total"] == pytest.approx((0.9 + 1 - 0.840896) / 2, abs=1e-6)
    assert (a["similarity"], a["bleu"], a["total"]) == (pytest.approx(0.5), 0, pytest.approx(0.75))
    assert b["cosine"] == pytest.approx(0.8)
    assert b["bleu_single"] == pytest.approx(SLOTS[SLOTS.sentence_id == "b"].bleu.mean())
    # One reference has less, letters more in common.
    assert b["bleu_single"] < b["bleu"] < b["bleu_characters"]
    assert (b["common_4gram"], a["common_4gram"]) == (True, False)


def test_a_paraphrase_without_a_cosine_is_refused():
    with pytest.raises(
        TableError, match=r"1 of 4 paraphrases have no cosine\. The first belongs to sentence 'a'"
    ):
        slot_scores(PAIRS, long({"b": [0.9, 0.7], "a": [0.5]}, "cosine"))
