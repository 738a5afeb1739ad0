"""Losses against values worked out by hand, sentence-transformers, and loops over sentences."""

import math

import numpy as np
import pytest
import torch
from sentence_transformers.sentence_transformer import losses as peers
from sentence_transformers.util import pairwise_cos_sim
from torch.nn.functional import normalize

from contrapose.train.losses.cosent import cosent
from contrapose.train.losses.info_nce import info_nce
from contrapose.train.losses.info_nce_settings import InfoNCE
from contrapose.train.objective import batch_loss, jensen_shannon, listmle, ranking_loss
from contrapose.train.recipe import Recipe
from contrapose.train.rows import RowIds, View
from tests.unit.train.trainings import LABELS

ANCHOR = torch.eye(2)
POSITIVE = normalize(torch.tensor([[1, 0.2], [0.6, 0.8]]), dim=-1)
NEGATIVE = normalize(torch.tensor([[0.8, 0.6], [0, -1.0]]), dim=-1)
THERE = torch.tensor([True, True, True, False])
# Labels 1, 2, 3 ask for s0 < s1 < s2; s1 exceeds s2 by 0.1, the others are as they should be.
SIMILARITY = torch.tensor([0.1, 0.9, 0.8])
STUDENT, TEACHER = torch.tensor([[0.9, 0.2, 0.5]]), torch.tensor([[0.8, 0.4, 0.1]])
OPPOSITE = torch.tensor(
    [[90.0, -90]]
)  # probabilities far below 1e-7, where the public code's clamp would show


def nce(anchor, positive, temperature, *others, **settings):
    return info_nce(InfoNCE(temperature=temperature, **settings), View(anchor, positive, *others))


@pytest.mark.parametrize(
    ("loss", "inputs", "expected"),
    [
        (nce, (ANCHOR, POSITIVE, 0.05), 0.00025012),
        (nce, (ANCHOR, POSITIVE, 0.05, NEGATIVE), 0.02264350),
        (nce, (ANCHOR, POSITIVE, 0.5), 0.32239678),
        (nce, (ANCHOR, POSITIVE, 0.5, NEGATIVE), 0.76317171),
        # Two hard negatives of each anchor, the same ones; then without the second anchor's second.
        (nce, (ANCHOR, POSITIVE, 0.5, NEGATIVE.repeat(2, 1)), 1.06801062),
        (nce, (ANCHOR, POSITIVE, 0.5, NEGATIVE.repeat(2, 1), THERE), 1.04000948),
        # The same two as a queue with room for one more.
        (nce, (ANCHOR, POSITIVE, 0.5, *[None] * 4, torch.cat([3 * NEGATIVE, 0 * NEGATIVE[:1]])), 0.76317171),
        (cosent, (SIMILARITY, torch.arange(1, 4), 0.1), math.log(1 + math.exp(-8) + math.exp(-7) + math.e)),
        (cosent, (SIMILARITY, torch.ones(3), 0.1), 0),  # nothing to order
        # Methods, appendix.  ln(e^0.9 + e^0.2 + e^0.5) - 0.9, and ln(e^0.2 + e^0.5) - 0.2.
        (listmle, (STUDENT, TEACHER), 1.627656),
        # Of equals the first in the batch comes first.
        (listmle, (STUDENT, torch.zeros(1, 3)), 1.627656),
        (jensen_shannon, (STUDENT, TEACHER), 0.00599078),
        (jensen_shannon, (STUDENT, STUDENT), 0),
        (jensen_shannon, (OPPOSITE, -OPPOSITE), math.log(2)),
    ],
)
def test_the_worked_values(loss, inputs, expected):
    assert loss(*inputs).item() == pytest.approx(expected, rel=1e-6, abs=1e-7)


class Given(torch.nn.Module):
    """An encoder of sentence-transformers' interface that returns the vectors that it is given."""

    def get_embedding_dimension(self) -> int:
        return 9

    def forward(self, features):
        return dict(features)


def margin_mse(model):
    # Its default is the dot product.
    return peers.MarginMSELoss(model, lambda one, other: pairwise_cos_sim(one, other) / 0.05)


