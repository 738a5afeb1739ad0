"""Scores of a cross-encoder, against sentence-transformers."""

import pytest
import torch
from sentence_transformers import CrossEncoder
from transformers import AutoModelForSequenceClassification, AutoTokenizer

from contrapose.errors import ConfigError
from contrapose.score.relevance import EncoderSettings, build
from contrapose.tables import RELEVANCE, checked_arrays
from contrapose.train.classifier import load_cross_encoder
from tests.tables import paired

PAIRS = paired(
    ["a cat", "the dog sat", "a cat"],
    ["the cat sat on the mat", "a dog", "a big red cat"],
    negatives=[["a dog", "the tree"], [], ["a dog"]],
)


@pytest.fixture
def cross_encoder(tiny_encoder, tmp_path):
    def save(outputs: int):
        torch.manual_seed(0)
        for part, kind in (
            (AutoTokenizer, {}),
            (AutoModelForSequenceClassification, {"num_labels": outputs}),
        ):
            part.from_pretrained(tiny_encoder("bert"), **kind).save_pretrained(tmp_path / "model")
        return tmp_path / "model"

    return save


def test_each_distinct_pair_of_texts_has_the_score_of_sentence_transformers(cross_encoder):
    folder = cross_encoder(1)
    found = build(EncoderSettings(), PAIRS, load_cross_encoder(folder))
    checked_arrays(found, "found", RELEVANCE)
    texts = [*found[["anchor", "text"]].itertuples(index=False, name=None)]
    assert texts == [
        ("a cat", "the cat sat on the mat"),
        ("the dog sat", "a dog"),
        ("a cat", "a big red cat"),
        ("a cat", "a dog"),
        ("a cat", "the tree"),
    ]
    peer = CrossEncoder(str(folder), device="cpu").predict(texts, activation_fn=torch.nn.Identity())
    assert found.score.to_numpy() == pytest.approx(peer, abs=1e-6)
    assert found.score.nunique() == 5


def test_a_folder_without_one_output_is_refused(cross_encoder, tiny_encoder):
    for folder in (cross_encoder(2), tiny_encoder("bert")):
        with pytest.raises(ConfigError, match="one for sequence classification with one output is needed"):
            load_cross_encoder(folder)
