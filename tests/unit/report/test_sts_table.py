import json
import re
from functools import partial

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t

from contrapose.base.errors import TableError
from contrapose.jobs.status import read_status
from contrapose.report.about import Candidate, TableRow
from contrapose.report.claims.cell_arrays import read_cells
from contrapose.report.claims.verdict import verdict
from contrapose.report.row_costs import Costs, Expenses
from contrapose.tables import BENCHMARK, CELLS, COSTS, HISTORY, SCORES, empty, write_table
from tests.kinds import about, file, report

PUBLISHED = pd.DataFrame(
    [("Paper", "bert", 68.40, 72.23, 76.25), ("Paper", "roberta", 70.16, 68.56, 76.57)],
    columns=["group", "model", "STS12", "SICK-R", "Avg."],
)
ROWS = [
    TableRow(group="Ours", model="bert", runs=["p/r/seed42"], published="Paper: bert"),
    TableRow(group="Other", model="plain", runs=["p/q/seed42"], note="q stands in"),
]
BERT = [TableRow(model="bert", runs=["p/r/seed42"])]
COLUMNS = {"STS12": "sts12", "SICK-R": "sickr"}


def score(run, task, value, n=3108, **other):
    fixed = {"form": "senteval", "split": "test", "metric": "spearman", "aggregation": "all", "n": n}
    interval = {"ci_low": value - 0.1, "ci_high": value + 0.1}
    return {
        **{"run": run, "task": task, "value": value, **interval, **fixed},
        **{"influence": error_of(0.1, n), **other},
    }


def error_of(error, n, signs=(1, -1)):
    """Return influences of n pairs that make a standard error."""
    return error * n**0.5 * np.resize(signs, n)


NOISE = error_of(0.002, 1000)


def scores(*rows):
    return pd.DataFrame(rows, columns=SCORES.columns)


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


def table(found=TWO, published=None, rows=ROWS, kind="sts", missing=(), cut=(), facts=None, **settings):
    labels = dict.fromkeys((row.group, row.model) for row in rows)
    encoders = [{"group": group, "model": model, "encoder": "e"} for group, model in labels]
    sets = [file(empty(BENCHMARK), BENCHMARK, missing=dict(missing))]
    logs = [file(empty(HISTORY), HISTORY, **log) for log in cut]
    spec = {"columns": COLUMNS, "rows": encoders, **settings}
    inputs = {"scores": [file(found, SCORES)], "sets": sets, "histories": logs, "published": published}
    if kind == "sts":
        inputs["costs"] = Costs()
    if kind == "mteb":
        del inputs["sets"]
    return report(kind, spec, about(rows=rows, **(facts or {})), **inputs)


def cell(made, row, column, seed=None):
    at = (made.tidy["row"] == row) & (made.tidy.column == column)
    at &= made.tidy.seed.isna() if seed is None else made.tidy.seed == seed
    (found,) = made.tidy[at].to_dict("records")
    return found


def test_a_cell_has_value_size_interval_and_the_published_number():
    made = table(published=PUBLISHED)
    found = cell(made, 0, "STS12", 42)
    assert (found["value"], found["ci_low"], found["ci_high"]) == pytest.approx((70.1249, 60.1249, 80.1249))
    assert (found["n"], found["published"]) == (3108, 68.40)
    assert cell(made, 0, "SICK-R", 42)["value"] == pytest.approx(60)
    assert len(made.tidy) == 2 * 3 * 2
    assert cell(made, 0, "STS12")["ci_low"] == found["ci_low"]  # the mean of one seed keeps its interval
    assert "| Paper: bert | 68.40 | 72.23 | 76.25 |" in made.markdown


