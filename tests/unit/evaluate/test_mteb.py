import json

import mteb
import numpy as np
import pandas as pd
import pytest
from mteb.cache import ResultCache
from sentence_transformers import SentenceTransformer

from contrapose.base.errors import BackendError, ConfigError, TableError
from contrapose.evaluate.mteb_files import MtebFiles
from contrapose.evaluate.mteb_scores import mteb_scores, mteb_tasks, revision_of
from contrapose.models.export import save_encoder
from contrapose.models.sentence_encoder import load_encoder, new_encoder
from contrapose.settings.catalogs import Prompts
from contrapose.tables import SCORES
from contrapose.tables.parquet import checked_arrays
from contrapose.train.recipe import Recipe
from tests.conftest import WORDS

RUN = "dropout/simcse/seed42"
PROMPTS = Prompts(query="the big ", document="a red ")
TYPES = ("STS", "PairClassification", "Retrieval", "Clustering")
SPECS = [MtebFiles(name=f"my_{kind}", type=kind, path=kind) for kind in TYPES]


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """Write a task of each type: random sentences of six words, as CSV, JSON Lines and Parquet."""
    rng, parent = np.random.default_rng(0), tmp_path_factory.mktemp("tasks")
    texts = [" ".join(rng.choice(WORDS, 6)) for _ in range(60)]
    one, two = texts[:30], texts[30:]
    found = {}
    for spec in SPECS:
        folder = parent / spec.type
        folder.mkdir()
        found[spec.name] = str(folder)
    scored = pd.DataFrame({"sentence1": one, "sentence2": two, "score": rng.random(30)})
    scored.to_csv(parent / "STS/test.csv", index=False)
    labelled = scored.drop(columns="score").assign(labels=rng.integers(0, 2, 30))
    labelled.to_json(parent / "PairClassification/test.jsonl", orient="records", lines=True)
    pd.DataFrame({"sentences": texts, "labels": [t.split()[0] for t in texts]}).to_parquet(
        parent / "Clustering/test.parquet"
    )
    of = parent / "Retrieval"
    pd.DataFrame({"id": [f"d{n}" for n in range(30)], "text": one}).to_csv(of / "corpus.csv", index=False)
    pd.DataFrame({"id": range(30), "text": two}).to_csv(of / "queries.csv", index=False)
    qrels = {"query-id": range(30), "corpus-id": [f"d{n}" for n in rng.permutation(30)], "score": 1}
    pd.DataFrame(qrels).to_csv(of / "qrels.csv", index=False)
    return found


def test_every_type_is_scored_as_mteb_scores_the_saved_folder(folders, tiny_encoder, tmp_path):
    save_encoder(
        new_encoder(tiny_encoder("bert"), Recipe(pooling="mean"), 42, prompts=PROMPTS), tmp_path / "encoder"
    )
    encoder, revision = load_encoder(tmp_path / "encoder"), revision_of(tmp_path / "encoder")
    found = mteb_scores(encoder, mteb_tasks(SPECS, folders), RUN, revision, tmp_path / "mteb")
    assert checked_arrays(found, "scores", SCORES)
    assert found.task.tolist() == [spec.name for spec in SPECS]
    assert set(found.metric) == {"main_score"}
    metrics = ["cosine_spearman", "max_ap", "ndcg_at_10", "v_measure"]
    assert found.n.tolist() == [30, 30, 30, 60]
    assert ((found.ci_low <= found.value) & (found.value <= found.ci_high)).all()
    assert found.influence.str.len().tolist() == [30, 30, 30, 10]  # of clustering: samples
    theirs = SentenceTransformer(str(tmp_path / "encoder"), device="cpu")
    for task, value, metric in zip(mteb_tasks(SPECS, folders), found.value, metrics, strict=True):
        alone = mteb.evaluate(theirs, task, cache=None, co2_tracker=False, show_progress_bar=False)
        assert alone.task_results[0].scores["test"][0][metric] == pytest.approx(value, abs=1e-4)
    # As mteb reads the results of any other model.
    kept = ResultCache(tmp_path / "mteb").load_results(
        models=["contrapose/dropout__simcse__seed42"], tasks=mteb_tasks(SPECS, folders)
    )
    (model,) = kept.model_results
    assert (model.model_name, model.model_revision) == ("contrapose/dropout__simcse__seed42", revision)
    assert len(model.task_results) == 4
    told = json.loads((tmp_path / "mteb/predictions/my_STS_predictions.json").read_text())
    assert len(told["default"]["test"]["cosine_scores"]) == 30


def test_what_is_wrong_with_a_task_is_said(folders, tmp_path, tiny_encoder, monkeypatch):
    with pytest.raises(ConfigError, match="For a task in files, give name, type and path"):
        mteb_tasks(["STSBenchmarq"], {})
    spec = SPECS[0]
    with pytest.raises(TableError, match=r"one file for test, but there are 0. The file can be test.csv"):
        mteb_tasks([spec], {spec.name: str(tmp_path)})
    (tmp_path / "test.csv").write_text("sentence1,sentence2\na,b\n")
    with pytest.raises(TableError, match=r"column score is missing\. An mteb task of type STS needs"):
        mteb_tasks([spec], {spec.name: str(tmp_path)})
    (tmp_path / "test.csv").write_text("sentence1,sentence2,score\na,,1\n")
    with pytest.raises(TableError, match="no rows, or empty cells"):
        mteb_tasks([spec], {spec.name: str(tmp_path)})
    monkeypatch.setattr("mteb.abstasks.abstask.load_dataset", lambda **_: 1 / 0)
    encoder = load_encoder(tiny_encoder("bert"))
    with pytest.raises(BackendError, match=r"STSBenchmark: its data .* are not cached"):
        mteb_scores(encoder, mteb_tasks(["STSBenchmark"], {}), RUN, "1", tmp_path)
