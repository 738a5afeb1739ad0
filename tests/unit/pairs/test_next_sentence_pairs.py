from collections import Counter
from functools import partial

import pandas as pd
import pytest
from scipy.stats import chisquare

from contrapose.jobs.status import read_status
from tests.kinds import pairs

next_sentence_pairs = partial(pairs, "next_sentence", corpus="own")


def sentences(*rows):
    table = pd.DataFrame(rows, columns=["article_id", "position", "text"])
    return table.assign(id=table.article_id + ":" + table.position.astype(str))


FOUR = sentences(("a", 1, "Two."), ("b", 0, "Other."), ("a", 0, "One."), ("a", 2, "Three."))


def test_the_positive_is_the_next_sentence_of_the_same_document_wherever_it_stands(caplog):
    with caplog.at_level("INFO"):
        found = next_sentence_pairs(FOUR)
    assert found[["id", "anchor", "positive"]].to_numpy().tolist() == [
        ["a:1", "Two.", "Three."],
        ["a:0", "One.", "Two."],
    ]
    assert read_status(found.attrs).skipped == ["2 of 4 sentences have no next sentence and are skipped"]
    assert read_status(found.attrs).skipped[0] in caplog.text


def test_each_of_the_window_is_as_likely_and_drawn_by_the_sentence_alone():
    documents = [(f"d{number}", place, str(place)) for number in range(2000) for place in range(5)]
    table = sentences(*documents)

    def first(table, **settings):
        found = next_sentence_pairs(table, window=3, **settings)
        return {(each.id, each.slot): each.positive for each in found.itertuples() if each.anchor == "0"}

    whole = first(table, slots=2)
    for slot in (0, 1):
        counts = Counter(text for (_, of), text in whole.items() if of == slot)
        assert set(counts) == {"1", "2", "3"}
        assert chisquare(list(counts.values())).pvalue > 0.001
    again = first(table[::-1])
    assert again.items() <= whole.items()
    assert first(table, size=500).items() <= whole.items()
    assert len(next_sentence_pairs(table, size=500)) == 500
    for other in ({(name, 0): text for (name, slot), text in whole.items() if slot}, first(table, seed=2)):
        assert 500 < sum(other[key] == text for key, text in again.items()) < 830  # by chance a third


@pytest.mark.parametrize(("table", "size", "lacking"), [
    (FOUR.iloc[1:3], None, ("0 of 2 sentences of the corpus 'own' have a "
        "next sentence in their document, but 2 are needed")),
    (FOUR, 3, ("2 of 4 sentences of the corpus 'own' have a "
        "next sentence in their document, but 3 are needed")),
])  # fmt: skip
def test_too_few_neighbours_leave_the_row_out(table, size, lacking):
    found = next_sentence_pairs(table, size=size)
    assert found.empty
    assert lacking in read_status(found.attrs).unavailable
