from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr

from contrapose import api
from contrapose.base.errors import ConfigError, TableError
from contrapose.tables import PAIRS
from tests.checkout import HOME

SENTENCES = [
    f"{who} {does} in the {where} every day of the week."
    for who in ("A dog", "A cat")
    for does in ("sits", "runs")
    for where in ("park", "house", "garden", "street")
]
SCORED = pd.DataFrame(
    {
        "sentence1": ["A dog sits.", "A dog sits.", "A dog runs."],
        "sentence2": ["A dog is sitting.", "A cat sits.", "It rains."],
        "score": [5.0, 3.0, 0.0],
    }
)


@pytest.mark.parametrize("kind", ["dropout", "deletion", "crop", "repetition", "punctuation", "prefix"])
def test_pairs_of_sentences_are_those_of_the_strategy(kind):
    pairs = api.build(kind, [*SENTENCES, SENTENCES[0]])
    assert list(pairs.columns) == PAIRS.columns
    assert list(pairs.anchor.unique()) == SENTENCES
    assert (kind == "dropout") == (pairs.positive == pairs.anchor).all()


def test_the_next_sentences_are_those_of_the_list():
    sentences = [f"sentence {number}" for number in range(100)]
    pairs = api.build("next_sentence", sentences)
    assert [*zip(pairs.anchor, pairs.positive, strict=True)] == [*pairwise(sentences)]
    again = api.build("next_sentence", [*sentences[:50], sentences[0], *sentences[50:]])
    assert (again.anchor == sentences[49]).sum() == 0  # another one follows it, which is used already


def test_settings_of_a_strategy_are_taken_and_wrong_ones_named():
    assert api.build("crop", SENTENCES, rate=0.5).positive.str.split().str.len().max() == 5
    with pytest.raises(ConfigError, match="rates"):
        api.build("crop", SENTENCES, rates=0.5)
    with pytest.raises(ConfigError, match="no entry 'paraphrase'"):
        api.build("paraphrase", SENTENCES)


@pytest.mark.parametrize(
    ("sentences", "says"),
    [
        ("one string", "the value is 'one string', but a list of texts is expected"),
        (None, "the value is None, but a list of texts is expected"),
        ([], "the list is empty"),
        (["a text", None], "item 2 is None, but a text is expected"),
        (pd.Series(["a text", np.nan]), "item 2 is nan"),
    ],
)
def test_what_is_no_list_of_texts_is_refused_in_words(sentences, says):
    for what, call in {
        "build: sentences": lambda: api.build("crop", sentences),
        "encode: sentences": lambda: api.encode("never loaded", sentences),
    }.items():
        with pytest.raises(TableError, match=f"^{what}: {says}"):
            call()
    with pytest.raises(TableError, match="own_pairs: "):
        api.own_pairs(["a", "b"], "cd")


def test_an_encoder_is_trained_saved_and_scored_as_scipy_scores_it(tiny_encoder, tmp_path):
    options = {"device": "cpu", "batch_size": 4, "max_length": 16}
    pairs, folder = api.build("dropout", SENTENCES), tmp_path / "trained"
    history = api.train(pairs, tiny_encoder(), SCORED, folder, **options)
    assert len(history) == 4
    assert history.dev_score.iloc[-1] == pytest.approx(api.score(folder, SCORED) / 100)
    assert api.train(pairs, tiny_encoder(), None, folder, **options).dev_score.isna().all()
    first, second = (api.encode(folder, SCORED[side]) for side in ("sentence1", "sentence2"))
    cosines = (first * second).sum(1) / np.linalg.norm(first, axis=1) / np.linalg.norm(second, axis=1)
    expected = 100 * spearmanr(cosines, SCORED.score).statistic
    assert api.score(folder, SCORED) == pytest.approx(expected)


def test_own_pairs_may_have_hard_negatives():
    pairs = api.own_pairs(["a", "b"], ["c", "d"], ["e", "f"])
    assert pairs.negatives.tolist() == [["e"], ["f"]]
    with pytest.raises(TableError, match="2 anchors, 1 positives"):
        api.own_pairs(["a", "b"], ["c"])


def test_a_benchmark_is_read_from_its_files_and_any_table_with_what_made_it(tmp_path):
    test = api.benchmark("stsb", HOME / "examples/wiki/data/test_pairs")
    assert len(test) == 1379
    assert test.score.between(0, 5).all()
    api.own_pairs(["a"], ["b"]).to_parquet(tmp_path / "pairs.parquet")
    assert api.read(tmp_path / "pairs.parquet").anchor.tolist() == ["a"]


def test_a_pooling_has_its_former_name_and_an_unknown_one_is_refused(tiny_encoder):
    encoder = tiny_encoder("bert")
    assert (api.encode(encoder, SENTENCES[:2], "avg") == api.encode(encoder, SENTENCES[:2], "mean")).all()
    with pytest.raises(ConfigError, match=r"no entry .means.\. Did you mean .mean."):
        api.encode(encoder, SENTENCES[:2], "means")
