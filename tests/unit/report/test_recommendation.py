"""What a table recommends, on made tables: it names no row to use where tests tell none apart."""

import re

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from contrapose.report.about import TableRow
from contrapose.report.comparison import SECOND, with_differences
from contrapose.report.inference import Score
from contrapose.report.recommendation import grounds, recommendations
from tests.kinds import cells

ABOVE = {"difference": 2.0, "difference_low": 1.0, "difference_high": 3.0, "p": 0.01, "mde": 1.5}
CLOSE = {**ABOVE, "difference": 0.2, "difference_low": -0.8, "difference_high": 1.2, "p": 0.7}
BELOW = {**ABOVE, "difference": -2.0, "difference_low": -3.0, "difference_high": -1.0}
PLAIN, DROPOUT, CROP, LLM = range(4)
NAMES = ("No training", "Dropout", "Span crop", "LLM")


def row(
    number: int, work: float | None = 1.0, usd: float | None = 0.0, in_best_set: bool = True, **other
) -> dict:
    """Return a mean over seeds."""
    costs = {"flops": work, "usd": usd} if work is not None else {}
    fixed = {"value": 60.0, "n": 100, "in_best_set": in_best_set, "baseline": "No training" if number else ""}
    return {"row": number, "model": NAMES[number], **fixed, **costs, **other}


def second(number: int, compared: dict) -> dict:
    return row(number, **compared, variant=SECOND, baseline="Dropout", in_best_set=None)


def seeds(number: int, *values: float) -> list[dict]:
    return [
        {**row(number), "seed": at, "value": value, "in_best_set": None} for at, value in enumerate(values)
    ]


def said(*rows: dict, **options) -> tuple[str, int | None]:
    (found,) = recommendations(cells(*rows), ["A"], **options)
    return found


NO = row(PLAIN, work=0.0, in_best_set=False)


def test_one_row_that_alone_may_be_the_best_is_the_one_to_use():
    found = said(NO, row(DROPOUT, **CLOSE, in_best_set=False), row(CROP, **ABOVE, value=62.0))
    text = (
        "Use Span crop: it is the only method that may be the best. "
        "Its gain is +2.00 [+1.00, +3.00] vs. No training."
    )
    assert found == (text, CROP)


def test_of_rows_that_tie_the_one_of_least_work_is_used_and_a_tie_with_the_second_baseline_is_said():
    rows = [NO, row(DROPOUT, work=1.2, **ABOVE), row(CROP, work=1.0, **ABOVE), row(LLM, usd=3.0, **ABOVE)]
    text, number = said(*rows, second(CROP, CLOSE), second(LLM, CLOSE))
    assert number == CROP
    assert text == (
        "Use Span crop: no other method is significantly better. 3 methods are within one standard "
        "error of the best score, so they count as equal. Of these, Span crop costs the least. Its gain "
        "is +2.00 [+1.00, +3.00] vs. No training and "
        "+0.20 [-0.80, +1.20] vs. Dropout (not significant)."
    )


def test_at_the_same_work_a_baseline_is_used():
    rows = [NO, row(DROPOUT, work=1.05, **ABOVE), row(CROP, value=61.0, **ABOVE), row(LLM, work=9.0, **ABOVE)]
    text, number = said(*rows, second(CROP, CLOSE), second(LLM, CLOSE))
    assert number == DROPOUT
    assert "count as equal. Of these, Dropout needs the least compute, or at most 10 % more. Its gain" in text
    assert text.endswith("Its gain is +2.00 [+1.00, +3.00] vs. No training.")


def test_a_cheaper_row_that_is_not_above_no_training_is_passed_over():
    text, number = said(NO, row(DROPOUT, work=0.1, **CLOSE), row(CROP, **ABOVE), row(LLM, **ABOVE, work=3.0))
    assert number == CROP
    assert "2 methods are within one standard error of the best score, so they count as equal." in text
    assert "Of these, Span crop needs the least compute." in text


