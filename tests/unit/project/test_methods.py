"""Which rows comparisons have, and that only their tables change by it."""

import re
from pathlib import Path

import pytest

from contrapose.base.errors import ConfigError
from contrapose.base.home import HOME
from contrapose.project import Project, reports
from contrapose.project.methods import nothing_to_compare
from contrapose.report.row_settings import Row
from contrapose.settings.cli_config import given_config
from contrapose.tools import outline
from contrapose.tools.check import check_comparisons
from contrapose.tools.dry_run import Job
from contrapose.tools.finding import report
from contrapose.tools.new import write
from contrapose.tools.start import check_comparisons as check_at_start
from tests.unit.project.conftest import HOME as REPOSITORY

CROP = "Span crop"


@pytest.fixture
def wiki(monkeypatch) -> None:
    monkeypatch.chdir(REPOSITORY / "examples/wiki")


def project(*methods: str, **config: object) -> Project:
    return Project({**given_config([]), "methods": [*methods], **config}, HOME)


def models(found: Project, table: str = "compare_pairs") -> list[str]:
    return [row.model for row in found.tables[table][1].rows]


def test_rows_without_training_and_baselines_stay_and_the_order_is_that_of_the_table(wiki):
    assert models(project("Word shuffling", CROP)) == ["No training", "Dropout", CROP, "Word shuffling"]
    assert models(project("Dropout")) == ["No training", "Dropout"]
    assert models(project()) == models(Project(given_config([]), HOME))


def test_trainings_and_tables_of_other_rows_are_as_they_were(wiki):
    every, some = project(), project(CROP)
    runs = set(reports.trained_runs(some))
    assert runs < set(reports.trained_runs(every))
    about = {run.model: run for run in every.about("compare_pairs").rows}
    assert [about[row.model] for row in some.about("compare_pairs").rows] == some.about("compare_pairs").rows
    samples = some.about("compare_samples").rows
    assert [row.model for row in samples] == ["No training", "Dropout", CROP]


def test_a_learning_curve_loses_the_rows_that_its_comparison_loses(wiki):
    assert models_of_curve(project("Word shuffling", learning_curve_methods=["Word shuffling"])) == [
        "Dropout",
        "Word shuffling",
    ]
    with pytest.raises(ConfigError, match=f"has no entry '{CROP}'"):
        project("Word shuffling", learning_curve_methods=[CROP])


def models_of_curve(found: Project) -> list[str]:
    rows: list[Row] = found.about("more_sentences").rows
    return list(dict.fromkeys(row.group for row in rows if row.group))


def test_a_mistyped_name_is_told_with_the_nearest_and_all_that_are_known(wiki):
    says = re.escape("methods has no entry 'Span corp'. Did you mean 'Span crop'? Known: Back-translation")
    with pytest.raises(ConfigError, match=says):
        project("Span corp")


def test_tables_of_papers_are_no_comparisons(tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError, match=r"these studies have none: thesis\. Remove --methods"):
        project("Dropout", studies=["thesis"])


@pytest.fixture
def mine(tmp_path: Path, monkeypatch) -> Path:
    """Go to a folder of `contrapose init`; return its file of sentences."""
    files = {
        "sentences": "".join(f"Sentence {each}.\n" for each in range(20)),
        "test": "sentence1,sentence2,score\n"
        + "".join(f"A {each}.,B {each}.,{each}\n" for each in range(30)),
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    encoder = str(REPOSITORY / "resources/mini/encoders/bert-base")
    write(tmp_path / "mine", encoder, {name: tmp_path / name for name in files})
    monkeypatch.chdir(tmp_path / "mine")
    return Path("data/sentences.txt")


def test_a_comparison_of_which_every_trained_row_is_skipped_stops_a_run_and_is_missing(mine, monkeypatch):
    table = Job("report_sts_table", {"table": "compare_pairs"}, outputs=["t"], reason="Missing output files")
    jobs = [table, Job("report_samples_table", {"table": "compare_samples"}), Job("compare", {})]
    assert nothing_to_compare(project(), ["compare_pairs"]) == {}
    check_at_start(project(), jobs)
    mine.unlink()
    says = (
        "compare_pairs: all trained methods are skipped, so nothing can be compared: sentences.txt is "
        "missing. Provide this input, which config/catalogs/own.yaml names."
    )
    assert report(list(check_comparisons(project(), jobs))) == (
        f"Missing (1)\n  {says}\n\n1 missing, so a run would fail."
    )
    with pytest.raises(ConfigError, match=f"^{re.escape(says)} No job was started[.]$"):
        check_at_start(project(), jobs)
    monkeypatch.setattr(outline, "machine", lambda project: None)
    assert f"{says} A run would stop before its first job." in outline.outline(project(), [table])
