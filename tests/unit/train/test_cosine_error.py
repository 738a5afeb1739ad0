"""Training on pairs with labels and weights."""

import math

import numpy as np
import pandas as pd
import pytest
import torch
from contrapose.settings.pairs import ReweightedPairs
from sentence_transformers.losses import CosineSimilarityLoss
from transformers import AutoModel, AutoTokenizer

from contrapose.errors import TableError
from contrapose.pairs.reweighted import reweighted_pairs
from contrapose.pairs.rows import as_pairs
from contrapose.settings.recipes import Recipe
from contrapose.tables import PAIRS, write_table
from contrapose.train import checkpoint, loop
from contrapose.train.batches import tokenised_pairs
from contrapose.train.checkpoint import Checkpoints
from contrapose.train.dev import read_dev
from contrapose.train.encoder import new_encoder
from contrapose.train.loop import Surroundings, train_encoder
from contrapose.train.losses import cosine_error

TEXTS = pd.Series(["a cat sat", "the dog ran away", "big bird", "a small tree", "the mat", "quick cat flew"])
OTHERS = TEXTS[::-1].reset_index(drop=True) + " on a mat"
IDS = TEXTS.index.astype(str).to_series()
LABELS = pd.Series([0.9, 0.1, 0.5, 0, 0.9, 0.5])
WEIGHTS = pd.Series([0.2, 0.9, 0, 1, 0.5, 0.7])
LABELLED = as_pairs(IDS, TEXTS, OTHERS, label=LABELS)
WEIGHTED = LABELLED.assign(weight=WEIGHTS.astype("float32"))
DEV = pd.DataFrame({"sentence1": TEXTS, "sentence2": OTHERS, "score": [1.0, 3, 2, 5, 4, 0]})


def recipe(**changes):
    settings = {"loss": "cosine_error", "pooler": "avg", "batch_size": 6, "max_length": 8, "dropout": 0.0}
    return Recipe(**{**settings, **changes})


def test_the_loss_of_two_pairs_is_worked_out_by_hand():
    anchor, positive = torch.tensor([[2.0, 0], [3, 4]]), torch.tensor([[0, 1.0], [3, -4]])
    # Cosines 0 and (9 - 16) / 25; weights that do not add up to 1 stay as they are.
    loss = cosine_error(anchor, positive, torch.tensor([0.5, 0.12]), torch.tensor([4, 0.5]))
    assert loss.item() == pytest.approx((4 * 0.5**2 + 0.5 * 0.4**2) / 2)


def gradients(settings, table, folder, monkeypatch):
    """Train one step in float64; return its loss and gradients."""
    encoder = new_encoder(folder, settings, 42).double()
    found = {}

    def note(_):
        found.update({name: each.grad.clone() for name, each in encoder.model.named_parameters()})

    monkeypatch.setattr(loop, "sum_gradients", note)
    history, _ = train_encoder(encoder, table, DEV, settings, 42, Surroundings("cpu"))
    return history.loss[0], found


def plain_vectors(folder):
    """Means of the last hidden states, by `transformers` alone: (model, anchors, positives)."""
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModel.from_pretrained(folder, add_pooling_layer=False, dtype=torch.float64).eval()
    sides = []
    for side in (TEXTS, OTHERS):
        batch = tokenizer(side.tolist(), padding=True, truncation=True, max_length=8, return_tensors="pt")
        mask = batch["attention_mask"][:, :, None]
        sides.append((model(**batch).last_hidden_state * mask).sum(1) / mask.sum(1))
    return model, *sides


@pytest.mark.parametrize("model_type", ["bert", "roberta"])
def test_without_weights_it_is_the_loss_of_sentence_transformers(model_type, tiny_encoder, monkeypatch):
    folder = tiny_encoder(model_type)
    loss, found = gradients(recipe(), LABELLED, folder, monkeypatch)
    model, anchor, positive = plain_vectors(folder)
    labels = torch.from_numpy(LABELLED.label.to_numpy("float64"))
    public = CosineSimilarityLoss(torch.nn.Identity()).compute_loss_from_embeddings(
        [anchor, positive], labels
    )
    public.backward()
    assert loss == pytest.approx(public.item(), abs=1e-9)
    assert any(each.abs().max() > 1e-3 for each in found.values())
    for name, each in model.named_parameters():
        assert torch.allclose(found[name], each.grad, atol=1e-9), name