def test_a_missing_benchmark_is_named_and_renames_the_average():
    missing = {"sickr/senteval/test": "SICK/x.txt", "sickr/raw/test": "r", "sts14/senteval/test": "y"}
    made = table(ONE, PUBLISHED, missing=missing)
    assert cell(made, 0, "SICK-R", 42)["n"] == 0
    found = cell(made, 0, "Avg. of 1", 42)
    assert found["value"] == pytest.approx(70.12)
    assert pd.isna(found["published"])
    assert made.csv.to_csv(index=False) == (
        'catalog,group,model,STS12,"STS12, published",SICK-R,"SICK-R, published",Avg. of 1,note\n'
        "w,Ours,bert,70.12,68.40,,72.23,70.12,skipped: SICK-R (SICK/x.txt is missing)\n"
        "w,Other,plain,50.00,,,,50.00,q stands in; skipped: SICK-R (SICK/x.txt is missing)\n"
    )
    assert "- SICK-R is skipped: SICK/x.txt is missing." in made.markdown
    assert "do not compare it with one over all columns" in made.markdown
    assert "- Other: plain: q stands in" in made.markdown


def test_another_number_of_pairs_than_the_published_is_said():
    note = "STS12: 300 pairs, 3108 as published; SICK-R: 300 pairs, 4927 as published"
    for generated, expected in ((False, note), (True, "")):
        assert table(TWO.assign(n=300), facts={"generated": generated}).csv.note[0] == expected


def test_a_row_that_lacks_a_score_is_empty_there_alone():
    whole, made = table(TWO), table(TWO[(TWO.run != "p/q/seed42") | (TWO.task != "sickr")])
    lacking = next(number for number, row in enumerate(ROWS) if "p/q/seed42" in row.runs)
    label = ROWS[lacking].label
    assert f"SICK-R: {label} has no number, because scores are missing (1 of 1 encoders)." in made.markdown
    assert made.csv.loc[lacking, ["SICK-R", "Avg."]].tolist() == ["", ""]
    assert made.csv.loc[lacking, "STS12"] == whole.csv.loc[lacking, "STS12"]
    others = made.csv.index != lacking
    pd.testing.assert_frame_equal(made.csv[others], whole.csv[others], check_dtype=False)


def test_a_row_with_a_collapsed_training_has_no_numbers():
    seeds = [42, 43, 44]
    found = [score(f"{row}/r/seed{s}", "sts12", 0.6, 1000, influence=NOISE) for row in "ab" for s in seeds]
    rows = [TableRow(model=row, runs=[f"{row}/r/seed{s}" for s in seeds]) for row in "ab"]
    rows[1] = rows[1].without({"b/r/seed43": "all 1000 cosines are 1"})
    made = table(scores(*found), rows=rows, columns={"STS12": "sts12"}, facts={"seeds": seeds})
    assert made.csv["STS12"].tolist() == ["60.00 ± 0.00", ""]
    assert made.csv.note[1].startswith("skipped: 1 of 3 trainings have no scores: all 1000 cosines are 1")


def test_a_selected_setting_that_is_a_row_is_tested_once():
    seeds, names = [42, 43, 44], ["plain", "new", "far"]
    rng = np.random.default_rng(5)
    found = [
        score(f"{row}/r/seed{s}", "sts12", 0.6 + 0.01 * at + 0.002 * rng.normal(), 1000, influence=NOISE)
        for at, row in enumerate(names)
        for s in seeds
    ]
    rows = [TableRow(model=row, runs=[f"{row}/r/seed{s}" for s in seeds]) for row in names]
    again = rows[1].model_copy(update={"model": "new, selected", "selected_for": "new"})
    facts = {"columns": {"STS12": "sts12"}, "facts": {"seeds": seeds}, "baseline": "plain"}
    alone, both = (table(scores(*found), rows=each, **facts) for each in (rows, [*rows, again]))
    names = ["difference", "difference_low", "p", "in_best_set", "rank_low", "rank_high"]
    first, second = (made.tidy[made.tidy.seed.isna() & (made.tidy["row"] < 3)] for made in (alone, both))
    pd.testing.assert_frame_equal(first[names].reset_index(drop=True), second[names].reset_index(drop=True))
    copied, own = (cell(both, row, "STS12") for row in (3, 1))
    assert {name: copied[name] for name in names} == {name: own[name] for name in names}


