import math
from functools import partial

import pandas as pd
import pytest

from contrapose.base.errors import TableError
from contrapose.pairs.triples import TriplePairs
from contrapose.tables import TRIPLES
from tests.kinds import pairs

TRIPLES_3 = pd.DataFrame(
    [(str(number), 0, f"p{number}", f"e{number}", [f"c{number}"], [], math.nan) for number in range(3)],
    columns=TRIPLES.columns,
)
triple_pairs = partial(pairs, "triples", source="any")


def test_the_contradiction_is_the_hard_negative_where_there_is_one():
    pairs = triple_pairs(TRIPLES_3)
    assert pairs[["id", "anchor", "positive", "negatives"]].to_numpy().tolist() == [
        ["0", "p0", "e0", ["c0"]],
        ["1", "p1", "e1", ["c1"]],
        ["2", "p2", "e2", ["c2"]],
    ]
    assert pairs.label.isna().all()
    assert pairs[["slot", "view", "weight"]].to_numpy().tolist() == [[0, 0, 1]] * 3
    without = triple_pairs(TRIPLES_3.assign(negatives=[[], [], []]))
    assert without.negatives.tolist() == [[], [], []]
    assert without.drop(columns="negatives").equals(pairs.drop(columns="negatives"))


def test_a_sample_has_all_slots_of_its_triples_with_their_negatives_and_scores():
    second = TRIPLES_3.assign(slot=1, entailment=["f0", "f1", "f2"])
    scored = TRIPLES_3.assign(negatives=[["x", "y"]] * 3, negative_scores=[[0.5, 0.25]] * 3)
    found = triple_pairs(pd.concat([scored, second]), size=2)
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
    labelled = TRIPLES_3.assign(label=[0.5, -1.0, 1.0])
    assert triple_pairs(labelled, scored=True).label.tolist() == [0.5, -1, 1]
    with pytest.raises(TableError, match=r"3 of 3 pairs of 'any' have a score, .* Set scored to true\."):
        triple_pairs(labelled)
    with pytest.raises(TableError, match="0 of 3 pairs of 'any' have a score, and scored is true"):
        triple_pairs(TRIPLES_3, scored=True)
    assert TriplePairs(kind="triples", source="any", scored=True).labelled
    assert not TriplePairs(kind="triples", source="any").labelled
