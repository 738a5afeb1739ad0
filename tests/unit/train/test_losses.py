"""Losses against values worked out by hand."""

import math

import numpy as np
import pytest
import torch
from torch.nn.functional import normalize

from contrapose.settings.recipes import Recipe
from contrapose.train.batches import NO_TEXT, Rows
from contrapose.train.losses import batch_loss, in_places, info_nce

ANCHOR = torch.eye(2)
POSITIVE = normalize(torch.tensor([[1, 0.2], [0.6, 0.8]]), dim=-1)
NEGATIVE = normalize(torch.tensor([[0.8, 0.6], [0, -1.0]]), dim=-1)
TWICE = math.log(2)


@pytest.mark.parametrize(
    ("temperature", "hard", "expected"),
    [
        *((0.05, (), 0.00025012), (0.05, (NEGATIVE, 0), 0.02264350), (0.05, (NEGATIVE, TWICE), 0.03561640)),
        *((0.5, (), 0.32239678), (0.5, (NEGATIVE, 0), 0.76317171), (0.5, (NEGATIVE, TWICE), 0.90206085)),
    ],
)
def test_the_worked_values(temperature, hard, expected):
    assert info_nce(ANCHOR, POSITIVE, temperature, *hard).item() == pytest.approx(expected, abs=1e-7)


def with_one_hard_negative(anchor, positive, temperature, negative, negative_weight):
    """The loss as it was when every row had one hard negative."""
    anchor = normalize(anchor, dim=-1)
    logits = anchor @ normalize(positive, dim=-1).T / temperature
    harder = anchor @ normalize(negative, dim=-1).T / temperature
    logits = torch.cat([logits, harder + negative_weight * torch.eye(len(anchor))], dim=1)
    return torch.nn.functional.cross_entropy(logits, torch.arange(len(anchor)))


def test_one_hard_negative_a_row_gives_the_bits_that_it_always_gave():
    torch.manual_seed(0)
    for weight in (0.0, TWICE):
        sides = [torch.randn(7, 5, requires_grad=True) for _ in range(3)]
        before, now = (
            loss(*sides[:2], 0.05, sides[2], weight) for loss in (with_one_hard_negative, info_nce)
        )
        assert torch.equal(before, now)
        for one, other in zip(
            torch.autograd.grad(before, sides), torch.autograd.grad(now, sides), strict=True
        ):
            assert torch.equal(one, other)


def by_hand(anchor, positive, hard, temperature, weight):
    """The loss of ragged lists: `hard` holds (number of its anchor, vector)."""

    def cosine(one, other):
        return one @ other / np.linalg.norm(one) / np.linalg.norm(other)

    total = 0.0
    for row, own in enumerate(anchor):
        likely = [np.exp(cosine(own, each) / temperature) for each in positive]
        others = [
            np.exp(cosine(own, each) / temperature) * (np.exp(weight) if of == row else 1)
            for of, each in hard
        ]
        total -= np.log(likely[row] / (sum(likely) + sum(others)))
    return total / len(anchor)


@pytest.mark.parametrize("counts", [(2, 0, 1), (0, 0, 3), (2, 2, 2)])
def test_ragged_hard_negatives_give_the_loss_of_plain_lists(counts):
    draws = np.random.default_rng(1)
    anchor, positive = draws.normal(size=(2, 3, 4))
    hard = [(row, draws.normal(size=4)) for row, count in enumerate(counts) for _ in range(count)]
    most = max(counts)
    texts = np.full((3, 2 + most), NO_TEXT)
    texts[:, :2] = 0
    for row, count in enumerate(counts):
        texts[row, 2 : 2 + count] = 0
    rows, temperature = Rows(texts, (most,)), 0.5
    vectors = [
        each
        for row in range(3)
        for each in (anchor[row], positive[row], *(vector for of, vector in hard if of == row))
    ]
    given = torch.tensor(np.array(vectors), requires_grad=True)
    loss = batch_loss(in_places(given, rows.there), rows, None, Recipe(temperature=temperature))
    assert loss.item() == pytest.approx(by_hand(anchor, positive, hard, temperature, 0))
    loss.backward()
    assert torch.isfinite(given.grad).all()
    # The weight is that of all hard negatives of the own anchor.
    sides = in_places(given, rows.there)
    negative, there = (
        sides[:, 2:].transpose(0, 1).flatten(0, 1),
        torch.from_numpy(rows.there[:, 2:].T.reshape(-1)),
    )
    weighted = info_nce(sides[:, 0], sides[:, 1], temperature, negative, TWICE, there)
    assert weighted.item() == pytest.approx(by_hand(anchor, positive, hard, temperature, TWICE))
