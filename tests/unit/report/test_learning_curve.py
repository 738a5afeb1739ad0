"""Whether more sentences would help, and what rows forget: on made scores that rise, stay or fall."""

import re

import pytest

from contrapose.report.about import TableRow
from contrapose.report.findings import finding
from contrapose.report.forgetting import with_forgetting
from contrapose.report.recommendation import Recommendation
from contrapose.report.results import Result
from contrapose.report.row_costs import Costs
from contrapose.tables import BENCHMARK, HISTORY, SCORES, empty
from tests.kinds import about, drawn, file, report
from tests.unit.report.test_sts_table import score, scores

SEEDS = [42, 43, 44, 45, 46]
CHANCE = [-0.0012, 0.0009, 0.0001, -0.0006, 0.0008]  # of a training, on top of what a share is worth
SHARES = ["25 %", "50 %", "100 %"]


def runs(name: str, seeds: list[int] = SEEDS) -> list[str]:
    return [f"p/{name}/seed{seed}" for seed in seeds]


def trained(name: str, value: float, at: int = 0, task: str = "own", seeds: list[int] = SEEDS) -> list[dict]:
    """Return scores of a row; the chance of its seeds begins at another one than that of other rows."""
    errors = [CHANCE[(at + number) % len(CHANCE)] for number in range(len(seeds))]
    return [
        score(run, task, value + error, 1000) for run, error in zip(runs(name, seeds), errors, strict=True)
    ]


def table(kind: str, found: list[dict], encoders: list[TableRow], seeds: list[int], logs=(), **settings):
    files = [file(scores(*found), SCORES)], [file(empty(BENCHMARK), BENCHMARK)]
    costs = {"costs": Costs()} if kind == "sts" else {}
    spec = {"columns": {"Test pairs": "own"}, "margin": 0.3, **settings}
    histories = [file(empty(HISTORY), HISTORY, **log) for log in logs]
    return report(kind, spec, about(rows=encoders, seeds=seeds), *files, histories=histories, **costs)


def curve(seeds: list[int] = SEEDS, shares: list[str] = SHARES, logs: tuple = (), **values: list[float]):
    rows, found = [TableRow(model="No training", runs=["released"], trained=False)], []
    found.append(score("released", "own", 0.70, 1000))
    for at, (name, of_shares) in enumerate(values.items()):
        for number, (share, value) in enumerate(zip(shares, of_shares, strict=True)):
            rows.append(TableRow(group=name, model=share, runs=runs(f"{name}{share}", seeds)))
            found += trained(f"{name}{share}", value, at + number, seeds=seeds)
    return table("learning_curve", found, rows, seeds, logs, of="pairs", rows=["Dropout"])


def answer(made) -> str:
    """Return what stands before the table."""
    return made.markdown.split("Would more sentences help? ")[1].split("\n\n|")[0]


def test_rising_flat_and_falling_curves_get_their_answers_with_the_last_doubling(tmp_path):
    made = curve(
        rising=[0.70, 0.71, 0.72],
        flattening=[0.70, 0.72, 0.7205],
        flat=[0.7201, 0.7200, 0.7201],
        falling=[0.74, 0.73, 0.71],
    )
    short, why = answer(made).split("\n\n")
    assert short == (
        "rising: probably; flattening: less and less, because 100 % is better than 25 %, but a doubling "
        "brings less after 50 %; flat: no, because 50 % is within 0.3 of 100 %; falling: no, because 100 % "
        "is significantly worse than 50 %."
    )
    result = Result("tables", "t", "", "", made.tidy, {"settings": {}, **made.tidy.attrs}, made.markdown, {})
    assert finding(result) == f"Would more sentences help? {short}"
    lines = dict(line.removeprefix("- ").split(": ", 1) for line in why.splitlines())
    assert re.sub(r" \[.*?\]", "", lines["rising"]) == (
        "100 % has +1.00 (p below 0.001) vs. 50 %; 100 % has +2.00 (p below 0.001) vs. 25 %; another "
        "doubling brings +1.00 if it is like the last one; curves mostly flatten."
    )
    assert re.sub(r" \[.*?\]", "", lines["flattening"]) == (
        "100 % has +0.05 (p 1.000) vs. 50 %; 100 % has +2.05 (p below 0.001) vs. 25 %; a doubling brings "
        "1.95 (p 0.001) less after 50 % than before; another doubling brings +0.05 if it is like the last "
        "one; curves mostly flatten."
    )
    assert lines["falling"].startswith("100 % has -2.00 [-2.1")
    assert "Difference to No training" in made.markdown
    assert made.csv.columns[:4].tolist() == ["catalog", "group", "model", "Test pairs"]
    drawn(made, tmp_path)


