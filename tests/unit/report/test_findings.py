import pytest

from contrapose.report.findings import MARGIN, chart, finding, ranked
from contrapose.report.results import Result
from tests.kinds import cells

COMPARED = {"difference": 2.0, "difference_low": 0.5, "difference_high": 3.5, "p": 0.01}


def row(number: int, model: str, value: float | None, **others: object) -> dict:
    return {"row": number, "model": model, "column": "Avg.", "value": value, **others}


def result(*rows: dict, ranking: str = "Avg.") -> Result:
    made = {"settings": {"spec": {"kind": "sts"}}, "status": {"facts": {"ranking column": ranking}}}
    return Result("tables", "t", "", "", cells(*rows), made, "", {})


COMPARED_BY_20 = {"difference": 20.0, "difference_low": 10.0, "difference_high": 30.0, "p": 0.01}


def test_what_the_tests_of_a_table_say_is_its_finding_and_without_tests_no_row_is_the_best():
    tested = result(row(1, "best", 52.0, baseline="none", tied=True, **COMPARED), row(2, "b", 51.0))
    tested.made["status"] = {"facts": {"verdict": "Use b: it costs least."}}
    assert finding(tested) == "Use b: it costs least."
    text = "b has the highest Avg., 52.00. This table tests no differences."
    assert finding(result(row(1, "a", 51.0), row(2, "b", 52.0))) == text


def test_rows_are_marked_only_if_that_tells_some_from_others():
    all_tied = chart(result(row(0, "a", 2.0, tied=True), row(1, "b", 1.0, tied=True)))
    assert not any(mark.tied for mark in all_tied.marks)
    assert all_tied.notes[-1] == "Each row may be the best: none is significantly above another."
    one = chart(result(row(0, "a", 2.0, tied=True), row(1, "b", 1.0, tied=False)))
    assert [mark.tied for mark in one.marks] == [True, False]


def test_rows_are_ranked_by_the_column_that_their_table_names_and_prompts_by_their_total():
    average = row(0, "a", 1.0, column="Avg. of 4")
    assert ranked(result(row(0, "a", 3.0, column="Avg."), average, ranking="Avg. of 4"))[0] == "Avg. of 4"
    assert ranked(result(row(0, "a", 3.0, column="r"), row(0, "a", 1.0, column="F1"), ranking="r"))[0] == "r"
    prompts = [
        {"model": "P", "group": "v", "column": name, "slot": slot, "value": value}
        for name, slot, value in (("Sim", None, 0.9), ("Total", 0, 0.99), ("Total", None, 0.7))
    ]
    made = {"settings": {"spec": {"kind": "prompts"}}}
    facts = Result("tables", "t", "", "", cells(*prompts), made, "", {})
    assert finding(facts).startswith("v: P has the highest Total, 0.700.")


def test_where_more_is_not_better_the_range_of_the_first_column_is_told():
    rows = [row(0, "a", 0.25, column="alignment"), row(1, "b", 0.125, column="alignment")]
    geometry = result(*rows, row(0, "a", -1.0, column="uniformity"))
    geometry.made.update({"settings": {"spec": {"kind": "geometry"}}, "status": {}})
    assert finding(geometry) == "alignment: 0.125 (b) to 0.25 (a)."
    assert chart(geometry) is None
    geometry.made["settings"]["spec"] = {"kind": "settings"}
    assert finding(geometry) == ""


def test_a_chart_spans_the_bars_of_its_rows_and_marks_the_baseline():
    drawn = chart(
        result(
            row(0, "none", 10.0, low=0.0, high=20.0),
            row(1, "b", 30.0, baseline="none", tied=True, **COMPARED_BY_20),
            row(1, "b", 30.0, seed=42),
            row(2, "c", None),
        )
    )
    first, second = drawn.marks
    # The baseline is at 10 without a bar; the other bar spans 10 + 10 to 10 + 30.
    assert first.low == first.at == first.high == drawn.baseline_at == MARGIN
    third = (100 - 2 * MARGIN) / 3
    assert (second.low, second.high) == pytest.approx((MARGIN + third, 100 - MARGIN), abs=0.01)
    assert second.low < second.at < second.high
    assert (first.value, first.tied, second.tied) == ("10.00", False, True)
    assert drawn.notes[-2:] == ["Dashed line: none.", "Skipped: c."]
    assert "interval of the difference to the dashed line, over test pairs." in drawn.notes[0]
    assert "One training per row" in drawn.notes[1]


def test_bars_of_several_trainings_are_their_standard_deviation():
    seeds = [row(0, "a", value, seed=seed) for seed, value in ((42, 1.0), (43, 3.0))]
    drawn = chart(result(row(0, "a", 2.0, spread=1.0), *seeds, row(1, "pretrained", 2.0, low=-9.0, high=9.0)))
    trained, pretrained = drawn.marks
    assert (trained.low, trained.high) == (MARGIN, 100 - MARGIN)
    assert pretrained.low == pretrained.at == pretrained.high
    assert drawn.notes == ["Bars: one standard deviation over 2 trainings."]