def table(gains, works, requests=(0, 0, 0, 0), errors=(0.0, 0.1, 0.1, 0.1)):
    """Return the cells of rows with five seeds and a standard error over pairs, as a table compares them."""
    rng = np.random.default_rng(2)
    scores, parts = {}, []
    for number, (gain, error) in enumerate(zip(gains, errors, strict=True)):
        values = 60 + gain + 0.1 * (standard(rng, 5) if number else np.zeros(1))
        resampled = values[:, None] + error * standard(rng, 400)
        scores[number] = Score(values, resampled, 1378, trained=number > 0)
        facts = {"n": 1379, "flops": works[number], "usd": 0.0, "requests": requests[number]}
        fixed = {"row": number, "model": NAMES[number], "n": 1379}
        of_seeds = zip(range(len(values)), values, resampled.tolist(), strict=True)
        if number:
            parts += [{**fixed, "seed": at, "value": v, "resampled": r} for at, v, r in of_seeds]
        alone = {} if number else {"resampled": resampled[0].tolist()}
        parts.append({**fixed, **facts, "value": values.mean(), **alone})
    rows = [TableRow(model=name, runs=[name], trained=name != NAMES[0]) for name in NAMES]
    return with_differences(cells(*parts), {"A": scores}, rows, [[PLAIN] * 4, [DROPOUT] * 4], 0.3)


def standard(rng, number):
    drawn = rng.normal(size=number)
    return (drawn - drawn.mean()) / drawn.std(ddof=1)


def of(gains, works, **others):
    (found,) = recommendations(table(gains, works, **others), ["A"], margin=0.3)
    return found


def test_the_cheapest_row_within_one_standard_error_of_the_highest_is_used():
    # The standard error of a difference of two rows is 0.1 x sqrt(2), and 0.06 over seeds.
    assert of([0, 0.9, 1.0, 1.0], [0, 1, 2, 3]).row == DROPOUT
    assert of([0, 0.7, 0.95, 1.0], [0, 1, 2, 3]).row == CROP
    assert of([0, 0.7, 0.7, 1.0], [0, 1, 2, 3]).row == LLM


@pytest.mark.parametrize(
    ("gains", "number", "why"),
    [
        (
            [0, 0.9, 1.0, 1.0],
            DROPOUT,
            "3 methods are within one standard error of the best score, so they count as equal. "
            "Of these, Dropout needs the least compute.",
        ),
        (
            [0, 0.7, 0.95, 1.0],
            CROP,
            "2 methods are within one standard error of the best score, so they count as equal. "
            "Of these, Span crop needs the least compute. "
            "Dropout is further below this score, but not significantly.",
        ),
        (
            [0, 0.7, 0.7, 1.0],
            LLM,
            "Of the methods that may be the best and gain significantly, it has the highest score, by more "
            "than one standard error.",
        ),
        ([0, 0.0, 0.0, 2.0], LLM, ""),
    ],
)
def test_it_is_said_why_the_row_is_chosen_of_those_that_may_be_the_best(gains, number, why):
    assert grounds(table(gains, [0, 1, 2, 3]), "A", number)[0] == why


def test_the_only_row_that_gains_of_those_that_may_be_the_best_is_called_that():
    tidy = cells(NO, row(DROPOUT, **CLOSE), row(CROP, **ABOVE))
    assert grounds(tidy, "A", CROP)[0] == (
        "It is the only method that may be the best and gains significantly."
    )


def test_where_no_row_that_may_be_the_best_gains_significantly_none_is_said_to_gain():
    rows = [NO, row(DROPOUT, **ABOVE, in_best_set=False), row(CROP, **CLOSE), row(LLM, work=2.0, **CLOSE)]
    text, number = said(*rows)
    assert (number, "vs. No training (not significant)" in text) == (CROP, True)
    equal = "2 methods are within one standard error of the best score, so they count as equal."
    assert grounds(cells(*rows), "A", CROP)[0] == f"{equal} Of these, Span crop needs the least compute."
    tied = [{**NO, "in_best_set": True}, *rows[1:3]]
    alone = "It is the only method that may be the best, besides No training."
    assert grounds(cells(*tied), "A", CROP)[0] == alone


BETTER = "but another method is significantly better on"


def retained(name: str, values: dict[int, float], seeds: int = 5, is_tested: bool = True) -> list[dict]:
    """Return cells of a retention test set, in which a tenth of a point is significant."""
    rng = np.random.default_rng(3)
    found = []
    for number, value in values.items():
        of_seeds = value + 0.01 * standard(rng, 5)
        resampled = (of_seeds[:, None] + 0.01 * standard(rng, 400)).tolist()
        fixed = {**row(number), "column": name, "n": 1379, "in_best_set": True if is_tested else None}
        found.append({**fixed, "value": value})
        found += [
            {**fixed, "seed": at, "value": of_seeds[at], "resampled": resampled[at]} for at in range(seeds)
        ]
    return found


