"""sentence-transformers trains on the files that we write, and FlagEmbedding's reader of files reads them."""

import numpy as np
import pandas as pd
import pytest
from datasets import load_dataset
from scipy.special import logsumexp
from sentence_transformers import SentenceTransformer, SentenceTransformerTrainer
from sentence_transformers.sentence_transformer import losses

from contrapose.pairs.pair_rows import as_pairs
from contrapose.tables import PAIRS, write_table
from contrapose.tools.exchange import exchange

ANCHORS = pd.Series(["the cat sat", "a dog ran", "the bird flew away"])
POSITIVES = pd.Series(["a big cat sat", "the quick dog ran", "a bird flew"])
NEGATIVES = pd.Series(
    [["the dog sat", "a red cat"], ["a dog slept", "the cat ran"], ["a bird sat", "the tree"]]
)
HARD = as_pairs(ANCHORS.index.astype(str), ANCHORS, POSITIVES, negatives=NEGATIVES)
LABELLED = as_pairs(ANCHORS.index.astype(str), ANCHORS, POSITIVES, label=pd.Series([1.0, 0.5, 0.0]))


def loaded(folder, pairs, form, name):
    """Return the file as a `datasets.Dataset`."""
    write_table(pairs, folder / "pairs.parquet", PAIRS)
    exchange(folder / "pairs.parquet", folder / name, form)
    kind = "parquet" if name.endswith(".parquet") else "json"
    cache = str(folder / "cache")
    return load_dataset(kind, data_files=str(folder / name), split="train", cache_dir=cache)


def loss_of(folder, dataset, encoder, kind):
    """Return the loss of all rows in one batch, made by the trainer, and the model."""
    model = SentenceTransformer(str(encoder), device="cpu")
    trainer = SentenceTransformerTrainer(model=model, train_dataset=dataset, loss=kind(model))
    batch = next(iter(trainer.get_train_dataloader()))
    model.eval()
    return trainer.compute_loss(model, batch).item(), model


def unit(model, texts):
    return model.encode(list(texts), normalize_embeddings=True)


@pytest.mark.parametrize("name", ["x.parquet", "x.jsonl"])
def test_the_loss_takes_anchors_positives_and_every_hard_negative(name, tmp_path, tiny_encoder, monkeypatch):
    monkeypatch.chdir(tmp_path)  # the trainer makes a folder
    dataset = loaded(tmp_path, HARD, "sentence-transformers", name)
    assert dataset.column_names == ["anchor", "positive", "negative_1", "negative_2"]
    loss, model = loss_of(tmp_path, dataset, tiny_encoder(), losses.MultipleNegativesRankingLoss)
    candidates = [*POSITIVES, *NEGATIVES.str[0], *NEGATIVES.str[1]]
    scores = 20 * unit(model, ANCHORS) @ unit(model, candidates).T  # its scale
    assert loss == pytest.approx(np.mean(logsumexp(scores, axis=1) - np.diag(scores)), rel=1e-4)


def test_the_loss_of_labelled_pairs_takes_their_scores(tmp_path, tiny_encoder, monkeypatch):
    monkeypatch.chdir(tmp_path)
    dataset = loaded(tmp_path, LABELLED, "sentence-transformers", "x.parquet")
    assert dataset.column_names == ["sentence1", "sentence2", "score"]
    loss, model = loss_of(tmp_path, dataset, tiny_encoder(), losses.CosineSimilarityLoss)
    cosines = (unit(model, ANCHORS) * unit(model, POSITIVES)).sum(axis=1)
    assert loss == pytest.approx(np.mean((cosines - LABELLED.label) ** 2), rel=1e-4)


def test_the_json_reader_of_flag_embedding_finds_lists_of_texts_and_scores(tmp_path):
    scores = pd.Series([[0.5, 0.25], [], [0.5, 1.0]])
    rows = loaded(tmp_path, HARD.assign(negative_scores=scores), "flag-embedding", "x.jsonl")
    assert rows["query"][:] == ANCHORS.tolist()
    assert rows["pos"][:] == [[text] for text in POSITIVES]
    assert rows["neg"][:] == NEGATIVES.tolist()
    assert rows["neg_scores"][:] == [[0.5, 0.25], None, [0.5, 1.0]]
