"""Held-out dev pairs, teachers, and encoders that a training of ours makes: ids, files and checks."""

from pathlib import Path

import pytest

from contrapose.errors import ConfigError
from contrapose.project import data

ENGLISH = "wiki40b-dropout-en"
RANKCSE = {"model": "RankCSE", "pairs": ENGLISH, "recipe": "rankcse"}
ROWS = [
    RANKCSE,
    {"model": "SimCSE", "pairs": f"{ENGLISH}+size=pairs_10k", "recipe": "ppdbcse"},
    {"model": "SimCSE", "pairs": "nli-en", "recipe": "ppdbcse"},
]
TEACHER = "encoders.rankcse-teacher-en"
RUN = {"kind": "run", "pairs": ENGLISH, "recipe": "ppdbcse"}


@pytest.fixture
def plan(build):
    """Give a function (rows, entries of the world, of the recipes) that builds a project of one table."""

    def project(*rows, world=None, **recipes):
        table = {"kind": "sts", "caption": "c", "columns": {"STS-B": "stsb"}, "rows": list(rows or ROWS)}
        return build({"one": table}, None, world, recipes)

    return project


def missing(project):
    return [project.runs.missing(row) for row in project.tables["own_one"][1].rows]


def test_dev_pairs_are_the_same_for_every_size(plan, job):
    project = plan()
    for pairs in (ENGLISH, f"{ENGLISH}+size=pairs_160k"):
        assert project.runs.dev_file(pairs, "ppdbcse") == f"<results>/pairs/{ENGLISH}+part=dev.parquet"
    assert project.runs.own_dev("nli-en+seed=2+size=pairs_10k") == "nli-en+part=dev+seed=2"
    train, dev = (
        job(project, "pairs_dropout", pairs=f"{ENGLISH}{part}")["spec"] for part in ("", "+part=dev")
    )
    assert (train["size"], train["held_out"], train["part"]) == (512, 128, "train")
    assert (dev["held_out"], dev["part"]) == (128, "dev")


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"pairs": "bare"}, "has no dev pairs"),
        ({"pairs": f"{ENGLISH}+part=dev"}, "are dev pairs. Train on the pair set without part=dev"),
        ({"pairs": f"{ENGLISH}+held_out=only_one"}, "1 pair in the world 'mini'; a checkpoint is selected"),
        ({"pairs": "nli-en", "recipe": "rankcse"}, "these are of kind triples. Name pairs of kind dropout"),
    ],
)
def test_what_cannot_be_trained_stops_before_the_first_job(row, message, plan):
    bare = {"pairs.bare": {"kind": "dropout", "corpus": "wiki40b-en"}}
    with pytest.raises(ConfigError, match=message):
        plan({"model": "m", "recipe": "ppdbcse", **row}, world={"sizes.only_one": 1}, **bare)


def test_a_recipe_with_a_teacher_needs_a_weight_and_a_loss_that_ranks(plan):
    for changes, message in (
        ({"distillation": 1.0}, "set both teacher and distillation"),
        ({"consistency": 1.0, "loss": "cosine_error"}, "consistency and distillation rank a batch"),
    ):
        with pytest.raises(ConfigError, match=message):
            plan(**{"recipes.rankcse": changes})


def test_a_teacher_is_the_run_of_a_table_with_the_first_seed_or_an_encoder_with_its_pooling(plan, job):
    simcse = {"model": "SimCSE", "pairs": ENGLISH, "recipe": "ppdbcse"}
    project = plan(simcse, RANKCSE, world={TEACHER: {**RUN, "recipe": "ppdbcse+temperature=0.05"}})
    run = project.runs.of(project.tables["own_one"][1].rows[0])[0]
    assert project.encoder("rankcse-teacher-en").files == f"<results>/train/{run.id}/encoder"
    assert run.id == f"{ENGLISH}/ppdbcse/seed42"

    def teacher(project, recipe):
        return job(project, "train_encoder", pairs=ENGLISH, recipe=recipe, seed="42").teacher

    ranked = teacher(project, "rankcse")
    assert (ranked.pooling, ranked.encoder) == ("auto", None)
    assert teacher(project, "ppdbcse") is None
    hub = {"kind": "hub", "model": "a/b", "revision": "c", "pooling": "cls_before_pooler"}
    project = plan(world={TEACHER: hub})
    distilled = teacher(project, "rankcse")
    assert distilled.pooling == "cls_before_pooler"
    assert (distilled.encoder.model, distilled.encoder.revision) == ("a/b", "c")
    assert project.encoder("rankcse-teacher-en").files == []


def test_a_row_whose_teacher_cannot_be_had_has_no_numbers(plan):
    assert missing(plan()) == ["", "", ""]
    assert missing(plan(world={TEACHER: None}))[0] == "this world has no encoder 'rankcse-teacher-en'"
    # Nor if the training that makes it lacks its articles, or its own encoder.
    japanese = {**RUN, "pairs": "wiki40b-dropout-ja"}
    found = missing(plan(world={TEACHER: japanese, "collections.wiki40b-ja": None}))
    assert found == ["this world has no collection 'wiki40b-ja'", "", ""]
    other = {**RUN, "recipe": "ppdbcse+encoder=nobody"}
    found = missing(plan(world={TEACHER: other, "encoders.nobody": None}))
    assert found[0] == "this world has no encoder 'nobody'"


def test_the_run_behind_an_encoder_is_checked_too_and_does_not_start_from_itself(plan):
    first, second = (
        {**RUN, "recipe": recipe} for recipe in ("ppdbcse+encoder=second", "rankcse+teacher=first")
    )
    with pytest.raises(ConfigError, match=r"refers to itself through .*encoders.first"):
        plan(
            {**RANKCSE, "recipe": "rankcse+teacher=first"},
            world={"encoders.first": first, "encoders.second": second},
        )
    with pytest.raises(ConfigError, match="the loss cosine_error is for pairs with labels"):
        plan(RANKCSE, world={TEACHER: {**RUN, "recipe": "rise"}})


def test_triples_below_the_project_are_looked_for_there(plan):
    jsnli = {"triple_files.jsnli": {"kind": "jsnli", "path": "./own/train.tsv"}}
    project = plan({**ROWS[2], "pairs": "nli-ja"}, world=jsnli)
    assert missing(project) == ["./own/train.tsv is missing"]
    Path("own").mkdir()
    Path("own/train.tsv").touch()
    again = plan({**ROWS[2], "pairs": "nli-ja"}, world=jsnli)
    assert missing(again) == [""]
    assert data.triple_inputs(again, "jsnli") == ["own/train.tsv"]
    assert data.triple_inputs(again, "nli") == [data.MADE]
