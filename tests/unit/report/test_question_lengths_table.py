import pandas as pd
import pytest
from contrapose.jobs import QuestionLengthsJob
from contrapose.report.question_lengths_table import (
    question_lengths_csv,
    question_lengths_markdown,
    question_lengths_table,
)

from contrapose.report.about import TableRow
from contrapose.tables import PREDICTIONS, PUBLISHABLE, TRANSFER, write_table

QUESTIONS = ["Who ?", "Who is he ?", "What is the name of it ?"]  # 2, 4 and 7 words
PRINTED = pd.DataFrame({"model": ["Theirs"], "Original": [80.91], "no short ones": [84.86]})


def transfer() -> pd.DataFrame:
    rows = [
        ("trec", split, row, text, None, 0)
        for split in ("train", "test")
        for row, text in enumerate(QUESTIONS)
    ]
    other = [("sst2", "test", 0, "so so and so it is", None, 0)]
    return pd.DataFrame(rows + other, columns=TRANSFER.columns)


def predictions(**said: list[int]) -> pd.DataFrame:
    """Make a run's predictions of the train and the test questions; 0 is right."""
    rows = [
        (run, "trec", split, row, 0, 0, label)
        for run, labels in said.items()
        for split, half in (("train", labels[:3]), ("test", labels[3:]))
        for row, label in enumerate(half)
    ]
    other = [(run, "sst2", "test", 0, 0, 0, 1) for run in said]
    return pd.DataFrame(rows + other, columns=PREDICTIONS.columns)


def job(**changed) -> QuestionLengthsJob:
    settings = {
        **{"table": "table12", "caption": "A caption.", "source": "A paper", "world": "tiny"},
        **{"world_description": "three questions", "generated": False, "seeds": [42, 43]},
        "columns": [("Original", 0), ("no short ones", 4), ("none", 8)],
        "rows": [TableRow(model="ours", runs=["a", "b"], published="Theirs")],
    }
    return QuestionLengthsJob(**{**settings, **changed})


def test_questions_with_too_few_words_do_not_count(tmp_path):
    said = predictions(a=[0, 0, 1, 1, 0, 0], b=[1, 1, 1, 0, 0, 1])
    tidy = question_lengths_table(said, transfer(), PRINTED, job())
    write_table(tidy, tmp_path / "t.parquet", PUBLISHABLE)
    means = tidy[tidy.seed.isna()].set_index("column")
    assert means.value["Original"] == pytest.approx((200 / 3 + 200 / 3) / 2)
    assert means.value["no short ones"] == pytest.approx((100 + 50) / 2)
    assert means.value["no short ones, CV on train"] == pytest.approx((50 + 0) / 2)
    assert means.n[["Original", "no short ones", "none"]].tolist() == [3, 2, 0]
    assert pd.isna(means.value["none"])
    assert means.published["no short ones"] == 84.86

    table = question_lengths_csv(tidy, job(), {})
    assert table["no short ones"].tolist() == ["75.00 ± 35.36"]
    assert table.note.tolist() == ["Original: 3 questions; no short ones: 2 questions"]
    text = question_lengths_markdown(tidy, PRINTED, job(), {})
    ours, theirs = text.split("## The paper's numbers")
    assert "| Theirs | 80.91 | 84.86 |" in theirs
    assert "80.91" not in ours
    assert "80.91" not in question_lengths_markdown(tidy, PRINTED, job(generated=True), {})


def test_without_trec_the_table_is_empty_and_says_so():
    only = transfer()[lambda rows: rows.task != "trec"]
    said = predictions(a=[0] * 6, b=[0] * 6)[lambda rows: rows.task != "trec"]
    tidy = question_lengths_table(said, only, None, job(rows=[TableRow(model="ours", runs=["a", "b"])]))
    assert tidy.value.isna().all()
    table = question_lengths_csv(tidy, job(), {"trec/senteval/test": "TREC"})
    assert table.note[0] == "left out: TREC (TREC is not there)"
    assert "left out: TREC (TREC is not there)" in question_lengths_markdown(
        tidy, None, job(), {"trec/senteval/test": "TREC"}
    )
