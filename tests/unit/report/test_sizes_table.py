import pandas as pd
import pytest
from contrapose.jobs import SizesTableJob
from contrapose.report.sizes_table import sizes_csv, sizes_markdown, sizes_table

from contrapose.settings.printed import SizesTable
from contrapose.tables import PUBLISHABLE, read_table, write_table

PUBLISHED = pd.DataFrame({"split": ["train", "dev"], "STSb": [76900, 1500], "PAWS": [None, 300]})
ROWS = [
    {"label": "pairs", "pairs": {"STSb": "dino", "QQP": "none"}, "published": "train"},
    {"label": "dev", "tasks": {"STSb": "stsb_glue", "QQP": "qqp"}, "split": "dev", "published": "dev"},
]


def job(**changed):
    settings = {
        **{"table": "t4", "caption": "A caption.", "source": "A paper", "world": "tiny", "generated": False},
        **{"world_description": "small", "columns": ["STSb", "QQP", "PAWS"], "form": "raw", "rows": ROWS},
        **{"pairs": ["dino"], "lacking": {"none": "this world has no language model 'x'"}},
        "layout": {"rows": ["split"]},
    }
    return SizesTableJob.model_validate({**settings, **changed})


def benchmark(task, split, count, form="raw"):
    return pd.DataFrame({"task": task, "form": form, "split": split, "row": range(count)})


BENCHMARKS = pd.concat(
    [
        *(benchmark("stsb_glue", "dev", 12), benchmark("stsb_glue", "test", 5)),
        benchmark("stsb_glue", "dev", 3, "senteval"),
    ]
)


def test_rows_of_pair_sets_and_of_splits_are_counted(tmp_path):
    tidy = sizes_table({"dino": 4711}, BENCHMARKS, PUBLISHED, job())
    assert sizes_csv(tidy, job(), {"qqp/raw/dev": "qqp/train.tsv"}).values.tolist() == [
        ["tiny", "pairs", "4711", "–", "–", "QQP is left out: this world has no language model 'x'"],
        ["tiny", "dev", "12", "–", "–", "QQP is left out: qqp/train.tsv is not there"],
    ]
    write_table(tidy, tmp_path / "t.parquet", PUBLISHABLE)
    read = read_table(tmp_path / "t.parquet", PUBLISHABLE)
    assert read[read.column == "STSb"][["value", "n", "published"]].values.tolist() == [
        [4711, 4711, 76900],
        [12, 12, 1500],
    ]


def test_the_paper_s_sizes_stand_apart_and_not_beside_those_of_a_generated_world():
    tidy = sizes_table({"dino": 4711}, BENCHMARKS, PUBLISHED, job())
    ours, theirs = sizes_markdown(tidy, PUBLISHED, job(), {}).split("## The paper's numbers")
    assert "76900" not in ours
    assert "| train | 76900 | – |" in theirs
    made = sizes_markdown(tidy, PUBLISHED, job(generated=True), {})
    assert "76900" not in made
    assert "do not compare with any paper's" in made


def test_a_row_may_be_a_set_and_the_columns_its_splits(tmp_path):
    row = {"label": "STS-B", "task": "stsb_pairs", "splits": {"Train": "train", "Dev": "dev", "Test": "test"}}
    published = pd.DataFrame({"set": ["STS-B"], "Train": [5749], "Dev": [1500], "Test": [1379]})
    settings = job(
        columns=["Train", "Dev", "Test"], rows=[{**row, "published": "STS-B"}], layout={"rows": ["set"]}
    )
    counted = pd.concat([benchmark("stsb_pairs", "train", 7), benchmark("stsb_pairs", "test", 2)])
    tidy = sizes_table({}, counted, published, settings)
    assert tidy[["column", "value", "published"]].fillna(0).values.tolist() == [
        ["Train", 7, 5749],
        ["Dev", 0, 1500],
        ["Test", 2, 1379],
    ]
    lacking = {"stsb_pairs/raw/dev": "sts_raw/sts-dev.csv"}
    assert sizes_csv(tidy, settings, lacking).note[0] == "Dev is left out: sts_raw/sts-dev.csv is not there"
    lacking = {f"stsb_pairs/raw/{split}": "sts_raw" for split in ("test", "train")}
    assert sizes_csv(tidy, settings, lacking).note[0] == "Train and Test are left out: sts_raw is not there"
    table = {"kind": "sizes", "caption": "", "columns": ["Train", "Dev", "Test"], "rows": [row]}
    assert SizesTable.model_validate(table).rows[0].sets["Dev"] == ("stsb_pairs", "dev")
    with pytest.raises(ValueError, match="tasks of several suites"):
        SizesTable.model_validate({**table, "rows": [row, {**row, "task": "jsts"}]})


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"label": "a", "task": "stsb"}], "or task and splits"),
        ([{"label": "a", "splits": {"STSb": "dev"}}], "or task and splits"),
        ([{"label": "a"}], "set either pairs, or tasks"),
        ([{"label": "a", "pairs": {"STSb": "x"}, "tasks": {"STSb": "stsb"}}], "set either pairs, or tasks"),
        ([{"label": "a", "pairs": {"STS": "x"}}], "no entry 'STS'.*'STSb'"),
        ([{"label": "a", "tasks": {"STSb": "stsb", "QQP": "qqp"}}], "tasks of several suites"),
    ],
)
def test_a_row_that_counts_nothing_is_refused(rows, message):
    settings = {"kind": "sizes", "caption": "", "columns": ["STSb", "QQP"], "rows": rows}
    with pytest.raises(ValueError, match=message):
        SizesTable.model_validate(settings)
