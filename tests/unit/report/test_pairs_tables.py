"""Tables of what a pair set looks like."""

import pandas as pd
import pytest
from contrapose.jobs import ExamplesTableJob, PrefixWordsTableJob
from contrapose.report.pairs_tables import (
    examples_csv,
    examples_markdown,
    examples_table,
    prefix_words_csv,
    prefix_words_markdown,
    prefix_words_table,
)

from contrapose.errors import TableError
from contrapose.pairs.rows import as_pairs
from contrapose.settings.rows import Band, PrintedLayout
from contrapose.tables import EXAMPLES, PAIRS, PUBLISHABLE, empty, write_table

ABOUT = {
    "table": "t",
    "caption": "c",
    "source": "s",
    "world": "w",
    "world_description": "d",
    "generated": True,
}
BANDS = [Band(name="<3", at_most=2), Band(name=">=3", at_least=3), Band(name="none", at_least=50)]


def column(*texts: str) -> pd.Series:
    return pd.Series(texts)


def prefixed(positives: list[str]) -> pd.DataFrame:
    return as_pairs(
        id=column("1", "2", "3"), anchor=column("a b", "a b c", "d e f g"), positive=pd.Series(positives)
    )


def test_words_in_front_are_counted_by_the_length_of_the_sentence(tmp_path):
    printed = pd.DataFrame(
        {"sentence_length": ["<3", ">=3", "none"], "min": [0, 3, 50], "prefix_words": [0, 2, 9]}
    )
    job = PrefixWordsTableJob(
        **ABOUT, pairs="prefix", bands=BANDS, layout=PrintedLayout(rows=["sentence_length"])
    )
    tidy = prefix_words_table(prefixed(["a b", "um a b c", "um um d e f g"]), printed, job)
    cells = tidy.set_index(["model", "column"])
    assert cells.value["<3", "prefix_words"] == 0
    assert cells.value[">=3", "prefix_words"] == 1.5
    assert cells.value[">=3", "sentences"] == 2
    assert cells.published[">=3", "prefix_words"] == 2
    write_table(tidy, tmp_path / "t.parquet", PUBLISHABLE)
    assert prefix_words_csv(tidy, job)["prefix_words"].tolist() == ["0", "1.5", "–"]
    assert "| >=3 | 2 |" in prefix_words_markdown(tidy, printed, job)


def test_a_positive_without_its_sentence_has_no_prefix():
    job = PrefixWordsTableJob(**ABOUT, pairs="prefix", bands=BANDS)
    with pytest.raises(TableError, match="'x' does not end in 'd e f g'"):
        prefix_words_table(prefixed(["a b", "a b c", "x"]), None, job)


def test_examples_are_texts_that_a_strategy_changed_of_the_last_view(tmp_path):
    texts = column("甲", "乙", "丙")
    first = as_pairs(id=column("1", "2", "3"), anchor=texts, positive=texts)
    second = as_pairs(id=column("1", "2", "3"), anchor=texts, positive=column("甲", "乙,", "丙!"), view=1)
    job = ExamplesTableJob(**ABOUT, pairs="punctuation", order="file", rows=1)
    tidy = examples_table(pd.concat([first, second], ignore_index=True), job)
    assert tidy[["anchor", "positive"]].values.tolist() == [["乙", "乙,"]]
    write_table(tidy, tmp_path / "t.parquet", EXAMPLES)
    assert list(examples_csv(tidy, job).columns) == ["world", "anchor", "positive", "note"]
    assert "| 乙 | 乙, |" in examples_markdown(tidy, job)


def test_examples_by_weight_are_the_heaviest_and_the_lightest_with_label_and_weight(tmp_path):
    texts = column("a", "b", "c", "d", "e", "f")
    weights = pd.Series([0.2, 0.9, 0.9, 0.1, 0.5, 0.05])
    pairs = as_pairs(
        id=texts, anchor=texts, positive=column("A", "B", "B", "d", "E", "F"), weight=weights
    ).assign(label=0.9)
    job = ExamplesTableJob(**ABOUT, pairs="rise-stsb", order="weight", rows=2)
    tidy = examples_table(pairs, job)
    # c has b's text, d its own; ids break ties.
    assert tidy.id.tolist() == ["b", "e", "a", "f"]
    write_table(tidy, tmp_path / "t.parquet", EXAMPLES)
    assert "| b | B | 0.9 | 0.9 |" in examples_markdown(tidy, job)
    assert examples_csv(tidy, job).weight.tolist() == ["0.9", "0.5", "0.2", "0.05"]
    few = examples_table(pairs, job.model_copy(update={"rows": 3}))
    assert few.id.tolist() == ["b", "e", "a", "f"]  # each once


def test_a_world_that_lacks_the_pairs_has_no_examples():
    job = ExamplesTableJob(**ABOUT, pairs="rise-stsb", order="weight", rows=2, notes=["Left out: no model."])
    tidy = examples_table(empty(PAIRS), job)
    assert tidy.empty
    assert "label" in examples_csv(tidy, job)
    assert "- Left out: no model." in examples_markdown(tidy, job)
