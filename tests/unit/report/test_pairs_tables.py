from functools import partial

import pandas as pd
import pytest

from contrapose.base.errors import TableError
from contrapose.pairs.pair_rows import as_pairs
from tests.kinds import about, report

BANDS = [{"name": "<3", "at_most": 2}, {"name": ">=3", "at_least": 3}, {"name": "none", "at_least": 50}]
PREFIX = {"pairs": "prefix", "bands": BANDS, "layout": {"rows": ["sentence_length"]}}
MADE = about(generated=True)
examples = partial(report, "examples")


def column(*texts: str) -> pd.Series:
    return pd.Series(texts)


def prefixed(*positives: str) -> pd.DataFrame:
    return as_pairs(column("1", "2", "3"), column("a b", "a b c", "d e f g"), column(*positives))


def test_words_in_front_are_counted_by_the_length_of_the_sentence():
    printed = pd.DataFrame(
        {"sentence_length": ["<3", ">=3", "none"], "min": [0, 3, 50], "prefix_words": [0, 2, 9]}
    )
    made = report(
        "prefix_words", PREFIX, MADE, prefixed("a b", "um a b c", "um um d e f g"), published=printed
    )
    cells = made.tidy.set_index(["model", "column"])
    assert cells.value["<3", "prefix_words"] == 0
    assert cells.value[">=3", "prefix_words"] == 1.5
    assert cells.value[">=3", "sentences"] == 2
    assert cells.published[">=3", "prefix_words"] == 2
    assert made.csv["prefix_words"].tolist() == ["0", "1.5", "–"]
    assert "| >=3 | 2 |" in made.markdown
    with pytest.raises(TableError, match="'x' does not end in the anchor 'd e f g'"):
        report("prefix_words", PREFIX, MADE, prefixed("a b", "a b c", "x"))


def test_examples_are_texts_that_a_strategy_changed_of_the_last_view():
    names, texts = column("1", "2", "3"), column("甲", "乙", "丙")
    views = [as_pairs(names, texts, texts), as_pairs(names, texts, column("甲", "乙,", "丙!"), view=1)]
    made = examples({"pairs": "punctuation", "rows": 1}, MADE, pd.concat(views, ignore_index=True))
    assert made.tidy[["anchor", "positive"]].values.tolist() == [["乙", "乙,"]]
    assert list(made.csv.columns) == ["catalog", "anchor", "positive", "note"]
    assert "| 乙 | 乙, |" in made.markdown


def test_examples_show_every_hard_negative():
    texts, hard = column("a", "b"), pd.Series([["x", "y"], []])
    made = examples({"pairs": "nli"}, MADE, as_pairs(texts, texts, column("A", "B"), negatives=hard))
    assert made.tidy.negative.isna().tolist() == [False, True]
    assert "| a | A | x / y |" in made.markdown
    assert "| b | B | – |" in made.markdown


def test_examples_by_weight_are_the_heaviest_and_the_lightest_with_label_and_weight():
    texts, weights = column("a", "b", "c", "d", "e", "f"), pd.Series([0.2, 0.9, 0.9, 0.1, 0.5, 0.05])
    pairs = as_pairs(texts, texts, column("A", "B", "B", "d", "E", "F"), weight=weights, label=0.9)
    made = examples({"pairs": "rise-stsb", "order": "weight", "rows": 2}, MADE, pairs)
    # c has b's text, d its own; ids break ties.
    assert made.tidy.id.tolist() == ["b", "e", "a", "f"]
    assert "| b | B | 0.9 | 0.9 |" in made.markdown
    assert made.csv.weight.tolist() == ["0.9", "0.5", "0.2", "0.05"]
    few = examples({"pairs": "rise-stsb", "order": "weight", "rows": 3}, MADE, pairs)
    assert few.tidy.id.tolist() == ["b", "e", "a", "f"]  # each once
