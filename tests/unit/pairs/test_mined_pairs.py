from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from contrapose.base.errors import ConfigError, TableError
from contrapose.pairs.mined import MinedPairs
from contrapose.project import Project
from contrapose.project.registries import check
from contrapose.tables import NEIGHBOURS
from tests.kinds import pairs as made
from tests.tables import paired

PLAIN = paired("abcd", "ABCD", id="abcd")
NEAR = pd.DataFrame(
    [
        ("a", 0.75, [1, 2, 3], [0.875, 0.625, 0.5]),
        ("b", 0.75, [0, 3], [0.75, 0.25]),
        ("c", -0.5, [3, 0, 1], [-0.25, -0.53125, -0.5625]),
        ("d", 0.5, [], []),
    ],
    columns=NEIGHBOURS.columns,
)
NEAR["rows"] = NEAR.rows.map(lambda each: np.array(each, "int32"))
NEAR["cosines"] = NEAR.cosines.map(lambda each: np.array(each, "float32"))


def mined(pairs=PLAIN, near=NEAR, *corpus, relative_margin=None, **settings):
    settings = {"pairs": "any", "encoder": "any", "relative_margin": relative_margin, **settings}
    return made("mined", pairs, near, *corpus, **settings)


def test_cosines_are_the_scores_and_rows_without_any_are_counted(caplog):
    with caplog.at_level("INFO"):
        found = mined(negatives=2, ceiling=0.5)
    assert found.negative_scores.tolist() == [[0.5], [0.25], [-0.25, -0.53125], []]
    assert "4 hard negatives; 3 rows have fewer than 2, and 1 of these have none" in caplog.text


def test_negatives_that_a_row_has_stay_in_front_and_count_once():
    own = pd.Series([["x", "B"], [], [], ["y"]])
    found = mined(PLAIN.assign(negatives=own), negatives=2)
    assert found.negatives.tolist() == [["x", "B", "C"], ["A", "D"], ["D", "A"], ["y"]]
    assert found.negative_scores[0] == pytest.approx([np.nan, np.nan, 0.625], nan_ok=True)


def test_all_slots_and_views_of_an_anchor_get_the_same():
    both = pd.concat([PLAIN, PLAIN.assign(view=1), PLAIN.assign(slot=1)], ignore_index=True)
    assert mined(both).negatives.tolist() == 3 * mined().negatives.tolist()


def test_a_random_choice_depends_on_draw_and_anchor_alone():
    found = [mined(sampling="random", seed=draw).negatives for draw in range(20)]
    assert {each[0][0] for each in found} == {"B", "C", "D"}
    # The rows of NEAR are places in PLAIN, so only the neighbours come in another order.
    assert mined(near=NEAR[::-1], sampling="random", seed=3).negatives.tolist() == found[3].tolist()


def test_what_does_not_fit_is_refused():
    with pytest.raises(
        ValueError, match="negatives is 3, but there are fewer texts from range_min 2 to range_max 4"
    ):
        mined(negatives=3, range_min=2, range_max=4)
    with pytest.raises(TableError, match="neighbours: it was made from an older version of the pairs"):
        mined(near=NEAR.head(3))


def test_it_asks_and_has_what_the_other_pair_set_does():
    project = Project({"catalog": "hub", "studies": ["thesis", "rise"]}, Path(__file__).parents[3])
    spec = MinedPairs(kind="mined", pairs="paraphrase", encoder="bert-base", negatives=2, range_min=3)
    near = "<results>/score/neighbours/paraphrase/bert-base/24.parquet"
    assert spec.inputs(project.paths) == {"pairs": "<results>/pairs/paraphrase.parquet", "neighbours": near}
    of = project.pairs("paraphrase")
    assert spec.questions(project) == of.questions(project) != []
    assert (spec.sides(project), spec.slot_count(project)) == (4, 5)
    views = MinedPairs(kind="mined", pairs="punctuation", encoder="bert-base", negatives=2)
    assert views.sides(project) == 3 + 2 * 2
    assert spec.rows(project) == of.rows(project)
    others = spec.model_copy(update={"corpus": "wiki-1-1", "cross_encoder": "roberta-base"})
    assert others.inputs(project.paths) == {
        "pairs": "<results>/pairs/paraphrase.parquet",
        "neighbours": "<results>/score/reranked/paraphrase/bert-base/24-wiki-1-1/roberta-base.parquet",
        "corpus": "<results>/corpus/wiki-1-1.parquet",
    }
    searched = "<results>/score/neighbours/paraphrase/bert-base/24-wiki-1-1"
    assert others.jobs(project.paths)[0] == searched
    labelled = MinedPairs(kind="mined", pairs="dino-stsb", encoder="bert-base")
    with pytest.raises(ConfigError, match="dino-stsb is of kind dino, whose rows have labels"):
        check(project, labelled, "x.yaml")


def test_texts_drawn_from_all_are_behind_the_mined_ones_and_none_of_the_anchor():
    pairs = paired("abcdea", ["A", "a", *"CDEF"], id="123456")
    empty = np.array([], "float32")
    near = pd.DataFrame(
        [("a", 0.5, np.array([2], "int32"), np.array([0.25], "float32"))]
        + [(each, 0.5, empty.astype("int32"), empty) for each in "bcde"],
        columns=NEIGHBOURS.columns,
    )
    draws = [mined(pairs, near, random=2, seed=draw) for draw in range(20)]
    for found in draws:
        assert found.negatives[0] == found.negatives[5]  # the other row of the anchor
        assert found.negatives[0][0] == "C"
        assert set(found.negatives[0][1:]) == {"D", "E"}  # not a itself, nor A and F, its positives, nor C
        assert found.negative_scores[0] == pytest.approx([0.25, np.nan, np.nan], nan_ok=True)
        assert len(set(found.negatives[1])) == 2
    assert {text for found in draws for text in found.negatives[1]} == {"A", *"CDEF"}
    assert mined(pairs, near[::-1], random=2).negatives.tolist() == draws[1].negatives.tolist()
    assert mined(pairs, near, random=9).negatives[0] in (["C", "D", "E"], ["C", "E", "D"])


def test_no_negative_is_the_anchor_or_its_positive_in_another_spelling():
    pairs = paired(["a é", "b", "c"], ["A.", "B", "a e\u0301"], id="abc")
    near = NEAR[:3].assign(anchor=pairs.anchor, positive=1.0)
    near["rows"] = [np.array([2, 3, 4], "int32")] * 3
    near["cosines"] = [np.array([0.5, 0.5, 0.5], "float32")] * 3
    found = mined(pairs, near, ["A.\u00a0", "X"], negatives=3)
    assert found.negatives.tolist() == [["X"], ["a e\u0301", "A.\u00a0", "X"], ["A.\u00a0", "X"]]
    drawn = mined(pairs, near.assign(rows=[np.array([], "int32")] * 3, cosines=[np.array([])] * 3), random=3)
    assert [sorted(each) for each in drawn.negatives] == [["B"], ["A.", "a e\u0301"], ["A.", "B"]]
