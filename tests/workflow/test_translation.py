"""Who makes the translated evaluation sets, by what the catalog has."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pandas as pd
import pytest

from contrapose.project import Project
from contrapose.tables import BENCHMARK, read_table
from tests.checkout import HOME, Checkout, checkout, planned
from tests.unit.generate.scripted_endpoint import Say, body, scripted_endpoint

TABLE = "results/tables/prdsimcse_table6.csv"
ONLY = ("--config", "studies=[prdsimcse]")
CATALOG = "config/catalogs/mini.yaml"
NOBODY = "translator: null "
SETS = [
    f"  {task}: {{kind: senteval_cn, task: {task}, path: senteval_cn/{folder}, splits: [test]}}\n"
    for task, folder in (("bq_en", "BQ_en"), ("lcqmc_en", "LCQMC_en"))
]


@contextmanager
def without_translated_files(project: Checkout, translator: str) -> Iterator[None]:
    """Take the translated sets out of the made-up world, and put a translator there."""
    with ExitStack() as stack:
        for line in SETS:
            stack.enter_context(project.edited(CATALOG, line, ""))
        yield stack.enter_context(project.edited(CATALOG, NOBODY, f"{translator} "))


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    return checkout(tmp_path_factory.mktemp("translation"), HOME / "config")


def of_translation(plan: dict[str, int]) -> dict[str, int]:
    """Return the jobs that bring the sets; rule: count."""
    kept = ("corpus_untranslated", "retrieve_benchmarks", "retrieve_translated")
    return {rule: n for rule, n in plan.items() if rule in kept or rule.startswith("generate_")}


def english(request: dict, count: int) -> Say:
    """Answer with the sentence in code points; refuse one in 20."""
    text = request["messages"][0]["content"].rpartition("\n")[2]
    number = sum(map(ord, text))
    return Say(
        content=body("I'm sorry, but I cannot do that." if number % 20 == 0 else f"Is it number {number}?")
    )


@pytest.mark.slow
def test_a_model_translates_and_refused_pairs_fall_out(project: Checkout):
    made = "results/retrieve/benchmarks/translated.parquet"
    with scripted_endpoint() as endpoint:
        endpoint.script = english
        llm = f"{{endpoint: {endpoint.url}, model: tiny"
        with (
            without_translated_files(project, "translator: {kind: llm, llm: chatgpt}"),
            project.edited(CATALOG, "articles: 400, pairs: 60", "articles: 40, pairs: 6"),
            project.edited(CATALOG, '{endpoint: "python:contrapose_mini.loopback", model: divergent', llm),
        ):
            assert of_translation(project.plan(TABLE, *ONLY)) == {
                **{"retrieve_benchmarks": 1, "corpus_untranslated": 1},
                **{"generate_translate": 2, "retrieve_translated": 1},
            }
            done = project.run(made, *ONLY)
    assert planned(done.stdout)["generate_translate"] == 2
    chinese = read_table(project.folder / "results/retrieve/benchmarks/chinese.parquet", BENCHMARK)
    expected = chinese[chinese.task.isin(["bq", "lcqmc"]) & (chinese.split == "test")]
    for side in ("sentence1", "sentence2"):
        numbers = expected[side].map(lambda text: sum(map(ord, text)))
        expected = expected.assign(**{side: [f"Is it number {number}?" for number in numbers]})
        expected = expected[numbers % 20 != 0]
    found = read_table(project.folder / made, BENCHMARK)
    columns = ["row", "sentence1", "sentence2", "score"]
    assert found[columns].to_numpy().tolist() == expected[columns].to_numpy().tolist()
    assert 0 < len(found) < 6 * 14


def test_without_a_translator_the_table_keeps_its_rows(project: Checkout):
    with without_translated_files(project, "translator: null"):
        done = project.run(TABLE, *ONLY)
    assert planned(done.stdout) == {"report_sts_table": 1}
    printed = pd.read_csv(project.folder / TABLE)
    rows = Project({"studies": ["prdsimcse"]}, HOME).studies["prdsimcse"].tables["table6"].rows
    assert list(printed.model) == [row.model for row in rows]
    assert printed[["BQ", "LCQMC"]].isna().all(axis=None)
    assert set(printed.note) == {"skipped: this catalog has none of the translated sets"}
    assert "none of the translated sets" in Path(project.folder / TABLE).with_suffix(".md").read_text()
