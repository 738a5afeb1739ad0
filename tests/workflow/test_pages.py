"""Which pages the report has."""

from pathlib import Path

import yaml
from contrapose.plan import Plan
from contrapose.plan.pages import PLOTTED

from tests.checkout import HOME, TARGET, Checkout, checkout

RULES = ("--allowed-rules", "pages", "report_page", "report_overview")


def test_every_result_of_every_study_has_a_page_that_the_workflow_can_make(tmp_path: Path):
    project = checkout(tmp_path, HOME / "config")
    plan = Plan(yaml.safe_load((HOME / "config/config.yaml").read_text()), HOME)
    pages = [
        f"results/pages/{kind}/{name}.html" for study in plan.studies for kind, name in plan.results_of(study)
    ]
    assert len(plan.studies) == 5
    planned = project.plan(*pages)
    assert planned["report_page"] == len(pages) > len(plan.tables)
    assert planned["report_sts_table"] == len(plan.tables_of_kind("sts"))


def test_pages_know_which_tables_have_a_plot(finished: Checkout):
    study = yaml.safe_load((finished.folder / "config/studies/smoke/study.yaml").read_text())
    for name, table in study["tables"].items():
        text = (finished.folder / f"results/tables/smoke_{name}.md").read_text()
        plotted = f"](smoke_{name}.png)" in text
        assert (table["kind"] in PLOTTED) == plotted, name


def test_pages_are_made_of_what_is_built_and_nothing_else_is(finished: Checkout):
    there = [
        *finished.folder.glob("results/tables/*.parquet"),
        *finished.folder.glob("results/figures/*.parquet"),
    ]
    made = {"pages": 1, "report_overview": 1, "report_page": len(there)}
    assert finished.plan("pages", *RULES) == made
    table = finished.folder / Path(TARGET).with_suffix(".parquet")
    hidden = table.rename(table.with_suffix(".away"))
    try:
        assert finished.plan("pages", *RULES) == made | {"report_page": len(there) - 1}
    finally:
        hidden.rename(table)
