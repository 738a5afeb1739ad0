import math

import numpy as np
import pytest
import torch
from sentence_transformers.sentence_transformer import losses as peers
from sentence_transformers.util import pairwise_cos_sim
from torch.nn.functional import normalize

from contrapose.models.embeddings import embeddings
from contrapose.models.sentence_encoder import load_encoder
from contrapose.pairs.pair_rows import as_pairs
from contrapose.train.objective import batch_loss, teacher_vectors
from contrapose.train.recipe import Recipe
from contrapose.train.rows import NO_TEXT, RowIds
from tests.unit.train.test_losses import Given, assert_equal, cosine
from tests.unit.train.trainings import IDS, LONGER, RAGGED, SIX, trained

ROWS = RowIds(np.arange(18).reshape(6, 3), (1,))
RECIPE = {"batch_size": 5, "max_length": 8, "learning_rate": 1e-3, "pooling": "mean", "dev_every": 100}


def random(*shape, seed=0):
    return torch.randn(*shape, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))


def peer_loss(loss, sides, labels):
    return loss([{"sentence_embedding": side} for side in sides.unbind(dim=1)], labels)


def scored(texts, scores):
    """Rows with a score of the positive and of each hard negative."""
    return RowIds(texts, (texts.shape[1] - 2,), scores[:, :1], scores=np.pad(scores[:, 1:], ((0, 0), (2, 0))))


def test_scores_are_distilled_as_by_sentence_transformers_over_the_temperature_squared():
    sides, scores = random(6, 4, 9).requires_grad_(), random(6, 3, seed=1)
    rows = scored(np.arange(24).reshape(6, 4), scores.numpy())
    recipe = Recipe(loss="score_distillation", temperature=0.1, teacher_temperature=0.5)
    peer = peers.DistillKLDivLoss(Given(), pairwise_cos_sim, student_temperature=0.1, teacher_temperature=0.5)
    assert_equal(batch_loss(sides, rows, None, recipe), peer_loss(peer, sides, scores) / 0.1**2, sides)


def test_a_row_with_fewer_hard_negatives_has_a_shorter_softmax():
    sides, scores = random(2, 4, 9).requires_grad_(), random(2, 3, seed=1).numpy()
    texts = np.arange(8).reshape(2, 4)
    texts[1, 3], scores[1, 2] = NO_TEXT, math.nan
    recipe = Recipe(loss="score_distillation")

    def loss(at, count):
        rows = scored(texts[at, :count], scores[at, : count - 1])
        return batch_loss(sides[at, :count], rows, None, recipe)

    both = batch_loss(sides, scored(texts, scores), None, recipe)
    assert_equal(both, (loss([0], 4) + loss([1], 3)) / 2, sides)


@pytest.mark.parametrize("distance", ["cosine", "l2", "mse"])
def test_vectors_are_distilled_as_by_sentence_transformers(distance):
    sides, targets = random(6, 3, 9).requires_grad_(), random(18, 9, seed=1)
    recipe = Recipe(loss="vector_distillation", teacher="any", distance=distance)
    peer = peer_loss(peers.EmbedDistillLoss(Given(), distance), sides, targets.view(6, 3, 9))
    assert_equal(batch_loss(sides, ROWS, targets.numpy(), recipe), peer, sides)


def cosine_loops(sides, targets, rows, recipe):
    """The KL divergence or squared errors of the cosines of a batch, by loops over its texts."""

    total, count = torch.zeros((), dtype=torch.float64), 0
    for anchor in range(len(sides)):
        places = [(row, side) for row, side in np.argwhere(rows.present) if side > 0]
        if recipe.measure == "kl":
            places = [at for at in places if rows.texts[at] != rows.texts[anchor, 0]]
        ours, wanted = (
            torch.stack([cosine(each[anchor, 0], each[at]) for at in places]) for each in (sides, targets)
        )
        if recipe.measure == "mse":
            total, count = total + ((ours - wanted) ** 2).sum(), count + len(places)
            continue
        p, q = ((wanted / recipe.teacher_temperature).softmax(0), (ours / recipe.temperature).softmax(0))
        total, count = total + (p * (p / q).log()).sum(), count + 1
    return total / count


@pytest.mark.parametrize("measure", ["kl", "mse"])
def test_cosines_of_a_batch_are_distilled_as_by_loops(measure):
    sides, targets = random(6, 3, 9).requires_grad_(), random(18, 5, seed=1)
    texts = ROWS.texts.copy()
    texts[1, 2] = NO_TEXT
    texts[2, 1] = texts[2, 0]  # a dropout pair
    texts[3, 1] = texts[0, 0]  # a positive that is another's anchor
    rows = RowIds(texts, (1,))
    recipe = Recipe(
        loss="cosine_distillation", teacher="any", measure=measure, temperature=0.3, teacher_temperature=0.2
    )
    expected = cosine_loops(sides, targets[texts], rows, recipe)
    assert_equal(batch_loss(sides, rows, targets.numpy(), recipe), expected, sides)


def test_the_cosines_of_several_teachers_are_averaged(tiny_encoder):
    teachers = [load_encoder(tiny_encoder(kind), pooling="mean") for kind in ("bert", "roberta")]
    texts = SIX.tolist()
    alone = [embeddings(each, texts) for each in teachers]
    cosines = [each @ each.T for each in (normalize(torch.from_numpy(one), dim=-1) for one in alone)]
    for weights, expected in (
        ([0.33, 0.67], 0.33 * cosines[0] + 0.67 * cosines[1]),
        (None, sum(cosines) / 2),
    ):
        together = normalize(torch.from_numpy(teacher_vectors(teachers, texts, weights)), dim=-1)
        torch.testing.assert_close(together @ together.T, expected)
    assert np.array_equal(teacher_vectors(teachers[:1], texts, [1.0]), alone[0])
    assert teacher_vectors([], texts) is None


def apart(loss, *encoders):
    """Return the mean difference of two encoders: of the cosines of all texts, or 1 - cosine of vectors."""
    one, other = (normalize(torch.from_numpy(embeddings(each, SIX.tolist())), dim=-1) for each in encoders)
    if loss == "vector_distillation":
        return (1 - (one * other).sum(dim=-1)).mean().item()
    return (one @ one.T - other @ other.T).abs().mean().item()


PAIRS = as_pairs(IDS[:6], SIX, LONGER, negatives=RAGGED)


@pytest.mark.parametrize("loss", ["cosine_distillation", "vector_distillation"])
def test_training_brings_an_encoder_near_to_its_teacher(loss, tiny_encoder):
    teacher = load_encoder(tiny_encoder("bert", 1), pooling="mean")
    recipe = Recipe(**RECIPE, loss=loss, teacher="any", epochs=20, dropout=0.0, dev=None)
    before = apart(loss, load_encoder(tiny_encoder("bert"), pooling="mean"), teacher)
    encoder, history = trained(tiny_encoder("bert"), recipe, PAIRS, None, teachers=[teacher])
    assert history.loss.iloc[-1] < history.loss.iloc[0] / 2
    assert apart(loss, encoder, teacher) < before / 2
