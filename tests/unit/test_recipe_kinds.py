"""Recipes of several kinds in one project."""

import shutil
from pathlib import Path

import pytest
import yaml
from contrapose.plan import Plan

from contrapose.errors import ConfigError
from contrapose.settings.recipes import ContrastiveTensionRecipe, FlowRecipe, Recipe, WhiteningRecipe

HOME = Path(__file__).parents[2]


@pytest.fixture
def edited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Give a function that builds the default project with whitening and flow as rows of table 4.1."""
    monkeypatch.chdir(tmp_path)

    def build(change=lambda recipes: None) -> Plan:
        shutil.copytree(HOME / "config", "config", dirs_exist_ok=True)
        for name in ("recipes", "studies/thesis/study"):
            path = Path("config", f"{name}.yaml")
            content = yaml.safe_load(path.read_text())
            if name == "recipes":
                change(content["recipes"])
            else:
                content["tables"]["table4_1"]["rows"] += [
                    {"model": "whitening", "pairs": "dropout", "recipe": "whitening+components=32"},
                    {"model": "flow", "pairs": "dropout", "recipe": "flow+encoder=roberta-base"},
                ]
            path.write_text(yaml.safe_dump(content))
        return Plan({"seeds": 2}, HOME)

    return build


def test_a_recipe_is_contrastive_unless_it_says_otherwise(edited):
    kinds = {name: type(recipe) for name, recipe in edited().recipes.recipes.items()}
    assert kinds["simcse"] is Recipe
    assert (kinds["whitening"], kinds["flow"]) == (WhiteningRecipe, FlowRecipe)
    assert kinds["contrastive_tension"] is ContrastiveTensionRecipe


def test_what_a_world_changes_about_training_is_for_contrastive_recipes_alone(edited):
    project = edited()
    assert project.world.training.learning_rate == 10
    assert project.recipe("simcse").learning_rate == pytest.approx(3e-4)
    assert project.recipe("flow").learning_rate == 1e-3
    tension = project.recipe("contrastive_tension")
    assert (tension.learning_rate, tension.steps, tension.dev_every) == (1e-4, 300, 50)
    assert project.recipe("contrastive_tension+steps=7").steps == 300  # as the world has it for all


def test_an_id_does_not_make_a_recipe_one_of_another_kind(edited):
    with pytest.raises(ConfigError, match=r"kind: Input should be 'flow' \(got 'whitening'\)"):
        edited().recipe("flow+kind=whitening")
    with pytest.raises(ConfigError, match="has no entry 'temperature'"):
        edited().recipe("flow+temperature=0.1")


def test_an_unknown_kind_and_a_misplaced_setting_are_refused(edited):
    with pytest.raises(
        ConfigError,
        match=r"recipes.flow: .*'glow'.*'contrastive', 'whitening', 'flow', 'contrastive_tension'",
    ):
        edited(lambda recipes: recipes["flow"].update(kind="glow"))
    with pytest.raises(ConfigError, match=r"recipes.whitening.*has no entry 'epochs'"):
        edited(lambda recipes: recipes["whitening"].update(epochs=2))


def test_the_seed_counts_for_a_flow_and_not_for_whitening(edited):
    project = edited()

    def settings(rule, recipe, seed):
        return project.settings(rule, {"pairs": "dropout", "recipe": recipe, "seed": seed})

    assert settings("train_whitening", "whitening", "42") == settings("train_whitening", "whitening", "43")
    for kind in ("flow", "contrastive_tension"):
        assert settings(f"train_{kind}", kind, "42") != settings(f"train_{kind}", kind, "43")
    with pytest.raises(ConfigError, match="seed '042' is written '42'"):
        settings("train_whitening", "whitening", "042")


def test_rows_of_fitted_systems_repeat_over_the_seeds_and_give_the_claims_no_training_log(edited):
    project = edited()
    rows = project.report_sts_table("table4_1").rows
    assert rows[-2].runs == [f"dropout/whitening+components=32/seed{seed}" for seed in (42, 43)]
    assert rows[-1].runs == [f"dropout/flow+encoder=roberta-base/seed{seed}" for seed in (42, 43)]
    logs = project.claimed_history_inputs("thesis")
    assert any("dropout/simcse/seed43" in log for log in logs)
    assert not any("whitening" in log or "flow" in log for log in logs)


def test_a_table_of_settings_is_one_of_trained_rows(edited):
    project = edited()
    settings = project.tables["table4_2"][1]
    row = settings.rows[0].model_copy(update={"group": "", "model": "flow"})
    with pytest.raises(ConfigError, match="trained rows of table4_1 has no entry ': flow'"):
        project._check_settings(
            project.studies["thesis"], "table4_2", settings.model_copy(update={"rows": [row]})
        )
