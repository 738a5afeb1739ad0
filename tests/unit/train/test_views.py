"""Training on several views of one anchor."""

import pandas as pd
import pytest
import torch
from torch.nn.functional import cross_entropy, normalize

from contrapose.encoders.encoder import new_encoder
from contrapose.encoders.tokens import tokenised
from contrapose.pairs.rows import as_pairs, in_lists
from contrapose.settings.recipes import Recipe
from contrapose.train.losses import info_nce
from tests.unit.train.trainings import IDS, SIX, assert_gradients, one_step, same

LONGER, HARD = SIX + " on a mat", SIX[::-1].reset_index(drop=True)
BOTH = pd.concat(
    [as_pairs(IDS[:6], SIX, LONGER, negatives=in_lists(HARD), view=1)[::-1], same(SIX)]
)  # in any order


# Five hard negatives in a view of six rows.
RAGGED = pd.Series([["big bird"], [], ["the mat", "a cat"], [], ["the dog ran away"], ["quick cat"]])


def recipe(**changes):
    return Recipe(**{"batch_size": 6, "max_length": 8, "dropout": 0.0, **changes})


@pytest.mark.parametrize(("model_type", "recompute"), [("bert", False), ("roberta", False), ("bert", True)])
def test_the_loss_of_two_views_is_the_sum_of_two_written_by_hand(model_type, recompute, tiny_encoder):
    settings = recipe(view_weight=0.6)
    history, counts, found = one_step(tiny_encoder(model_type), settings, BOTH, recompute)
    encoder = new_encoder(tiny_encoder(model_type), settings, 42).double()
    anchor, equal, longer, hard = (
        encoder(tokenised(side.tolist(), encoder.tokenizer, 8)) for side in (SIX, SIX, LONGER, HARD)
    )
    loss = info_nce(anchor, equal, 0.05) + 0.6 * info_nce(anchor, longer, 0.05, hard)
    loss.backward()
    assert history.loss[0] == pytest.approx(loss.item(), abs=1e-12)
    assert history.sentences.tolist() == [24]  # the anchor once
    assert (counts["texts"], counts["pairs"], counts["pairs_used"]) == (12, 12, 12)  # six rows a view
    assert model_type == "roberta" or counts["cut"] == 1  # the dog ran away on a mat
    assert_gradients(found, encoder, 1e-10)


@pytest.mark.parametrize("recompute", [False, True])
def test_no_padding_is_encoded_where_rows_have_different_numbers_of_hard_negatives(recompute, tiny_encoder):
    settings, pairs = recipe(), as_pairs(IDS[:6], SIX, LONGER, negatives=RAGGED)
    history, _, found = one_step(tiny_encoder("bert"), settings, pairs, recompute)
    encoder = new_encoder(tiny_encoder("bert"), settings, 42).double()
    anchor, positive, hard = (
        encoder(tokenised(list(side), encoder.tokenizer, 8))
        for side in (SIX, LONGER, RAGGED.explode().dropna())
    )
    # Every hard negative is a candidate of every anchor, so it does not matter whose it is.
    cosines = normalize(anchor, dim=-1) @ normalize(torch.cat([positive, hard]), dim=-1).T
    loss = cross_entropy(cosines / 0.05, torch.arange(6))
    loss.backward()
    assert history.loss[0] == pytest.approx(loss.item(), abs=1e-12)
    assert history.sentences.tolist() == [6 + 6 + 5]
    assert_gradients(found, encoder, 1e-10)