def of_sets(sets: dict[str, list[float]], **options) -> list[dict]:
    return [
        cell for name, values in sets.items() for cell in retained(name, dict(enumerate(values)), **options)
    ]


@pytest.mark.parametrize(
    ("sets", "number", "said", "others"),
    [
        ({"PAWS-X": [20, 20, 20, 20]}, CROP, "3 methods are within", [DROPOUT, LLM]),
        (
            {"PAWS-X": [25, 20, 15, 20]},
            DROPOUT,
            f"Span crop may be as good, {BETTER} PAWS-X, so it is left out.",
            [LLM],
        ),
        (
            {"PAWS-X": [25, 20, 15, 20], "STS12": [60, 50, 60, 60], "STS13": [70, 70, 70, 70]},
            LLM,
            f"Dropout and Span crop may be as good, {BETTER} PAWS-X or STS12, so they are left out.",
            [],
        ),
        # Each is worse than another one somewhere.
        (
            {"PAWS-X": [25, 20, 15, 15], "STS12": [60, 50, 60, 50]},
            CROP,
            "3 methods are within",
            [DROPOUT, LLM],
        ),
    ],
)
def test_of_rows_that_tie_one_that_is_worse_on_a_retention_test_set_is_left_out(sets, number, said, others):
    rows = [NO, row(DROPOUT, work=1.2, **ABOVE), row(CROP, work=1.0, **ABOVE), row(LLM, work=3.0, **ABOVE)]
    tidy = cells(*rows, *of_sets(sets))
    (found,) = recommendations(tidy, ["A"], general=[*sets])
    assert found.row == number
    assert found.text.startswith(f"Use {NAMES[number]}: no other method is significantly better. {said}")
    why, alike = grounds(tidy, "A", number, general=[*sets])
    assert alike == others
    assert why.startswith(said)
    assert why.endswith(" No other method remains.") == (not others)


def test_more_than_two_left_out_rows_are_counted():
    rows = [NO, *(row(each, **ABOVE) for each in (DROPOUT, CROP, LLM))]
    more = {**row(LLM, **ABOVE), "row": 4, "model": "Prefix"}
    scores = retained("PAWS-X", {DROPOUT: 15, CROP: 15, LLM: 15})
    best = [{**cell, "row": 4, "model": "Prefix"} for cell in retained("PAWS-X", {LLM: 20})]
    (found,) = recommendations(cells(*rows, more, *scores, *best), ["A"], general=["PAWS-X"])
    assert found.row == 4
    assert f"3 other methods may be as good, {BETTER} PAWS-X, so they are left out." in found.text


@pytest.mark.parametrize("options", [{"seeds": 1}, {"is_tested": False}])
def test_scores_that_are_not_tested_leave_no_row_out(options):
    rows = [NO, row(DROPOUT, work=2.0, **ABOVE), row(CROP, **ABOVE)]
    tidy = cells(*rows, *of_sets({"PAWS-X": [25, 20, 10]}, **options))
    (found,) = recommendations(tidy, ["A"], general=["PAWS-X"])
    assert found.row == CROP


def test_the_highest_of_the_remaining_rows_is_said_to_be_that():
    tidy = table([0, 0.7, 0.95, 1.0], [0, 1, 2, 3])
    tidy = pd.concat([tidy, cells(*retained("PAWS-X", {DROPOUT: 20, CROP: 20, LLM: 15}))], ignore_index=True)
    (found,) = recommendations(tidy, ["A"], margin=0.3, general=["PAWS-X"])
    assert found.row == CROP
    assert grounds(tidy, "A", CROP, general=["PAWS-X"]) == (
        f"LLM may be as good, {BETTER} PAWS-X, so it is left out. Of the remaining methods, it has the "
        "highest score, by more than one standard error.",
        [DROPOUT],
    )


def test_other_rows_may_be_as_good_as_a_baseline():
    tidy = cells(row(PLAIN), row(DROPOUT, **CLOSE), row(CROP, **CLOSE, in_best_set=False))
    assert grounds(tidy, "A", PLAIN) == ("", [DROPOUT])
    assert grounds(tidy, "B", PLAIN) == ("", [])