def test_three_sets_have_an_interval_over_sets_of_their_kind():
    rng, seeds = np.random.default_rng(6), [42, 43, 44]
    columns = {"STS12": "sts12", "STS13": "sts13", "STS14": "sts14"}
    gains = {"plain": (0.0, 0.0, 0.0), "new": (0.01, 0.05, 0.09)}
    found = [
        score(f"{row}/r/seed{s}", task, 0.6 + gain + 0.001 * rng.normal(), 1000, influence=NOISE)
        for row, of_sets in gains.items()
        for task, gain in zip(columns.values(), of_sets, strict=True)
        for s in seeds
    ]
    rows = [TableRow(model=row, runs=[f"{row}/r/seed{s}" for s in seeds]) for row in gains]
    made = table(scores(*found), rows=rows, columns=columns, facts={"seeds": seeds}, baseline="plain")
    mean = cell(made, 1, "Avg.")
    half = t.ppf(0.975, 2) * 4 / 3**0.5  # a standard deviation of 4 points over three sets
    assert (mean["sets_low"], mean["sets_high"]) == pytest.approx((5 - half, 5 + half), abs=0.5)
    assert mean["difference_high"] < 5.3 < mean["sets_high"]  # these sets alone are known far better
    assert f"| [{mean['sets_low']:+.2f}, {mean['sets_high']:+.2f}] |" in made.markdown
    two = table(scores(*found), rows=rows, columns=dict([*columns.items()][:2]), facts={"seeds": seeds})
    assert two.tidy.sets_low.isna().all()


