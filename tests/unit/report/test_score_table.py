import pandas as pd

from contrapose.report.jobs import ScoreTableJob
from contrapose.report.score_table import score_table

JOB = ScoreTableJob(encoder="my-encoder")
SCORES = pd.DataFrame(
    [
        ("sts12", "senteval", "test", "spearman", "all", 0.72371, 3108, 0.70, 0.74),
        ("sts12", "senteval", "test", "pearson", "all", 0.80, 3108, 0.79, 0.81),
        ("sts12", "senteval", "test", "spearman", "mean", 0.1, 3108, 0.0, 0.2),
        ("stsb", "senteval", "test", "spearman", "all", 0.82, 1000, 0.8, 0.9),
        ("stsb", "senteval", "test", "pearson", "all", 0.83, 1000, 0.8, 0.9),
        ("stsb", "raw", "test", "spearman", "all", 0.84, 1379, 0.8, 0.9),
        ("stsb", "raw", "test", "pearson", "all", 0.85, 1379, 0.8, 0.9),
        ("stsb", "raw", "dev", "spearman", "all", 0.86, 1500, 0.8, 0.9),
        ("stsb", "raw", "dev", "pearson", "all", 0.87, 1500, 0.8, 0.9),
    ],
    columns=["task", "form", "split", "metric", "aggregation", "value", "n", "low", "high"],
).assign(run="encoder/my-encoder")
MISSING = {
    "sickr/senteval/test": "SICK/SICK_test_annotated.txt",
    "sickr/senteval/dev": "SICK/SICK_trial.txt",
    "sts12/raw/test": "sts_raw/STS12-en-test",
}


def rows():
    return score_table(SCORES, MISSING, "avg + Normalize", JOB)


def test_a_task_has_a_row_with_numbers_as_printed():
    assert rows().iloc[0].to_dict() == {
        **{"task": "STS12", "form": "senteval", "split": "test", "n": 3108},
        **{"spearman": "72.37", "low": "70.00", "high": "74.00", "pearson": "80.00"},
        **{"encoder": "my-encoder", "pooling": "auto: avg + Normalize", "note": ""},
    }


def test_both_text_forms_have_their_row_and_dev_has_none():
    found = rows()[rows().task == "STS-B"]
    assert list(zip(found.form, found.spearman, strict=True)) == [("senteval", "82.00"), ("raw", "84.00")]


def test_another_number_of_pairs_is_noted():
    assert rows().note[1] == "1000 pairs, 1379 as published"


def test_a_task_that_is_not_there_in_any_form_is_named_with_its_file():
    assert rows().task.tolist() == ["STS12", "STS-B", "STS-B", "SICK-R"]
    last = rows().iloc[-1]
    assert (last.n, last.spearman) == (0, "")
    assert last.note == "left out: SICK/SICK_test_annotated.txt is not there"
