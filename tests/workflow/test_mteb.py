"""A table of tasks of mteb, in files: planned, scored by mteb, compared, refused if wrong."""

import shutil

import pandas as pd
import pytest
from mteb.cache import ResultCache

from tests.checkout import Checkout

TABLE = "results/tables/smoke_ours.csv"
CATALOG = """
mteb:
  ours:
    - {name: Near, type: STS, path: ./near}
    - {name: Find, type: Retrieval, path: ./find}
"""
STUDY = """tables:
  ours:
    kind: mteb
    caption: Tasks of our own.
    tasks: ours
    columns: {Near: Near, Find: Find}
    rows:
      - {model: untrained, encoder: bert-base}
      - {model: dropout, pairs: dropout, recipe: simcse}
"""


@pytest.fixture
def project(finished: Checkout, tmp_path) -> Checkout:
    """A copy of the finished project with a list of tasks and a table."""
    copy = Checkout(shutil.copytree(finished.folder, tmp_path / "copy"))
    catalog, study = (
        copy.folder / "config" / name for name in ("catalogs/tiny.yaml", "studies/smoke/study.yaml")
    )
    catalog.write_text(catalog.read_text().rstrip() + CATALOG)
    study.write_text(study.read_text().replace("tables:\n", STUDY, 1))
    texts = [
        f"the {animal} sat on the {place}" for animal in ("cat", "dog", "bird") for place in ("mat", "tree")
    ]
    near, find = copy.folder / "near", copy.folder / "find"
    near.mkdir()
    find.mkdir()
    pairs = pd.DataFrame({"sentence1": texts, "sentence2": texts[::-1], "score": range(len(texts))})
    pairs.to_csv(near / "test.csv", index=False)
    corpus = pd.DataFrame({"id": [f"d{n}" for n in range(len(texts))], "text": texts})
    corpus.to_csv(find / "corpus.csv", index=False)
    corpus.assign(id=corpus.id.str.replace("d", "q"), text=texts[::-1]).to_csv(
        find / "queries.csv", index=False
    )
    relevant = {"query-id": ["q0", "q1"], "corpus-id": ["d5", "d4"], "score": 1}
    pd.DataFrame(relevant).to_csv(find / "qrels.csv", index=False)
    return copy


def test_a_table_of_tasks_in_files(project: Checkout):
    assert project.plan(TABLE) == {"evaluate_mteb": 2, "report_mteb_table": 1}
    project.run(TABLE)
    shown = pd.read_csv(project.folder / TABLE)
    assert list(shown.columns[3:6]) == ["Near", "Find", "Avg."]
    assert shown.Find.between(0, 100).all()
    assert "Difference to untrained" in (project.folder / TABLE).with_suffix(".md").read_text()
    kept = project.folder / "results/evaluate/mteb/ours/dropout/simcse/seed42-results"
    (model,) = ResultCache(kept).load_results().model_results
    assert model.model_name == "contrapose/dropout__simcse__seed42"
    assert {result.task_name for result in model.task_results} == {"Near", "Find"}
    assert project.plan(TABLE) == {}
    with project.edited("config/catalogs/tiny.yaml", "path: ./near", "path: ./far"):
        assert "'far', the folder of Near, does not exist" in project.forked("-n", TABLE, check=False).stdout
    with project.edited("config/studies/smoke/study.yaml", "Near: Near", "Near: Nera"):
        assert "tasks of mteb.ours has no entry 'Nera'" in project.forked("-n", TABLE, check=False).stdout


def test_a_job_that_fails_later_keeps_the_tasks_that_are_done(project: Checkout, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    catalog = project.folder / "config/catalogs/tiny.yaml"
    catalog.write_text(
        catalog.read_text().replace(
            "    - {name: Find, type: Retrieval", "    - BIOSSES\n    - {name: Find, type: Retrieval"
        )
    )
    target = "results/evaluate/mteb/ours/released/bert-base/auto.parquet"
    done = project.run(target, check=False)
    assert "mteb task BIOSSES: its data (" in done.stdout
    assert [*(project.folder / "state").rglob("Near.json")]  # which mteb_scores does not score again
