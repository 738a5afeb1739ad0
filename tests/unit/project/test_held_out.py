"""Held-out dev pairs, teachers, and encoders that a training of ours makes: ids, files and checks."""

from pathlib import Path

import pytest

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


def test_triples_below_the_project_are_looked_for_there(plan):
    Path("own.tsv").touch()
    project = plan(world={"triple_files.jsnli": {"kind": "jsnli", "path": "./own.tsv"}})
    assert data.triple_inputs(project, "jsnli") == ["own.tsv"]
    assert data.triple_inputs(project, "nli") == [data.MADE]
