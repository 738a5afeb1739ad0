import pandas as pd
import pytest

from contrapose.pairs.pair_rows import as_pairs
from contrapose.report.about import Source
from contrapose.tables import BENCHMARK, PAIRS
from tests.kinds import about, file, report

PUBLISHED = pd.DataFrame({"split": ["train", "dev"], "STSb": [76900, 1500], "PAWS": [None, 300]})
ROWS = [
    {"label": "pairs", "pairs": {"STSb": "dino", "QQP": "none"}, "published": "train"},
    {"label": "dev", "tasks": {"STSb": "stsb_glue", "QQP": "qqp"}, "split": "dev", "published": "dev"},
]
SOURCES = [
    Source(label="dino", id="dino"),
    Source(label="none", id=None, note="this catalog has no model at language_models.x"),
]


def benchmark(task, split, count, form="raw"):
    texts = {"subset": task, "sentence1": "a", "sentence2": "b", "score": 1.0}
    return pd.DataFrame({"task": task, "form": form, "split": split, "row": range(count), **texts})


BENCHMARKS = pd.concat(
    [
        *(benchmark("stsb_glue", "dev", 12), benchmark("stsb_glue", "test", 5)),
        benchmark("stsb_glue", "dev", 3, "senteval"),
    ]
)


def table(missing, sets=BENCHMARKS, published=PUBLISHED, sources=SOURCES, **changed):
    settings = {"columns": ["STSb", "QQP", "PAWS"], "rows": ROWS, "layout": {"rows": ["split"]}}
    names = pd.Series(range(4711)).astype(str)
    pairs = [file(as_pairs(names, names, names), PAIRS)] if sources else []
    facts = about(sources=sources)
    benchmarks = [file(sets[BENCHMARK.columns], BENCHMARK, missing=missing)]
    return report(
        "sizes", {**settings, "form": "raw", **changed}, facts, pairs, benchmarks, published=published
    )


def test_rows_of_pair_sets_and_of_splits_are_counted():
    made = table({"qqp/raw/dev": "qqp/train.tsv"})
    assert made.csv.values.tolist() == [
        [
            "w",
            "pairs",
            "4711",
            "76900",
            *3 * "–",
            "QQP is skipped: this catalog has no model at language_models.x",
        ],
        ["w", "dev", "12", "1500", "–", "–", "300", "QQP is skipped: qqp/train.tsv is missing"],
    ]
    assert "- dev: QQP is skipped: qqp/train.tsv is missing.\n" in made.markdown
    counted = made.tidy[made.tidy.column == "STSb"]
    assert counted[["value", "n", "published"]].values.tolist() == [[4711, 4711, 76900], [12, 12, 1500]]


def test_a_row_may_be_a_set_and_the_columns_its_splits():
    row = {"label": "STS-B", "task": "stsb_pairs", "splits": {"Train": "train", "Dev": "dev", "Test": "test"}}
    published = pd.DataFrame({"set": ["STS-B"], "Train": [5749], "Dev": [1500], "Test": [1379]})
    settings = {"columns": ["Train", "Dev", "Test"], "rows": [{**row, "published": "STS-B"}]}
    settings |= {"layout": {"rows": ["set"]}, "sources": [], "published": published}
    counted = pd.concat([benchmark("stsb_pairs", "train", 7), benchmark("stsb_pairs", "test", 2)])
    made = table({"stsb_pairs/raw/dev": "sts_raw/sts-dev.csv"}, counted, **settings)
    assert made.tidy[["column", "value", "published"]].fillna(0).values.tolist() == [
        ["Train", 7, 5749],
        ["Dev", 0, 1500],
        ["Test", 2, 1379],
    ]
    assert made.csv.note[0] == "Dev is skipped: sts_raw/sts-dev.csv is missing"
    lacking = {f"stsb_pairs/raw/{split}": "sts_raw" for split in ("test", "train")}
    note = "Train and Test are skipped: sts_raw is missing"
    assert table(lacking, counted, **settings).csv.note[0] == note
    with pytest.raises(ValueError, match="stsb_pairs is one of the pair_tasks_english sets, but jsts is"):
        table({}, **{**settings, "rows": [row, {**row, "task": "jsts"}]})
