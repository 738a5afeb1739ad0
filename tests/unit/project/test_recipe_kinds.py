import pytest

from contrapose.project import steps
from contrapose.project.reports import inputs
from contrapose.report.row_runs import trainings
from contrapose.report.training_files import stepped_runs
from contrapose.settings.recipes import ContrastiveTensionRecipe, FlowRecipe, WhiteningRecipe
from contrapose.train.recipe import Recipe
from tests.unit.project.conftest import sts

STS = sts("dropout/simcse", "dropout/whitening+components=32", "dropout/flow+encoder=roberta-base")


def test_a_recipe_is_contrastive_unless_it_says_otherwise_and_an_id_does_not_change_its_kind(build):
    project = build({"one": STS})
    kinds = {name: type(recipe) for name, recipe in project.recipes.recipes.items()}
    assert kinds["simcse"] is Recipe
    assert (kinds["whitening"], kinds["flow"]) == (WhiteningRecipe, FlowRecipe)
    assert kinds["contrastive_tension"] is ContrastiveTensionRecipe
    # What a catalog changes about training is for contrastive recipes alone.
    assert project.catalog.training.learning_rate == 10
    assert project.recipe("simcse").learning_rate == pytest.approx(3e-4)
    assert project.recipe("flow").learning_rate == 1e-3
    tension = project.recipe("contrastive_tension")
    assert (tension.learning_rate, tension.steps, tension.dev_every) == (1e-4, 300, 50)
    assert project.recipe("contrastive_tension+steps=7").steps == 300  # as the catalog has it for all
    assert [project.recipe(f"simcse{steps}").steps for steps in ("", "+steps=7")] == [None, 7]


def test_steps_and_sentences_of_the_config_are_those_of_all_rows_that_have_some(build):
    project = build({"one": STS}, steps=30, sentences=50)
    assert project.recipe("simcse").steps is None
    few = project.recipe("simcse+steps=20")
    assert (few.steps, few.dev_every) == (30, 75)  # of this catalog's 50: as many dev scores, none
    assert project.recipe("simcse+dev_every=epoch+steps=20").dev_every == "epoch"
    tension = project.recipe("contrastive_tension")
    assert (tension.steps, tension.dev_every) == (30, 5)
    counts = {corpus: project.sentences(corpus) for corpus in project.recipes.corpora}
    assert set(counts.values()) == {10, 50}
    assert counts["wiki-1-1-graded"] == 10  # fewer than that anyway


def test_the_seed_counts_for_a_flow_and_not_for_whitening(build):
    project = build({"one": STS})

    def settings(kind, seed):
        return steps.settings(project, f"train_{kind}", {"pairs": "dropout", "recipe": kind, "seed": seed})

    assert settings("whitening", "42") == settings("whitening", "43")
    for kind in ("flow", "contrastive_tension"):
        assert settings(kind, "42") != settings(kind, "43")


def test_rows_of_fitted_systems_repeat_over_the_seeds_and_have_no_dev_scores(build):
    project = build({"one": STS}, seeds=2)
    rows = project.about("own_one").rows
    assert rows[1].runs == [f"dropout/whitening+components=32/seed{seed}" for seed in (42, 43)]
    assert rows[2].runs == [f"dropout/flow+encoder=roberta-base/seed{seed}" for seed in (42, 43)]
    assert stepped_runs(project, "own_one") == ["dropout/simcse/seed42", "dropout/simcse/seed43"]
    every = [run for row in rows for run in row.runs]
    assert inputs(project, "own_one")["histories"] == [
        f"<results>/train/{run}/history.parquet" for run in every
    ]


def test_pairs_with_labels_go_with_the_losses_that_read_them(build):
    table = sts("nli/simcse+loss=cosent", "each/simcse+loss=cosent", "kept/simcse+loss=score_distillation")
    scored = {"kind": "scored", "pairs": "nli-en", "encoder": "scorer"}
    pairs = {"pairs.nli.scored": True, "pairs.kept": scored, "pairs.each": {**scored, "negatives": "rows"}}
    project = build({"one": table}, recipes=pairs)  # checks each row
    assert [len(trainings(project, row)) for row in project.tables["own_one"][1].rows] == [
        project.config.seeds
    ] * 3