def test_weights_are_those_of_a_loop_written_by_hand(tiny_encoder, monkeypatch):
    folder = tiny_encoder("bert")
    loss, found = gradients(recipe(), WEIGHTED, folder, monkeypatch)
    model, anchor, positive = plain_vectors(folder)
    total = 0
    for one, two, label, weight in zip(anchor, positive, WEIGHTED.label, WEIGHTED.weight, strict=True):
        total = total + float(weight) * ((one @ two) / (one.norm() * two.norm()) - float(label)) ** 2
    (total / 6).backward()
    assert loss == pytest.approx(total.item() / 6, abs=1e-9)
    for name, each in model.named_parameters():
        assert torch.allclose(found[name], each.grad, atol=1e-9), name


def trained_bytes(table, folder, target, **changes):
    settings = recipe(batch_size=4, epochs=3, learning_rate=1e-3, dropout=0.1, dev_every=2, **changes)
    encoder = new_encoder(folder, settings, 42)
    train_encoder(encoder, table, DEV, settings, 42, Surroundings("cpu"))
    encoder.save(target)
    return (target / "model.safetensors").read_bytes()


def test_with_all_weights_1_rise_is_dino_byte_for_byte(tiny_encoder, tmp_path):
    folder = tiny_encoder("roberta")
    sure = pd.DataFrame({"id": IDS, "logit": math.inf, "fold": 0, "seen": False})
    rise = reweighted_pairs(LABELLED, sure, ReweightedPairs(kind="reweighted", of="dino"))
    dino = trained_bytes(LABELLED, folder, tmp_path / "dino")
    assert trained_bytes(rise, folder, tmp_path / "rise") == dino
    assert trained_bytes(WEIGHTED, folder, tmp_path / "weighted") != dino


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
    tokenizer = AutoTokenizer.from_pretrained(tiny_encoder("bert"))
    with pytest.raises(TableError, match=message):
        tokenised_pairs(table, tokenizer, 8, "cosine_error")


def test_a_checkpoint_of_other_weights_or_labels_is_not_used(tiny_encoder, monkeypatch, tmp_path):
    identities = []
    monkeypatch.setattr(
        checkpoint, "resumed", lambda state, who, *rest: identities.append(who) or checkpoint.Progress()
    )
    for table in (LABELLED, WEIGHTED, LABELLED.assign(label=0.5), LABELLED):
        settings = recipe()
        encoder = new_encoder(tiny_encoder("bert"), settings, 42)
        train_encoder(
            encoder, table, DEV, settings, 42, Surroundings("cpu", checkpoints=Checkpoints(tmp_path))
        )
    assert len(set(identities)) == 3
    assert identities[0] == identities[3]


def test_dev_pairs_are_scored_by_their_labels_whatever_their_weights(tmp_path):
    write_table(WEIGHTED, tmp_path / "dev.parquet", PAIRS)
    dev = read_dev(tmp_path / "dev.parquet", recipe(dev="pairs"))
    assert dev.columns.tolist() == ["sentence1", "sentence2", "score"]
    assert dev.sentence2.tolist() == OTHERS.tolist()
    assert dev.score.tolist() == pytest.approx(LABELS.tolist())


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (WEIGHTED.assign(label=np.nan), "6 rows, 6 without a label"),
        (WEIGHTED[:1], "1 rows, 0 without a label"),
    ],
)
def test_dev_pairs_that_select_nothing_are_refused(table, message, tmp_path):
    write_table(table, tmp_path / "dev.parquet", PAIRS)
    with pytest.raises(TableError, match=message):
        read_dev(tmp_path / "dev.parquet", recipe(dev="pairs"))
