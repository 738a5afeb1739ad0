"""Held-out dev pairs, teachers, and encoders that a training of ours makes: ids, files and checks."""

from pathlib import Path

import pytest
import yaml
from contrapose.plan import Plan

from contrapose.errors import ConfigError

HOME = Path(__file__).parents[2]
ENGLISH = "wiki40b-dropout-en"
ROWS = {
    "rankcse": {"model": "RankCSE", "pairs": ENGLISH, "recipe": "rankcse"},
    "unsupervised": {"model": "SimCSE", "pairs": f"{ENGLISH}+size=pairs_10k", "recipe": "ppdbcse"},
    "supervised": {"model": "SimCSE", "pairs": "nli-en", "recipe": "ppdbcse"},
}


@pytest.fixture
def plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Build a plan of a study with one table of these rows, in an edited mini world with edited recipes."""
    monkeypatch.chdir(tmp_path)

    def build(*rows, encoders=(), world=(), **recipes) -> Plan:
        settings = yaml.safe_load((HOME / "config/worlds/mini.yaml").read_text())
        settings["encoders"] |= dict(encoders)
        for key, entries in dict(world).items():
            settings[key] |= entries
        content = yaml.safe_load((HOME / "config/recipes.yaml").read_text())
        for section, entries in recipes.items():
            content[section] |= entries
        columns = {"STS-B": {"task": "stsb"}}
        table = {"kind": "sts", "caption": "c", "columns": columns, "rows": list(rows or ROWS.values())}
        study = {"title": "t", "source": "s", "prefix": "own_", "tables": {"one": table}}
        files = {"worlds/mini": settings, "recipes": content, "studies/own/study": study}
        for name, each in files.items():
            path = tmp_path / "config" / f"{name}.yaml"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(yaml.safe_dump(each))
        return Plan({"studies": ["own"]}, HOME)

    return build


def missing(project):
    return [project.missing(row) for row in project.tables["own_one"][1].rows]


def test_dev_pairs_are_the_same_for_every_size(plan):
    project = plan()
    for pairs in (ENGLISH, f"{ENGLISH}+size=pairs_160k"):
        assert project.dev_file(pairs, "ppdbcse") == f"<results>/pairs/{ENGLISH}+part=dev.parquet"
    assert project.own_dev("nli-en+seed=2+size=pairs_10k") == "nli-en+part=dev+seed=2"
    train, dev = (project.pairs_dropout(f"{ENGLISH}{part}") for part in ("", "+part=dev"))
    assert (train.sentences, train.dev, train.part) == (512, 128, "train")
    assert (dev.dev, dev.part) == (128, "dev")
    triples = project.pairs_triples("nli-en+part=dev")
    assert (triples.triples, triples.dev, triples.part) == (512, 128, "dev")


@pytest.mark.parametrize(
    ("row", "changes", "message"),
    [
        ({}, {"pairs": {"bare": {"kind": "dropout", "corpus": "wiki40b-en"}}}, "has no dev pairs of its own"),
        ({"pairs": f"{ENGLISH}+part=dev"}, {}, "are for dev alone. Train on those without part=dev"),
        ({"pairs": f"{ENGLISH}+held_out=nothing"}, {}, "sizes of the world has no entry 'nothing'"),
        (
            {"pairs": f"{ENGLISH}+held_out=only_one"},
            {},
            "1 pair in the world 'mini'; a checkpoint is selected",
        ),
        (
            {"pairs": "nli-en", "recipe": "rankcse"},
            {},
            "these are of kind triples. Name pairs of kind dropout",
        ),
    ],
)
def test_what_cannot_be_trained_stops_before_the_first_job(row, changes, message, plan):
    pairs = "bare" if changes else ENGLISH
    row = {"model": "m", "pairs": pairs, "recipe": "ppdbcse", **row}
    with pytest.raises(ConfigError, match=message):
        plan(row, world={"sizes": {"only_one": 1}}, **changes)


def test_a_recipe_with_a_teacher_needs_a_weight_and_a_loss_that_ranks(plan):
    for changes, message in (
        ({"distillation": 1.0}, "set both teacher and distillation"),
        ({"consistency": 1.0, "loss": "cosine_error"}, "consistency and distillation rank a batch"),
    ):
        with pytest.raises(ConfigError, match=message):
            plan(recipes={"rankcse": changes})


def test_a_teacher_that_we_train_is_the_run_of_a_table_with_the_first_seed(plan):
    row = {"model": "SimCSE", "pairs": ENGLISH, "recipe": "ppdbcse"}
    teacher = {"kind": "run", "pairs": ENGLISH, "recipe": "ppdbcse+temperature=0.05"}
    project = plan(row, ROWS["rankcse"], encoders={"rankcse-teacher-en": teacher})
    (run,) = project.runs(project.tables["own_one"][1].rows[0])[:1]
    assert project.teacher_inputs("rankcse") == f"<results>/train/{run.id}/encoder"
    assert run.id == f"{ENGLISH}/ppdbcse/seed42"
    assert project.teacher_inputs("ppdbcse") == []
    job = project.train_encoder(ENGLISH, "rankcse", "42")
    assert (job.teacher.pooling, job.teacher.encoder) == ("auto", None)
    assert project.train_encoder(ENGLISH, "ppdbcse", "42").teacher is None


def test_a_teacher_of_the_hub_stands_in_the_job_with_its_pooling(plan):
    hub = {"kind": "hub", "model": "a/b", "revision": "c", "pooling": "cls_before_pooler"}
    project = plan(encoders={"rankcse-teacher-en": hub})
    job = project.train_encoder(ENGLISH, "rankcse", "42")
    assert job.teacher.pooling == "cls_before_pooler"
    assert (job.teacher.encoder.model, job.teacher.encoder.revision) == ("a/b", "c")
    assert project.teacher_inputs("rankcse") == []


def test_a_row_whose_teacher_cannot_be_had_has_no_numbers(plan):
    assert missing(plan()) == ["", "", ""]
    assert missing(plan(encoders={"rankcse-teacher-en": None}))[0] == (
        "this world has no encoder 'rankcse-teacher-en'"
    )
    # Nor if the training that makes it lacks its articles, or its own encoder.
    run = {"kind": "run", "pairs": "wiki40b-dropout-ja", "recipe": "ppdbcse"}
    found = missing(plan(encoders={"rankcse-teacher-en": run}, world={"collections": {"wiki40b-ja": None}}))
    assert found == ["this world has no collection 'wiki40b-ja'", "", ""]
    other = {**run, "recipe": "ppdbcse+encoder=nobody"}
    found = missing(plan(encoders={"rankcse-teacher-en": other, "nobody": None}))
    assert found[0] == "this world has no encoder 'nobody'"


def test_an_encoder_that_is_trained_from_itself_is_refused(plan):
    run = {"kind": "run", "pairs": ENGLISH, "recipe": "ppdbcse+encoder=second"}
    with pytest.raises(ConfigError, match="from itself, by way of first > second > first"):
        plan(
            {**ROWS["rankcse"], "recipe": "rankcse+teacher=first"},
            encoders={"first": run, "second": {**run, "recipe": "rankcse+teacher=first"}},
        )


def test_the_run_behind_an_encoder_is_checked_too(plan):
    run = {"kind": "run", "pairs": ENGLISH, "recipe": "rise"}
    with pytest.raises(ConfigError, match="the loss cosine_error is for pairs with labels"):
        plan(ROWS["rankcse"], encoders={"rankcse-teacher-en": run})


def test_triples_below_the_project_are_looked_for_there(plan):
    jsnli = {"jsnli": {"kind": "jsnli", "path": "./own/train.tsv"}}
    row = {**ROWS["supervised"], "pairs": "nli-ja", "recipe": "ppdbcse"}
    project = plan(row, world={"triple_files": jsnli})
    assert missing(project) == ["./own/train.tsv is not there"]
    Path("own").mkdir()
    Path("own/train.tsv").touch()
    assert missing(project) == [""]
    assert project.triple_inputs("jsnli", "made") == ["own/train.tsv"]
    assert project.triple_inputs("nli", "made") == ["made"]
