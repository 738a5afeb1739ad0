"""What model cards say beside the settings of a training."""

from pathlib import Path

from contrapose.project import Project
from contrapose.project.cards import card_facts

HOME = Path(__file__).parents[3]


def test_the_mini_world_is_said_to_make_its_text_and_no_model_of_the_hub_is_named(build):
    found = card_facts(build({}), "dropout", "simcse")
    assert (found.catalog, found.generated, found.base, found.base_model) == ("mini", True, "bert-base", None)


def test_a_hub_encoder_is_named_with_its_commit():
    found = card_facts(Project({"catalog": "hub"}, HOME), "dropout", "simcse")
    commit = "86b5e0934494bd15c9632b12f734a8a67f723594"
    assert (found.generated, found.base_model) == (False, "google-bert/bert-base-uncased")
    assert found.base == f"bert-base (google-bert/bert-base-uncased at {commit})"


def test_the_language_is_that_of_the_dev_set_else_of_the_pairs_else_unknown(build):
    project = build({})
    runs = {
        ("dropout", "simcse"): "en",
        ("dropout", "simcse+dev=stsb_zh"): "zh",
        ("dropout", "simcse+dev=own"): None,
        ("dropout", "whitening"): None,  # no dev set, and a sampled corpus does not say
        ("nli-ja", "ppdbcse"): "ja",
        ("wiki40b-dropout-ja", "ppdbcse"): "ja",
    }
    assert {run: card_facts(project, *run).language for run in runs} == runs
