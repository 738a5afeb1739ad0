"""The measures that real data and the mini world share: by hand, and on the files of a small world."""

import pandas as pd
import pytest

from contrapose_mini import measured
from contrapose_mini.measured import set_measures


def test_the_measures_of_four_pairs_are_those_worked_out_by_hand():
    rows = [("A b", "a B", 4.0), ("a b c", "a", 3.0), ("a b", "b c", 5.0), ("a", "c d", 1.0)]
    found = set_measures(pd.DataFrame(rows, columns=["sentence1", "sentence2", "score"]), str.split)
    # Shares of equal words 1, 1/3, 1/3 and 0 have ranks 4, 2.5, 2.5 and 1, the scores 3, 2, 4 and 1.
    assert found["overlap"] == pytest.approx(100 * 3 / (4.5 * 5) ** 0.5)
    # Lengths 2, 3, 2, 1 and 2, 1, 2, 2: mean 15/8; the pairs differ by 0, 2, 0 and 1.
    lengths = {"words": 15 / 8, "sd": (31 / 8 - (15 / 8) ** 2) ** 0.5, "gap": 100 * (3 / 4) / (15 / 8)}
    assert {name: found[name] for name in lengths} == pytest.approx(lengths)
    assert (found["pairs"], found["different"], found["equal 4"]) == (4, 4, pytest.approx(200 / 3))


def test_answers_are_counted_by_what_is_wrong_with_them():
    five = "\n".join(f"{n}. The dog number {n} runs." for n in range(1, 6))
    four = five.rsplit("\n", 1)[0]
    texts = [five, f"Sure! Here are five versions:\n\n{five}", four, "I'm sorry, I cannot do that."]
    shares, taken = measured.answer_measures([("A dog runs.", text, "stop") for text in texts])
    wanted = {"usable": 50, "wrong number": 25, "talking": 25, "copies": 0, "plays on": 0, "other": 0}
    assert shares == wanted | {"chatter": 50}
    assert [len(items) for _, items in taken] == [5, 5]


def test_the_file_of_all_measures_has_the_bands_and_says_which_are_met():
    bands, found = pd.read_csv(measured.BANDS), pd.read_csv(measured.MEASURED)
    assert found[["of", "measure"]].equals(bands[["of", "measure"]])
    for column in ("real", "low", "high"):
        assert found[column].to_numpy() == pytest.approx(bands[column].to_numpy(), abs=0.06, nan_ok=True)
    judged = found.dropna(subset="within")
    assert len(judged) > 200
    inside = judged.mini.between(judged.low, judged.high).map({True: "yes", False: "no"})
    assert (judged.within != inside).sum() <= 2  # where rounding decides
