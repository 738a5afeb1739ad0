import pandas as pd

from contrapose.report.score_table import ScoreTableJob, score_table

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
    columns=["task", "form", "split", "metric", "aggregation", "value", "n", "ci_low", "ci_high"],
).assign(run="encoder/my-encoder")
MISSING = {
    "sickr/senteval/test": "SICK/SICK_test_annotated.txt",
    "sickr/senteval/dev": "SICK/SICK_trial.txt",
    "sts12/raw/test": "sts_raw/STS12-en-test",
}


def test_each_task_and_text_form_has_a_row_and_a_task_that_is_not_there_its_file():
    found = score_table(SCORES, MISSING, "avg + Normalize", JOB)
    assert found.iloc[0].to_dict() == {
        **{"task": "STS12", "form": "senteval", "split": "test", "n": 3108},
        **{"spearman": "72.37", "ci_low": "70.00", "ci_high": "74.00", "pearson": "80.00"},
        **{"encoder": "my-encoder", "pooling": "auto: avg + Normalize", "note": ""},
    }
    assert found[["task", "form", "spearman", "note"]].values.tolist()[1:] == [  # dev has none
        ["STS-B", "senteval", "82.00", "1000 pairs, 1379 as published"],
        ["STS-B", "raw", "84.00", ""],
        ["SICK-R", "", "", "skipped: SICK/SICK_test_annotated.txt is missing"],
    ]
    assert found.n.iloc[-1] == 0
