import pandas as pd
import pytest
from contrapose.jobs import STSTableJob
from contrapose.report.sts_table import average, left_out, printed_table, selected_rows, sts_table

from contrapose.errors import ConfigError, TableError
from contrapose.report.about import Candidate, TableRow
from contrapose.report.choice import chosen, group_spreads
from contrapose.report.files import csv_table, cut_texts, sts_markdown, write_csv
from contrapose.settings.printed import STSTable
from contrapose.settings.rows import PrintedLayout
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


AS_IT_IS = TableRow(model="plain", runs=["released/plain/avg"], trained=False)


def test_an_encoder_as_it_is_has_one_cell_per_column_however_many_seeds_others_have():
    both = scores(
        *(score(f"p/r/seed{s}", "sts12", 0.5) for s in (42, 43)), score("released/plain/avg", "sts12", 0.3)
    )
    rows = [TableRow(model="bert", runs=["p/r/seed42", "p/r/seed43"]), AS_IT_IS]
    tidy = sts_table(both, None, job(rows=rows, seeds=[42, 43]))
    assert (tidy["row"] == 0).sum() == 3 * (2 + 1)
    assert (tidy["row"] == 1).sum() == 3
    found = cell(tidy, 1, "STS12")
    assert (found["value"], found["low"], found["run"]) == (
        pytest.approx(30),
        pytest.approx(20),
        AS_IT_IS.runs[0],
    )
    assert printed_table(tidy)["STS12"].tolist() == ["50.00 ± 0.00", "30.00"]


def test_a_row_that_this_world_cannot_have_keeps_its_place_without_numbers():
    rows = [
        TableRow(model="bert", runs=["p/r/seed42"]),
        TableRow(model="gone", trained=False, note="no such"),
    ]
    said = job(rows=rows)
    tidy = sts_table(TWO, None, said)
    assert printed_table(tidy).iloc[1].tolist() == ["", "gone", "", "", ""]
    assert csv_table(tidy, said, {}).note[1] == "no such"
    assert "- gone: no such" in sts_markdown(tidy, None, said, {})


def candidates(*dev):
    """Make two settings of two seeds each, with these scores on STS-B dev."""
    runs = [f"p/r{number}/seed{seed}" for number in (0, 1) for seed in (42, 43)]
    on_dev = [score(run, "stsb", value, split="dev") for run, value in zip(runs, dev, strict=True)]
    settings = [Candidate(setting=f"epochs={n}", runs=runs[2 * n : 2 * n + 2]) for n in (0, 1)]
    return scores(*on_dev), [TableRow(model="bert, selected", candidates=settings, note="x stands in")]


def test_a_search_takes_the_setting_that_is_best_on_dev_on_average_over_seeds():
    found, rows = candidates(0.9, 0.1, 0.6, 0.61)
    (selected,) = selected_rows(rows, found)
    assert selected.runs == ["p/r1/seed42", "p/r1/seed43"]
    assert selected.note == "x stands in; epochs=1, best of 2 settings on STS-B dev (60.50)"
    # Test scores have no say.
    tested = pd.concat([found, scores(*(score(f"p/r0/seed{s}", "stsb", 1.0) for s in (42, 43)))])
    assert selected_rows(rows, tested) == [selected]
    # Nor has another text form.
    raw = scores(*(score(f"p/r0/seed{s}", "stsb", 1.0, split="dev", form="raw") for s in (42, 43)))
    assert selected_rows(rows, pd.concat([found, raw])) == [selected]
    equal, rows = candidates(0.5, 0.5, 0.5, 0.5)
    assert selected_rows(rows, equal)[0].runs == ["p/r0/seed42", "p/r0/seed43"]


def test_a_search_without_a_dev_score_is_refused():
    found, rows = candidates(0.9, 0.1, 0.6, 0.61)
    with pytest.raises(TableError, match="p/r1/seed43 has no score on STS-B dev"):
        selected_rows(rows, found.iloc[:3])


def test_the_choice_on_dev_stands_beside_the_one_on_the_test_average():
    runs = {"a": (0.5, 0.7), "b": (0.6, 0.6), "c": (0.9, 0.9)}
    found = scores(
        *(score(f"p/{name}/seed42", "sts12", test) for name, (test, _) in runs.items()),
        *(score(f"p/{name}/seed42", "stsb", dev, split="dev") for name, (_, dev) in runs.items()),
    )
    groups = {"a": "Ours", "b": "Ours", "c": "Reference"}
    rows = [TableRow(group=groups[name], model=name, runs=[f"p/{name}/seed42"]) for name in runs]
    said = job(rows=rows, choose_among=["Ours"])
    tidy = sts_table(found, None, said)
    assert chosen(tidy, said) == {1: "Avg. of 1", 0: "STS-B dev"}  # the reference is no choice
    assert csv_table(tidy, said, {})["best in"].tolist() == ["STS-B dev", "Avg. of 1", ""]
    assert printed_table(tidy)["STS-B dev"].tolist() == ["70.00", "60.00", "90.00"]
    text = sts_markdown(tidy, None, said, {})
    assert "- Best in Avg. of 1: Ours: b." in text
    assert "| Ours | STS-B dev | 2 | 65.00 | 7.07 | – |" in text


