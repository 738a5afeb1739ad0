"""Rows of the studies that stand beside the papers' own: controls, checks and searches."""

from inspect import get_annotations
from pathlib import Path

import pytest
from pydantic import BaseModel

from contrapose.project import Project
from contrapose.report.kinds.union import FIGURES, TABLES
from contrapose.report.published import printed_rows, read_published

HOME = Path(__file__).parents[3]
MINI = "worlds/mini.yaml"


def configured(**config) -> Project:
    return Project(config, HOME)


@pytest.mark.parametrize("table", ["table4_8", "prdsimcse_table11"])
def test_the_published_simcse_is_measured_where_its_printed_numbers_stand(edited, table):
    model = {"path": "./resources/mini/encoders/bert-base", "pooling": "cls_before_pooler"}
    project = edited(MINI, {"encoders.unsup-simcse-bert-base": model}, studies=["thesis", "prdsimcse"])
    rows = [row for row in project.reports.about_of(table).rows if "released" in "".join(row.runs)]
    (row,) = [row for row in rows if "unsup" in row.runs[0]]
    assert row.runs == ["released/unsup-simcse-bert-base/cls_before_pooler"]
    assert row.published is None  # claims are about what was trained here


def test_simcse_has_rows_with_the_settings_of_its_own_paper():
    project = configured(studies=["thesis", "prdsimcse"], world="hub")
    own = {
        (name, recipe.encoder, recipe.batch_size, recipe.learning_rate)
        for name in ("table4_1", "table4_3", "prdsimcse_table4", "prdsimcse_table7")
        for row in project.reports.about_of(name).rows
        if "own settings" in row.label
        for run in row.runs
        for recipe in [project.recipe(run.split("/")[1])]
        if (recipe.epochs, recipe.max_length, recipe.weight_decay, recipe.mlp) == (1, 32, 0, "train_only")
    }
    large = {(name, "roberta-large", 512, 3e-5) for name in ("table4_1", "table4_3")}
    base = {(name, "roberta-base", 512, 1e-5) for name in ("table4_1", "table4_3", "prdsimcse_table4")}
    bert = {(name, "bert-base", 64, 3e-5) for name in ("prdsimcse_table4", "prdsimcse_table7")}
    assert own == large | base | bert


@pytest.mark.parametrize("number", [7, 9, 10, 13])
def test_simcse_is_judged_with_the_head_too_that_all_of_prdsimcse_has(number):
    project = configured(studies=["prdsimcse"])
    rows = project.reports.about_of(f"prdsimcse_table{number}").rows
    heads = {row.model: project.recipe(row.runs[0].split("/")[1]).mlp for row in rows}
    without = {model for model, head in heads.items() if head == "train_only"}
    assert without == {"SimCSE", "SimCSE, its own settings"}
    assert heads["SimCSE, with the head"] == "always"


@pytest.mark.parametrize("number", [5, 6, 7])
def test_the_last_step_of_edacse_is_the_only_one_that_is_scored(number):
    project = configured(studies=["edacse"])
    last = [row for row in project.reports.about_of(f"edacse_table{number}").rows if "last step" in row.group]
    assert [row.model for row in last] == ["438650", "10000"]
    recipes = {project.recipe(row.runs[0].split("/")[1]) for row in last}
    assert {(recipe.epochs, recipe.dev_every) for recipe in recipes} == {(1, "epoch")}


def test_a_search_tries_the_ranges_of_edacse_for_simcse():
    rows = configured(studies=["edacse"], search=True).reports.about_of("edacse_table8").rows
    tried = [row for row in rows if row.candidates]
    assert [(row.group, row.model) for row in tried] == [
        (group, "SimCSE, selected") for group in ("mini-BERT", "mini-RoBERTa", "mini-RoBERTa-large")
    ]
    for row in tried:
        values = [dict(each.split("=") for each in one.setting.split(",")) for one in row.candidates]
        ends = {name: {float(each[name]) for each in values} for name in values[0]}
        assert {name: (min(each), max(each)) for name, each in ends.items()} == {
            **{"learning_rate": (1e-6, 5e-5), "batch_size": (8, 128), "dropout": (0.1, 0.8)}
        }


@pytest.mark.parametrize("pair", "abc")
def test_the_printed_texts_of_edacse_stand_beside_the_printed_cosines(pair):
    project = configured(studies=["edacse"])
    spec = project.tables[f"edacse_pair_{pair}"][1]
    files = project.reports.published(f"edacse_pair_{pair}")
    printed = printed_rows("table1", read_published(files), spec.layout)
    first, second = (printed[text.published]["cosine"] for text in spec.texts)
    assert (first, second) == {"a": (0.388, 0.437), "b": (0.102, 0.154), "c": (0.8784, 0.8845)}[pair]
    assert spec.texts[1].text.startswith(spec.texts[0].text)


@pytest.mark.parametrize("source", ["stsb", "qqp", "mrpc"])
def test_a_search_tries_rise_with_five_temperatures_on_the_same_dev_pairs(source):
    plain, search = (configured(studies=["rise"], search=each) for each in (False, True))
    pairs = [run.split("/")[0] for run in search.reports.about_of("rise_table2").runs]
    tried = {each for each in pairs if search.pairs(each).kind == "reweighted" and "strategy" not in each}
    assert {search.pairs(each).temperature for each in tried if source in each} == {0.3, 0.5, 0.7, 0.9, 1.0}
    assert {search.runs.own_dev(each) for each in tried if source in each} == {f"dino-{source}-dev"}
    assert len(plain.reports.about_of("rise_table2").runs) == 12


def test_a_table_or_figure_is_given_the_files_that_its_build_takes():
    project = configured(studies=["thesis", "rise", "edacse", "prdsimcse", "ppdbcse"], world="hub")
    shown = {**project.tables, **project.figures}
    assert {spec.kind for _, spec in shown.values()} >= {"sts", "settings", "sizes", "curve", "scatter"}
    for name, (_, spec) in shown.items():
        takes = get_annotations((TABLES | FIGURES)[spec.kind].build, eval_str=True)
        files = [each for each, kind in takes.items() if not _is_settings(kind) and each != "return"]
        common = {"histories", "published"}  # which `about` knows
        assert set(project.reports.inputs(name)) - common == set(files) - common, name


def _is_settings(kind: object) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseModel)
