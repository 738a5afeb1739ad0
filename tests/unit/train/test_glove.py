import numpy as np
import pytest

from contrapose.base.errors import TableError
from contrapose.settings.catalogs import TrainedVectors
from contrapose.train.glove import Glove, cooccurrences, train_glove, weights_and_logs

TOKENS = [["a", "b", "rare", "a"], ["c", "a", "b"], [], ["c"]]
TEXTS = [f"The {who} eats {what}." for who in ("cat", "dog") for what in ("fish", "meat")] + [
    f"A {what} drives to {where}." for what in ("car", "bus") for where in ("Rome", "Oslo")
]


def spec(**changes):
    return TrainedVectors(kind="glove", corpus="some", **{"dimensions": 8, "min_count": 1, **changes})


def test_pairs_of_a_sentence_count_one_over_their_distance():
    counts = cooccurrences(TOKENS, ["a", "b", "c"], window=10).toarray()
    # `rare` has no vector and takes no place: a b a; c a b.
    assert counts.tolist() == [[2 * 0.5, 1 + 1 + 1, 1], [3, 0, 0.5], [1, 0.5, 0]]
    near = cooccurrences(TOKENS, ["a", "b", "c"], window=1).toarray()
    assert near.tolist() == [[0, 3, 1], [3, 0, 0], [1, 0, 0]]


def test_rare_words_have_no_vector():
    words, vectors = train_glove(TEXTS, spec(min_count=4, epochs=1))
    assert (words, vectors.shape) == ([".", "a", "drives", "eats", "the", "to"], (6, 8))
    with pytest.raises(TableError, match="1 words occur at least 8 times in the corpus 'some'"):
        train_glove(TEXTS, spec(min_count=8))


def test_loss_and_gradients_are_those_of_a_loop_over_pairs():
    x_max, alpha = 1.2, 0.75
    counts = cooccurrences(TOKENS, ["a", "b", "c", "rare"], window=10)
    model = Glove.fresh(4, 5, np.random.default_rng(0))
    block = np.array([2, 0, 3])
    weights, logs = weights_and_logs(counts, x_max, alpha)
    loss, found = model.loss_and_gradients(block, weights[block].toarray(), logs[block].toarray())
    expected, total = [np.zeros_like(each) for each in model.arrays], 0.0
    for i in block:
        for j in range(4):
            often = counts.toarray()[i, j]
            weight = min((often / x_max) ** alpha, 1)  # 0 for a pair that never occurs
            product = sum(model.words[i, d] * model.contexts[j, d] for d in range(5))
            error = product + model.word_biases[i] + model.context_biases[j] - np.log(often or 1)
            total += weight * error**2 / 2
            expected[0][i] += weight * error * model.contexts[j]
            expected[1][i] += weight * error
            expected[2][j] += weight * error * model.words[i]
            expected[3][j] += weight * error
    assert loss == pytest.approx(total)
    for one, other in zip(found, (*(each[block] for each in expected[:2]), *expected[2:]), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-15)


def test_training_explains_how_often_words_occur_together(caplog):
    caplog.set_level("INFO")
    words, vectors = train_glove(TEXTS * 10, spec(epochs=200))
    first, last = (float(line.split()[3]) for line in caplog.messages if line.startswith("epoch"))
    assert last < first / 20
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    cosines = unit @ unit.T

    def cosine(one, other):
        return cosines[words.index(one), words.index(other)]

    assert cosine("cat", "dog") > cosine("cat", "car")
    assert cosine("rome", "oslo") > cosine("rome", "meat")
