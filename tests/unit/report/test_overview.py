import pandas as pd

from contrapose.report.jobs import OverviewJob, StudyResults
from contrapose.report.overview import Built, overview, result_line
from contrapose.report.runs import polyline, run_row

SPEC = {"kind": "sts", "average": "Avg."}
MADE = {"settings": {"spec": SPEC}, "packages": {"numpy": "2.1"}}
TIDY = pd.DataFrame(
    [
        {"row": row, "group": "A", "model": model, "seed": None, "column": column, "value": value}
        for row, (model, scores) in enumerate({"x": (50.0, 1.0), "y": (40.0, 2.5)}.items())
        for column, value in zip(("STS12", "Avg. of 4"), scores, strict=True)
    ]
)
HISTORY = pd.DataFrame(
    [(1, 0, 4.0, None, 8), (2, 0, 3.0, 0.5, 16), (3, 1, 2.0, None, 24), (4, 1, 1.0, 0.25, 1032)],
    columns=["step", "epoch", "loss", "dev_score", "sentences"],
)
STUDY = StudyResults(
    **{"name": "smoke", "title": "T", "source": "S", "deviations": [], "command": "snakemake smoke"},
    results=[("tables", "t1", "One."), ("tables", "t2", "Two.")],
)
JOB = OverviewJob(world="w", world_description="d", generated=True, seeds=1, studies=[STUDY], look="")


def test_a_result_is_the_best_row_or_its_size_where_higher_is_not_better_or_its_verdicts():
    assert result_line(Built(TIDY, MADE)) == "Highest Avg. of 4: A: y, 2.5"
    geometry, curve = ({"settings": {"spec": {"kind": kind}}} for kind in ("geometry", "curve"))
    assert result_line(Built(TIDY, geometry)) == "2 rows, 2 columns"
    assert result_line(Built(pd.DataFrame({"x": [1, 2]}), curve)) == "2 rows"
    verdicts = pd.DataFrame({"verdict": ["holds", "opposite", "holds", None]})
    line = (
        "holds 2, same direction 0, no difference 0, opposite 1, one seed 0, not judged in this world 0, "
        "no verdict 1"
    )
    assert result_line(Built(verdicts, {"settings": {}})) == line


def test_what_is_not_built_is_named_with_the_command_and_two_versions_of_a_package_are_both_shown():
    other = Built(TIDY, MADE | {"packages": {"numpy": "2.2"}})
    html = overview({("tables", "t1"): other}, [], None, JOB)
    for wanted in ("Built: 1 of 2", "t2 (table)", "snakemake smoke", "No encoder is trained yet"):
        assert wanted in html
    assert "t1 (table)" not in html
    assert "No costs are added up yet" in html
    built = {("tables", "t1"): Built(TIDY, MADE), ("tables", "t2"): other}
    assert "2.1, 2.2" in overview(built, [], None, JOB)


def test_costs_are_added_up_by_model():
    line = {"llm": "vicuna", "model": "v", "requests": 1000, "prompt_tokens": 2, "completion_tokens": 3}
    cost = pd.DataFrame([line | {"usd": 0.5, "usd_at_most": 0.75}] * 2)
    html = overview({}, [], cost, JOB)
    for cell in ("2,000", ">4<", ">6<", "1.0000", "1.5000"):
        assert cell in html


def test_a_run_is_summed_up_from_its_log():
    made = {"settings": {"recipe": {"encoder": "bert-base"}}}
    run = run_row("a/b/seed42", HISTORY, made)
    assert run.cells == ("0.5000", "2", "4", "2", "1,032", "1.0000")
    assert run.curve_of == "dev score from 0.500 to 0.250"
    assert run.encoder == "bert-base"
    assert "a/<wbr>b/<wbr>seed42" in overview({}, [run], None, JOB)
    once = run_row("a", HISTORY.assign(dev_score=[None, None, None, 0.1]), made)
    assert once.curve_of == "loss from 4.000 to 1.000"
    left_out = run_row("a", HISTORY.head(0), {**made, "lacking": "too few pairs"})
    assert (left_out.curve, left_out.curve_of, set(left_out.cells)) == ("", "too few pairs", {"–"})


def test_a_curve_goes_from_edge_to_edge_with_higher_up():
    assert polyline([0.0, 1.0, 0.5]) == "0.0,22.0 50.0,2.0 100.0,12.0"
    assert polyline([3.0]) == "0.0,22.0 100.0,22.0"
    assert len(polyline([float(number) for number in range(1000)]).split()) == 200
