import re
from types import SimpleNamespace

import pytest
from snakemake.target_jobs import parse_target_jobs_cli_args
from snakemake_interface_executor_plugins.utils import TargetSpec, encode_target_jobs_cli_args

from contrapose.base.errors import ConfigError
from contrapose.pairs.paraphrase import ParaphrasePairs
from contrapose.settings.ids import canonical_id, of_kind, parsed_id, resolved, unlike
from contrapose.train.recipe import Recipe

RECIPES = {"simcse": Recipe(epochs=1, dropout=0.1)}
PAIRS = {"paraphrase": ParaphrasePairs(kind="paraphrase", corpus="wiki")}


def test_an_id_is_a_name_and_overrides():
    assert parsed_id("paraphrase+llm=vicuna+prompt=1") == ("paraphrase", {"llm": "vicuna", "prompt": "1"})


def test_an_id_reaches_a_submitted_job_whole():
    job = TargetSpec("train_encoder", {"pairs": "paraphrase+llm=vicuna+prompt=1", "recipe": "simcse"})
    assert parse_target_jobs_cli_args(encode_target_jobs_cli_args([job])) == [job]


@pytest.mark.parametrize(
    ("given", "canonical"),
    [
        ("paraphrase+prompt=1+llm=chatgpt+corpus=other", "paraphrase+corpus=other+prompt=1"),  # sorted
        ("simcse+learning_rate=0.00005+dropout=0", "simcse+dropout=0.0+learning_rate=5e-05"),
        ("simcse+dropout=0.10", "simcse"),
        ("simcse+dropout=null", "simcse+dropout=null"),
    ],
)
def test_an_id_has_one_spelling_of_what_it_changes(given, canonical):
    assert canonical_id(given, PAIRS | RECIPES) == canonical


def test_an_override_is_applied_with_its_type():
    assert resolved("simcse+epochs=5", RECIPES).epochs == 5
    assert resolved("simcse+dropout=null", RECIPES).dropout is None


@pytest.mark.parametrize(
    ("identifier", "message"),
    [
        ("simsce", "config/recipes.yaml has no entry 'simsce'. Did you mean 'simcse'?"),
        ("simcse+epoch=5", "there is no key 'epoch'. Did you mean 'epochs'?"),
        (
            "simcse+epochs=many",
            "id 'simcse+epochs=many': epochs is 'many', but a whole number of at least 1 is expected.",
        ),
        ("simcse+epochs", "id 'simcse+epochs': 'epochs' does not have the form key=value."),
        ("simcse,epochs=5", "Write 'simcse+epochs=5'"),
        ("simcse+epochs=05", "Write 'simcse+epochs=5'"),
        ("simcse+epochs=1", "Write 'simcse'"),
    ],
)
def test_a_wrong_id_says_what_is_wrong(identifier, message):
    with pytest.raises(ConfigError) as raised:
        resolved(identifier, RECIPES)
    assert message in str(raised.value)


def test_ids_of_a_kind_and_all_others_are_told_apart_by_name_and_not_by_what_it_begins_with():
    entries = {name: SimpleNamespace(kind=name[0]) for name in ("ab", "a.c", "b")}
    every = ["ab", "ab+x=1", "abc", "a.c", "axc", "b", "c"]
    assert [each for each in every if re.fullmatch(of_kind("a", entries), each)] == ["ab", "ab+x=1", "a.c"]
    assert re.fullmatch(of_kind("z", entries), "none")
    # Rules end in `.` or `/` behind a name.
    assert [each for each in every if re.match(unlike(entries), f"{each}/")] == ["abc", "axc", "c"]
