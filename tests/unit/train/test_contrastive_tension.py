import copy
import math

import numpy as np
import pytest
import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.losses import ContrastiveTensionLoss

from contrapose.models.export import save_encoder
from contrapose.models.sentence_encoder import load_encoder
from contrapose.settings.recipes import ContrastiveTensionRecipe
from contrapose.train import loop
from contrapose.train.loop import RunOptions
from contrapose.train.tension import drawn_pairs, stepped_rate, train_contrastive_tension
from tests.unit.train.trainings import DEV, equal_weights, weights_at_dev_scores
from tests.unit.train.trainings import TEXTS as SHORT

TEXTS = SHORT.tolist()


def recipe(**changes):
    settings = {"steps": 6, "max_length": 8, "learning_rate": 1e-3, "dev_every": 2, **changes}
    return ContrastiveTensionRecipe(kind="contrastive_tension", **settings)


def trained(folder, settings, seed=42):
    encoder = load_encoder(folder, pooling=settings.pooling)
    history, counts = train_contrastive_tension(encoder, TEXTS, DEV, settings, seed, RunOptions("cpu"))
    assert counts == {"texts": len(TEXTS), "cut": 0}
    return encoder, history


def test_one_of_eight_pairs_is_of_a_sentence_with_itself():
    pairs = np.concatenate([drawn_pairs(12, recipe(), 42, step) for step in range(500)])
    identical = pairs[:, 0] == pairs[:, 1]
    assert identical.tolist() == [True, *[False] * 7] * 1000
    for side in pairs[identical][:, 0], pairs[~identical][:, 0], pairs[~identical][:, 1]:
        assert sorted(set(side)) == list(range(12))
    assert drawn_pairs(2, recipe(), 42, 0)[1:8].sum(axis=1).tolist() == [1] * 7  # the only two there are
    once = drawn_pairs(1000, recipe(), 42, 7)
    assert (drawn_pairs(1000, recipe(steps=9), 42, 7) == once).all()
    for seed, step in ((43, 7), (42, 8)):
        assert (drawn_pairs(1000, recipe(), seed, step) != once).any()


def test_the_learning_rate_falls_in_steps_as_in_the_authors_code():
    steps = [0, 500, 501, 1000, 1001, 1501, 2001, 49_999]
    rates = [1e-5, 1e-5, 8e-6, 8e-6, 6e-6, 4e-6, 2e-6, 2e-6]
    assert [stepped_rate(step, recipe(learning_rate=1e-5)) for step in steps] == pytest.approx(rates)


def test_a_step_is_that_of_rmsprop_on_gradients_that_are_written_out(tiny_encoder, tmp_path, monkeypatch):
    before = load_encoder(tiny_encoder("bert"), pooling="mean")
    copies = [before, copy.deepcopy(before)]
    pairs = drawn_pairs(len(TEXTS), recipe(), 42, 0)
    loss = 0.0
    for one, other in pairs:  # padding, pooling and pairs one by one, with transformers alone
        sides = []
        for encoder, number in zip(copies, (one, other), strict=True):
            tokens = encoder.tokenizer(TEXTS[number], return_tensors="pt")
            sides.append(encoder.model(**tokens).last_hidden_state[0].mean(dim=0))
        product = sides[0] @ sides[1]
        loss = loss + torch.log1p(torch.exp(-product if one == other else product)) / 16
    loss.backward()
    scored = []  # both copies, as they come
    monkeypatch.setattr(loop, "dev_scorer", lambda encoder, *_: scored.append(encoder) or (lambda: math.nan))
    _, history = trained(tiny_encoder("bert"), recipe(steps=1))
    assert history.loss.tolist() == [pytest.approx(loss.item(), rel=1e-5)]
    # The loss of sentence-transformers is the sum; they tell identical pairs by the tokens.
    save_encoder(before, tmp_path / "encoder")
    theirs = ContrastiveTensionLoss(SentenceTransformer(str(tmp_path / "encoder"), device="cpu")).eval()
    features = [theirs.model2.preprocess([TEXTS[number] for number in side]) for side in pairs.T]
    assert theirs(features).item() / 16 == pytest.approx(loss.item(), rel=1e-5)
    for expected, found in zip(copies, scored, strict=True):
        for (name, weight), after in zip(expected.named_parameters(), found.parameters(), strict=True):
            assert weight.grad is not None, name
            # The first step: the mean square is a tenth of the square.
            step = 1e-3 * weight.grad / (torch.sqrt(0.1 * weight.grad**2) + 1e-7)
            large = weight.grad.abs() > 1e-4  # below, rounding decides the direction
            assert torch.allclose((weight - step)[large], after[large], atol=1e-5), name


def test_the_better_copy_is_kept(tiny_encoder, monkeypatch):
    # Of the first and the second copy in turn.
    weights = weights_at_dev_scores(monkeypatch, [0.1, 0.3, 0.2, 0.2, 0.3, 0.1])
    encoder, history = trained(tiny_encoder("bert"), recipe())
    assert history.dev_score.dropna().tolist() == [0.3, 0.2, 0.3]
    assert history.best.tolist() == [False, True, False, False, False, False]
    assert equal_weights(encoder, weights[1])
