"""What people see of a pair set: which pairs, and counts of all of them."""

import pandas as pd
import pytest

from contrapose.encoders.encoder import load_encoder
from contrapose.pairs.pair_rows import as_pairs
from contrapose.score.pair_cosines import build as cosines_of
from contrapose.score.pair_samples import EncoderSettings, build
from contrapose.status import read_status
from contrapose.tables import PAIR_SAMPLES, checked_arrays

NEGATIVES = [["the dog", "a cat"], [], ["a red dog"]]


def test_texts_have_their_cosines_and_copies_and_duplicates_of_all_rows_are_counted(tiny_encoder):
    encoder = load_encoder(tiny_encoder("bert"), pooling="avg")
    names = pd.Series(["1", "2", "3"])
    anchors, positives = (
        pd.Series(["the dog", "a cat", "a big dog"]),
        pd.Series(["a dog", "a cat", "the cat"]),
    )
    one = as_pairs(names, anchors, positives, negatives=pd.Series(NEGATIVES))
    both = pd.concat([one, one.assign(slot=1).astype({"slot": "int16"})], ignore_index=True)
    found = build(EncoderSettings(), both, encoder)
    checked_arrays(found, "found", PAIR_SAMPLES)
    assert read_status(found.attrs).counts == {"rows": 6, "copies": 2, "duplicates": 3}
    cosines = cosines_of(EncoderSettings(), one, encoder).set_index(["anchor", "text"]).score
    by_id = found.set_index("id")
    assert by_id.cosine["1"] == pytest.approx(cosines["the dog", "a dog"])
    assert by_id.cosine["2"] == pytest.approx(1)
    mean = (cosines["the dog", "the dog"] + cosines["the dog", "a cat"]) / 2
    assert by_id.negative_cosine["1"] == pytest.approx(mean)
    assert by_id.negative["1"] == "the dog / a cat"
    assert by_id[["negative", "negative_cosine"]].isna().all(axis=1).tolist() == (by_id.index == "2").tolist()