def test_the_spread_over_rows_is_told_from_that_over_seeds():
    values = {"a": (0.50, 0.52), "b": (0.60, 0.64)}
    found = scores(
        *(score(f"p/{m}/seed{42 + n}", "sts12", v) for m, both in values.items() for n, v in enumerate(both))
    )
    rows = [TableRow(group="Ours", model=m, runs=[f"p/{m}/seed42", f"p/{m}/seed43"]) for m in values]
    said = job(rows=rows, seeds=[42, 43], choose_among=["Ours"])
    (spread,) = group_spreads(sts_table(found, None, said), said).to_dict("records")
    assert spread["mean"] == pytest.approx(56.5)  # of 51 and 62
    assert spread["over rows"] == pytest.approx(11 / 2**0.5)
    assert spread["over seeds"] == pytest.approx(((2 + 8) / 2) ** 0.5)  # variances 2 and 8, pooled


def chinese(**changed):
    rows = [TableRow(group="bert", model="EdaCSE", runs=["a/seed42", "a/seed43"], published="Paper: bert")]
    settings = {"columns": [("ATEC", "atec"), ("BQ", "bq")], "rows": rows, "seeds": [42, 43]}
    return job(**{**settings, "average": "Mean", "best_of_seeds": True, **changed})


CHINESE = scores(
    *(score("a/seed42", "atec", 0.30, 20000), score("a/seed42", "bq", 0.50, 10000)),
    *(score("a/seed43", "atec", 0.32, 20000), score("a/seed43", "bq", 0.40, 10000)),
    *(score("a/seed42", task, 0.1, split="dev") for task in ("atec", "bq")),
    *(score("a/seed43", task, 0.2, split="dev") for task in ("atec", "bq")),
)


def test_the_best_seed_and_the_one_that_dev_chooses_stand_beside_the_mean():
    printed = pd.DataFrame({"group": ["Paper"], "model": ["bert"], "Mean": [41.5]})
    tidy = sts_table(CHINESE, printed, chinese())
    means = tidy[tidy.seed.isna()].set_index("column")
    assert means.value.round(6).to_dict() == {
        **{"ATEC": 31.0, "BQ": 45.0, "Mean": 38.0, "dev sets": 15.0},
        **{"Mean, best seed": 40.0, "Mean, best on dev": 36.0},
    }
    assert means.published["Mean"] == means.published["Mean, best seed"] == 41.5
    assert "Mean, best seed" not in set(tidy.column[tidy.seed.notna()])
    text = sts_markdown(tidy, printed, chinese(), {})
    assert "Mean, best seed: the largest of 2, a choice on the printed sets" in text
    assert "Mean, best on dev: of the seed that is best on the dev sets" in text


def test_a_row_without_runs_has_no_best_seed():
    rows = [TableRow(model="one", runs=["a/seed42", "a/seed43"]), TableRow(model="none", note="left out: x")]
    tidy = sts_table(CHINESE, None, chinese(rows=rows))
    assert tidy.value[tidy["row"] == 1].isna().all()


def test_a_table_of_dev_scores_has_one_column_and_no_average():
    dev = scores(score("p/r/seed42", "stsb", 0.8, 1500, split="dev"), score("p/r/seed42", "stsb", 0.7, 1379))
    rows = [TableRow(model="bert", runs=["p/r/seed42"])]
    tidy = sts_table(dev, None, job(columns=[("STS-B dev", "stsb")], split="dev", rows=rows))
    assert tidy[tidy.seed.isna()][["column", "value", "n"]].values.tolist() == [["STS-B dev", 80.0, 1500]]
    assert "Avg." not in sts_markdown(
        tidy, None, job(columns=[("STS-B dev", "stsb")], split="dev", rows=rows), {}
    )


def test_settings_of_chinese_encoders_are_chosen_on_the_mean_of_their_dev_sets():
    candidates = [Candidate(setting="x=1", runs=["a/seed42"]), Candidate(setting="x=2", runs=["a/seed43"])]
    on_dev = {"a/seed42": (0.3, 0.1), "a/seed43": (0.2, 0.4)}  # the first set alone prefers seed 42
    found = scores(
        *(
            score(run, task, value, split="dev")
            for run, values in on_dev.items()
            for task, value in zip(("atec", "bq"), values, strict=True)
        )
    )
    (row,) = selected_rows([TableRow(model="bert", candidates=candidates)], found)
    assert row.runs == ["a/seed43"]
    assert row.note == "x=2, best of 2 settings on dev sets (30.00)"


def test_what_the_maximum_length_cuts_off_is_said_once_for_rows_alike():
    log = {"texts": 400, "cut": 50, "settings": {"recipe": {"max_length": 32}}}
    assert cut_texts({**log, "cut": 0}) == cut_texts({}) == ""
    text = sts_markdown(
        sts_table(TWO, PUBLISHED, job()),
        PUBLISHED,
        job(),
        {},
        dict.fromkeys(("p/r/seed42", "p/q/seed42"), cut_texts(log)),
    )
    assert "12.5 % of the training texts are cut after 32 word pieces: Ours: bert, Other: plain." in text