def test_it_is_said_how_much_better_the_best_other_row_may_be_and_what_would_tell():
    asks = {"requests": (0, 0, 0, 90), "errors": (0.0, 0.05, 0.05, 0.4)}
    text, number = of([0, 0.5, 1.0, 1.1], [0, 1, 1, 2], **asks)
    assert number == CROP
    assert text.startswith(
        "Use Span crop: no other method is significantly better. 2 "
        "methods are within one standard error of the best score"
    )
    assert "the best other method without a language model is not better, and" in text
    most = float(re.search(r"the best with one \(LLM\) is at most (\d\.\d\d) points better", text)[1])
    # 3 comparisons of each of two groups: 0.1 + 2.4 standard errors of 0.4, one-sided.
    assert most == pytest.approx(
        0.1 + norm.isf(0.05 / 6) * (0.4**2 + 0.05**2 + 2 * 0.1**2 / 5) ** 0.5, abs=0.05
    )
    assert re.search(
        r"To detect a gain of 0.30 points by LLM takes \d+\.\d times as many test pairs\.$", text
    )


def test_where_no_row_is_above_no_training_it_is_said_how_much_better_one_may_be():
    text, number = of([0, 0.0, 0.05, -0.05], [0, 1, 1, 1])
    assert number == PLAIN
    most = float(
        re.search(r"With 95 % confidence, the best other method is at most (\d\.\d\d) points better\.", text)[
            1
        ]
    )
    assert 0.25 < most < 0.4


def test_where_nothing_is_above_no_training_that_is_kept():
    text, number = said(NO, row(DROPOUT, **BELOW, in_best_set=False), row(CROP, **BELOW, in_best_set=False))
    assert text.startswith(
        "Use No training: no other method is significantly better. All methods are significantly worse"
    )
    assert number == PLAIN
    text, number = said(NO, row(DROPOUT, **BELOW), row(CROP, **CLOSE, p_equal=0.01))
    assert "1 of 2 methods is significantly worse. 1 of 2 methods is equivalent to No training." in text
    assert number == PLAIN


@pytest.mark.parametrize("single", [True, False], ids=["pairs are short", "seeds are short"])
def test_where_nothing_is_told_apart_it_says_what_more_of_what_is_short_would_show(single):
    rng = np.random.default_rng(3)
    noise = rng.normal(0, 1 if single else 0.01, 1000).tolist()
    spread = [0.0] if single else [-1.0, -0.5, 0.0, 0.5, 1.0]
    own = {"resampled": [0.0] * 1000}
    plain = {**row(PLAIN, work=0.0), "resampled": own["resampled"]}
    trained = [
        {**each, "resampled": noise}
        for each in ([row(CROP, **CLOSE)] if single else seeds(CROP, *(60 + one for one in spread)))
    ]
    mean = [] if single else [row(CROP, **CLOSE)]
    text, number = said(plain, *trained, *mean)
    start = (
        "With 100 test pairs, no method differs significantly from No training. "
        "Differences under 1.50 cannot be detected; "
    )
    # 1.5 / sqrt(10); of four times 5 seeds 1.5 / 2, and with 16 instead of 4 degrees of freedom less.
    more = "1,000 pairs would detect 0.47" if single else "20 seeds would detect 0.5"
    assert text.startswith(start + more)
    assert text.endswith("Keep No training until more is known.")
    assert number == PLAIN


def test_with_few_seeds_it_says_how_many_would_say_what_is_not_visible():
    trained = [*seeds(CROP, 59.0, 60.0, 61.0), row(CROP, **{**CLOSE, "mde": np.nan})]
    text, _ = said(row(PLAIN, work=0.0), *trained)
    assert text == (
        "With 100 test pairs, no method differs significantly from No training. The smallest "
        "detectable difference is known only with 5 or more seeds. Keep No training until more is known."
    )


def test_one_training_of_each_row_recommends_none():
    once = {**ABOVE, "p": np.nan, "mde": np.nan}
    soup = row(DROPOUT, **ABOVE, in_best_set=None)  # one encoder, so it has a p-value, but of one training
    found = said(NO, *seeds(CROP, 62.0), row(CROP, **once, in_best_set=None), soup)
    assert found == (
        "Each method was trained once, so differences to No training cannot be tested "
        "(uncertainty from 100 test pairs only: ±1.00). Train more seeds: --config seeds=5.",
        None,
    )


