import re

import numpy as np
import pandas as pd
import pytest

from contrapose.evaluate.length_bias import TEXTS, LengthBias, length_bias, probe_pairs
from contrapose.settings.recipes import LengthProbe
from contrapose.tables import LENGTH_BIAS, write_table
from tests.tables import benchmark

SCALE = {"tasks": ["sts12", "stsb"], "positive": 4, "negative": 1}
ENGLISH = LengthProbe(**SCALE, unit="words", difference=2, filler="um", pairs=50)
CHINESE = LengthProbe(tasks=["bq"], positive=1, negative=0, unit="characters", difference=5, filler="嗯")
VOCABULARY = [f"w{number}" for number in range(300)]


def random_pairs(count=400) -> pd.DataFrame:
    rng = np.random.default_rng(3)

    def text(words):
        return " ".join(rng.choice(VOCABULARY, words))

    return benchmark((text(6 + row % 4), text(10), 5.0 if row % 2 else 0.0) for row in range(count))


def job(probe, **changes) -> LengthBias:
    return LengthBias(**{"run": "one", "probe": "p", "pairs": probe, **changes})


def measured(pairs, encode, probe=ENGLISH) -> pd.DataFrame:
    vectors = np.array([encode(text) for column in TEXTS for text in pairs[column]])
    return length_bias(pairs, vectors, job(probe)).set_index(["label", "added", "comparison"])


def test_lengthened_sentences_have_the_length_of_the_longer_one_and_the_longer_one_the_same_ratio():
    pairs = probe_pairs(random_pairs(), ENGLISH)
    assert pairs.label.value_counts().to_dict() == {"positive": 50, "negative": 50}
    words = pairs[list(TEXTS)].map(lambda text: len(text.split()))
    for added in ("filler", "marks"):
        assert (words[f"shorter_{added}"] == words.longer).all()
        assert (words[f"longer_{added}"] == (words.longer**2 / words.shorter).round()).all()
    assert set(words.longer - words.shorter) == {2, 3, 4}
    stripped = pairs.shorter_marks.str.replace(r"[.,!?;:] ?", "", regex=True).str.strip()
    assert (stripped == pairs.shorter).all()
    assert pairs.longer_filler.str.replace("um ", "").tolist() == pairs.longer.tolist()


def test_pairs_are_drawn_by_seed_from_those_that_fit_and_never_made_up():
    rows = (
        *(("a b c", "a b c d e", 4.0), ("x y z u v", "x y z", 1.0)),
        *(("a b c", "a b c d", 5.0), ("a", "a b c", 5.0)),  # nearly as long; more is added than is there
        *(("", "a b", 5.0), ("a b c", "a b c d e", 4.5), ("x y z u v", "q y z", 2.0)),  # there already
    )
    pairs = probe_pairs(benchmark(rows), ENGLISH)
    expected = [["positive", "a b c", "a b c d e"], ["negative", "x y z", "x y z u v"]]
    assert pairs[["label", "shorter", "longer"]].to_numpy().tolist() == expected
    for elsewhere in ({"split": "dev"}, {"task": "sts13"}, {"form": "raw"}):
        assert probe_pairs(benchmark(rows, **elsewhere), ENGLISH).empty
    once, again = (probe_pairs(random_pairs(), ENGLISH) for _ in range(2))
    assert once.equals(again)
    other = probe_pairs(random_pairs(), ENGLISH.model_copy(update={"seed": 2}))
    assert set(other.shorter) != set(once.shorter)


def test_in_chinese_characters_are_counted_and_marks_stand_between_them():
    pairs = probe_pairs(benchmark([("怎么还款呢", "请问花呗怎么提前还款", 1.0)], "bq"), CHINESE)
    assert pairs.shorter_filler.tolist() == ["嗯嗯嗯嗯嗯怎么还款呢"]
    assert len(pairs.shorter_marks[0]) == 10
    assert len(pairs.longer_marks[0]) == len(pairs.longer_filler[0]) == 20
    assert re.sub("[.,!?;:]", "", pairs.longer_marks[0]) == "请问花呗怎么提前还款"


def test_changes_worked_out_by_hand():
    pairs = pd.DataFrame([["positive", *TEXTS]], columns=["label", *TEXTS])
    angles = {"shorter": 0, "longer": 60, "shorter_filler": 30, "longer_filler": 90}
    angles |= {"shorter_marks": 60, "longer_marks": 0}
    found = measured(pairs, lambda text: [np.cos(np.radians(angles[text])), np.sin(np.radians(angles[text]))])
    at = found.loc["positive"]
    assert at.loc[("filler", "equalised"), ["before", "after"]].tolist() == pytest.approx([0.5, 3**0.5 / 2])
    half, whole = 3**0.5 / 2 - 0.5, 3**0.5 / 2
    expected = {("filler", "equalised"): half, ("filler", "diverged"): -0.5, ("filler", "bias"): whole}
    expected |= {("marks", "equalised"): 0.5, ("marks", "diverged"): 0.5, ("marks", "bias"): 0}
    assert at.change.to_dict() == pytest.approx(expected, abs=1e-12)
    assert found.loc["negative", ["change", "ci_low", "ci_high"]].isna().all().all()
    assert found.n["negative"].eq(0).all()


def test_an_encoder_that_averages_words_has_no_bias_and_one_that_adds_their_number_has(tmp_path):
    rng = np.random.default_rng(0)
    shared = 3 * rng.normal(size=40) / 40**0.5  # sentences of one language are alike
    words = {word: shared + rng.normal(size=40) / 40**0.5 for word in [*VOCABULARY, "um", *".,!?;:"]}
    pairs = probe_pairs(random_pairs(), ENGLISH)

    def average(text):
        return np.mean([words[word] for word in text.split()], axis=0)

    def with_length(text):
        return np.append(average(text), 0.3 * len(text.split()))

    blind, biased = measured(pairs, average), measured(pairs, with_length)
    none, some = (found.xs("bias", level="comparison") for found in (blind, biased))
    assert (none.change.abs() < 0.01).all()
    assert (some.ci_low > 0.04).all()
    assert some.change.between(some.ci_low, some.ci_high).all()
    # All encoders are compared on the same resamples.
    vectors = np.array([average(text) for column in TEXTS for text in pairs[column]])
    first = length_bias(pairs, vectors, job(ENGLISH))
    second = length_bias(pairs, 2 * vectors, job(ENGLISH, run="two"))
    assert first.drop(columns="run").round(12).equals(second.drop(columns="run").round(12))
    write_table(first, tmp_path / "bias.parquet", LENGTH_BIAS)
    assert len(first) == 2 * 2 * 3
