"""Pairs of a premise with its entailment and its contradiction."""

from functools import partial

import pandas as pd
import pytest

from contrapose.errors import TableError
from contrapose.tables import TRIPLES
from tests.kinds import pairs

TRIPLES_3 = pd.DataFrame(
    [(str(number), f"p{number}", f"e{number}", f"c{number}") for number in range(3)], columns=TRIPLES.columns
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
    without = triple_pairs(TRIPLES_3.assign(contradiction=None))
    assert without.negatives.tolist() == [[], [], []]
    assert without.drop(columns="negatives").equals(pairs.drop(columns="negatives"))


def test_a_sample_keeps_triples_together_and_some_are_held_out():
    three = triple_pairs(TRIPLES_3, size=3)
    assert all(
        {row.anchor[1:], row.positive[1:], row.negatives[0][1:]} == {row.id} for row in three.itertuples()
    )
    assert len({tuple(triple_pairs(TRIPLES_3, size=3, seed=seed).id) for seed in range(20)}) > 1
    ids = three.id.tolist()
    assert triple_pairs(TRIPLES_3, held_out=1, part="dev").id.tolist() == ids[:1]
    assert triple_pairs(TRIPLES_3, size=2, held_out=1).id.tolist() == ids[1:]
    with pytest.raises(TableError, match="triples: there are 3, the pair set wants 4"):
        triple_pairs(TRIPLES_3, size=4)
