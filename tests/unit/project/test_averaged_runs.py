"""Rows of averaged weights: their runs, what is averaged, what they cost, and what is refused."""

import pytest

from contrapose.project.cards import card_facts
from contrapose.project.costs import table_costs
from contrapose.report.planned_rows import table_rows
from tests.unit.project.conftest import sts

ENTRIES = {"recipes.between": {"kind": "weight_average", "recipe": "simcse", "seeds": "each", "alpha": 0.5}}
SEEDS = (42, 43)


@pytest.fixture
def averaged(build):
    """Give a function of rows -> project with two seeds and the table of these rows."""
    return lambda *rows: build({"t": sts(*rows, costs=True)}, recipes=ENTRIES, seeds=2)


def test_a_soup_is_one_encoder_an_interpolation_one_per_seed(averaged):
    project = averaged("dropout/model_soup", "dropout/between", {"encoder": "bert-base"})
    soup, between, pretrained, pooled = project.about("own_t").rows
    assert (soup.runs, soup.trained) == (["dropout/model_soup/seed42"], False)
    assert soup.note.endswith("the average of the trainings of all seeds, which costs as much as all of them")
    assert (between.runs, between.trained) == ([f"dropout/between/seed{seed}" for seed in SEEDS], True)
    assert "one encoder" not in between.note
    assert (pretrained.runs, pretrained.trained) == (["released/bert-base/auto"], False)
    # The recipe behind both averages pools by [CLS], and the folder does not.
    assert (pooled.runs, pooled.trained) == (["released/bert-base/cls_before_pooler"], False)
    assert soup.untrained == between.untrained == pooled.runs[0]
    assert soup.encoder == between.encoder == "bert-base"
    fine_tuned = table_rows(project, "own_t", fine_tuned=True)
    assert (len(fine_tuned[0].runs), fine_tuned[0].trained) == (2, True)


def test_a_soup_has_all_seeds_whatever_the_seed_of_its_name(averaged, job):
    project = averaged("dropout/model_soup", "dropout/between+alpha=0.25")
    soups = [
        job(project, "train_averaged", pairs="dropout", recipe="model_soup", seed=str(seed)) for seed in SEEDS
    ]
    assert soups[0] == soups[1]
    assert soups[0].runs == [f"dropout/simcse/seed{seed}" for seed in SEEDS]
    assert soups[0].recipe.encoder == "bert-base"
    between = job(project, "train_averaged", pairs="dropout", recipe="between+alpha=0.25", seed="43")
    assert (between.runs, between.recipe.alpha) == (["dropout/simcse/seed43"], 0.25)
    assert project.runs.averaged_encoders("dropout", "between", "43") == [
        "<results>/train/dropout/simcse/seed43/encoder"
    ]
    assert card_facts(project, "dropout", "model_soup") == card_facts(project, "dropout", "simcse")


def test_a_soup_costs_all_trainings_an_interpolation_one(averaged):
    costs = table_costs(averaged("paraphrase/model_soup", "paraphrase/between"), "own_t").runs
    trained = {
        run: [job for job in each.jobs if job.startswith("<logs>/train/")] for run, each in costs.items()
    }
    logs = {
        name: f"<logs>/train/paraphrase/{name}.took.json" for name in ("model_soup/seed42", "between/seed43")
    }
    of_seeds = [f"<logs>/train/paraphrase/simcse/seed{seed}.took.json" for seed in SEEDS]
    assert trained["paraphrase/model_soup/seed42"] == [logs["model_soup/seed42"], *of_seeds]
    assert trained["paraphrase/between/seed43"] == [logs["between/seed43"], of_seeds[1]]
    assert len(costs["paraphrase/model_soup/seed42"].questions) == 1  # asked once for all seeds
