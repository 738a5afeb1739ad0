"""The worked values of the methods dossier."""

import math

import pytest
import torch
from torch.nn.functional import normalize

from contrapose.train.losses import info_nce

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
