"""What a table recommends, on made tables: it names no row to use where tests tell none apart."""

import numpy as np
import pandas as pd
import pytest

from contrapose.report.comparison import SECOND
from contrapose.report.recommendation import recommendations
from tests.kinds import cells

ABOVE = {"difference": 2.0, "difference_low": 1.0, "difference_high": 3.0, "p": 0.01, "least": 1.5}
CLOSE = {**ABOVE, "difference": 0.2, "difference_low": -0.8, "difference_high": 1.2, "p": 0.7}
BELOW = {**ABOVE, "difference": -2.0, "difference_low": -3.0, "difference_high": -1.0}
PLAIN, DROPOUT, CROP, LLM = range(4)
NAMES = ("No training", "Dropout", "Span crop", "LLM")


def row(number: int, work: float | None = 1.0, usd: float | None = 0.0, tied: bool = True, **other) -> dict:
    """Return a mean over seeds."""
    costs = {"flops": work, "usd": usd} if work is not None else {}
    fixed = {"value": 60.0, "n": 100, "tied": tied, "baseline": "No training" if number else ""}
    return {"row": number, "model": NAMES[number], **fixed, **costs, **other}


def second(number: int, compared: dict) -> dict:
    return row(number, **compared, variant=SECOND, baseline="Dropout", tied=None)


def seeds(number: int, *values: float) -> list[dict]:
    return [{**row(number), "seed": at, "value": value, "tied": None} for at, value in enumerate(values)]


def said(*rows: dict, **options) -> tuple[str, int | None]:
    (found,) = recommendations(cells(*rows), ["A"], **options)
    return found


NO = row(PLAIN, work=0.0, tied=False)


def test_one_row_that_alone_may_be_the_best_is_the_one_to_use():
    found = said(NO, row(DROPOUT, **CLOSE, tied=False), row(CROP, **ABOVE, value=62.0))
    text = "Use Span crop: no other row may be the best; +2.00 [+1.00, +3.00] above No training."
    assert found == (text, CROP)


def test_of_rows_that_tie_the_one_of_least_work_is_used_and_a_tie_with_the_second_baseline_is_said():
    rows = [NO, row(DROPOUT, work=1.2, **ABOVE), row(CROP, work=1.0, **ABOVE), row(LLM, usd=3.0, **ABOVE)]
    text, number = said(*rows, second(CROP, CLOSE), second(LLM, CLOSE))
    assert number == CROP
    assert text == (
        "Use Span crop: of 3 rows that may be the best it costs least; "
        "+2.00 [+1.00, +3.00] above No training; +0.20 [-0.80, +1.20] above Dropout, not told apart."
    )


def test_at_the_same_work_a_baseline_is_used_unless_a_row_is_above_it():
    rows = [NO, row(DROPOUT, work=1.05, **ABOVE), row(CROP, value=61.0, **ABOVE), row(LLM, work=9.0, **ABOVE)]
    text, number = said(*rows, second(CROP, CLOSE), second(LLM, CLOSE))
    assert (number, text.split("; ")[0]) == (
        DROPOUT,
        "Use Dropout: of 3 rows that may be the best it takes the least work",
    )
    assert text.endswith("no row is above it.")
    text, number = said(*rows, second(CROP, CLOSE), second(LLM, ABOVE))
    assert number == LLM
    assert "no other row may be the best and is above No training and Dropout" in text
    assert text.endswith("+2.00 [+1.00, +3.00] above Dropout.")


def test_a_cheaper_row_that_is_not_above_no_training_is_passed_over():
    text, number = said(NO, row(DROPOUT, work=0.1, **CLOSE), row(CROP, **ABOVE), row(LLM, **ABOVE, work=3.0))
    assert number == CROP
    assert "of 2 rows that may be the best and are above No training it takes the least work" in text


def test_where_nothing_is_above_no_training_that_is_kept():
    text, number = said(NO, row(DROPOUT, **BELOW, tied=False), row(CROP, **BELOW, tied=False))
    assert text.startswith("Use No training: no row is above it, all 2 rows are below it;")
    assert number == PLAIN
    text, number = said(NO, row(DROPOUT, **BELOW), row(CROP, **CLOSE, p_equal=0.01))
    assert "1 of 2 rows are below it; as good within the margin: 1 of 2 rows" in text
    assert number == PLAIN


