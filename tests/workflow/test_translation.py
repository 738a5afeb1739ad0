"""Who makes the translated evaluation sets, by what the world has."""

from pathlib import Path

import pandas as pd
import pytest

from contrapose.project import Project
from tests.checkout import HOME, Checkout, checkout, planned

TABLE = "results/tables/prdsimcse_table6.csv"
ONLY = ("--config", "studies=[prdsimcse]")
LLM = "translator: {kind: llm, llm: translator}"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    return checkout(tmp_path_factory.mktemp("translation"), HOME / "config")


def of_translation(plan: dict[str, int]) -> dict[str, int]:
    """Return the jobs that bring the sets; rule: count."""
    kept = ("corpus_untranslated", "retrieve_benchmarks", "retrieve_translated")
    return {rule: n for rule, n in plan.items() if rule in kept or rule.startswith("generate_")}


def test_a_language_model_translates_in_the_mini_world(project: Checkout):
    assert of_translation(project.plan(TABLE, *ONLY)) == {
        # English dev sets, and the Chinese ones that are translated.
        **{"retrieve_benchmarks": 2, "corpus_untranslated": 1},
        **{"generate_translate": 2, "retrieve_translated": 1},
    }


def test_a_model_in_a_folder_translates_if_the_world_says_so(project: Checkout):
    folder = project.folder / "opus-mt-zh-en"
    folder.mkdir()
    for name in ("config.json", "model.safetensors"):
        (folder / name).touch()
    with project.edited("config/worlds/mini.yaml", LLM, "translator: {kind: seq2seq, path: opus-mt-zh-en}"):
        plan = project.plan(TABLE, *ONLY)
    assert of_translation(plan) == {
        **{"retrieve_benchmarks": 2, "corpus_untranslated": 1},
        **{"generate_seq2seq": 1, "retrieve_translated": 1},
    }


def test_sentences_are_translated_there_and_back_by_two_models(project: Checkout):
    for name in ("en-de", "de-en"):
        (project.folder / name).mkdir()
        for file in ("config.json", "model.safetensors"):
            (project.folder / name / file).touch()
    world = f"{LLM}\nback_translators: {{german: {{kind: seq2seq, there: en-de, back: de-en}}}}"
    known = "  dropout: {kind: dropout, corpus: wiki-1-1-small}"
    pairs = "  german: {kind: backtranslation, corpus: wiki-1-1-small, translator: german}"
    with (
        project.edited("config/worlds/mini.yaml", LLM, world),
        project.edited("config/recipes.yaml", known, f"{known}\n{pairs}"),
    ):
        plan = project.plan("results/pairs/german.parquet")
        more = project.plan("results/pairs/german+size=100.parquet", "results/pairs/german.parquet")
    assert {rule: n for rule, n in plan.items() if rule.startswith(("generate_", "pairs_"))} == {
        **{"generate_backtranslation": 1, "pairs_backtranslation": 1}
    }
    assert more == {**plan, "pairs_backtranslation": 2}


def test_without_a_translator_the_table_keeps_its_rows_and_nothing_else_is_done(project: Checkout):
    with project.edited("config/worlds/mini.yaml", LLM, "translator: null"):
        done = project.run(TABLE, *ONLY)
    assert planned(done.stdout) == {"report_sts_table": 1}
    printed = pd.read_csv(project.folder / TABLE)
    rows = Project({"studies": ["prdsimcse"]}, HOME).studies["prdsimcse"].tables["table6"].rows
    assert list(printed.model) == [row.model for row in rows]
    assert printed[["BQ", "LCQMC"]].isna().all(axis=None)
    assert set(printed.note) == {"left out: this world has none of the translated sets"}
    assert "none of the translated sets" in Path(project.folder / TABLE).with_suffix(".md").read_text()
