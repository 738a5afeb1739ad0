"""The first step of a training against a loss and gradients that are written out."""

import pandas as pd
import pytest
import torch
from torch.nn.functional import cosine_similarity, cross_entropy, normalize

from contrapose.models.sentence_encoder import new_encoder
from contrapose.models.tokens import tokenised
from contrapose.pairs.pair_rows import as_pairs, in_lists
from contrapose.train import loop
from contrapose.train.contrastive import train_encoder
from contrapose.train.loop import RunOptions
from contrapose.train.losses.info_nce import info_nce
from contrapose.train.losses.info_nce_settings import InfoNCE
from contrapose.train.recipe import Recipe
from contrapose.train.rows import View
from tests.unit.train.trainings import IDS, LONGER, RAGGED, SIX, SIX_DEV, WEIGHTED, same, whole

HARD = SIX[::-1].reset_index(drop=True)
BOTH = pd.concat(
    [as_pairs(IDS[:6], SIX, LONGER, negatives=in_lists(HARD), view=1)[::-1], same(SIX)]
)  # in any order


def of_two_views(anchor, equal, longer, hard):
    plain = InfoNCE(temperature=0.05)
    return info_nce(plain, View(anchor, equal)) + 0.6 * info_nce(plain, View(anchor, longer, hard))


def of_ragged(anchor, positive, hard):
    # Every hard negative is a candidate of every anchor, so it does not matter whose it is.
    cosines = normalize(anchor, dim=-1) @ normalize(torch.cat([positive, hard]), dim=-1).T
    return cross_entropy(cosines / 0.05, torch.arange(6))


def of_weighted(anchor, positive):
    rows = zip(WEIGHTED.weight, cosine_similarity(anchor, positive), WEIGHTED.label, strict=True)
    return sum(weight * (cosine - label) ** 2 for weight, cosine, label in rows) / 6


STEPS = {  # settings, pairs, and the loss of these texts, each side as often as it is encoded
    "two views": ({"view_weight": 0.6}, BOTH, of_two_views, (SIX, SIX, LONGER, HARD)),
    "ragged": (
        {},
        as_pairs(IDS[:6], SIX, LONGER, negatives=RAGGED),
        of_ragged,
        (SIX, LONGER, RAGGED.explode().dropna()),
    ),
    "weights": (
        {"loss": "cosine_similarity", "pooling": "mean"},
        WEIGHTED,
        of_weighted,
        (SIX, WEIGHTED.positive),
    ),
}


@pytest.mark.parametrize(("model_type", "recompute"), [("bert", False), ("roberta", False), ("bert", True)])
@pytest.mark.parametrize("name", STEPS)
def test_the_first_step_is_that_of_a_loss_written_out(name, model_type, recompute, tiny_encoder, monkeypatch):
    settings, pairs, loss_of, sides = STEPS[name]
    recipe = Recipe(**settings, batch_size=6, max_length=8, dropout=0.0)
    gradients = {}

    def note(module):
        found = {name: each.grad.clone() for name, each in encoder.named_parameters()}
        gradients.update(whole(encoder, found, rest="zeros"))

    monkeypatch.setattr(loop, "sum_gradients", note)
    encoder = new_encoder(tiny_encoder(model_type), recipe, 42).double()
    history, counts = train_encoder(
        encoder, pairs, SIX_DEV, recipe, 42, RunOptions("cpu", recompute=recompute)
    )
    encoder = new_encoder(tiny_encoder(model_type), recipe, 42).double()
    loss = loss_of(*(encoder(tokenised(side.tolist(), encoder.tokenizer, 8)) for side in sides))
    loss.backward()
    assert history.loss[0] == pytest.approx(loss.item(), abs=1e-12)
    expected = {name: each.grad for name, each in encoder.named_parameters()}
    torch.testing.assert_close(gradients, expected, atol=1e-9, rtol=0)
    assert max(each.abs().max() for each in gradients.values()) > 1e-3
    texts = set(pd.concat(sides))
    assert history.sentences.tolist() == [sum(map(len, sides))]
    assert (counts["texts"], counts["pairs"], counts["pairs_used"]) == (len(texts), len(pairs), len(pairs))
    cut = sum(len(text.split()) > 6 for text in texts)  # after 8 tokens, two of them special
    assert model_type == "roberta" or counts["cut"] == cut == 1


def test_half_of_the_sentences_are_trained_on_in_as_many_steps_as_all(tiny_encoder):
    recipe = Recipe(batch_size=4, max_length=8, epochs=2, dev=None)
    steps, texts = {}, {}
    for share in (0.5, 1.0):
        settings = recipe.model_copy(update={"train_fraction": share})
        encoder = new_encoder(tiny_encoder("bert"), settings, 42)
        history, counts = train_encoder(encoder, same(), None, settings, 42, RunOptions("cpu"))
        steps[share], texts[share] = len(history), (counts["texts"], counts["pairs"], counts["pairs_used"])
    assert steps == {0.5: 10, 1.0: 10}
    assert texts == {0.5: (10, 10, 10), 1.0: (20, 20, 20)}
