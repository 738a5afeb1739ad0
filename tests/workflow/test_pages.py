"""Which pages the report has."""

import re
from pathlib import Path

import yaml

from contrapose.kinds import settings_class
from contrapose.project import Project, pages
from contrapose.report.kinds.union import TABLES
from tests.checkout import HOME, TARGET, Checkout, checkout

RULES = ("--allowed-rules", "pages", "report_page", "report_overview")


def test_every_result_of_every_study_has_a_page_that_the_workflow_can_make(tmp_path: Path):
    project = checkout(tmp_path, HOME / "config")
    all_five = Project(yaml.safe_load((HOME / "config/config.yaml").read_text()), HOME)
    files = [
        f"results/pages/{kind}/{name}.html"
        for study in all_five.studies
        for kind, name in pages.results_of(all_five, study)
    ]
    assert len(all_five.studies) == 5
    planned = project.plan(*files)
    assert planned["report_page"] == len(files) > len(all_five.tables)
    of_scores = [spec for _, spec in all_five.tables.values() if spec.kind == "sts"]
    assert planned["report_sts_table"] == len(of_scores)


def test_pages_know_which_tables_have_a_plot(finished: Checkout):
    study = yaml.safe_load((finished.folder / "config/studies/smoke/study.yaml").read_text())
    for name, table in study["tables"].items():
        text = (finished.folder / f"results/tables/smoke_{name}.md").read_text()
        plotted = f"](smoke_{name}.png)" in text
        assert settings_class(TABLES[table["kind"]]).plotted == plotted, name


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


def test_words_of_a_study_and_of_a_world_run_no_script_in_the_report(tmp_path: Path):
    made, page, report = checkout(tmp_path), "results/pages/overview.html", "results/report.html"
    script = "</script><script>alert(1)</script>"
    for file, key in (("studies/smoke/study.yaml", "title: "), ("worlds/tiny.yaml", "description: ")):
        path = tmp_path / "config" / file
        path.write_text(re.sub(f"^{key}.*$", f'{key}"{script}"', path.read_text(), count=1, flags=re.M))
    made.run(page, "--allowed-rules", "report_overview")
    made.run(page, "--report", report)
    for file in (page, report):
        assert "alert(1)" in (tmp_path / file).read_text()
        assert "<script>alert" not in (tmp_path / file).read_text()