def test_a_row_above_a_smaller_share_alone_is_said_what_the_last_doubling_brought():
    made = curve([42, 43, 44], slow=[0.700, 0.704, 0.706])
    said = "slow: perhaps, because 100 % is better than 25 %, but the last doubling brought"
    short = answer(made).split("\n\n")[0]
    assert re.sub(r" \+0.20 \[-.*?\]", "", short) == f"{said}, which does not differ significantly from 0."
    assert "less" not in answer(made)


def test_a_curve_that_still_rises_may_flatten_and_shares_need_not_be_doublings():
    short, why = answer(curve(rising=[0.70, 0.74, 0.745], shares=["10 %", "40 %", "100 %"])).split("\n\n")
    assert short == "rising: probably, but less and less."
    # 4.00 in two doublings, and 0.50 in 1.32 of them.
    assert "a doubling brings 1.62 [" in why
    two = answer(curve(rising=[0.70, 0.74], shares=["50 %", "100 %"]))
    assert two.startswith("rising: probably.")


def test_noise_tells_no_shares_apart_and_one_training_tells_nothing():
    noisy = answer(curve([42, 43, 44], noisy=[0.7003, 0.7022, 0.7002]))
    assert noisy.startswith("noisy: not shown, because no share differs significantly.")
    once = answer(curve([42], rising=[0.70, 0.71, 0.72]))
    assert once.startswith("rising: not known, because each share was trained once")
    assert "doubling" not in once


def test_a_training_that_ends_before_it_has_seen_all_sentences_answers_nothing():
    seen = {"long": (900, 1), "short": (200, 1), "slots": (900, 5)}
    logs = [
        {
            "wildcards": {"pairs": "p", "recipe": f"{name}100 %", "seed": str(SEEDS[0])},
            "settings": {"recipe": {"max_length": 64}},
            "counts": {"pairs": 900 * slots, "pairs_used": used, "slots": slots},
        }
        for name, (used, slots) in seen.items()
    ]
    made = answer(curve(logs=tuple(logs), **{name: [0.70, 0.71, 0.72] for name in seen}))
    unknown = "not known, because training ends before each sentence was used once (raise `steps`)"
    assert made.startswith(f"long: probably; short: {unknown}; slots: probably.")


def forgetting(seeds: list[int] = SEEDS, **rows: tuple[float, float]):
    """Return a table of two columns, of which the second is general, from what rows score in them."""
    about_rows = [TableRow(model="No training", runs=["released"], trained=False)]
    found = [score("released", task, 0.70, 1000) for task in ("own", "own_5")]
    for at, (name, values) in enumerate(rows.items()):
        about_rows.append(TableRow(model=name, runs=runs(name, seeds)))
        for task, value in zip(("own", "own_5"), values, strict=True):
            found += trained(name, value, at, task, seeds)
    spec = [{"model": row.model, "encoder": "e"} for row in about_rows]
    settings = {"rows": spec, "general": {"STS-B": "own_5"}, "baseline": "No training"}
    return table("sts", found, about_rows, seeds, **settings)


def test_a_row_that_gains_on_its_own_pairs_and_loses_on_general_ones_is_warned_of():
    made = forgetting(tuned=(0.72, 0.68), back=(0.71, 0.70), worse=(0.69, 0.69))
    warning = made.markdown.split("**Warning: forgetting.** ")[1].split("\n")[0]
    assert warning.startswith(
        "These methods gain on Test pairs vs. No training, but lose on STS-B: tuned (Test pairs +2.00"
    )
    assert "STS-B -2.00 [-2.1" in warning
    assert "without a significant loss on STS-B: back (Test pairs +1.00, STS-B -0.00" in warning
    assert "worse" not in warning
    assert made.markdown.index("**Warning") < made.markdown.index("## Difference")


