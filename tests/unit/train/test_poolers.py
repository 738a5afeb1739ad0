"""Poolers on vectors that fit on the screen."""

import pytest
import torch

from contrapose.train.poolers import POOLERS, Dense, Normalize, fresh_mlp

# Embeddings and two layers of one sentence: [CLS], a word, [SEP], padding; width 2.
EMBEDDED = torch.tensor([[[9.0, 9], [9, 9], [9, 9], [9, 9]]])
FIRST = torch.tensor([[[1.0, 0], [2, 0], [3, 6], [100, 100]]])
LAST = torch.tensor([[[5.0, 1], [4, 2], [0, 0], [100, 100]]])
MASK = torch.tensor([[1, 1, 1, 0]])


@pytest.mark.parametrize(
    ("pooler", "expected"),
    [
        ("cls", [5, 1]),
        ("cls_before_pooler", [5, 1]),
        ("avg", [3, 1]),  # (5 + 4 + 0) / 3, (1 + 2 + 0) / 3: [CLS] and [SEP] count, padding does not
        ("avg_top2", [2.5, 1.5]),  # mean of (3, 1) and of (2, 2), the mean of layer 1
        ("avg_first_last", [2.5, 1.5]),  # two layers: the same
    ],
)
def test_pooler(pooler, expected):
    assert POOLERS[pooler]((EMBEDDED, FIRST, LAST), MASK).tolist() == [pytest.approx(expected)]


def test_first_is_the_output_of_layer_1_and_top_2_are_the_last_two():
    layers = (EMBEDDED, FIRST, EMBEDDED, LAST)
    assert POOLERS["avg_first_last"](layers, MASK).tolist() == [pytest.approx([2.5, 1.5])]
    assert POOLERS["avg_top2"](layers, MASK).tolist() == [pytest.approx([6, 5])]


def test_a_fresh_mlp_has_small_normal_weights_that_depend_on_the_seed_alone_and_no_bias():
    torch.manual_seed(1)
    one = fresh_mlp(64, 0.02, 42)
    torch.manual_seed(2)
    two, other = fresh_mlp(64, 0.02, 42), fresh_mlp(64, 0.02, 43)
    assert torch.equal(one.linear.weight, two.linear.weight)
    assert not torch.equal(one.linear.weight, other.linear.weight)
    assert one.linear.weight.std().item() == pytest.approx(0.02, rel=0.05)
    assert one.linear.bias.abs().max() == 0


def test_the_mlp_is_linear_then_tanh_and_normalize_makes_length_1():
    head = Dense(1, 1)
    torch.nn.init.constant_(head.linear.weight, 2)
    torch.nn.init.constant_(head.linear.bias, 0.5)
    assert head(torch.tensor([[1.0]])).item() == pytest.approx(0.98661430)  # tanh 2.5
    assert Normalize()(torch.tensor([[3.0, 4]])).tolist() == [pytest.approx([0.6, 0.8])]
