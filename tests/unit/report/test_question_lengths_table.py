import pandas as pd
import pytest

from contrapose.report.about import TableRow
from contrapose.tables import PREDICTIONS, TRANSFER
from tests.kinds import about, file, report

QUESTIONS = ["Who ?", "Who is he ?", "What is the name of it ?"]  # 2, 4 and 7 words
TASKS = pd.DataFrame(
    [
        ("sst2", "test", 0, "so so and so it is", None, 0),
        *(("trec", split, *each, None, 0) for split in ("train", "test") for each in enumerate(QUESTIONS)),
    ],
    columns=TRANSFER.columns,
)


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


def table(found, tasks=TASKS, missing=()):
    columns, rows = {"Original": 0, "no short ones": 4, "none": 8}, [{"model": "m", "encoder": "e"}]
    ours = [TableRow(model="ours", runs=["a", "b"])]
    facts = about(rows=ours, seeds=[42, 43])
    transfer = [file(tasks, TRANSFER, missing=dict(missing))]
    return report("question_lengths", {"columns": columns, "rows": rows}, facts, found, transfer)


def test_questions_with_too_few_words_do_not_count():
    made = table(predictions(a=[0, 0, 1, 1, 0, 0], b=[1, 1, 1, 0, 0, 1]))
    tidy = made.tidy[made.tidy.seed.isna()].set_index("column")
    means = tidy[tidy.variant == ""]
    assert means.value["Original"] == pytest.approx((200 / 3 + 200 / 3) / 2)
    assert means.value["no short ones"] == pytest.approx((100 + 50) / 2)
    assert tidy.value[tidy.variant == "CV on train"]["no short ones"] == pytest.approx((50 + 0) / 2)
    assert means.n[["Original", "no short ones", "none"]].tolist() == [3, 2, 0]
    assert pd.isna(means.value["none"])
    assert made.csv["no short ones, CV on train"].tolist() == ["25.00 ± 35.36"]
    assert made.csv.note.tolist() == ["Original: 3 questions; no short ones: 2 questions"]
    assert "- Original, CV on train: 3 questions\n" in made.markdown
