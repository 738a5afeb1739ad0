"""Losses of the order of labels, and of cut vectors, against sentence-transformers and by hand."""

import math

import numpy as np
import pandas as pd
import pytest
import torch
from pydantic import ValidationError
from sentence_transformers.sentence_transformer import losses
from transformers import AutoTokenizer

from contrapose.errors import ConfigError, TableError
from contrapose.pairs.rows import in_lists
from contrapose.settings.recipes import Recipe
from contrapose.train.batches import Rows, tokenised_pairs
from contrapose.train.losses import angle_similarity, batch_loss, cosent
from tests.unit.train.test_cosine_error import LABELLED, LABELS, WEIGHTED
from tests.unit.train.trainings import SIX_DEV, one_step, trained

PEERS = {
    "cosent": losses.CoSENTLoss,
    "angle": losses.AnglELoss,
    "cosine_error": losses.CosineSimilarityLoss,
    "info_nce": losses.MultipleNegativesRankingLoss,
}


class Given(torch.nn.Module):
    """An encoder of sentence-transformers' interface that returns the vectors that it is given."""

    def get_embedding_dimension(self) -> int:
        return 9

    def forward(self, features):
        return dict(features)


def sides_and_rows(labelled: bool) -> tuple[torch.Tensor, Rows]:
    torch.manual_seed(0)
    sides = torch.randn(6, 2, 9, dtype=torch.float64, requires_grad=True)
    labels, weights = LABELS.to_numpy("float32"), np.ones(6, np.float32)
    texts = np.arange(12).reshape(6, 2)
    return sides, Rows(texts, (0,), labels, weights) if labelled else Rows(texts, (0,))


def test_hand_worked_values():
    # Labels ask for s0 < s1 < s2; s1 exceeds s2 by 0.1, the others are as they should be.
    similarity, label = torch.tensor([0.1, 0.9, 0.8]), torch.tensor([1.0, 2.0, 3.0])
    wanted = math.log(1 + math.exp(-8) + math.exp(-7) + math.exp(1))
    assert cosent(similarity, label, 0.1).item() == pytest.approx(wanted, abs=1e-6)
    assert cosent(similarity, torch.ones(3), 0.1) == 0  # nothing to order
    # (3 + 4i) / (4 + 3i) is (24 + 7i) / 25: cosine 24/25, sine 7/25.
    one, other = torch.tensor([[3.0, 4.0]]), torch.tensor([[4.0, 3.0]])
    assert angle_similarity(one, other).item() == pytest.approx(31 / 25)
    assert angle_similarity(other, one).item() == pytest.approx(17 / 25)
    odd = torch.tensor([[3.0, 4.0, 0.0]])
    assert angle_similarity(odd, odd).item() == pytest.approx(1)


@pytest.mark.parametrize("dimensions", [None, [9], [8, 3, 2]])
@pytest.mark.parametrize("name", PEERS)
def test_loss_and_gradients_are_those_of_sentence_transformers(name, dimensions):
    sides, rows = sides_and_rows(name != "info_nce")
    ours = batch_loss(sides, rows, None, Recipe(loss=name, matryoshka=dimensions))
    (gradient,) = torch.autograd.grad(ours, sides)
    model = Given()
    peer = PEERS[name](model)
    if dimensions:
        peer = losses.MatryoshkaLoss(model, peer, dimensions)
    features = [{"sentence_embedding": side} for side in sides.unbind(dim=1)]
    wanted = peer(features, torch.from_numpy(LABELS.to_numpy("float32")).double())
    assert ours.item() == pytest.approx(wanted.item(), abs=1e-6)
    torch.testing.assert_close(gradient, torch.autograd.grad(wanted, sides)[0], atol=1e-6, rtol=0)


@pytest.mark.parametrize("temperature", [1.0, 0.05])
def test_margin_mse_is_that_of_sentence_transformers(temperature):
    torch.manual_seed(0)
    sides = torch.randn(6, 3, 9, dtype=torch.float64, requires_grad=True)
    labels = LABELS.to_numpy("float32") * 10
    rows = Rows(np.arange(18).reshape(6, 3), (1,), labels, np.ones(6, np.float32))
    ours = batch_loss(sides, rows, None, Recipe(loss="margin_mse", temperature=temperature))
    (gradient,) = torch.autograd.grad(ours, sides)
    # Its default is the dot product, which of unit vectors is the cosine.
    unit = torch.nn.functional.normalize(sides, dim=-1) / temperature**0.5
    features = [{"sentence_embedding": side} for side in unit.unbind(dim=1)]
    wanted = losses.MarginMSELoss(Given())(features, torch.from_numpy(labels).double())
    assert ours.item() == pytest.approx(wanted.item(), rel=1e-6)
    torch.testing.assert_close(gradient, torch.autograd.grad(wanted, sides)[0], atol=1e-6, rtol=1e-6)


def test_a_training_brings_margins_near_their_labels(tiny_encoder):
    pairs = LABELLED.assign(negatives=in_lists(LABELLED.positive[::-1]), label=np.float32(1))
    settings = {"loss": "margin_mse", "pooler": "avg", "batch_size": 6, "max_length": 8, "dropout": 0.0}
    recipe = Recipe(**settings, learning_rate=1e-3, steps=30, temperature=0.2)
    history = trained(tiny_encoder("bert"), recipe, pairs, SIX_DEV)[1]
    assert history.loss.iloc[-1] < 0.5 * history.loss.iloc[0]
    with pytest.raises(
        TableError, match="0 hard negatives in 6 rows; margin_mse takes pairs of one view with 1"
    ):
        trained(tiny_encoder("bert"), recipe, LABELLED, SIX_DEV)


@pytest.mark.parametrize("loss", ["cosent", "angle"])
def test_a_training_puts_pairs_into_the_order_of_their_labels(tiny_encoder, loss):
    settings = {"loss": loss, "pooler": "avg", "batch_size": 6, "max_length": 8, "dropout": 0.0}
    recipe = Recipe(**settings, learning_rate=1e-3, steps=30, matryoshka=[16, 4])
    history = trained(tiny_encoder("bert"), recipe, LABELLED, SIX_DEV)[1]
    assert history.loss.iloc[-1] < 0.5 * history.loss.iloc[0]


def test_what_cannot_be_trained_on_is_refused(tiny_encoder):
    with pytest.raises(TableError, match="weights other than 1 have no meaning for cosent"):
        tokenised_pairs(WEIGHTED, AutoTokenizer.from_pretrained(tiny_encoder("bert")), 8, loss="cosent")
    unlabelled = LABELLED.assign(label=pd.Series(np.nan, LABELLED.index, "float32"))
    with pytest.raises(TableError, match="6 of 6 rows have no label, which angle compares"):
        tokenised_pairs(unlabelled, AutoTokenizer.from_pretrained(tiny_encoder("bert")), 8, loss="angle")
    with pytest.raises(ConfigError, match=r"matryoshka is \[4096\], vectors have \d+ dimensions"):
        one_step(tiny_encoder("bert"), Recipe(loss="cosent", matryoshka=[4096], max_length=8), LABELLED)
    for wrong in ({"matryoshka": []}, {"matryoshka": [0]}, {"matryoshka": [4], "consistency": 1.0}):
        with pytest.raises(
            ValidationError, match=r"at least 1|greater than or equal to 1|rank whole vectors"
        ):
            Recipe(**wrong)
