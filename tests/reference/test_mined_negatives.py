"""Mined hard negatives against `mine_hard_negatives` of sentence-transformers, on the same vectors."""

import numpy as np
import pandas as pd
import pytest
import torch
from datasets import Dataset
from sentence_transformers.util import mine_hard_negatives, pairwise_cos_sim

from contrapose.models import classifier
from contrapose.models import embeddings as encoders
from contrapose.pairs.mined import MinedPairs, build
from contrapose.pairs.pair_rows import as_pairs
from contrapose.score import neighbours as module
from contrapose.score import reranked
from contrapose.settings.catalogs import Prompts
from contrapose.settings.encoders import EncoderSettings

DRAWS = np.random.default_rng(7)
TOPICS = DRAWS.normal(size=(8, 16))
ANCHORS = [f"anchor {number % 50}" for number in range(60)]  # ten of them with a second positive
POSITIVES = [f"positive {number % 57}" for number in range(60)]  # and three positives of two anchors
VECTORS = {
    text: TOPICS[int(text.split()[1]) % 8] + 0.9 * DRAWS.normal(size=16)
    for text in dict.fromkeys([*ANCHORS, *POSITIVES])
}
CORPUS = [f"sentence {number}" for number in range(30)] + ["positive 3", "sentence 4"]
VECTORS |= {text: TOPICS[int(text.split()[1]) % 8] + DRAWS.normal(size=16) for text in CORPUS[:30]}


def vectors_of(texts):
    found = np.array([VECTORS[text] for text in texts], "float32")
    return found / np.linalg.norm(found, axis=1, keepdims=True)


class Encoder:
    """As much of a SentenceTransformer as is asked for."""

    device = torch.device("cpu")
    prompts = Prompts()

    def encode_query(self, texts, **options):
        return vectors_of(texts)

    encode_document = encode_query

    def similarity(self, one, other):
        return torch.as_tensor(one) @ torch.as_tensor(other).T

    def similarity_pairwise(self, one, other):
        return pairwise_cos_sim(torch.as_tensor(one), torch.as_tensor(other))


class Judge:
    """As much of a CrossEncoder; its scores are no cosines."""

    def predict(self, texts, **options):
        return torch.tensor([score_of(*each) for each in texts], dtype=torch.float32)


def score_of(anchor, text):
    return 4 * float(VECTORS[anchor] @ VECTORS[text]) / 16 + len(text) % 3


def rescored(pairs, near, corpus, monkeypatch):
    scores = lambda model, texts, at_once: np.array([[score_of(*each)] for each in texts])  # noqa: E731
    monkeypatch.setattr(classifier, "outputs_of", scores)
    return reranked.build(EncoderSettings(), pairs, near, Judge(), corpus)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ({}, {"relative_margin": 0.05}),
        ({"relative_margin": None}, {}),
        ({"negatives": 2, "floor": 0.2, "range_max": 20}, {"min_score": 0.2, "relative_margin": 0.05}),
        ({"negatives": 3, "corpus": "other", "range_max": 25}, {"relative_margin": 0.05, "corpus": CORPUS}),
        (
            {"negatives": 3, "cross_encoder": "judge", "range_min": 2, "range_max": 12},
            {"relative_margin": 0.05, "cross_encoder": Judge()},
        ),
        (
            {"negatives": 4, "cross_encoder": "judge", "corpus": "other", "margin": 0.5, "ceiling": 3.0},
            {"absolute_margin": 0.5, "max_score": 3.0, "relative_margin": 0.05}
            | {"cross_encoder": Judge(), "corpus": CORPUS},
        ),
        ({"negatives": 3, "range_max": 40}, {}),
        ({"negatives": 2, "range_min": 5, "range_max": 20}, {}),
        ({"negatives": 2, "margin": 0.1, "range_max": 15}, {"absolute_margin": 0.1}),
        ({"negatives": 3, "margin": 0.0, "range_min": 2, "range_max": 12}, {"absolute_margin": 0.0}),
        ({"negatives": 2, "relative_margin": 0.3, "range_max": 30}, {"relative_margin": 0.3}),
        ({"negatives": 2, "ceiling": 0.4, "range_max": 10}, {"max_score": 0.4}),
        (
            {"negatives": 4, "ceiling": 0.7, "margin": 0.05, "relative_margin": 0.1}
            | {"range_min": 1, "range_max": 9},
            {"max_score": 0.7, "absolute_margin": 0.05, "relative_margin": 0.1},
        ),
    ],
)
def test_the_negatives_are_those_of_sentence_transformers(ours, theirs, monkeypatch):
    monkeypatch.setattr(encoders, "embeddings", lambda encoder, texts: vectors_of(texts))
    plain = {} if "relative_margin" in theirs else {"relative_margin": None}
    spec = MinedPairs(kind="mined", pairs="any", encoder="any", **plain | ours)
    corpus = theirs.get("corpus", ())
    expected = mine_hard_negatives(
        Dataset.from_dict({"anchor": ANCHORS, "positive": POSITIVES}),
        Encoder(),
        num_negatives=spec.negatives,
        range_min=spec.range_min,
        range_max=spec.nearest,
        output_scores=True,
        verbose=False,
        **theirs,
    ).to_pandas()
    pairs = as_pairs(*(pd.Series(each) for each in (ANCHORS, ANCHORS, POSITIVES)))
    near = module.build(module.NeighbourSearch(nearest=spec.nearest), pairs, Encoder(), corpus)
    if spec.cross_encoder:
        near = rescored(pairs, near, corpus, monkeypatch)
    found = build(spec, pairs, near, corpus)
    exploded = found.explode(["negatives", "negative_scores"]).dropna(subset="negatives")
    columns = ["anchor", "positive", "negatives"]
    both = [
        exploded.sort_values(columns, ignore_index=True),
        expected.rename(columns={"negative": "negatives"}).sort_values(columns, ignore_index=True),
    ]
    assert len(expected) > 30
    assert both[0][columns].to_numpy().tolist() == both[1][columns].to_numpy().tolist()
    scores = both[1].scores.str[1].to_numpy(float)
    assert both[0].negative_scores.to_numpy(float) == pytest.approx(scores, abs=1e-6)
