"""Training on pairs with labels and weights."""

import math

import numpy as np
import pandas as pd
import pytest
import torch
from sentence_transformers.sentence_transformer.losses import CosineSimilarityLoss
from transformers import AutoModel, AutoTokenizer

from contrapose.errors import TableError
from contrapose.pairs.reweighted import ReweightedPairs, build
from contrapose.pairs.rows import as_pairs, in_lists
from contrapose.settings.recipes import Recipe
from contrapose.tables import PAIRS, write_table
from contrapose.train import checkpoint
from contrapose.train.batches import tokenised_pairs
from contrapose.train.dev import read_dev
from tests.unit.train.trainings import IDS, SIX, SIX_DEV, assert_gradients, equal_weights, one_step, trained

OTHERS = SIX[::-1].reset_index(drop=True) + " on a mat"
LABELS = pd.Series([0.9, 0.1, 0.5, 0, 0.9, 0.5])
WEIGHTS = pd.Series([0.2, 0.9, 0, 1, 0.5, 0.7])
LABELLED = as_pairs(IDS[:6], SIX, OTHERS, label=LABELS)
WEIGHTED = LABELLED.assign(weight=WEIGHTS.astype("float32"))


def recipe(**changes):
    settings = {"loss": "cosine_error", "pooler": "avg", "batch_size": 6, "max_length": 8, "dropout": 0.0}
    return Recipe(**{**settings, **changes})


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
def test_without_weights_it_is_the_loss_of_sentence_transformers_and_with_them_that_of_a_plain_loop(
    model_type, tiny_encoder
):
    labels = torch.from_numpy(LABELLED.label.to_numpy("float64"))
    for table in (LABELLED, WEIGHTED):
        history, _, found = one_step(tiny_encoder(model_type), recipe(), table)
        model, *sides = plain_vectors(tiny_encoder(model_type))
        if table is LABELLED:
            loss = CosineSimilarityLoss(torch.nn.Identity()).compute_loss_from_embeddings(sides, labels)
        else:
            cosines = [(one @ two) / (one.norm() * two.norm()) for one, two in zip(*sides, strict=True)]
            rows = zip(WEIGHTED.weight, cosines, labels, strict=True)
            loss = sum(weight * (cosine - label) ** 2 for weight, cosine, label in rows) / 6
        loss.backward()
        assert history.loss[0] == pytest.approx(loss.item(), abs=1e-9)
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


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (LABELLED.assign(label=LABELS.where(LABELS > 0)), r"1 of 6 rows have no label.*'3'.*kind dino"),
        (LABELLED.assign(negatives=in_lists(SIX).array), "1 views, 6 hard negatives"),
        (pd.concat([LABELLED, LABELLED.assign(view=1)]), "2 views, 0 hard negatives"),
    ],
)
def test_pairs_that_it_cannot_take_are_refused(table, message, tiny_encoder):
    with pytest.raises(TableError, match=message):
        tokenised_pairs(table, AutoTokenizer.from_pretrained(tiny_encoder("bert")), 8, loss="cosine_error")


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
