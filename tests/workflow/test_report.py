import base64
import hashlib
import re
from html import unescape as html_unescape
from pathlib import Path

import pytest
import yaml

from contrapose.base.errors import ConfigError
from contrapose.jobs.step import settings_class
from contrapose.report.kinds.union import TABLES
from contrapose.report.web import POLICY
from contrapose.tables import COST, empty, write_table
from contrapose.tools.report_file import main
from tests.checkout import TARGET, Checkout, checkout

REPORT = "results/report.html"


@pytest.fixture
def folder(finished: Checkout, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the finished small project, as the working directory."""
    monkeypatch.chdir(finished.folder)
    return finished.folder


def test_settings_say_which_tables_have_a_plot(finished: Checkout):
    study = yaml.safe_load((finished.folder / "config/studies/smoke/study.yaml").read_text())
    for name, table in study["tables"].items():
        text = (finished.folder / f"results/tables/smoke_{name}.md").read_text()
        plotted = f"](smoke_{name}.png)" in text
        assert settings_class(TABLES[table["kind"]]).plotted == plotted, name


def test_every_result_that_is_built_has_a_page(folder: Path, tmp_path: Path):
    main(["--to", str(tmp_path / "report.html")])
    html = (tmp_path / "report.html").read_text()
    there = [*folder.glob("results/tables/*.parquet"), *folder.glob("results/figures/*.parquet")]
    for path in there:
        anchor = f"{path.parent.name}/{path.stem}"
        assert f'id="{anchor}"' in html
        assert f'href="#{anchor}"' in html
    assert html.count("<article") == len(there) > 20


def test_what_is_not_built_is_named_and_not_built_for_the_report(folder: Path, tmp_path: Path, capsys):
    table = folder / Path(TARGET).with_suffix(".parquet")
    hidden = table.rename(table.with_suffix(".away"))
    try:
        main(["--to", str(tmp_path / "report.html")])
    finally:
        hidden.rename(table)
    html = (tmp_path / "report.html").read_text()
    assert re.search(rf"Not built: 1 of \d+</summary>\n<p>{table.stem}\.</p>", html)
    assert f'id="tables/{table.stem}"' not in html
    said = capsys.readouterr().out
    assert "with 27 of 28 tables, figures and claims of smoke." in said
    assert "The others are not built. To build them: contrapose run -- smoke\n" in said


def test_the_report_is_named_as_it_is_seen_where_the_command_was_called(folder: Path, monkeypatch, capsys):
    monkeypatch.setenv("CONTRAPOSE_DIRECTORY", "mine")
    main([])
    (folder / REPORT).unlink()
    assert capsys.readouterr().out.startswith(f"Wrote mine/{REPORT} with ")


def test_snakemakes_own_report_stands_beside_it_and_runs_nothing(folder: Path, finished: Checkout):
    assert finished.plan("built_results") == {}
    workflow = folder / "results/workflow.html"
    finished.forked("built_results", "--report", str(workflow))
    main([])
    assert "report_sts_table" in workflow.read_text()
    assert 'href="workflow.html"' in (folder / REPORT).read_text()
    (folder / REPORT).unlink()
    workflow.unlink()


def test_words_of_settings_run_no_script_in_the_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    checkout(tmp_path)
    monkeypatch.chdir(tmp_path)
    script = "</script><script>alert(1)</script>"
    for file, key in (("studies/smoke/study.yaml", "title: "), ("catalogs/tiny.yaml", "description: ")):
        path = tmp_path / "config" / file
        path.write_text(re.sub(f"^{key}.*$", f'{key}"{script}"', path.read_text(), count=1, flags=re.M))
    with pytest.raises(ConfigError, match="results has no finished table or figure yet"):
        main([])
    write_table(empty(COST), tmp_path / "results/generate/cost.parquet", COST)
    main([])
    html = (tmp_path / REPORT).read_text()
    assert html.count("alert(1)") == 2
    assert html.count("<script") == 1  # ours, the only one that the policy of the page lets run
    assert POLICY in html_unescape(html)
    assert hashed(html.partition("<script>")[2].partition("</script>")[0]) in POLICY


def hashed(script: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"
