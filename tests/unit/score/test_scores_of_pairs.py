"""Scores of the texts of pairs by an encoder, and by a cross-encoder, against sentence-transformers."""

import numpy as np
import pandas as pd
import pytest
import torch
from sentence_transformers import CrossEncoder
from transformers import AutoModelForSequenceClassification, AutoTokenizer

from contrapose.base.errors import ConfigError
from contrapose.jobs.status import read_status
from contrapose.models.classifier import load_cross_encoder
from contrapose.models.embeddings import embeddings
from contrapose.models.sentence_encoder import load_encoder
from contrapose.models.tokens import tokenised
from contrapose.score import pair_cosines, pair_samples, paraphrase_similarities, relevance
from contrapose.settings.catalogs import Prompts
from contrapose.settings.encoders import EncoderSettings
from contrapose.tables import PAIR_SAMPLES, RELEVANCE, SIMILARITIES, checked_arrays
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
    found = relevance.build(EncoderSettings(), PAIRS, load_cross_encoder(folder))
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
        with pytest.raises(ConfigError, match="for sequence classification with one output"):
            load_cross_encoder(folder)


@pytest.mark.parametrize("prompts", [Prompts(), Prompts(query="the big ", document="a red ")])
def test_each_distinct_pair_of_texts_has_the_cosine_of_its_vectors(prompts, tiny_encoder):
    encoder = load_encoder(tiny_encoder("bert"), pooling="mean", prompts=prompts)
    found = pair_cosines.build(EncoderSettings(), PAIRS, encoder)
    checked_arrays(found, "found", RELEVANCE)
    assert len(found) == len(found[["anchor", "text"]].drop_duplicates()) == 5
    for anchor, text, score in found.itertuples(index=False):
        one = embeddings(encoder, [anchor], prompts.query)[0]
        other = embeddings(encoder, [text], prompts.document)[0]
        cosine = one @ other / np.linalg.norm(one) / np.linalg.norm(other)
        assert score == pytest.approx(cosine, abs=1e-6)


def test_a_copy_has_cosine_1_and_others_that_of_their_vectors(tiny_encoder):
    pairs = paired(["the cat sat", "a dog ran"], ["the cat sat", "a bird"], id="xy", slot=[3, 1])
    encoder = load_encoder(tiny_encoder("bert"), pooling="mean")
    found = paraphrase_similarities.build(EncoderSettings(), pairs, encoder)
    checked_arrays(found, "found", SIMILARITIES)
    assert (found.sentence_id.tolist(), found.slot.tolist()) == (["x", "y"], [3, 1])
    assert found.cosine[0] == pytest.approx(1)
    alone = [encoder(tokenised([text], encoder.tokenizer, 16)) for text in ("a dog ran", "a bird")]
    first, second = (vector[0].detach().numpy() for vector in alone)
    expected = first @ second / np.linalg.norm(first) / np.linalg.norm(second)
    assert found.cosine[1] == pytest.approx(expected, abs=1e-6)
    assert found.cosine[1] < 0.999


def test_texts_have_their_cosines_and_copies_and_duplicates_of_all_rows_are_counted(tiny_encoder):
    encoder = load_encoder(tiny_encoder("bert"), pooling="mean")
    negatives = [["the dog", "a cat"], [], ["a red dog"]]
    one = paired(
        ["the dog", "a cat", "a big dog"], ["a dog", "a cat", "the cat"], id="123", negatives=negatives
    )
    both = pd.concat([one, one.assign(slot=1).astype({"slot": "int16"})], ignore_index=True)
    found = pair_samples.build(EncoderSettings(), both, encoder)
    checked_arrays(found, "found", PAIR_SAMPLES)
    assert read_status(found.attrs).counts == {"rows": 6, "copies": 2, "duplicates": 3}
    cosines = pair_cosines.build(EncoderSettings(), one, encoder).set_index(["anchor", "text"]).score
    by_id = found.set_index("id")
    assert by_id.cosine["1"] == pytest.approx(cosines["the dog", "a dog"])
    assert by_id.cosine["2"] == pytest.approx(1)
    mean = (cosines["the dog", "the dog"] + cosines["the dog", "a cat"]) / 2
    assert by_id.negative_cosine["1"] == pytest.approx(mean)
    assert by_id.negative["1"] == "the dog / a cat"
    assert by_id[["negative", "negative_cosine"]].isna().all(axis=1).tolist() == (by_id.index == "2").tolist()
