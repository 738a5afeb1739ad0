"""Training on several views of one anchor."""

import pandas as pd
import pytest
import torch

from contrapose.pairs.rows import as_pairs
from contrapose.settings.recipes import Recipe
from contrapose.train import loop
from contrapose.train.encoder import new_encoder
from contrapose.train.loop import Surroundings, train_encoder
from contrapose.train.losses import info_nce
from contrapose.train.tokens import tokenised

TEXTS = pd.Series(["a cat sat", "the dog ran away", "big bird", "a small tree", "the mat", "quick cat flew"])
SAME, LONGER, HARD = TEXTS, TEXTS + " on a mat", TEXTS[::-1].reset_index(drop=True)
DEV = pd.DataFrame({"sentence1": TEXTS, "sentence2": TEXTS[::-1].array, "score": [1.0, 3, 2, 5, 4, 0]})
IDS = TEXTS.index.astype(str).to_series()
FIRST = as_pairs(IDS, TEXTS, SAME)
BOTH = pd.concat([as_pairs(IDS, TEXTS, LONGER, negative=HARD, view=1)[::-1], FIRST])  # in any order


def recipe(**changes):
    return Recipe(**{"batch_size": 6, "max_length": 8, "dropout": 0.0, **changes})


def stepped(folder, table, monkeypatch, settings, recompute=False):
    """Train one step in float64; return the history, the counts of texts, and the gradients."""
    encoder = new_encoder(folder, settings, 42).double()
    found = {}

    def note(_):
        found.update({name: each.grad.clone() for name, each in encoder.named_parameters()})

    monkeypatch.setattr(loop, "sum_gradients", note)
    around = Surroundings("cpu", recompute=recompute)
    history, counts = train_encoder(encoder, table, DEV, settings, 42, around)
    return history, counts, found


@pytest.mark.parametrize("model_type", ["bert", "roberta"])
@pytest.mark.parametrize("recompute", [False, True])
def test_the_loss_of_two_views_is_the_sum_of_two_written_by_hand(
    model_type, recompute, tiny_encoder, monkeypatch
):
    folder = tiny_encoder(model_type)
    settings = recipe(view_weight=0.6, max_length=16)
    history, counts, found = stepped(folder, BOTH, monkeypatch, settings, recompute)

    encoder = new_encoder(folder, settings, 42).double()
    anchor, same, longer, hard = (
        encoder(tokenised(side.tolist(), encoder.tokenizer, 16)) for side in (TEXTS, SAME, LONGER, HARD)
    )
    loss = info_nce(anchor, same, 0.05) + 0.6 * info_nce(anchor, longer, 0.05, hard)
    loss.backward()
    assert history.loss[0] == pytest.approx(loss.item(), abs=1e-12)
    assert history.sentences.tolist() == [24]  # the anchor once
    assert counts["texts"] == 12
    for name, each in encoder.named_parameters():
        assert torch.allclose(found[name], each.grad, atol=1e-10), name


def test_a_weight_of_0_leaves_the_gradients_of_the_first_view(tiny_encoder, monkeypatch):
    folder = tiny_encoder("bert")
    one, _, first = stepped(folder, FIRST, monkeypatch, recipe())
    both, counts, weighted = stepped(folder, BOTH, monkeypatch, recipe(view_weight=0))
    assert both.loss[0] == pytest.approx(one.loss[0], abs=1e-12)
    assert counts == {"texts": 12, "cut": 1}  # the dog ran away on a mat
    assert any(each.abs().max() > 1e-3 for each in first.values())
    for name, each in first.items():
        assert torch.allclose(each, weighted[name], atol=1e-12), name


@pytest.mark.parametrize("model_type", ["bert", "roberta"])
def test_an_empty_negative_trains(model_type, tiny_encoder, monkeypatch):
    table = as_pairs(IDS, TEXTS, LONGER, negative=pd.Series([""] * 6))
    history, counts, found = stepped(tiny_encoder(model_type), table, monkeypatch, recipe(max_length=16))
    assert history.loss[0] > 0
    assert counts["texts"] == 13
    assert any(each.abs().max() > 0 for each in found.values())