def test_a_table_of_transfer_tasks_prints_accuracies_of_the_split_it_is_about():
    columns = [("MR", "mr", "accuracy"), ("TREC", "trec", "accuracy")]
    values = {("mr", "test"): (0.8, 10662), ("mr", "dev"): (0.7, 10662)}
    values |= {("trec", "test"): (0.9, 500), ("trec", "dev"): (0.6, 5000)}
    found = scores(
        score("p/r/seed42", "trec", 0.1, metric="f1"),
        *(
            score("p/r/seed42", task, value, n, metric="accuracy", split=split)
            for (task, split), (value, n) in values.items()
        ),
    )
    rows = [TableRow(model="bert", runs=["p/r/seed42"])]
    on_test = job(rows=rows, columns=columns, transfer=True)
    assert printed_table(sts_table(found, None, on_test)).iloc[0, 2:].tolist() == ["80.00", "90.00", "85.00"]
    assert csv_table(sts_table(found, None, on_test), on_test, {}).note[0] == ""
    on_dev = job(rows=rows, columns=columns, transfer=True, split="dev")
    assert printed_table(sts_table(found, None, on_dev)).iloc[0, 2:].tolist() == ["70.00", "60.00", "65.00"]
    note = csv_table(sts_table(found, None, on_dev), on_dev, {}).note[0]
    assert note == "TREC: 5000 items, 5452 as published"  # chosen by the train part, as it has no dev part
    assert "bootstrap intervals over items" in sts_markdown(sts_table(found, None, on_dev), None, on_dev, {})


def labelled(**changed):
    columns = [("STSb r", "stsb_glue", "pearson"), ("MRPC acc", "mrpc", "accuracy")]
    columns += [("MRPC f1", "mrpc", "f1"), ("QQP f1", "qqp", "f1")]
    rows = [TableRow(group="STSb", model="DINO", runs=["p/r/seed42"], published="STSb: DINO")]
    settings = {"columns": columns, "rows": rows, "form": "raw", "average": None}
    return job(**{**settings, "layout": PrintedLayout(rows=["C_src", "model"]), **changed})


LABELLED = scores(
    score("p/r/seed42", "stsb_glue", 0.7, 1379, form="raw"),
    score("p/r/seed42", "stsb_glue", 0.71, 1379, form="raw", metric="pearson"),
    score("p/r/seed42", "mrpc", 0.3, 1700, form="raw"),
    score("p/r/seed42", "mrpc", 0.72, 1700, form="raw", metric="accuracy"),
    score("p/r/seed42", "mrpc", 0.82, 1700, form="raw", metric="f1"),
)


def test_columns_of_one_task_have_metrics_of_their_own_and_no_average():
    printed = pd.DataFrame({"C_src": ["STSb"], "model": ["DINO"], "STSb r": [78.45], "MRPC f1": [81.16]})
    said = labelled()
    tidy = sts_table(LABELLED, printed, said)
    assert printed_table(tidy).iloc[0].to_dict() == {
        **{"group": "STSb", "model": "DINO"},
        **{"STSb r": "71.00", "MRPC acc": "72.00", "MRPC f1": "82.00", "QQP f1": ""},
    }
    assert cell(tidy, 0, "MRPC f1", 42)["published"] == 81.16
    absent = left_out(said, {"qqp/raw/test": "qqp/dev.tsv", "mrpc/senteval/test": "x"})
    note = csv_table(tidy, said, absent).note[0]
    sizes = [f"{name}: 1700 pairs, 1725 as published" for name in ("MRPC acc", "MRPC f1")]
    assert note == "; ".join(["left out: QQP f1 (qqp/dev.tsv is not there)", *sizes])
    text = sts_markdown(tidy, printed, said, absent)
    assert "at thresholds that dev pairs choose" in text
    assert "Avg" not in text
    assert "| STSb: DINO | 78.45 | 81.16 |" in text


def test_a_row_is_selected_on_the_dev_set_in_the_table_s_text_form():
    runs = ["p/a/seed42", "p/b/seed42"]
    values = zip(runs, (0.5, 0.6), strict=True)
    found = scores(*(score(run, "stsb_glue", v, split="dev", form="raw") for run, v in values))
    row = TableRow(model="x", candidates=[Candidate(setting=run, runs=[run]) for run in runs])
    (selected,) = selected_rows([row], found, "raw")
    assert selected.note == "p/b/seed42, best of 2 settings on STS-B dev (60.00)"


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"columns": {"a": {"task": "stsb_glue", "metric": "f1"}}}, "stsb_glue has no labels, so no f1"),
        ({"columns": {"a": "qqp", "b": "sts12"}}, "columns of several suites"),
        ({"average": None, "choose_among": ["g"]}, "average is null"),
    ],
)
def test_columns_that_mean_nothing_are_refused(changed, message):
    rows = [{"group": "g", "model": "m", "encoder": "e"}]
    settings = {"kind": "sts", "caption": "", "columns": {"a": "mrpc"}, "rows": rows}
    with pytest.raises(ValueError, match=message):
        STSTable.model_validate({**settings, **changed})
