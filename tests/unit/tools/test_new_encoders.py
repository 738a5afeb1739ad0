"""The folder of a comparison of several encoders: each has all rows, and is compared within itself."""

import shutil
from pathlib import Path

import pytest
import yaml

from contrapose.base.home import HOME
from contrapose.project import Project
from contrapose.report.comparison import baseline_rows
from contrapose.tools.new import write
from contrapose.tools.new_encoders import named_encoders

ENCODER = HOME / "resources/mini/encoders/bert-base"


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A folder of two encoders whose folders have one name, in a project of their own."""
    for owner in "ab":
        shutil.copytree(ENCODER, tmp_path / owner / "bert-base")
    (tmp_path / "s.txt").write_text("A man sings.\nSomeone sings.\n")
    pairs = "A man sings.,Someone sings.,3\nNo.,Yes.,1\nIt is.,It was.,2\n"
    (tmp_path / "t.csv").write_text(f"sentence1,sentence2,score\n{pairs}")
    files = {"sentences": tmp_path / "s.txt", "test": tmp_path / "t.csv"}
    one, other = (str(tmp_path / owner / "bert-base") for owner in "ab")
    write(tmp_path / "own", one, files, more_encoders=[other])
    monkeypatch.chdir(tmp_path / "own")
    return Project(yaml.safe_load(Path("config/config.yaml").read_text()), HOME)


def test_each_encoder_has_all_rows_with_what_it_makes_itself(project):
    rows = project.tables["compare_pairs"][1].rows
    first, second = rows[: len(rows) // 2], rows[len(rows) // 2 :]
    assert [row.model for row in first] == [row.model for row in second]
    assert {row.group for row in first} == {"bert-base"}
    assert {row.group for row in second} == {"bert-base-2"}
    by_name = {row.model: row for row in second}
    assert by_name["No training"].encoder == "bert-base-2"
    guided = by_name["LLM paraphrases + guided mined negatives (GISTEmbed)"]
    assert project.pairs(str(guided.pairs)).encoder == "bert-base-2"
    recipe = project.recipe(project.recipe_id(str(guided.recipe)))
    assert (recipe.encoder, recipe.guide) == ("bert-base-2", "bert-base-2")
    soup = project.recipe(project.recipe_id(str(by_name["Dropout model soup"].recipe)))
    assert project.recipe(project.recipe_id(soup.recipe)).encoder == "bert-base-2"
    relabelled = by_name["LLM paraphrases + relabelled mined negatives (Gecko)"]
    assert project.pairs(project.pairs(str(relabelled.pairs)).pairs).encoder == "bert-base-2"
    trained = {each: project.encoder(each).name for each in ("mine", "bert-base-2")}
    assert trained == {"mine": "bert-base", "bert-base-2": "bert-base-2"}
    curve = project.about("more_sentences").rows
    assert {row.group for row in curve} == {
        *("bert-base", "bert-base-2", "bert-base: Dropout", "bert-base-2: Dropout")
    }


def test_rows_are_compared_with_their_own_encoder(project):
    spec = project.tables["compare_pairs"][1]
    assert [(each.row, each.by) for each in spec.baseline] == [
        ("No training", "encoder"),
        ("Dropout", "encoder"),
    ]
    rows = project.about("compare_pairs").rows
    for row, number in zip(rows, baseline_rows(rows, spec.baseline[0]), strict=True):
        if row.runs:
            assert (rows[number].model, rows[number].encoder) == ("No training", row.encoder)


@pytest.mark.parametrize(
    ("given", "roles", "labels"),
    [
        (["a/x", "b/x"], ["mine", "x-2"], ["x", "x-2"]),
        (["a/x@0123", "a/teacher"], ["mine", "teacher-2"], ["x", "teacher"]),
        (["a/x", "a/x+y z"], ["mine", "x-y-z"], ["x", "x+y z"]),
        (["a/x", "a/.hidden"], ["mine", "hidden"], ["x", ".hidden"]),
    ],
)
def test_names_of_encoders_are_apart_and_fit_into_ids(given, roles, labels):
    named = named_encoders(given)
    assert [each.role for each in named] == roles
    assert [each.label for each in named] == labels
