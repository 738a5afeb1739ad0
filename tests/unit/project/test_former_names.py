"""Keys, values, verbs and options of version 0.4, which are understood until 0.6."""

import pytest

from contrapose import command
from contrapose.base.errors import ConfigError
from contrapose.project.documents import Catalog
from contrapose.settings.ids import canonical_id
from contrapose.settings.main import Config
from contrapose.settings.recipes import EncoderRecipe
from contrapose.settings.spec import FORMER_KEYS, FORMER_VALUES, Spec, validated
from contrapose.tools.command_line import project_of
from contrapose.train.recipe import Recipe
from tests.checkout import HOME

FORMER = {
    "clip": 0.5, "warmup": 0.1, "schedule": "cosine", "patience": 3, "share": 0.5, "cutoff": 0.2,
    "shuffle": True, "queue": 160, "mix": 0.2, "negative_weight": 1.0, "pooler": "avg",
}  # fmt: skip
TODAY = {
    "max_grad_norm": 0.5, "warmup_ratio": 0.1, "lr_scheduler_type": "cosine", "early_stopping_patience": 3,
    "train_fraction": 0.5, "feature_cutoff": 0.2, "token_shuffling": True, "momentum_queue_size": 160,
    "mixcse_lambda": 0.2, "hard_negative_weight": 1.0, "pooling": "mean",
}  # fmt: skip


def test_a_recipe_of_former_keys_is_that_of_todays():
    assert validated(Recipe, FORMER, "here") == Recipe(**TODAY)
    identifier = "+".join(["simcse", *(f"{key}={value}" for key, value in FORMER.items())])
    expected = "+".join(["simcse", *sorted(f"{key}={value}" for key, value in TODAY.items())])
    assert canonical_id(identifier, {"simcse": Recipe()}) == expected


def test_the_settings_of_a_call_may_have_former_names():
    former = {"keep": "scores", "recompute": True, "processes": 2, "refused_at_most": 1, "curve_rows": ["x"]}
    today = {"save_models": False, "gradient_checkpointing": True, "nproc_per_node": 2}
    assert Config(**former) == Config(**today, max_invalid_ratio=1, learning_curve_methods=["x"])
    assert Config(keep="encoders").save_models


def test_kinds_of_a_catalog_and_of_pairs_may_have_former_names():
    project = project_of([])
    asked = {"endpoint": "http://localhost:1/v1", "model": "m", "tries": 2, "patience": 7, "extra": {"a": 1}}
    whole = project.catalog.model_dump(exclude_unset=True) | {"llms": {"writer": asked}}
    whole["triple_files"] = whole.pop("triplet_files")
    catalog = Catalog.model_validate(whole)
    assert catalog.triplet_files == project.catalog.triplet_files
    writer = catalog.llms["writer"]
    assert (writer.max_attempts, writer.no_response_timeout, writer.extra_body) == (2, 7, {"a": 1})
    recipes = project.recipes.model_dump(exclude_unset=True)
    pairs = {"nli": {"kind": "triples", "source": "nli", "draw": 3}}
    changed = type(project.recipes).model_validate(recipes | {"pairs": recipes["pairs"] | pairs})
    assert (changed.pairs["nli"].kind, changed.pairs["nli"].seed) == ("triplets", 3)


def test_a_key_under_both_names_is_refused():
    with pytest.raises(
        ConfigError, match="here: clip is the former name of max_grad_norm, and both are given"
    ):
        validated(EncoderRecipe, {"clip": 1.0, "max_grad_norm": 1.0}, "here")


def test_each_former_name_leads_to_one_of_today_and_no_section_has_it_still():
    sections, known = [Spec], set()
    while sections:
        section = sections.pop()
        sections += section.__subclasses__()
        known |= {*section.model_fields}
        for former, names in FORMER_KEYS.items():
            assert not ({former} & {*section.model_fields} and {*names} & {*section.model_fields}), section
    assert {name for names in FORMER_KEYS.values() for name in names} | {*FORMER_VALUES} <= known


def test_options_of_a_verb_have_former_names(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(HOME)
    for option in ("--embedder=http://x/v1", "--embedder-key=A"):
        with pytest.raises(SystemExit):
            command.main(["new", str(tmp_path / "mine"), option])
        assert "Give both --embedding-endpoint and --embedding-model" in capsys.readouterr().err
