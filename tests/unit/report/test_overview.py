import pandas as pd
import pytest

from contrapose.report.overview import main_result, report
from contrapose.report.results import CatalogFacts, Result, StudyResults
from contrapose.report.training_logs import run_row
from contrapose.settings.deviations import Deviation
from tests.kinds import cells

IMAGE = "data:image/png;base64,AAAA"
CATALOG = CatalogFacts("w", "d", generated=True)
MADE = {
    **{"rule": "r", "code": "c", "packages": {"numpy": "2.1"}},
    **{"settings": {"spec": {"kind": "sts"}}, "status": {"facts": {"ranking column": "Avg."}}},
}
TIDY = cells(
    *(
        {"row": row, "group": "A", "model": model, "column": "Avg.", "value": value}
        for row, (model, value) in enumerate({"x": 50.0, "y": 40.0}.items())
    )
)
CLAIMS = pd.DataFrame(
    {
        "verdict": [None, "holds", "one seed", "holds"],
        "claim": ["first", "second", "third", "fourth"],
        "missing": ["not built: t3", "", "", ""],
        "detail": ["", "+1", "", ""],
    }
)
HISTORY = pd.DataFrame(
    [(1, 0, 4.0, None, 8), (2, 0, 3.0, 0.5, 16), (3, 1, 2.0, None, 24), (4, 1, 1.0, 0.25, 1032)],
    columns=["step", "epoch", "loss", "dev_score", "sentences"],
)


def result(name: str, tidy: pd.DataFrame = TIDY, **given: object) -> Result:
    facts = {
        "kind": "tables",
        "caption": f"About {name}.",
        "command": f"run {name}",
        "made": MADE,
        "images": {},
    }
    return Result(name=name, tidy=tidy, **{"text": f"# {name}\n", **facts, **given})


def study(name: str, *results: Result, missing: tuple[str, ...] = ()) -> StudyResults:
    deviation = Deviation(where="everywhere", paper="Says this.", ours="That.")
    facts = (f"Question of {name}?", "S", f"run {name}", [deviation])
    return StudyResults(name, *facts, results, dict.fromkeys(missing, ""))


def overview(*studies: StudyResults, **given: object) -> str:
    """Return the report up to the first page of a result."""
    options = {"runs": [], "cost": None, "catalog": CATALOG, **given}
    return report(studies, **options).split("<article")[0]


def test_the_report_opens_on_the_question_then_the_answer_its_chart_and_the_claims():
    claims = result("smoke", CLAIMS, kind="claims")
    html = overview(study("smoke", result("t1"), result("t2"), claims, missing=("t3",)), study("other"))
    order = [
        *("<h1>Question of smoke?</h1>", "A: x has the highest Avg., 50.00."),
        *(
            "Catalog <code>w</code> makes its own text",
            'class="chart"',
            "holds <b>2</b>",
            "All 4 claims",
            "About t1</a>",
        ),
        *(
            "About t2</a>",
            "Not built: 1 of 4",
            "Deviations from the paper",
            "Not built: 1 further study",
            "Question of other?",
        ),
        "<h2>How it was made",
    ]
    places = [html.index(each) for each in order]
    assert places == sorted(places)
    assert html.count('class="chart"') == html.count("<h1>") == 1
    assert html.count("has the highest Avg.") == 2  # of t1 at the top, of t2 in the list


def test_a_result_of_another_catalog_is_named_and_not_shown():
    html = overview(study("smoke", result("t1"))._replace(missing={"t2": "hub"}))
    assert "t2 (built with catalog hub)." in html


@pytest.mark.parametrize(
    ("results", "main"),
    [
        ([result("a"), result("b", claims=3), result("c", claims=3)], "b"),
        ([result("texts", pd.DataFrame({"text": ["x"]}), claims=5), result("b")], "b"),
        (
            [
                result("texts", pd.DataFrame({"text": ["x"]})),
                result("f", TIDY.head(0), images={"f.png": IMAGE}),
            ],
            "f",
        ),
    ],
    ids=["most claims", "ranked rows", "a picture"],
)
def test_the_main_result_has_ranked_rows_and_most_claims_else_a_picture(results, main):
    assert main_result(results).name == main


def test_without_ranked_rows_the_picture_is_that_of_the_result():
    html = overview(study("smoke", result("f", TIDY.head(0), kind="figures", images={"f.png": IMAGE})))
    assert f'src="{IMAGE}"' in html
    assert 'class="chart"' not in html


def test_costs_are_added_up_by_model():
    line = {"llm": "vicuna", "model": "v", "requests": 1000, "prompt_tokens": 2, "completion_tokens": 3}
    html = overview(cost=pd.DataFrame([line | {"usd": 0.5, "usd_at_most": 0.75}] * 2))
    for cell in ("2,000", ">4<", ">6<", "1.0000", "1.5000"):
        assert cell in html


def test_a_run_is_summed_up_from_its_log():
    made = {"settings": {"recipe": {"encoder": "bert-base"}}}
    run = run_row("a/b/seed42", HISTORY, made)
    assert run.cells == ("0.5000", "2", "4", "2", "1,032", "1.0000")
    assert run.curve_of == "dev score from 0.500 to 0.250"
    assert run.encoder == "bert-base"
    assert "a/<wbr>b/<wbr>seed42" in overview(runs=[run])
    once = run_row("a", HISTORY.assign(dev_score=[None, None, None, 0.1]), made)
    assert once.curve_of == "loss from 4.000 to 1.000"
    left_out = run_row("a", HISTORY.head(0), {**made, "status": {"unavailable": "too few pairs"}})
    assert (left_out.curve, left_out.curve_of, set(left_out.cells)) == ("", "too few pairs", {"–"})


DEV_TEXT = (
    "<p>The curve is the dev score over the steps, or the loss over the steps if there is no dev score. "
    "dev: the best dev score. "
)
LOSS_TEXT = (
    "texts seen: the texts of all steps together, where every text of a pair counts. "
    "loss: the mean over the last tenth of the steps. A loss near 0 is usual: in most methods, the encoder "
    "finds the partner of each sentence among the texts of a batch, which is an easy task. Only the test "
    "score shows what the training gains.</p>"
)


def test_the_columns_of_the_trainings_are_explained_and_those_that_are_empty_are_left_out():
    made = {"settings": {"recipe": {"encoder": "bert"}}}
    run, without_dev = run_row("a", HISTORY, made), run_row("b", HISTORY.assign(dev_score=None), made)
    both, alone = overview(runs=[run, without_dev]), overview(runs=[without_dev])
    assert DEV_TEXT + LOSS_TEXT in both
    assert "<p>The curve is the loss over the steps. " + LOSS_TEXT in alone
    number = '<th scope="col" tabindex="0" class="number">'
    assert f"{number}dev</th>{number}at step</th>{number}steps</th>" in both
    assert f'<th scope="col" tabindex="0">curve</th>{number}steps</th>' in alone
    assert '<td class="number">–</td>' in both
    assert '<td class="number">–</td>' not in alone