@pytest.mark.parametrize("single", [True, False], ids=["pairs are short", "seeds are short"])
def test_where_nothing_is_told_apart_it_says_what_more_of_what_is_short_would_show(single):
    rng = np.random.default_rng(3)
    noise = rng.normal(0, 1 if single else 0.01, 1000).tolist()
    spread = [0.0] if single else [-1.0, 0.0, 1.0]
    own = {"resampled": [0.0] * 1000}
    plain = {**row(PLAIN, work=0.0), "resampled": own["resampled"]}
    trained = [
        {**each, "resampled": noise}
        for each in ([row(CROP, **CLOSE)] if single else seeds(CROP, *(60 + one for one in spread)))
    ]
    mean = [] if single else [row(CROP, **CLOSE)]
    text, number = said(plain, *trained, *mean)
    start = (
        "With 100 test pairs nothing can be told from No training: differences under 1.50 are not visible; "
    )
    # 1.5 / sqrt(10); of four times 3 seeds 1.5 / 2, and with 8 instead of 2 degrees of freedom less.
    more = "1,000 pairs would show 0.47" if single else "12 seeds would show 0.4"
    assert text.startswith(start + more)
    assert text.endswith("Until more is known, keep No training.")
    assert number == PLAIN


def test_one_training_of_each_row_recommends_none():
    once = {**ABOVE, "p": np.nan, "least": np.nan}
    soup = row(DROPOUT, **ABOVE, tied=None)  # one encoder, so it has a p-value, but of one training
    found = said(NO, *seeds(CROP, 62.0), row(CROP, **once, tied=None), soup)
    assert found == (
        "Rows were trained once, so none can be told from No training: "
        "100 test pairs alone leave ±1.00. Train more: --config seeds=5.",
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
        "It is above No training on 1 of 3 test sets taken alone, and below it on law: the sets disagree."
    )


def test_a_table_without_costs_answers_whether_a_row_is_above_each_baseline():
    def of(number, other="No training", **compared) -> dict:
        return row(number, work=None, usd=None, **{**compared, "baseline": other})

    ask = "Is a row above No training? "
    assert said(of(PLAIN, ""), of(CROP, **ABOVE), of(LLM, **BELOW)).text == (
        f"{ask}Yes, 1 of 2: Span crop (+2.00 [+1.00, +3.00]); 1 of them may be the best."
    )
    assert said(of(PLAIN, ""), of(CROP, **CLOSE), of(LLM, **BELOW)).text.startswith(
        f"{ask}No, 1 of 2 rows are"
    )
    assert said(of(PLAIN, ""), of(CROP, **CLOSE)).text.startswith(f"{ask}Not told apart with 100 test pairs:")
    two = cells(of(PLAIN, ""), of(DROPOUT, **ABOVE), of(CROP, ""), of(LLM, "Span crop", **BELOW))
    assert [each.text.partition("?")[0] for each in recommendations(two, ["A"])] == [
        "Is a row above No training",
        "Is a row above Span crop",
    ]


def test_of_several_columns_those_with_a_result_are_named_and_the_others_counted():
    def of(number, other="No training", **compared) -> dict:
        return row(number, work=None, usd=None, **{**compared, "baseline": other})

    result = cells(of(PLAIN, ""), of(CROP, **ABOVE))
    close = cells(of(PLAIN, ""), of(CROP, **CLOSE))
    names = ["A", "B", "C"]
    none = "comparisons of a column with a baseline no row can be told from the baseline."
    for tables, expected in (
        ((result, close, close), ["A: Is a row above No training? Yes", f"In the other 2 {none}"]),
        ((close, close, close), [f"In all 3 {none}"]),
    ):
        every = pd.concat([table.assign(column=name) for table, name in zip(tables, names, strict=True)])
        assert [each.text.partition(",")[0] for each in recommendations(every, names)] == expected
    once = cells(of(PLAIN, ""), of(CROP, **CLOSE), *seeds(CROP, 2.0)).assign(p=float("nan"))
    once = pd.concat([once.assign(column=name) for name in names])
    (untested,) = recommendations(once, names)
    assert untested.text.startswith("Rows were trained once, so none can be told from No training. Train")
