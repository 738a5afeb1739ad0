import numpy as np
import pytest

from contrapose.encoders.encoder import load_encoder
from contrapose.encoders.tokens import tokenised
from contrapose.score.paraphrase_similarities import EncoderSettings, build
from contrapose.tables import SIMILARITIES, checked_arrays
from tests.tables import paired


def test_a_copy_has_cosine_1_and_others_that_of_their_vectors(tiny_encoder):
    pairs = paired(["the cat sat", "a dog ran"], ["the cat sat", "a bird"], id="xy", slot=[3, 1])
    encoder = load_encoder(tiny_encoder("bert"), pooling="avg")
    found = build(EncoderSettings(), pairs, encoder)
    checked_arrays(found, "found", SIMILARITIES)
    assert (found.sentence_id.tolist(), found.slot.tolist()) == (["x", "y"], [3, 1])
    assert found.cosine[0] == pytest.approx(1)
    alone = [encoder(tokenised([text], encoder.tokenizer, 16)) for text in ("a dog ran", "a bird")]
    first, second = (vector[0].detach().numpy() for vector in alone)
    expected = first @ second / np.linalg.norm(first) / np.linalg.norm(second)
    assert found.cosine[1] == pytest.approx(expected, abs=1e-6)
    assert found.cosine[1] < 0.999
