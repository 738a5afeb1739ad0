import numpy as np
import pandas as pd

from contrapose.models import embeddings as encoders
from contrapose.score.stratified import STRATA, StratifiedDraw, build, stratified
from contrapose.tables import RELEVANCE, checked_arrays

RNG = np.random.default_rng(1)
VECTORS = RNG.normal(size=(300, 3))
VECTORS /= np.linalg.norm(VECTORS, axis=1, keepdims=True)
# Nearly all pairs of the cube are unlike, as those of sentences.
COSINES = (VECTORS @ VECTORS.T) ** 3


def strata(values):
    every = COSINES[np.triu_indices(300, 1)]
    return np.bincount(
        np.digitize(values, np.linspace(every.min(), every.max(), STRATA + 1)[1:-1]), minlength=STRATA
    )


def test_strata_have_equally_many_pairs_and_no_sentence_is_in_two():
    first, second, values = stratified(COSINES, 50, 1)
    assert strata(values).tolist() == [5] * STRATA
    assert len({*first, *second}) == 100
    np.testing.assert_array_equal(values, COSINES[first, second])
    random = strata(COSINES[np.arange(0, 100, 2), np.arange(1, 100, 2)])
    assert random.max() > 15  # of 50 that are not drawn so


def test_the_seed_alone_decides_and_sentences_may_run_out():
    whole = stratified(COSINES, 50, 1)
    for one, again in zip(whole, stratified(COSINES, 50, 1), strict=True):
        np.testing.assert_array_equal(one, again)
    assert {*zip(*whole[:2], strict=True)} != {*zip(*stratified(COSINES, 50, 2)[:2], strict=True)}
    first, second, _ = stratified(COSINES, 1000, 1)
    assert len({*first, *second}) == 2 * len(first) == 300


def test_a_step_names_the_sentences(monkeypatch):
    monkeypatch.setattr(
        encoders, "embeddings", lambda encoder, texts: 2 * VECTORS[[int(each) for each in texts]]
    )
    sentences = pd.DataFrame({"text": [str(number) for number in range(40)]})
    found = build(StratifiedDraw(count=10, seed=1), sentences, None)
    checked_arrays(found.astype({"score": "float32"}), "found", RELEVANCE)
    cosines = [
        VECTORS[int(one)] @ VECTORS[int(other)] for one, other in zip(found.anchor, found.text, strict=True)
    ]
    np.testing.assert_allclose(found.score, cosines, atol=1e-6)