def test_test_sets_that_disagree_are_named():
    sets = [
        row(CROP, **ABOVE, column="news"),
        row(CROP, **BELOW, column="law"),
        row(CROP, **CLOSE, column="x"),
    ]
    text, _ = said(NO, row(CROP, **ABOVE), *sets, sets=["news", "law", "x"])
    assert text.endswith(
        "Span crop is better than No training on at least 1 of 3 test sets (95 %), and significantly worse "
        "on law, so the sets disagree."
    )


def test_how_many_sets_is_corrected_for_their_number():
    weak = {**ABOVE, "p": 0.04}
    sets = [row(CROP, **weak, column=name) for name in "xyz"]
    text, _ = said(NO, row(CROP, **ABOVE, sets_low=-0.1, sets_high=4.1), *sets, sets=["x", "y", "z"])
    assert text.endswith(
        "On these sets, its gain is +2.00 [+1.00, +3.00] vs. No training. "
        "On no single test set is Span crop significantly better than No training. "
        "It is not known whether Span crop also gains on a further set of this kind: [-0.10, +4.10]."
    )
    strong = [row(CROP, **{**weak, "p": 0.001}, column=name) for name in "xyz"]
    text, _ = said(NO, row(CROP, **ABOVE, sets_low=0.1, sets_high=3.9), *strong, sets=["x", "y", "z"])
    assert text.endswith(
        "at least 3 of 3 test sets (95 %). "
        "On a further set of this kind, a difference in [+0.10, +3.90] is expected."
    )


def test_fewer_than_thirty_pairs_test_nothing():
    few = {**ABOVE, "p": np.nan, "mde": np.nan, "n": 20}
    text, number = said({**NO, "n": 20}, *seeds(CROP, 62.0, 62.1), row(CROP, **few, in_best_set=None))
    assert (
        text
        == "Fewer than 30 test pairs are too few for a test, so no method can be compared with No training."
    )
    assert number is None


def test_a_table_without_costs_answers_whether_a_row_is_above_each_baseline():
    def of(number, other="No training", **compared) -> dict:
        return row(number, work=None, usd=None, **{**compared, "baseline": other})

    ask = "Is a method better than No training? "
    assert said(of(PLAIN, ""), of(CROP, **ABOVE), of(LLM, **BELOW)).text == (
        f"{ask}Yes, 1 of 2: Span crop (+2.00 [+1.00, +3.00]). 1 of them may be the best."
    )
    assert said(of(PLAIN, ""), of(CROP, **CLOSE), of(LLM, **BELOW)).text.startswith(
        f"{ask}No. 1 of 2 methods is significantly worse."
    )
    assert said(of(PLAIN, ""), of(CROP, **CLOSE)).text.startswith(
        f"{ask}With 100 test pairs, no method differs significantly"
    )
    two = cells(of(PLAIN, ""), of(DROPOUT, **ABOVE), of(CROP, ""), of(LLM, "Span crop", **BELOW))
    assert [each.text.partition("?")[0] for each in recommendations(two, ["A"])] == [
        "Is a method better than No training",
        "Is a method better than Span crop",
    ]


def test_of_several_columns_those_with_a_result_are_named_and_the_others_counted():
    def of(number, other="No training", **compared) -> dict:
        return row(number, work=None, usd=None, **{**compared, "baseline": other})

    result = cells(of(PLAIN, ""), of(CROP, **ABOVE))
    close = cells(of(PLAIN, ""), of(CROP, **CLOSE))
    names = ["A", "B", "C"]
    none = "comparisons of a column with a baseline"
    for tables, expected in (
        ((result, close, close), ["A: Is a method better than No training? Yes", f"In the other 2 {none}"]),
        ((close, close, close), [f"In all 3 {none}"]),
    ):
        every = pd.concat([table.assign(column=name) for table, name in zip(tables, names, strict=True)])
        assert [each.text.partition(",")[0] for each in recommendations(every, names)] == expected
    once = cells(of(PLAIN, ""), of(CROP, **CLOSE), *seeds(CROP, 2.0)).assign(p=float("nan"))
    once = pd.concat([once.assign(column=name) for name in names])
    (untested,) = recommendations(once, names)
    assert untested.text.startswith(
        "Each method was trained once, so differences to No training cannot be tested. Train"
    )
