"""Self-debiasing and the choice of tokens, beside worked values, loops and the warpers of transformers."""

import numpy as np
import pytest
import torch
from transformers import TopKLogitsWarper, TopPLogitsWarper

from contrapose.generate.decoding import TextRows, debiased, likeliest

CPU = torch.device("cpu")


@pytest.mark.parametrize(
    ("q", "expected"),
    [  # methods, appendix
        ((0.2, 0.6, 0.2), (0.711238, 0.004267, 0.284495)),
        ((0.505, 0.3, 0.195), (0.377541, 0.373476, 0.248984)),
    ],
)
def test_what_a_counter_instruction_makes_likelier_is_taken_away(q, expected):
    rows = torch.tensor([(0.5, 0.3, 0.2), q], dtype=torch.float64)
    (found,) = debiased(rows, TextRows(np.array([1]), CPU), 100, 0.01).numpy()
    np.testing.assert_allclose(found, expected, atol=5e-7)


@pytest.mark.parametrize(("top_k", "top_p"), [(5, 0.9), (3, 0.5), (1, 0.9), (40, 0.3), (40, 1.0), (50, 1.0)])
def test_the_tokens_that_may_be_drawn_are_those_that_the_warpers_of_transformers_leave(top_k, top_p):
    noise = torch.randn(50, 40, dtype=torch.float64, generator=torch.Generator().manual_seed(2))
    rows = (5 * noise).softmax(-1)
    rows[0, 7:19] = rows[0, 3:4]  # ties
    rows[1] = 1 / 40
    rows[2, 5:] = 0
    rows = rows / rows.sum(-1, keepdim=True)
    scores = TopKLogitsWarper(top_k)(None, rows.log())
    scores = scores if top_p == 1 else TopPLogitsWarper(top_p)(None, scores)
    tokens, probabilities = likeliest(rows, top_k, top_p)
    found = np.zeros(rows.shape)
    np.put_along_axis(found, tokens, probabilities, 1)
    expected = scores.softmax(-1).numpy()
    np.testing.assert_allclose(found[2:], expected[2:], atol=1e-12)
    # Which of equally likely tokens top-p drops is not settled.
    np.testing.assert_allclose(np.sort(found[:2]), np.sort(expected[:2]), atol=1e-12)
