"""Training against a plain loop written from the papers alone, with `transformers` directly.

In float64, where the two agree far beyond the rounding of float32.
"""

import math

import numpy as np
import pandas as pd
import pytest
import torch
from transformers import AutoModel, AutoTokenizer

from contrapose.models.sentence_encoder import new_encoder
from contrapose.pairs.pair_rows import as_pairs, in_lists
from contrapose.train.contrastive import train_encoder
from contrapose.train.loop import RunOptions
from contrapose.train.recipe import Recipe

TEXTS = pd.Series(
    ["a cat sat", "the dog ran away", "big bird", "a small red tree in the park", "the mat", "quick cat flew"]
)
OTHERS = TEXTS.str.replace("a ", "the ") + " on a mat"
HARD = TEXTS[::-1].reset_index(drop=True)
DEV = pd.DataFrame({"sentence1": TEXTS, "sentence2": OTHERS, "score": [1.0, 3, 2, 5, 4, 0]})
RECIPE = Recipe(
    batch_size=6, max_length=6, learning_rate=1e-3, dropout=0.0, epochs=3, dev_every=1000, weight_decay=0.1
)


def plain_training(folder, texts, steps, mlp):
    """Train on one batch of all items `steps` times with AdamW by hand; return losses and weights."""
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModel.from_pretrained(folder, add_pooling_layer=False, dtype=torch.float64)
    model.eval()  # no dropout
    dense = torch.nn.Linear(16, 16).double()
    dense.load_state_dict(mlp)
    weights = {
        **dict(model.named_parameters()),
        **{f"mlp.{name}": each for name, each in dense.named_parameters()},
    }
    first = {name: torch.zeros_like(each) for name, each in weights.items()}
    second = {name: torch.zeros_like(each) for name, each in weights.items()}
    losses = []
    for step in range(steps):
        embedded = []
        for side in texts:
            batch = tokenizer(side.tolist(), padding=True, truncation=True, max_length=6, return_tensors="pt")
            embedded.append(torch.tanh(dense(model(**batch).last_hidden_state[:, 0])))
        total = 0
        for i in range(len(embedded[0])):
            candidates = [
                torch.cosine_similarity(embedded[0][i], each, dim=0) for side in embedded[1:] for each in side
            ]
            total = total - candidates[i] / 0.05 + torch.logsumexp(torch.stack(candidates) / 0.05, dim=0)
        loss = total / len(embedded[0])
        gradients = dict(zip(weights, torch.autograd.grad(loss, list(weights.values())), strict=True))
        losses.append(loss.item())
        norm = math.sqrt(sum((each**2).sum().item() for each in gradients.values()))
        rate = 1e-3 * (1 - step / steps)
        for name, each in weights.items():
            gradient = gradients[name] * min(1, 1 / (norm + 1e-6))
            first[name] = 0.9 * first[name] + 0.1 * gradient
            second[name] = 0.999 * second[name] + 0.001 * gradient**2
            mean, square = first[name] / (1 - 0.9 ** (step + 1)), second[name] / (1 - 0.999 ** (step + 1))
            decay = 0 if name.endswith("bias") or "LayerNorm" in name else 0.1
            each.data = each.data - rate * (mean / (square.sqrt() + 1e-8) + decay * each.data)
    return losses, weights


@pytest.mark.parametrize("model_type", ["bert", "roberta"])
@pytest.mark.parametrize("sides", [2, 3])
def test_losses_and_weights_are_those_of_a_plain_loop(model_type, sides, tiny_encoder):
    folder = tiny_encoder(model_type)
    encoder = new_encoder(folder, RECIPE, 42).double()
    mlp = {
        name.removeprefix("linear."): each.clone() for name, each in encoder.projector.state_dict().items()
    }
    hard = in_lists(HARD) if sides == 3 else None
    table = as_pairs(TEXTS.index.astype(str).to_series(), TEXTS, OTHERS, negatives=hard)
    history, _ = train_encoder(encoder, table, DEV, RECIPE, 42, RunOptions("cpu"))
    losses, weights = plain_training(folder, [TEXTS, OTHERS, HARD][:sides], 3, mlp)
    assert np.abs(history.loss - losses).max() < 1e-5
    for name, each in encoder.model.named_parameters():
        assert torch.allclose(each, weights[name], atol=1e-9), name
    assert torch.allclose(encoder.projector.linear.weight, weights["mlp.weight"], atol=1e-9)
