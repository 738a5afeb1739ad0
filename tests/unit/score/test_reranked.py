import numpy as np
import pandas as pd

from contrapose.models import classifier
from contrapose.score import reranked
from contrapose.settings.encoders import EncoderSettings
from contrapose.tables import NEIGHBOURS, checked_arrays
from tests.tables import paired

PAIRS = paired("abcb", "ABCD")
NEAR = pd.DataFrame({"anchor": ["a", "b", "c"], "positive": [0.9, 0.8, 0.7]})
NEAR["rows"] = [np.array(each, "int32") for each in ([1, 2, 4], [0], [])]
NEAR["cosines"] = [np.array(each, "float32") for each in ([0.6, 0.5, 0.4], [0.3], [])]
SCORES = {
    **{"aA": 7.5, "bB": 4.0, "bD": -2.0, "cC": 1.0},  # positives
    **{"aB": -1.0, "aC": 8.0, "aX": 3.0, "bA": 0.5},
}


def test_scores_take_the_place_of_cosines_and_their_order(monkeypatch):
    asked = []

    def outputs_of(model, texts, at_once):
        asked.extend(map("".join, texts))
        return np.array([[SCORES[each]] for each in map("".join, texts)])

    monkeypatch.setattr(classifier, "outputs_of", outputs_of)
    found = reranked.build(EncoderSettings(), PAIRS, NEAR, None, ["X"])
    checked_arrays(found, "found", NEIGHBOURS)
    assert sorted(asked) == sorted(SCORES)  # each once
    assert found.anchor.tolist() == ["a", "b", "c"]
    assert found.positive.tolist() == [7.5, -2.0, 1.0]
    assert [each.tolist() for each in found.rows] == [[2, 4, 1], [0], []]
    assert [each.tolist() for each in found.cosines] == [[8.0, 3.0, -1.0], [0.5], []]