PEERS = {
    "cosent": (peers.CoSENTLoss, 2),
    "cosine_similarity": (peers.CosineSimilarityLoss, 2),
    "info_nce": (peers.MultipleNegativesRankingLoss, 3),
    "margin_mse": (margin_mse, 3),
}


@pytest.mark.parametrize("dimensions", [None, [9], [8, 3, 2]])
@pytest.mark.parametrize("name", PEERS)
def test_loss_and_gradients_are_those_of_sentence_transformers(name, dimensions):
    kind, n_sides = PEERS[name]
    torch.manual_seed(0)
    sides = torch.randn(6, n_sides, 9, dtype=torch.float64, requires_grad=True)
    labels = LABELS.to_numpy("float32")
    labelled = (labels[:, None],) if name != "info_nce" else ()
    rows = RowIds(np.arange(6 * n_sides).reshape(6, n_sides), (n_sides - 2,), *labelled)
    ours = batch_loss(sides, rows, None, Recipe(loss=name, matryoshka=dimensions))
    model = Given()
    peer = peers.MatryoshkaLoss(model, kind(model), dimensions) if dimensions else kind(model)
    features = [{"sentence_embedding": side} for side in sides.unbind(dim=1)]
    assert_equal(ours, peer(features, torch.from_numpy(labels).double()), sides)


def assert_equal(ours, theirs, sides, tolerance=1e-6):
    """Hold a loss and its gradients against another one."""
    assert ours.item() == pytest.approx(theirs.item(), rel=tolerance, abs=1e-12)
    gradients = (torch.autograd.grad(loss, sides)[0] for loss in (ours, theirs))
    torch.testing.assert_close(*gradients, atol=tolerance, rtol=tolerance)


def cosine(one, other):
    return one @ other / one.norm() / other.norm()


def loops_of_rankcse(sides, teacher_sides, recipe):
    """What RankCSE adds to the loss, by loops over sentences and positions."""

    def scores(sides, temperature):
        return [[cosine(one, other) / temperature for _, other in sides] for one, _ in sides]

    def softmax(row):
        return [torch.exp(each) / sum(map(torch.exp, row)) for each in row]

    ours = scores(sides, recipe.temperature)
    total = torch.zeros((), dtype=torch.float64)
    for row, column in zip(ours, zip(*ours, strict=True), strict=True):
        for p, q in zip(softmax(row), softmax(column), strict=True):
            middle = (p + q) / 2
            total += recipe.consistency * (p * torch.log(p / middle) + q * torch.log(q / middle)) / 2
    theirs = [] if teacher_sides is None else scores(teacher_sides, recipe.teacher_temperature)
    for number, (row, wanted) in enumerate(zip(ours, theirs, strict=False)):
        if recipe.ranking == "listnet":
            p, q = (softmax(each[:number] + each[number + 1 :]) for each in (wanted, row))
            total -= recipe.distillation * sum(one * torch.log(two) for one, two in zip(p, q, strict=True))
            continue
        order = sorted(range(len(row)), key=lambda other: -wanted[other])
        for position, item in enumerate(order):
            left = sum(torch.exp(row[other]) for other in order[position:])
            share = len(row) if recipe.ranking == "listmle_mean" else 1
            total += recipe.distillation * (torch.log(left) - row[item]) / share
    return total / len(sides)


RANKED = {"consistency": 0.7, "distillation": 1.3, "teacher": "any", "teacher_temperature": 0.3}


@pytest.mark.parametrize(
    "settings",
    [*({**RANKED, "ranking": each} for each in ("listmle", "listmle_mean", "listnet")), {"consistency": 0.4}],
)
@pytest.mark.parametrize("sentences", [5, 1])  # the last batch may be one, which has nothing to rank
def test_loss_and_gradient_of_rankcse_are_those_of_loops(settings, sentences):
    recipe = Recipe(**settings, temperature=0.5)
    torch.manual_seed(7)
    sides = torch.randn(sentences, 2, 4, dtype=torch.float64, requires_grad=True)
    teacher_sides = torch.randn(sentences, 2, 3, dtype=torch.float64) if recipe.teacher else None
    losses = (function(sides, teacher_sides, recipe) for function in (ranking_loss, loops_of_rankcse))
    assert_equal(*losses, sides, tolerance=1e-9)
