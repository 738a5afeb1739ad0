from contrapose.report.findings import finding, ranked
from contrapose.report.results import Result
from tests.kinds import cells

COMPARED = {"difference": 2.0, "difference_low": 0.5, "difference_high": 3.5, "p": 0.01}


def row(number: int, model: str, value: float | None, **others: object) -> dict:
    return {"row": number, "model": model, "column": "Avg.", "value": value, **others}


def result(*rows: dict, ranking: str = "Avg.") -> Result:
    made = {"settings": {"spec": {"kind": "sts"}}, "status": {"facts": {"ranking column": ranking}}}
    return Result("tables", "t", "", "", cells(*rows), made, "", {})


def test_what_the_tests_of_a_table_say_is_its_finding_and_without_tests_no_row_is_the_best():
    tested = result(row(1, "best", 52.0, baseline="none", in_best_set=True, **COMPARED), row(2, "b", 51.0))
    tested.made["status"] = {"facts": {"verdict": "Use b: it costs least."}}
    assert finding(tested) == "Use b: it costs least."
    text = "b has the highest Avg., 52.00. Differences in this table are not tested."
    assert finding(result(row(1, "a", 51.0), row(2, "b", 52.0))) == text


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
    assert ranked(geometry)[0] == ""
    geometry.made["settings"]["spec"] = {"kind": "settings"}
    assert finding(geometry) == ""