def candidates(*dev, task="stsb", **of_score):
    """Make settings of two seeds each, with these scores on STS-B dev."""
    numbers = range(len(dev) // 2 or 1)
    runs = [f"p/r{number}/seed{seed}" for number in numbers for seed in (42, 43)]
    on_dev = [score(run, task, value, split="dev", **of_score) for run, value in zip(runs, dev, strict=True)]
    settings = [Candidate(setting=f"epochs={n}", runs=runs[2 * n : 2 * n + 2]) for n in numbers]
    return on_dev, [TableRow(model="bert, selected", candidates=settings, note="x stands in")]


def test_a_search_takes_the_setting_with_the_best_mean_on_dev():
    select = partial(table, facts={"seeds": [42, 43]})
    on_dev, rows = candidates(0.9, 0.1, 0.6, 0.61)
    tested = [score(f"p/r{n}/seed{s}", "sts12", 0.9 - 0.1 * n) for n in (0, 1) for s in (42, 43)]
    raw = [score(f"p/r0/seed{seed}", "stsb", 1.0, split="dev", form="raw") for seed in (42, 43)]
    for more in ([], tested, raw):  # neither test scores nor another text form have a say
        made = select(scores(*on_dev, *more), rows=rows)
        assert made.csv.note[0].startswith("x stands in; epochs=1, best of 2 settings on STS-B dev (60.50)")
        assert set(made.tidy.run) == {"p/r1/seed42", "p/r1/seed43", ""}
    equal, rows = candidates(0.5, 0.5, 0.5, 0.5)
    assert "epochs=0, best of 2" in select(scores(*equal), rows=rows).csv.note[0]
    with pytest.raises(TableError, match="p/r1/seed43 has no score on STS-B dev"):
        select(scores(*on_dev[:3]), rows=rows)
    on_dev, rows = candidates(0.5, 0.5, 0.6, 0.6, task="stsb_glue", form="raw")
    made = select(scores(*on_dev), rows=rows, columns={"STSb": "stsb_glue"}, form="raw")
    assert "epochs=1, best of 2 settings on STS-B dev (60.00)" in made.csv.note[0]


@pytest.mark.parametrize(
    ("best", "said"), [(0, ", the lowest epochs tried"), (1, ""), (2, ", the highest epochs tried")]
)
def test_a_selected_setting_at_the_end_of_the_grid_says_so(best, said):
    on_dev, rows = candidates(*(0.6 if number // 2 == best else 0.5 for number in range(6)))
    made = table(scores(*on_dev), rows=rows, facts={"seeds": [42, 43]})
    assert re.search(r"best of 3 settings on STS-B dev \(60\.00\)([^;]*)", made.csv.note[0])[1] == said


def test_a_selected_row_says_which_columns_test_its_dev_pairs():
    on_dev, rows = candidates(0.5, 0.5, 0.6, 0.6)
    tested = [score(f"p/r{n}/seed{s}", "sts12", 0.6, 1) for n in (0, 1) for s in (42, 43)]
    pairs = [("sts12", "senteval", "test", "MSRvid", 0, "A man sings.", "A man is singing.", 4.0)]
    own = TableRow(model="own", runs=["p/r0/seed42", "p/r0/seed43"])
    sets = file(pd.DataFrame(pairs, columns=BENCHMARK.columns), BENCHMARK)
    dev = pd.DataFrame(pairs, columns=BENCHMARK.columns).assign(task="stsb", split="dev")
    for chosen_on, beside in ((dev, True), (dev.assign(sentence1="Another one."), False)):
        settings = {"columns": {"STS12": "sts12"}, "rows": [{"model": "m", "encoder": "e"}]}
        inputs = (
            [file(scores(*on_dev, *tested), SCORES)],
            [sets],
            Costs(),
            [],
            [],
            [file(chosen_on, BENCHMARK)],
        )
        made = report("sts", settings, about(rows=[*rows, own], seeds=[42, 43]), *inputs)
        said = (
            "selected on dev pairs that are also test pairs of STS12, so its score on them is likely too high"
        )
        assert (said in made.csv.note[0]) is beside
        assert said not in made.csv.note[1]


def test_the_choice_on_dev_stands_beside_that_on_test():
    values = {
        ("a", 42): 0.50,
        ("a", 43): 0.52,
        ("b", 42): 0.60,
        ("b", 43): 0.64,
        ("c", 42): 0.9,
        ("c", 43): 0.9,
    }
    dev = {"a": 0.7, "b": 0.6, "c": 0.9}
    found = scores(
        *(score(f"p/{model}/seed{seed}", "sts12", v) for (model, seed), v in values.items()),
        *(score(f"p/{model}/seed{seed}", "stsb", dev[model], split="dev") for model, seed in values),
    )
    groups = {"a": "Ours", "b": "Ours", "c": "Reference"}  # c is no choice
    rows = [TableRow(group=groups[m], model=m, runs=[f"p/{m}/seed42", f"p/{m}/seed43"]) for m in "abc"]
    made = table(found, rows=rows, facts={"seeds": [42, 43]}, choose_among=["Ours"])
    assert made.csv["best in"].tolist() == ["STS-B dev", "Avg. of 1", ""]
    assert "- Best in Avg. of 1: Ours: b." in made.markdown
    # Of 51 and 62, 11 / sqrt(2) apart; variances over seeds are 2 and 8, pooled 5.
    assert "| Ours | Avg. of 1 | 2 | 56.50 | 7.78 | 2.24 |" in made.markdown
    assert "| Ours | STS-B dev | 2 | 65.00 | 7.07 | 0.00 |" in made.markdown


CHINESE = scores(
    *(score("a/seed42", "atec", 0.30, 20000), score("a/seed42", "bq", 0.50, 10000)),
    *(score("a/seed43", "atec", 0.32, 20000), score("a/seed43", "bq", 0.40, 10000)),
    *(score("a/seed42", task, 0.1, split="dev") for task in ("atec", "bq")),
    *(score("a/seed43", task, 0.2, split="dev") for task in ("atec", "bq")),
)


def test_the_best_seed_and_that_of_dev_stand_beside_the_mean():
    printed = pd.DataFrame({"group": ["Paper"], "model": ["bert"], "Mean": [41.5]})
    rows = [TableRow(model="EdaCSE", runs=["a/seed42", "a/seed43"], published="Paper: bert")]
    rows.append(TableRow(model="none", note="skipped: x"))
    settings = {"columns": {"ATEC": "atec", "BQ": "bq"}, "average": "Mean", "best_of_seeds": True}
    made = table(CHINESE, printed, rows, facts={"seeds": [42, 43]}, **settings)
    first = made.tidy[made.tidy["row"] == 0]
    means = first[first.seed.isna()].set_index("column")
    assert means.value.round(6).to_dict() == {
        **{"ATEC": 31.0, "BQ": 45.0, "Mean": 38.0, "dev sets": 15.0},
        **{"Mean, best seed": 40.0, "Mean, best on dev": 36.0},
    }
    assert means.published["Mean"] == means.published["Mean, best seed"] == 41.5
    # The paper prints the largest.
    assert [name for name in made.csv if name.endswith("published")] == ["Mean, best seed, published"]
    assert made.csv["Mean, best seed, published"].tolist() == ["41.50", ""]
    assert "Mean, best seed" not in set(made.tidy.column[made.tidy.seed.notna()])
    assert made.tidy.value[made.tidy["row"] == 1].isna().all()
    assert "Mean, best seed: the highest of 2 seeds, which is too high" in made.markdown
    assert "Mean, best on dev: the number of the seed that is best on the dev sets" in made.markdown


def test_what_was_left_out_or_cut_is_said_once():
    def log(recipe: str, cut: int, dropped: str = "", note: str = "") -> dict:
        names = {"pairs": "p", "recipe": recipe, "seed": "42"}
        settings = {"recipe": {"max_length": 32}}
        counts, skipped = {"texts": 400, "cut": cut}, [dropped] if dropped else []
        notes = [note] if note else []
        return {
            **{"counts": counts, "skipped": skipped, "notes": notes},
            **{"settings": settings, "wildcards": names},
        }

    said = "12.5 % of the training texts are cut after 32 word pieces: Ours: bert, Other: plain."
    assert said in table(cut=[log("r", 50), log("q", 50)]).markdown
    assert "are cut after" not in table(cut=[log("r", 0)]).markdown
    both = table(
        cut=[log("r", 50, "2 of 9 lines are skipped"), log("q", 0, "2 of 9 lines are skipped")]
    ).markdown
    assert "\n- 2 of 9 lines are skipped: Ours: bert, Other: plain.\n" in both
    assert said.replace(", Other: plain", "") in both
    assert (
        "\n- trained without dropout: Ours: bert.\n"
        in table(cut=[log("r", 0, note="trained without dropout"), log("q", 0)]).markdown
    )


def test_transfer_tasks_have_accuracies_of_the_split():
    of_task = {"mr": {"test": (0.8, 10662), "dev": (0.7, 10662)}}
    of_task["trec"] = {"test": (0.9, 500), "dev": (0.6, 5000)}
    found = scores(
        score("p/r/seed42", "trec", 0.1, metric="f1"),
        *(
            score("p/r/seed42", task, *value, metric="accuracy", split=split)
            for task, values in of_task.items()
            for split, value in values.items()
        ),
    )
    on_test, on_dev = (
        table(found, rows=BERT, kind="transfer", columns={"MR": "mr", "TREC": "trec"}, split=split)
        for split in ("test", "dev")
    )
    assert on_test.csv.iloc[0, 3:].tolist() == ["80.00", "90.00", "85.00", ""]
    note = "TREC: 5000 items, 5452 as published"  # chosen by the train part, as it has no dev part
    assert on_dev.csv.iloc[0, 3:].tolist() == ["70.00", "60.00", "65.00", note]
    assert "95 % intervals over items" in on_dev.markdown


def test_columns_of_one_task_have_metrics_of_their_own():
    names = {"STSb r": ("stsb_glue", "pearson"), "MRPC acc": ("mrpc", "accuracy")}
    names |= {"MRPC f1": ("mrpc", "f1"), "QQP f1": ("qqp", "f1")}
    columns = {name: {"task": task, "metric": metric} for name, (task, metric) in names.items()}
    values = {("stsb_glue", "spearman"): 0.7, ("stsb_glue", "pearson"): 0.71, ("mrpc", "spearman"): 0.3}
    values |= {("mrpc", "accuracy"): 0.72, ("mrpc", "f1"): 0.82}
    sizes = {"stsb_glue": 1379, "mrpc": 1700}
    found = scores(
        *(
            score("p/r/seed42", task, value, sizes[task], form="raw", metric=metric)
            for (task, metric), value in values.items()
        )
    )
    made = table(
        found,
        pd.DataFrame({"C_src": ["STSb"], "model": ["DINO"], "STSb r": [78.45], "MRPC f1": [81.16]}),
        [TableRow(group="STSb", model="DINO", runs=["p/r/seed42"], published="STSb: DINO")],
        missing={"qqp/raw/test": "qqp/dev.tsv", "mrpc/senteval/test": "x"},
        **{"columns": columns, "form": "raw", "average": None, "layout": {"rows": ["C_src", "model"]}},
    )
    first = made.csv.iloc[0]
    assert first[list(columns)].tolist() == ["71.00", "72.00", "82.00", ""]
    assert cell(made, 0, "MRPC f1", 42)["published"] == 81.16
    sizes = [f"{name}: 1700 pairs, 1725 as published" for name in ("MRPC acc", "MRPC f1")]
    assert first.note == "; ".join(["skipped: QQP f1 (qqp/dev.tsv is missing)", *sizes])
    assert "a threshold that is selected on dev pairs" in made.markdown
    assert "Avg" not in made.markdown
    assert "| STSb: DINO | 78.45 | 81.16 |" in made.markdown


def test_rows_are_compared_with_the_baseline_and_with_the_best():
    noise, other = error_of(0.0115, 1000), error_of(0.0115, 1000, (1, 1, -1, -1))
    found = scores(
        score("plain", "sts12", 0.5, 1000, influence=np.zeros(1000)),
        *(score(run, "sts12", 0.6, 1000, influence=noise) for run in ("new", "same")),
        score("near", "sts12", 0.57, 1000, influence=other),
    )
    rows = [TableRow(model=run, runs=[run], trained=False) for run in ("plain", "new", "same", "near")]
    made = table(found, rows=rows, columns={"STS12": "sts12"}, facts={"seeds": [42, 43]})
    cells = made.tidy[made.tidy.variant == ""].set_index("model")
    half = 1.9623 * 1.15  # x100; Student's t, 999 degrees of freedom
    assert cells.difference.tolist()[1:] == pytest.approx([10, 10, 7])
    assert cells.difference_low.tolist()[1:] == pytest.approx([10 - half, 10 - half, 7 - half], abs=0.15)
    # `near` is 3 below the best with an error of 1.15 x sqrt(2): p 0.06 before the correction.
    assert cells.in_best_set.tolist() == [False, True, True, True]
    assert cells.rank_low.tolist() == [4, 1, 1, 1]
    assert cells.baseline.tolist() == ["", "plain", "plain", "plain"]
    assert "| new | 60.00 † |" in made.markdown
    assert "| plain | 50.00 |" in made.markdown
    assert "## Difference to plain" in made.markdown
    assert "p below 0.001 |" in made.markdown
    assert "Possible ranks by STS12" in made.markdown
    assert made.csv["STS12"].tolist() == ["50.00", "60.00", "60.00", "57.00"]


def test_rows_trained_once_have_no_p_and_no_mark():
    found = scores(*(score(run, "sts12", value, 1000) for run, value in (("a", 0.7), ("b", 0.6))))
    made = table(found, rows=[TableRow(model=run, runs=[run]) for run in "ab"], columns={"STS12": "sts12"})
    assert "Each method was trained once" in made.markdown
    assert "†" not in made.markdown
    assert ", p " not in made.markdown.partition("## Difference to a")[2]
    assert cell(made, 1, "STS12")["difference"] == pytest.approx(-10)


def test_what_is_found_with_80_percent_is_said():
    rng, seeds = np.random.default_rng(5), range(42, 47)
    noise = dict(zip(["none", *"mn"], rng.normal(0, [[0.3], [0.3], [0.5]], (3, 1000)), strict=True))
    rows = [TableRow(model="none", runs=["released/e/mean"], trained=False)]
    rows += [TableRow(model=each, runs=[f"{each}{seed}" for seed in seeds]) for each in "mn"]
    found = [
        score(
            run, "sts12", rng.normal(0.6, 0.002), 1000, influence=noise[row.model] - noise[row.model].mean()
        )
        for row in rows
        for run in row.runs
    ]
    settings = {"columns": {"STS12": "sts12"}, "baseline": ["none", "m"]}
    made = table(scores(*found), rows=rows, facts={"seeds": [*seeds]}, **settings)
    mde = made.tidy[made.tidy.baseline == "none"].mde
    assert len(mde) == 2
    more = made.tidy[made.tidy.baseline == "none"].more_pairs.median()
    assert 4.05 < more < 100
    assert (
        f"\n- STS12: the smallest detectable difference to none is {mde.median():.2f} (80 % power, median "
        f"over methods). Halving it takes {more:.1f} times the test pairs. It would take four times if all "
        "of the uncertainty came from the test pairs, but a part comes from the seeds and stays.\n"
    ) in made.markdown
    assert (
        "; p is corrected (Holm) for the number of compared methods in a column: it is multiplied by up to "
        "this number and cut at 1.000, which does not mean that methods are equal;"
    ) in made.markdown


def test_a_claim_is_judged_as_the_table_compares_its_rows(tmp_path):
    rng, many = np.random.default_rng(4), 20_000  # so many pairs that what is behind them is normal
    shared = rng.normal(0, 1.4, (2, many))  # by all seeds of a row, on each task
    found = []
    for run in ("m42", "m43", "m44", "n42", "n43", "n44"):
        for task, of_row in zip(COLUMNS.values(), shared * (run[0] == "n"), strict=True):
            value = round(rng.normal(0.6, 0.005), 4)  # as averages are over values of two decimals, x100
            own = of_row + rng.normal(0, 0.28, many)
            found.append(score(run, task, value, many, influence=own - own.mean()))
    rows = [TableRow(model=each, runs=[f"{each}{s}" for s in (42, 43, 44)], published=each) for each in "mn"]
    made = table(scores(*found), rows=rows, facts={"seeds": [42, 43, 44]}, baseline="m")
    write_table(made.tidy, tmp_path / "t.parquet", CELLS)
    (cells,) = read_cells("t", tmp_path / "t.parquet", {})
    gains = cells.gains("n", "m")
    averages = np.mean([*gains.values()], axis=0), cells("n", "Avg.") - cells("m", "Avg.")
    for column, gain in [*gains.items(), *(("Avg.", each) for each in averages)]:
        expected = cell(made, 1, column)
        assert verdict({"gain": gain}).difference == pytest.approx(expected["difference"])
        for end, inwards in (("difference_low", 1e-3), ("difference_high", -1e-3)):  # about 3 apart
            inside, outside = (gain - expected[end] - step for step in (inwards, -inwards))
            assert verdict({"gain": inside}).kind == "not significant"
            assert verdict({"gain": outside}).kind != "not significant"


def test_identical_runs_tie_and_an_empty_baseline_is_named():
    rows = [
        TableRow(model=name, runs=runs, trained=False)
        for name, runs in (("a", ["x"]), ("b", ["x"]), ("c", []))
    ]
    found = scores(score("x", "sts12", 0.7), score("x", "sickr", 0.6))
    made = table(found, rows=rows, baseline=None)
    assert (cell(made, 1, "Avg.")["difference"], cell(made, 1, "Avg.")["p"]) == (0, 1)
    assert made.tidy[made.tidy.seed.isna() & (made.tidy["row"] < 2)].in_best_set.all()
    made = table(found, rows=[TableRow(model="m"), rows[0]], baseline="m")
    assert (
        "No method is compared with m, because it has no numbers or no other method has any." in made.markdown
    )


def test_what_rows_cost_stands_at_their_end(tmp_path):
    rows = [TableRow(model="plain", runs=["released/e/mean"], trained=False)]
    rows += [
        TableRow(model=each, runs=[f"{each}/r/seed{s}" for s in (42, 43)]) for each in ("near", "dropout")
    ]
    rows.append(TableRow(model="gone", note="skipped: it is missing"))
    found = [score(run, "sts12", 0.7 + 0.001 * at) for row in rows for at, run in enumerate(row.runs)]
    timed = {"work": "", "finished": True, "wall_seconds": 50.0, "cpu_seconds": 95.0, "gpu_seconds": 0.0}
    expenses = {}
    for number, run in enumerate(run for row in rows[1:] for run in row.runs):
        (tmp_path / f"{number}.json").write_text(json.dumps({**timed, "flops": 4.0 - number // 2}))
        expenses[run] = Expenses(jobs=[str(tmp_path / f"{number}.json")])
    settings = {"columns": {"STS12": "sts12"}, "rows": [{"model": "m", "encoder": "e"}], "costs": True}
    inputs = [file(scores(*found), SCORES)], [file(empty(BENCHMARK), BENCHMARK)], Costs(runs=expenses)
    made = report("sts", settings, about(rows=rows, seeds=[42, 43]), *inputs)
    assert made.csv.columns.tolist()[-4:] == ["STS12", "compute (dropout = 1)", "cpu_seconds", "note"]
    assert made.csv["compute (dropout = 1)"].tolist() == ["0.00", "1.33", "1.00", ""]
    table = made.markdown.split("\n\n")[4].splitlines()
    assert table[0] == "| method | Spearman x100 | vs. plain | rank | compute |"
    assert table[3].startswith("| near | 70.05 ± 0.07 † | +0.05 [-0.")
    assert table[3].endswith(", p 1.000 | 1 to 3 | 1.33 |")
    assert "\n\nSkipped methods: gone. The notes of t.md give the reasons.\n\n" in made.markdown
    assert "† may be the best of its column" in made.markdown
    assert "compute: operations of models (dropout = 1)." in made.markdown
    assert (
        "## Budget and cost of each method\n\n| method | compute (dropout = 1) | cpu_seconds |"
        in made.markdown
    )
    said = read_status(made.tidy.attrs).facts
    assert said["verdict"].startswith(
        "With 3,108 test pairs, no method differs significantly from "
        "plain. The smallest detectable difference is known only w"
    )
    assert (made.markdown.split("\n\n")[3], said["recommended run"]) == (said["verdict"], "released/e/mean")
    assert "- cpu_seconds: for one training" in made.markdown
    without = report("sts", {**settings, "costs": False}, about(rows=rows, seeds=[42, 43]), *inputs)
    assert without.tidy[list(COSTS)].isna().all(axis=None)
    assert without.csv.columns.tolist()[-2:] == ["STS12", "note"]


def test_a_comparison_in_which_every_trained_row_is_skipped_shows_the_encoder_alone():
    rows = [TableRow(model="plain", runs=["released/e/mean"], trained=False)]
    rows += [TableRow(model=each, note="skipped: s.txt is missing") for each in ("near", "dropout")]
    settings = {"columns": {"STS12": "sts12"}, "rows": [{"model": "m", "encoder": "e"}], "costs": True}
    found = scores(score("released/e/mean", "sts12", 0.7))
    inputs = [file(found, SCORES)], [file(empty(BENCHMARK), BENCHMARK)], Costs()
    made = report("sts", settings, about(rows=rows, seeds=[42, 43]), *inputs)
    assert made.markdown.split("\n\n", 3)[3] == (
        "| method | Spearman x100 | rank |\n| :-- | --: | --: |\n| plain | 70.00 | 1 to 1 |\n\n"
        "Skipped methods: near, dropout. The notes of t.md give the reasons.\n\n"
        "Mean ± standard deviation over 2 trainings per method (seeds 42, 43); rank: the possible ranks of a "
        "method (simultaneous 95 % intervals).\n\n![t](t.png)\n\n- skipped: s.txt is missing\n"
    )


def test_a_task_of_mteb_without_an_error_has_no_test():
    of = {"form": "mteb", "metric": "main_score"}
    unknown = {**of, "ci_low": np.nan, "ci_high": np.nan, "influence": np.empty(0)}
    found = scores(
        *(score(f"p/{run}/seed42", "Near", value, **of) for run, value in (("r", 0.7), ("q", 0.6))),
        *(score(f"p/{run}/seed42", "Topics", value, **unknown) for run, value in (("r", 0.9), ("q", 0.5))),
    )
    rows = [TableRow(model="one", runs=["p/r/seed42"]), TableRow(model="other", runs=["p/q/seed42"])]
    built = table(found, rows=rows, kind="mteb", tasks="ours", columns={"Near": "Near", "Topics": "Topics"})
    assert built.csv[["Near", "Topics", "Avg."]].values.tolist() == [
        ["70.00", "90.00", "80.00"],
        ["60.00", "50.00", "55.00"],
    ]
    compared = built.tidy[built.tidy.baseline != ""]
    assert set(compared.column) == {"Near"}
