"""The measures that real data and the mini world share: by hand, and on the files of a small world."""

import numpy as np
import pandas as pd
import pytest

from contrapose_mini import measured
from contrapose_mini.measured import by_grade, paraphrase_measures, set_measures


def test_a_grade_takes_in_its_lower_end_and_the_last_one_both():
    found = by_grade(np.array([0.0, 0.5, 0.2, 1.0, 0.25, 0.4]), np.array([0, 0.9, 1.0, 5.0, 4.0, 3.99]))
    wanted = {"grade 0": 100 / 3, "equal 0": 25, "grade 1": 100 / 6, "equal 1": 20}
    wanted |= {"grade 3": 100 / 6, "equal 3": 40, "grade 4": 100 / 3, "equal 4": 62.5}
    assert found == pytest.approx(wanted)


def test_the_measures_of_four_pairs_are_those_worked_out_by_hand():
    rows = [("A b", "a B", 4.0), ("a b c", "a", 3.0), ("a b", "b c", 5.0), ("a", "c d", 1.0)]
    found = set_measures(pd.DataFrame(rows, columns=["sentence1", "sentence2", "score"]), str.split)
    # Shares of equal words 1, 1/3, 1/3 and 0 have ranks 4, 2.5, 2.5 and 1, the scores 3, 2, 4 and 1.
    assert found["overlap"] == pytest.approx(100 * 3 / (4.5 * 5) ** 0.5)
    # Lengths 2, 3, 2, 1 and 2, 1, 2, 2: mean 15/8; the pairs differ by 0, 2, 0 and 1.
    lengths = {"words": 15 / 8, "sd": (31 / 8 - (15 / 8) ** 2) ** 0.5, "gap": 100 * (3 / 4) / (15 / 8)}
    assert {name: found[name] for name in lengths} == pytest.approx(lengths)
    assert (found["pairs"], found["different"], found["equal 4"]) == (4, 4, pytest.approx(200 / 3))


def test_paraphrases_are_measured_one_by_one_and_together():
    answers = [("a b c d", ["A b c d", "a b c d e f"]), ("a b c d", ["e f g h", "d c b a"])]
    found = paraphrase_measures(answers, lambda pairs: pairs.slot.to_numpy())
    assert found["jaccard"] == pytest.approx(100 * (1 + 4 / 6 + 0 + 1) / 4)
    assert (found["ratio"], found["cosine"]) == (18 / 16, 0.5)
    # All four words in a row are kept by one paraphrase, which is longer: exp(1 - 6/4) without a shorter one.
    assert found["bleu"] == pytest.approx(100 * np.exp(-0.5) / 4)
    # Among both references the nearest in length is the shorter one: no penalty.
    assert found["bleu5"] == pytest.approx(100 / 2)


def test_answers_are_counted_by_what_is_wrong_with_them():
    five = "\n".join(f"{n}. The dog number {n} runs." for n in range(1, 6))
    four = five.rsplit("\n", 1)[0]
    texts = [five, f"Sure! Here are five versions:\n\n{five}", four, "I'm sorry, I cannot do that."]
    shares, taken = measured.answer_measures([("A dog runs.", text, "stop") for text in texts])
    wanted = {"usable": 50, "wrong number": 25, "talking": 25, "copies": 0, "plays on": 0, "other": 0}
    assert shares == wanted | {"chatter": 50}
    assert [len(items) for _, items in taken] == [5, 5]


def test_every_band_says_what_is_real_and_the_tables_have_a_mini_number_beside_it(world):
    bands = pd.read_csv(measured.BANDS)
    low, high, real = bands.low, bands.high, bands.real
    assert not ((real < low) | (real > high)).any()
    sets = measured.read_sets(world, "mini")
    found = measured.measured_sets(sets, sets)
    found |= measured.measured_paraphrases(None, world, lambda pairs: np.ones(len(pairs)))[1]
    grades = bands.measure.str.match(r"(grade|equal) ")  # the small world lacks some
    read = bands.measure.isin(measured.MEANING)
    wanted = bands[low.notna() & ~grades & ~read]
    assert [key for key in zip(wanted.of, wanted.measure, strict=True) if key not in found] == []
    rows = measured.beside(bands, {}, found | {("stsb", "overlap"): 12.3, ("sickr", "overlap"): 57.0})
    row = {line.split(" | ")[0]: line for line in measured.as_markdown(rows).splitlines()}
    assert row["| stsb"].startswith("| stsb | 52.2 | **12.3** |")
    assert row["| sickr"].startswith("| sickr | 57.3 | 57.0 |")


def test_the_file_of_all_measures_has_the_bands_and_says_which_are_met():
    bands, found = pd.read_csv(measured.BANDS), pd.read_csv(measured.MEASURED)
    assert found[["of", "measure"]].equals(bands[["of", "measure"]])
    for column in ("real", "low", "high"):
        assert found[column].to_numpy() == pytest.approx(bands[column].to_numpy(), abs=0.06, nan_ok=True)
    judged = found.dropna(subset="within")
    assert len(judged) > 200
    inside = judged.mini.between(judged.low, judged.high).map({True: "yes", False: "no"})
    assert (judged.within != inside).sum() <= 2  # where rounding decides
