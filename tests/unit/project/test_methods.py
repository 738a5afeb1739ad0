"""Which rows comparisons have, and that only their tables change by it."""

import re
from pathlib import Path

import pytest

from contrapose.base.errors import ConfigError
from contrapose.base.home import HOME
from contrapose.project import Project, reports
from contrapose.report.row_settings import Row
from contrapose.settings.cli_config import given_config
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
