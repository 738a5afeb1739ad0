"""Pairs of a premise with its entailment and its contradiction."""

import pandas as pd
import pytest
from contrapose.jobs import TripleSample

from contrapose.errors import TableError
from contrapose.pairs.triples import triple_pairs
from contrapose.tables import PAIRS, TRIPLES, read_table, write_table

TRIPLES_3 = pd.DataFrame(
    [(str(number), f"p{number}", f"e{number}", f"c{number}") for number in range(3)], columns=TRIPLES.columns
)


def test_the_contradiction_is_the_hard_negative(tmp_path):
    pairs = triple_pairs(TRIPLES_3, TripleSample(triples=None, seed=1))
    write_table(pairs, tmp_path / "pairs.parquet", PAIRS)
    pairs = read_table(tmp_path / "pairs.parquet", PAIRS)
    assert pairs[["id", "anchor", "positive", "negative"]].to_numpy().tolist() == [
        ["0", "p0", "e0", "c0"],
        ["1", "p1", "e1", "c1"],
        ["2", "p2", "e2", "c2"],
    ]
    assert pairs.label.isna().all()
    assert pairs[["slot", "view", "weight"]].to_numpy().tolist() == [[0, 0, 1]] * 3


def test_pairs_without_contradictions_have_no_hard_negatives(tmp_path):
    pairs = triple_pairs(TRIPLES_3.assign(contradiction=None), TripleSample(triples=None, seed=1))
    write_table(pairs, tmp_path / "pairs.parquet", PAIRS)
    pairs = read_table(tmp_path / "pairs.parquet", PAIRS)
    assert pairs[["anchor", "positive"]].to_numpy().tolist() == [["p0", "e0"], ["p1", "e1"], ["p2", "e2"]]
    assert pairs.negative.isna().all()


def test_a_sample_keeps_triples_together_and_is_the_head_of_a_larger_one():
    two, three = (triple_pairs(TRIPLES_3, TripleSample(triples=count, seed=1)) for count in (2, 3))
    pd.testing.assert_frame_equal(two, three.head(2))
    assert sorted(three.anchor) == ["p0", "p1", "p2"]
    assert all({row.anchor[1:], row.positive[1:], row.negative[1:]} == {row.id} for row in three.itertuples())
    orders = {tuple(triple_pairs(TRIPLES_3, TripleSample(triples=3, seed=seed)).id) for seed in range(20)}
    assert len(orders) > 1


def test_more_triples_than_there_are_stop():
    with pytest.raises(TableError, match="there are 3, the pair set wants 4"):
        triple_pairs(TRIPLES_3, TripleSample(triples=4, seed=1))


def test_the_first_triple_of_the_draw_may_be_for_dev_alone():
    three = triple_pairs(TRIPLES_3, TripleSample(triples=3, seed=1)).id.tolist()
    assert (
        triple_pairs(TRIPLES_3, TripleSample(triples=None, seed=1, dev=1, part="dev")).id.tolist()
        == three[:1]
    )
    assert triple_pairs(TRIPLES_3, TripleSample(triples=2, seed=1, dev=1)).id.tolist() == three[1:]
