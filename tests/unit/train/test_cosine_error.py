"""Training on pairs with labels and weights."""

import math

import numpy as np
import pandas as pd
import pytest
import torch
from sentence_transformers.losses import CosineSimilarityLoss
from transformers import AutoModel, AutoTokenizer

from contrapose.errors import TableError
from contrapose.pairs.reweighted import ReweightedPairs, build
from contrapose.pairs.rows import as_pairs
from contrapose.settings.recipes import Recipe
from contrapose.tables import PAIRS, write_table
from contrapose.train import checkpoint
from contrapose.train.batches import tokenised_pairs
from contrapose.train.dev import read_dev
from contrapose.train.losses import cosine_error
from tests.unit.train.trainings import IDS, SIX, SIX_DEV, assert_gradients, equal_weights, one_step, trained

OTHERS = SIX[::-1].reset_index(drop=True) + " on a mat"
LABELS = pd.Series([0.9, 0.1, 0.5, 0, 0.9, 0.5])
WEIGHTS = pd.Series([0.2, 0.9, 0, 1, 0.5, 0.7])
LABELLED = as_pairs(IDS[:6], SIX, OTHERS, label=LABELS)
WEIGHTED = LABELLED.assign(weight=WEIGHTS.astype("float32"))


def recipe(**changes):
    settings = {"loss": "cosine_error", "pooler": "avg", "batch_size": 6, "max_length": 8, "dropout": 0.0}
    return Recipe(**{**settings, **changes})


def test_the_loss_of_two_pairs_is_worked_out_by_hand():
    anchor, positive = torch.tensor([[2.0, 0], [3, 4]]), torch.tensor([[0, 1.0], [3, -4]])
    # Cosines 0 and (9 - 16) / 25; weights that do not add up to 1 stay as they are.
    loss = cosine_error(anchor, positive, torch.tensor([0.5, 0.12]), torch.tensor([4, 0.5]))
    assert loss.item() == pytest.approx((4 * 0.5**2 + 0.5 * 0.4**2) / 2)


def plain_vectors(folder):
    """Means of the last hidden states, by `transformers` alone: (model, anchors, positives)."""
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModel.from_pretrained(folder, add_pooling_layer=False, dtype=torch.float64).eval()
    sides = []
    for side in (SIX, OTHERS):
        batch = tokenizer(side.tolist(), padding=True, truncation=True, max_length=8, return_tensors="pt")
        mask = batch["attention_mask"][:, :, None]
        sides.append((model(**batch).last_hidden_state * mask).sum(1) / mask.sum(1))
    return model, *sides


@pytest.mark.parametrize("model_type", ["bert", "roberta"])
def test_without_weights_it_is_the_loss_of_sentence_transformers(model_type, tiny_encoder):
    history, _, found = one_step(tiny_encoder(model_type), recipe(), LABELLED)
    model, *sides = plain_vectors(tiny_encoder(model_type))
    labels = torch.from_numpy(LABELLED.label.to_numpy("float64"))
    public = CosineSimilarityLoss(torch.nn.Identity()).compute_loss_from_embeddings(sides, labels)
    public.backward()
    assert history.loss[0] == pytest.approx(public.item(), abs=1e-9)
    assert_gradients({name.removeprefix("model."): each for name, each in found.items()}, model)


def test_weights_are_those_of_a_loop_written_by_hand(tiny_encoder):
    history, _, found = one_step(tiny_encoder("bert"), recipe(), WEIGHTED)
    model, anchor, positive = plain_vectors(tiny_encoder("bert"))
    total = 0
    for one, two, label, weight in zip(anchor, positive, WEIGHTED.label, WEIGHTED.weight, strict=True):
        total = total + float(weight) * ((one @ two) / (one.norm() * two.norm()) - float(label)) ** 2
    (total / 6).backward()
    assert history.loss[0] == pytest.approx(total.item() / 6, abs=1e-9)
    assert_gradients({name.removeprefix("model."): each for name, each in found.items()}, model)


def test_with_all_weights_1_rise_is_dino_byte_for_byte(tiny_encoder):
    sure = pd.DataFrame({"id": IDS[:6], "logit": math.inf, "fold": 0, "seen": False})
    rise = build(ReweightedPairs(kind="reweighted", of="dino"), LABELLED, sure)
    settings = recipe(batch_size=4, epochs=3, learning_rate=1e-3, dropout=0.1, dev_every=2)
    found = [
        trained(tiny_encoder("roberta"), settings, table, SIX_DEV)[0] for table in (LABELLED, rise, WEIGHTED)
    ]
    assert equal_weights(found[1], found[0])
    assert not equal_weights(found[2], found[0])


def test_each_text_keeps_its_label_and_weight_in_the_order_of_training(tiny_encoder):
    tokenizer = AutoTokenizer.from_pretrained(tiny_encoder("bert"))
    data = tokenised_pairs(WEIGHTED, tokenizer, 8, "cosine_error")
    rows = data.slots[0][np.array([4, 1])]
    assert rows.texts[:, 0].tolist() == [4, 1]
    assert rows.labels.tolist() == pytest.approx([0.9, 0.1])
    assert rows.weights.tolist() == pytest.approx([0.5, 0.9])


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (LABELLED.assign(label=LABELS.where(LABELS > 0)), r"1 of 6 rows have no label.*'3'.*kind dino"),
        (LABELLED.assign(negative="a cat"), "1 views, 6 hard negatives"),
        (pd.concat([LABELLED, LABELLED.assign(view=1)]), "2 views, 0 hard negatives"),
    ],
)
def test_pairs_that_it_cannot_take_are_refused(table, message, tiny_encoder):
    with pytest.raises(TableError, match=message):
        tokenised_pairs(table, AutoTokenizer.from_pretrained(tiny_encoder("bert")), 8, "cosine_error")


def test_a_checkpoint_of_other_weights_or_labels_is_not_used(tiny_encoder, monkeypatch, tmp_path):
    identities = []
    monkeypatch.setattr(
        checkpoint, "resumed", lambda state, who, *rest: identities.append(who) or checkpoint.Progress()
    )
    for table in (LABELLED, WEIGHTED, LABELLED.assign(label=0.5), LABELLED):
        trained(tiny_encoder("bert"), recipe(), table, SIX_DEV, state=tmp_path)
    assert len(set(identities)) == 3
    assert identities[0] == identities[3]


def test_dev_pairs_are_scored_by_their_labels_whatever_their_weights(tmp_path):
    def dev(table):
        write_table(table, tmp_path / "dev.parquet", PAIRS)
        return read_dev(tmp_path / "dev.parquet", recipe(dev="pairs"))

    found = dev(WEIGHTED)
    assert found.columns.tolist() == ["sentence1", "sentence2", "score"]
    assert found.sentence2.tolist() == OTHERS.tolist()
    assert found.score.tolist() == pytest.approx(LABELS.tolist())
    with pytest.raises(TableError, match="6 rows, 6 without a label"):
        dev(WEIGHTED.assign(label=np.nan))
    with pytest.raises(TableError, match="1 rows, 0 without a label"):
        dev(WEIGHTED[:1])
