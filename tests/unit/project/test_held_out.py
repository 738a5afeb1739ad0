"""Held-out dev pairs, teachers, and encoders that a training of ours makes: ids and files."""

from contrapose.project.checks import check_project
from contrapose.report.planned_notes import row_note
from contrapose.report.row_runs import trainings
from contrapose.tools.dry_run import Job
from contrapose.tools.needs import Need, needs_of
from tests.unit.project.conftest import sts

ENGLISH = "wiki40b-dropout-en"
TEACHER = "encoders.rankcse-teacher-en"
RUN = {"kind": "trained", "pairs": ENGLISH, "recipe": "ppdbcse"}


def test_dev_pairs_are_the_same_for_every_size(edited, job):
    project = edited("recipes.yaml", {})
    for pairs in (ENGLISH, f"{ENGLISH}+size=pairs_160k"):
        assert project.runs.dev_file(pairs, "ppdbcse") == f"<results>/pairs/{ENGLISH}+part=dev.parquet"
    assert project.runs.own_dev("nli-en+seed=2+size=pairs_10k") == "nli-en+part=dev+seed=2"
    train, dev = (
        job(project, "pairs_dropout", pairs=f"{ENGLISH}{part}")["spec"] for part in ("", "+part=dev")
    )
    assert (train["size"], train["held_out"], train["part"]) == (512, 128, "train")
    assert (dev["held_out"], dev["part"]) == (128, "dev")


def test_a_teacher_is_the_run_of_a_table_with_the_first_seed_or_an_encoder_with_its_pooling(
    build, job, edited
):
    table = sts(f"{ENGLISH}/ppdbcse", f"{ENGLISH}/rankcse")
    project = build({"one": table}, catalog={TEACHER: {**RUN, "recipe": "ppdbcse+temperature=0.05"}})
    run = trainings(project, project.tables["own_one"][1].rows[0])[0]
    assert project.encoder("rankcse-teacher-en").files == f"<results>/train/{run.id}/encoder"
    assert run.id == f"{ENGLISH}/ppdbcse/seed42"

    def teachers(project, recipe):
        return job(project, "train_encoder", pairs=ENGLISH, recipe=recipe, seed="42").frozen

    (ranked,) = teachers(project, "rankcse")
    assert (ranked.pooling, ranked.encoder) == ("auto", None)
    assert teachers(project, "ppdbcse") == []
    hub = {"kind": "hub", "model": "a/b", "revision": "c", "pooling": "cls_before_pooler"}
    project = build({"one": table}, catalog={TEACHER: hub})
    (distilled,) = teachers(project, "rankcse")
    assert distilled.pooling == "cls_before_pooler"
    assert (distilled.encoder.model, distilled.encoder.revision) == ("a/b", "c")
    assert project.encoder("rankcse-teacher-en").files == []


def test_a_guide_is_planned_as_a_teacher_is(build, job):
    guided = "simcse+guide=rankcse-teacher-en"
    project = build({"one": sts(f"{ENGLISH}/{guided}")}, catalog={TEACHER: {**RUN, "note": "ours"}})
    check_project(project)
    settings = job(project, "train_encoder", pairs=ENGLISH, recipe=guided, seed="42")
    assert [each.pooling for each in settings.frozen] == ["auto"]
    row = project.tables["own_one"][1].rows[0]
    assert row_note(project, row, "bert-base").endswith("rankcse-teacher-en: ours")
    jobs = [Job("train_encoder", {"recipe": guided, "pairs": ENGLISH})]
    assert Need("encoders", "rankcse-teacher-en") in needs_of(project, jobs)


def test_a_recipe_may_have_several_teachers(edited, job):
    several = {"recipes.rankcse.teacher": ["scorer", "rankcse-teacher-ja"]}
    project = edited("recipes.yaml", several)
    found = job(project, "train_encoder", pairs=ENGLISH, recipe="rankcse+ranking=listnet", seed="42")
    assert found.recipe.teachers == several["recipes.rankcse.teacher"]
    assert [each.pooling for each in found.frozen] == ["mean", "auto"]
    one = job(project, "train_encoder", pairs=ENGLISH, recipe="rankcse+teacher=scorer", seed="42")
    assert one.frozen == found.frozen[:1]
