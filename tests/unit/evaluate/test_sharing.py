"""Pairs that share a sentence: what their influences add up to, against sums over all pairs of pairs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from contrapose.evaluate import sharing as module
from contrapose.evaluate.sharing import Sharing

GRAPHS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=12)


def shared(pairs):
    """Return which pairs share a sentence, by looking at all pairs of them."""
    return np.array([[bool({*one} & {*other}) for other in pairs] for one in pairs], float)


def of(pairs):
    return Sharing(*([f"sentence {number}" for number in side] for side in zip(*pairs, strict=True)))


@given(GRAPHS)
def test_the_sum_is_that_over_all_pairs_of_pairs_that_share_a_sentence(pairs):
    influence = np.random.default_rng(0).normal(size=len(pairs))
    matrix = shared(pairs)
    assert of(pairs).squared(influence) == pytest.approx(influence @ matrix @ influence)
    assert of(pairs).effective == pytest.approx(len(pairs) ** 2 / matrix.sum())
    some = np.arange(len(pairs)) % 2 == 0
    assert of(pairs)[some].squared(influence[some]) == pytest.approx(
        influence[some] @ matrix[np.ix_(some, some)] @ influence[some]
    )


@given(GRAPHS)
def test_draws_vary_by_what_the_matrix_has_above_zero(pairs):
    drawn = of(pairs).draws(40_000, np.random.default_rng(1))
    values, vectors = np.linalg.eigh(shared(pairs))
    expected = (vectors * values.clip(min=0)) @ vectors.T
    assert np.cov(drawn, rowvar=False).reshape(expected.shape) == pytest.approx(expected, abs=0.35)


def test_a_large_component_is_drawn_by_its_sentences(monkeypatch):
    monkeypatch.setattr(module, "MOST_CONNECTED", 2)
    drawn = of([(0, 1), (1, 2), (2, 3), (4, 5)]).draws(40_000, np.random.default_rng(2))
    expected = [[2, 1, 0, 0], [1, 2, 1, 0], [0, 1, 2, 0], [0, 0, 0, 1]]
    assert np.cov(drawn, rowvar=False) == pytest.approx(np.array(expected), abs=0.1)


def test_sentences_are_compared_without_case_and_marks():
    found = Sharing(
        ["A dog .", "It rains.", "A cat", "rain", "…"], ["a dog barks", "A dog barks!", "b", "c", "?"]
    )
    assert found.squared(np.array([1.0, 10, 100, 0, 0])) == 1 + 100 + 2 * 10 + 100**2
    assert [part.tolist() for part in found.components()] == [[0, 1]]


def test_a_chain_of_pairs_counts_by_its_neighbours_and_a_star_as_one():
    chain, star = of([(at, at + 1) for at in range(100)]), of([(0, at) for at in range(1, 101)])
    assert chain.effective == pytest.approx(100**2 / (3 * 98 + 2 * 2))
    assert star.effective == pytest.approx(1)
