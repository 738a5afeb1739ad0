import math
from functools import partial

import pandas as pd
import pytest

from contrapose.base.errors import TableError
from contrapose.pairs.triplets import TripletPairs
from contrapose.tables import TRIPLETS
from tests.kinds import pairs

TRIPLETS_3 = pd.DataFrame(
    [(str(number), 0, f"p{number}", f"e{number}", [f"c{number}"], [], math.nan) for number in range(3)],
    columns=TRIPLETS.columns,
)
triplet_pairs = partial(pairs, "triplets", source="any")


def test_the_contradiction_is_the_hard_negative_where_there_is_one():
    pairs = triplet_pairs(TRIPLETS_3)
    assert pairs[["id", "anchor", "positive", "negatives"]].to_numpy().tolist() == [
        ["0", "p0", "e0", ["c0"]],
        ["1", "p1", "e1", ["c1"]],
        ["2", "p2", "e2", ["c2"]],
    ]
    assert pairs.label.isna().all()
    assert pairs[["slot", "view", "weight"]].to_numpy().tolist() == [[0, 0, 1]] * 3
    without = triplet_pairs(TRIPLETS_3.assign(negatives=[[], [], []]))
    assert without.negatives.tolist() == [[], [], []]
    assert without.drop(columns="negatives").equals(pairs.drop(columns="negatives"))


def test_a_sample_has_all_slots_of_its_triplets_with_their_negatives_and_scores():
    second = TRIPLETS_3.assign(slot=1, entailment=["f0", "f1", "f2"])
    scored = TRIPLETS_3.assign(negatives=[["x", "y"]] * 3, negative_scores=[[0.5, 0.25]] * 3)
    found = triplet_pairs(pd.concat([scored, second]), size=2)
    one, two = found.anchor[:2].str[1:]
    assert found[["slot", "anchor", "positive"]].to_numpy().tolist() == [
        [0, f"p{one}", f"e{one}"],
        [0, f"p{two}", f"e{two}"],
        [1, f"p{one}", f"f{one}"],
        [1, f"p{two}", f"f{two}"],
    ]
    assert found.negatives.tolist() == [["x", "y"], ["x", "y"], [f"c{one}"], [f"c{two}"]]
    assert found.negative_scores.tolist() == [[0.5, 0.25], [0.5, 0.25], [], []]


def test_scores_of_a_file_are_labels_where_the_pair_set_says_so():
    labelled = TRIPLETS_3.assign(label=[0.5, -1.0, 1.0])
    assert triplet_pairs(labelled, scored=True).label.tolist() == [0.5, -1, 1]
    with pytest.raises(TableError, match=r"3 of 3 pairs of 'any' have a score, .* Set scored to true\."):
        triplet_pairs(labelled)
    with pytest.raises(TableError, match="0 of 3 pairs of 'any' have a score, but scored is true"):
        triplet_pairs(TRIPLETS_3, scored=True)
    assert TripletPairs(kind="triplets", source="any", scored=True).labelled
    assert not TripletPairs(kind="triplets", source="any").labelled
