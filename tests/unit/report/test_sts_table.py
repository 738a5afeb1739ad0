import pandas as pd
import pytest

from contrapose.errors import ConfigError, TableError
from contrapose.jobs import STSTableJob, TableRow
from contrapose.report.files import csv_table, sts_markdown, write_csv
from contrapose.report.sts_table import average, left_out, printed_table, sts_table
from contrapose.tables import PUBLISHABLE, read_table, write_table

PUBLISHED = pd.DataFrame(
    {
        "group": ["Paper", "Paper"],
        "model": ["bert", "roberta"],
        "STS12": [68.40, 70.16],
        "SICK-R": [72.23, 68.56],
    }
).assign(**{"Avg.": [76.25, 76.57]})


def job(**changed):
    settings = {
        **{"table": "table9", "caption": "A caption.", "source": "A paper, 2023", "world": "tiny"},
        **{"world_description": "two tasks", "generated": False, "seeds": [42]},
        "columns": [("STS12", "sts12"), ("SICK-R", "sickr")],
        "rows": [
            TableRow(group="Ours", model="bert", runs=["p/r/seed42"], published="Paper: bert"),
            TableRow(group="Other", model="plain", runs=["p/q/seed42"], note="q stands in"),
        ],
    }
    return STSTableJob(**{**settings, **changed})


def score(run, task, value, n=3108, **other):
    fixed = {"form": "senteval", "split": "test", "metric": "spearman", "aggregation": "all", "n": n}
    return {
        "run": run,
        "task": task,
        "value": value,
        "low": value - 0.1,
        "high": value + 0.1,
        **fixed,
        **other,
    }


def scores(*rows):
    return pd.DataFrame(rows)


TWO = scores(
    score("p/r/seed42", "sts12", 0.701249),
    score("p/r/seed42", "sickr", 0.6, 4927),
    score("p/r/seed42", "sickr", 0.1, metric="pearson"),
    score("p/r/seed42", "sickr", 0.2, aggregation="mean"),
    score("p/r/seed42", "sickr", 0.3, form="raw"),
    score("p/r/seed42", "sickr", 0.4, split="dev"),
    score("p/q/seed42", "sts12", 0.5),
    score("p/q/seed42", "sickr", 0.5, 4927),
)
ONE = TWO[TWO.task == "sts12"]


def cell(tidy, row, column, seed=None):
    at = (tidy["row"] == row) & (tidy.column == column)
    at &= tidy.seed.isna() if seed is None else tidy.seed == seed
    (found,) = tidy[at].to_dict("records")
    return found


def test_a_cell_has_value_size_interval_and_the_published_number(tmp_path):
    tidy = sts_table(TWO, PUBLISHED, job())
    found = cell(tidy, 0, "STS12", 42)
    assert (found["value"], found["low"], found["high"]) == pytest.approx((70.1249, 60.1249, 80.1249))
    assert (found["n"], found["run"]) == (3108, "p/r/seed42")
    assert (found["published"], found["published_row"]) == (68.40, "Paper: bert")
    assert cell(tidy, 0, "SICK-R", 42)["value"] == pytest.approx(60)
    assert pd.isna(cell(tidy, 1, "STS12", 42)["published"])
    write_table(tidy, tmp_path / "t.parquet", PUBLISHABLE)
    assert len(read_table(tmp_path / "t.parquet", PUBLISHABLE)) == 2 * 3 * 2


def test_the_average_is_over_rounded_values():
    assert average([0.004, 0.004, 0.004]) == 0
    found = cell(sts_table(TWO, PUBLISHED, job()), 0, "Avg.", 42)
    assert found["value"] == pytest.approx((70.12 + 60) / 2)
    assert (found["n"], found["published"]) == (3108 + 4927, 76.25)
    assert pd.isna(found["low"])


def test_the_mean_of_one_seed_keeps_its_interval():
    tidy = sts_table(TWO, PUBLISHED, job())
    mean, single = cell(tidy, 0, "STS12"), cell(tidy, 0, "STS12", 42)
    assert (mean["value"], mean["low"], mean["run"]) == (single["value"], single["low"], "")
    assert pd.isna(mean["spread"])


def test_the_mean_over_seeds_has_their_spread():
    rows = [TableRow(model="bert", runs=["p/r/seed42", "p/r/seed43"])]
    both = scores(*(score(f"p/r/seed{s}", t, v) for s, t, v in [(42, "sts12", 0.5), (43, "sts12", 0.52)]))
    tidy = sts_table(both, None, job(rows=rows, seeds=[42, 43]))
    mean = cell(tidy, 0, "STS12")
    assert (mean["value"], mean["spread"]) == pytest.approx((51, 2**0.5))
    assert pd.isna(mean["low"])
    assert printed_table(tidy)["STS12"].tolist() == ["51.00 ± 1.41"]
    assert "Mean ± standard deviation over 2 trainings per row (seeds 42, 43)." in sts_markdown(
        tidy, None, job(rows=rows, seeds=[42, 43]), {}
    )