def test_a_row_that_is_recommended_says_what_it_loses_and_which_other_row_gains_without_that():
    tidy = forgetting(tuned=(0.72, 0.68), back=(0.71, 0.70), worse=(0.69, 0.69)).tidy
    encoders = about(rows=[TableRow(model="No training", runs=["released"], trained=False)])
    advice = [
        Recommendation("Use tuned.", 1),
        Recommendation("Use back.", 2),
        Recommendation("Keep No training.", 0),
        Recommendation("None."),
    ]
    tuned, back, *others = with_forgetting(advice, tidy, encoders, "Test pairs", ["STS-B"], 1)
    assert (tuned.row, back.row) == (1, 2)
    assert re.fullmatch(
        r"Use tuned\. However, tuned is significantly worse than No training on STS-B "
        r"\(-2\.0 \[\S+ \S+\]\)\. back gains \+1\.0 \[\S+ \S+\] on Test pairs without a significant loss on "
        r"STS-B\.",
        tuned.text,
    )
    assert re.fullmatch(
        r"Use back\. On STS-B, the difference of back is -0\.0 \[\S+ \S+\] vs\. No training "
        r"\(not significant\)\.",
        back.text,
    )
    assert others == advice[2:]
    (alone,) = with_forgetting(advice[:1], tidy[tidy["row"] != 2], encoders, "Test pairs", ["STS-B"], 1)
    assert "without a significant loss" not in alone.text


def test_rows_of_two_encoders_are_compared_each_with_its_own_untrained_one():
    names = ("first", "second")
    rows = [TableRow(group=name, model="No training", runs=[name], trained=False) for name in names]
    found = [score(name, task, 0.70, 1000) for name in names for task in ("own", "own_5")]
    for at, (name, own, general) in enumerate([("first", 0.72, 0.69), ("second", 0.73, 0.67)]):
        rows.append(TableRow(group=name, model="tuned", runs=runs(name)))
        found += trained(name, own, at, "own") + trained(name, general, at, "own_5")
    spec = [{"model": row.model, "group": row.group, "encoder": "e"} for row in rows]
    settings = {"rows": spec, "general": {"STS-B": "own_5"}, "baseline": "No training"}
    made = table("sts", found, rows, SEEDS, **settings)
    for name in names:
        warning = f"gain on Test pairs vs. {name}: No training, but lose on STS-B: {name}: tuned ("
        assert warning in made.markdown


def test_a_row_that_gains_on_a_retention_test_set_says_so_and_one_seed_is_not_tested():
    encoders = about(rows=[TableRow(model="No training", runs=["released"], trained=False)])
    for seeds, ending in ((SEEDS, "vs. No training."), ([42], "vs. No training (not tested).")):
        tidy = forgetting(seeds, tuned=(0.72, 0.74)).tidy
        advice = [Recommendation("Use tuned.", 1)]
        (tuned,) = with_forgetting(advice, tidy, encoders, "Test pairs", ["STS-B"], 1)
        assert tuned.text.startswith("Use tuned. On STS-B, the difference of tuned is +")
        assert tuned.text.endswith(ending)


def test_without_a_loss_that_is_told_apart_there_is_no_warning_and_with_one_seed_no_test():
    kept = forgetting(tuned=(0.72, 0.70), other=(0.71, 0.7005)).markdown
    assert "Warning" not in kept
    assert (
        "No method that gains on Test pairs vs. No training loses significantly on STS-B. A loss of" in kept
    )
    once = forgetting([42], tuned=(0.72, 0.68)).markdown
    assert "Warning" not in once
    assert "Losses on STS-B are not tested" in once


def test_a_general_column_is_in_no_average_and_no_note_on_the_others():
    rows = [TableRow(model="No training", runs=["released"], trained=False)]
    rows.append(TableRow(model="tuned", runs=runs("tuned")))
    found = [score("released", task, 0.70, 1000) for task in ("own", "own_2", "own_5")]
    for task, value in (("own", 0.74), ("own_2", 0.72), ("own_5", 0.60)):
        found += trained("tuned", value, task=task)
    spec = {
        "rows": [{"model": row.model, "encoder": "e"} for row in rows],
        "columns": {"A": "own", "B": "own_2"},
        "general": {"G": "own_5"},
        "baseline": "No training",
    }
    made = table("sts", found, rows, SEEDS, **spec)
    assert made.csv.columns[3:7].tolist() == ["A", "B", "Avg.", "G"]
    assert made.csv["Avg."][1].startswith("73.0")
    assert "Avg.: mean of A, B after rounding" in made.markdown
    assert (
        "Significantly better than No training on at least this many of 2 sets: tuned on 2." in made.markdown
    )
    assert "tuned 1 to 1, No training 2 to 2" in made.markdown
    assert "Avg.: the smallest detectable difference" in made.markdown
    assert "tuned (Avg. +3.00, G -10.00" in made.markdown
    with pytest.raises(ValueError, match="'A' is in both columns and general"):
        table("sts", found, rows, SEEDS, **{**spec, "general": {"A": "own_5"}})
