"""Poolers on vectors that fit on the screen."""

import pytest
import torch

from contrapose.encoders.poolers import POOLERS, fresh_mlp

# Embeddings and two layers of one sentence: [CLS], a word, [SEP], padding; width 2.
EMBEDDED = torch.tensor([[[9.0, 9], [9, 9], [9, 9], [9, 9]]])
FIRST = torch.tensor([[[1.0, 0], [2, 0], [3, 6], [100, 100]]])
LAST = torch.tensor([[[5.0, 1], [4, 2], [0, 0], [100, 100]]])
MASK = torch.tensor([[1, 1, 1, 0]])


@pytest.mark.parametrize(
    ("pooler", "layers", "expected"),
    [
        ("cls", [FIRST, LAST], [5, 1]),
        ("cls_before_pooler", [FIRST, LAST], [5, 1]),
        ("avg", [FIRST, LAST], [3, 1]),  # (5 + 4 + 0) / 3, (1 + 2 + 0) / 3: padding does not count
        ("avg_top2", [FIRST, EMBEDDED, LAST], [6, 5]),  # mean of (3, 1) and of (9, 9)
        ("avg_first_last", [FIRST, EMBEDDED, LAST], [2.5, 1.5]),  # of (3, 1) and of (2, 2)
    ],
)
def test_pooler(pooler, layers, expected):
    assert POOLERS[pooler]((EMBEDDED, *layers), MASK).tolist() == [pytest.approx(expected)]


def test_a_fresh_mlp_has_small_normal_weights_that_depend_on_the_seed_alone_and_no_bias():
    torch.manual_seed(1)
    one = fresh_mlp(64, 0.02, 42)
    torch.manual_seed(2)
    two, other = fresh_mlp(64, 0.02, 42), fresh_mlp(64, 0.02, 43)
    assert torch.equal(one.linear.weight, two.linear.weight)
    assert not torch.equal(one.linear.weight, other.linear.weight)
    assert one.linear.weight.std().item() == pytest.approx(0.02, rel=0.05)
    assert one.linear.bias.abs().max() == 0