def test_a_missing_benchmark_keeps_its_column_and_renames_the_average():
    tidy = sts_table(ONE, PUBLISHED, job())
    missing = cell(tidy, 0, "SICK-R", 42)
    assert (pd.isna(missing["value"]), missing["n"]) == (True, 0)
    average_cell = cell(tidy, 0, "Avg. of 1", 42)
    assert average_cell["value"] == pytest.approx(70.12)
    assert pd.isna(average_cell["published"])
    assert printed_table(tidy).iloc[0].to_dict() == {
        **{"group": "Ours", "model": "bert"},
        **{"STS12": "70.12", "SICK-R": "", "Avg. of 1": "70.12"},
    }


def test_what_is_left_out_is_named_in_every_file(tmp_path):
    absent = left_out(
        job(), {"sickr/senteval/test": "SICK/x.txt", "sickr/raw/test": "r", "sts14/senteval/test": "y"}
    )
    assert absent == {"SICK-R": "SICK/x.txt"}
    tidy = sts_table(ONE, PUBLISHED, job())
    write_csv(csv_table(tidy, job(), absent), tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_bytes().decode() == (
        "world,group,model,STS12,SICK-R,Avg. of 1,note\n"
        "tiny,Ours,bert,70.12,,70.12,left out: SICK-R (SICK/x.txt is not there)\n"
        "tiny,Other,plain,50.00,,50.00,q stands in; left out: SICK-R (SICK/x.txt is not there)\n"
    )
    text = sts_markdown(tidy, PUBLISHED, job(), absent)
    assert "- SICK-R is left out: SICK/x.txt is not there." in text
    assert "do not compare it with an average over all columns" in text
    assert "- Other: plain: q stands in" in text


def test_another_number_of_pairs_than_the_published_is_said():
    fewer = TWO.assign(n=300)
    assert csv_table(sts_table(fewer, PUBLISHED, job()), job(), {}).note[0] == (
        "STS12: 300 pairs, 3108 as published; SICK-R: 300 pairs, 4927 as published"
    )
    made = job(generated=True)
    assert csv_table(sts_table(fewer, PUBLISHED, made), made, {}).note[0] == ""


def test_published_numbers_stand_apart_and_never_beside_those_of_a_generated_world():
    text = sts_markdown(sts_table(TWO, PUBLISHED, job()), PUBLISHED, job(), {})
    ours, theirs = text.split("## The paper's numbers")
    assert "68.40" not in ours
    assert "| Paper: bert | 68.40 | 72.23 | 76.25 |" in theirs
    assert "roberta" not in theirs
    made = job(generated=True)
    text = sts_markdown(sts_table(TWO, PUBLISHED, made), PUBLISHED, made, {})
    assert "68.40" not in text
    assert "do not compare with any paper's" in text


def test_deviations_and_notes_are_listed():
    said = job(notes=["A note."], deviations=[{"where": "section 1", "paper": "Open.", "ours": "Closed."}])
    text = sts_markdown(sts_table(TWO, PUBLISHED, said), None, said, {})
    assert "- A note." in text
    assert "- section 1. Open. **Here:** Closed." in text


def test_a_label_the_paper_does_not_have_is_refused_with_the_nearest():
    rows = [TableRow(model="bert", runs=["p/r/seed42"], published="Paper: bret")]
    with pytest.raises(ConfigError, match=r"no entry 'Paper: bret'\. Did you mean 'Paper: bert'"):
        sts_table(TWO, PUBLISHED, job(rows=rows))


def test_a_published_row_needs_a_published_table():
    with pytest.raises(ConfigError, match=r"no entry 'Paper: bert'\. Known: none"):
        sts_table(TWO, None, job())


def test_a_run_that_lacks_a_score_others_have_is_refused():
    with pytest.raises(TableError, match=r"table9: no score of p/q/seed42 on sickr"):
        sts_table(TWO[(TWO.run != "p/q/seed42") | (TWO.task != "sickr")], PUBLISHED, job())


def test_no_scores_at_all_give_an_empty_table():
    tidy = sts_table(TWO[:0], PUBLISHED, job())
    assert printed_table(tidy).columns.tolist() == ["group", "model", "STS12", "SICK-R", "Avg. of 0"]
