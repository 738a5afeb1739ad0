"""Whitening: against scikit-learn, by its definition, and as a folder."""

import numpy as np
import pandas as pd
import pytest
from sklearn.decomposition import PCA

from contrapose.base.errors import ConfigError, UnavailableError
from contrapose.models.embeddings import embeddings
from contrapose.models.sentence_encoder import load_encoder
from contrapose.pairs.pair_rows import as_pairs, in_lists
from contrapose.settings.recipes import WhiteningRecipe
from contrapose.train import whitening
from contrapose.train.batches import distinct_texts
from contrapose.train.whitening import fit_whitening, moments
from tests.unit.models.peers import saved
from tests.unit.train.test_flow import TEXTS

TEXTS = TEXTS[::3]
# Of the 16 dimensions of the tiny encoder: its layer norms, which are as they began, leave the numbers of a
# vector the sum 0.
DIRECTIONS = 15


def fitted(folder, texts=TEXTS, **changes):
    recipe = WhiteningRecipe(**{"kind": "whitening", "max_length": 12, **changes})
    encoder = load_encoder(folder, pooling=recipe.pooling)
    fit_whitening(encoder, texts, recipe)
    return encoder


@pytest.mark.parametrize("components", [None, 5])
def test_cosines_are_those_of_scikit_learns_whitened_pca(tiny_encoder, components, monkeypatch):
    monkeypatch.setattr(whitening, "TEXTS_AT_ONCE", 100)
    ours = embeddings(fitted(tiny_encoder("bert"), components=components), TEXTS)
    plain = embeddings(load_encoder(tiny_encoder("bert"), pooling="avg_first_last"), TEXTS)
    theirs = PCA(components or DIRECTIONS, whiten=True, svd_solver="full").fit_transform(plain.astype(float))
    theirs /= np.linalg.norm(theirs, axis=1, keepdims=True)
    assert ours.shape == theirs.shape
    assert np.abs(ours @ ours.T - theirs @ theirs.T).max() < 1e-4


def test_moments_in_one_pass_are_exact_far_from_the_origin():
    draws = np.random.default_rng(3)
    vectors = (draws.normal(size=(1000, 8)) * np.arange(1, 9) + 1e4).astype(np.float32)
    mean, covariance = moments(np.array_split(vectors, [1, 10, 500]))
    assert mean == pytest.approx(vectors.astype(float).mean(axis=0), rel=1e-14)
    assert covariance == pytest.approx(np.cov(vectors.astype(float).T), rel=1e-10, abs=1e-12)


def test_sentence_transformers_gives_the_same_vectors(tiny_encoder, tmp_path):
    encoder = fitted(tiny_encoder("bert"), components=5)
    again, theirs = saved(encoder, tmp_path / "saved", TEXTS[:20])
    assert theirs.get_embedding_dimension() == 5
    assert again.max_length == 16  # the fit is cut, evaluation is not


@pytest.mark.parametrize(
    ("texts", "changes", "message"),
    [
        (TEXTS, {"max_length": 17}, "max_length is 17, but the encoder takes at most 16 tokens"),
        (
            TEXTS[:9],
            {"components": 9},
            "components is 9, but the vectors of 9 sentences vary in only 8 of 16 directions",
        ),
        # Both unknown, and so one to the encoder.
        (
            ["the zebra", "the giraffe"],
            {},
            "components is null, but the vectors of 2 sentences vary in only 0 of 16 directions",
        ),
    ],
)
def test_a_fit_that_cannot_be_is_refused(texts, changes, message, tiny_encoder):
    with pytest.raises(ConfigError, match=message):
        fitted(tiny_encoder("bert"), texts, **changes)


def test_all_texts_of_a_table_of_pairs_are_fitted_to_once():
    sides = (pd.Series(list(each)) for each in ("12", "ab", "bc"))
    pairs = as_pairs(*sides, negatives=in_lists([None, "a d"]))
    assert distinct_texts(pairs) == ["a", "b", "c", "a d"]
    with pytest.raises(UnavailableError, match="1 distinct texts, but at least 2 are needed"):
        distinct_texts(pairs.head(1).assign(anchor="a", positive="a"))
