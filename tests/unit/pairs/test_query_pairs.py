import pandas as pd
import pytest

from contrapose.base.errors import TableError
from contrapose.jobs.status import read_status
from contrapose.tables import PARAPHRASES, RELEVANCE
from tests.kinds import pairs
from tests.tables import paired, sentences

DOCUMENTS = sentences(*(f"document {name}" for name in "abcd"), ids="abcd")
QUERIES = pd.DataFrame(
    [(name, slot, f"query {slot} for {name}") for name in "abd" for slot in range(2)],
    columns=PARAPHRASES.columns,
)


def queries(**settings):
    return pairs("queries", DOCUMENTS, QUERIES, **{"corpus": "own", "llm": "writer", **settings})


def test_each_query_is_the_anchor_of_its_document_and_each_slot_has_every_document_once():
    found = queries()
    assert found.anchor.tolist() == [f"query {slot} for {name}" for slot in range(2) for name in "abd"]
    assert found.positive.tolist() == ["document a", "document b", "document d"] * 2
    assert found.slot.tolist() == [0, 0, 0, 1, 1, 1]
    assert read_status(found.attrs).skipped == ["1 of 4 sentences without queries are dropped"]


def test_documents_are_held_out_whole():
    parts = [queries(held_out=2, part=part) for part in ("train", "dev")]
    kept, held = ({*part.positive} for part in parts)
    assert not kept & held
    assert kept | held <= {*DOCUMENTS.text}


MINED = paired(["x?", "y?", "z?"], "XYZ", id="xyz", slot=[0, 0, 1], negatives=[["Y", "Z"], ["X"], []])
SCORED = {"xX": 9.0, "xY": 2.0, "xZ": -1.5, "yY": 4.0, "yX": 5.0, "zZ": 1.0}
ROWS = [(f"{texts[0]}?", texts[1], score) for texts, score in SCORED.items()]
SCORES = pd.DataFrame(ROWS, columns=RELEVANCE.columns).astype({"score": "float32"})


def test_margins_are_differences_of_scores_and_each_negative_is_a_row():
    found = pairs("margins", MINED, SCORES, pairs="mined", cross_encoder="judge")
    assert found.id.tolist() == ["x", "y", "x"]
    assert found.slot.tolist() == [0, 0, 1]
    assert found.negatives.tolist() == [["Y"], ["X"], ["Z"]]
    assert found.label.tolist() == [7.0, -1.0, 10.5]
    assert read_status(found.attrs).skipped == ["1 of 3 rows without a hard negative are dropped"]


def test_pairs_without_hard_negatives_are_left_out_and_scores_of_others_are_refused():
    none = pairs("margins", MINED.iloc[2:], SCORES, pairs="mined", cross_encoder="judge")
    assert len(none) == 0
    assert (
        "of 1 rows without a hard negative are dropped, and 0 remain" in read_status(none.attrs).unavailable
    )
    with pytest.raises(TableError, match="relevance: it was made from an older version of the pairs"):
        pairs("margins", MINED, SCORES[1:], pairs="mined", cross_encoder="judge")
