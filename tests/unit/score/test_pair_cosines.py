"""Cosines of the texts of pairs, against those of each pair alone."""

import numpy as np
import pytest

from contrapose.encoders.embeddings import embeddings
from contrapose.encoders.encoder import load_encoder
from contrapose.score.pair_cosines import EncoderSettings, build
from contrapose.settings.worlds import Prompts
from contrapose.tables import RELEVANCE, checked_arrays
from tests.unit.score.test_relevance import PAIRS


@pytest.mark.parametrize("prompts", [Prompts(), Prompts(query="the big ", document="a red ")])
def test_each_distinct_pair_of_texts_has_the_cosine_of_its_vectors(prompts, tiny_encoder):
    encoder = load_encoder(tiny_encoder("bert"), pooling="avg", prompts=prompts)
    found = build(EncoderSettings(), PAIRS, encoder)
    checked_arrays(found, "found", RELEVANCE)
    assert len(found) == len(found[["anchor", "text"]].drop_duplicates()) == 5
    for anchor, text, score in found.itertuples(index=False):
        one = embeddings(encoder, [anchor], prompts.query)[0]
        other = embeddings(encoder, [text], prompts.document)[0]
        cosine = one @ other / np.linalg.norm(one) / np.linalg.norm(other)
        assert score == pytest.approx(cosine, abs=1e-6)
