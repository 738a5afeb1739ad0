from inspect import get_annotations
from pathlib import Path

from pydantic import BaseModel

from contrapose.project import Project
from contrapose.project.reports import inputs
from contrapose.report.kinds.union import FIGURES, TABLES

HOME = Path(__file__).parents[3]


def configured(**config) -> Project:
    return Project(config, HOME)


def test_a_table_or_figure_is_given_the_files_that_its_build_takes():
    project = configured(studies=["thesis", "rise", "edacse", "prdsimcse", "ppdbcse"], catalog="hub")
    shown = {**project.tables, **project.figures}
    assert {spec.kind for _, spec in shown.values()} >= {"sts", "settings", "sizes", "curve", "scatter"}
    for name, (_, spec) in shown.items():
        takes = get_annotations((TABLES | FIGURES)[spec.kind].build, eval_str=True)
        files = [each for each, kind in takes.items() if not _is_settings(kind) and each != "return"]
        common = {"histories", "published"}  # which `about` knows
        assert set(inputs(project, name)) - common == set(files) - common, name


def _is_settings(kind: object) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseModel)
