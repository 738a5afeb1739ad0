"""`make publish` on the small project: what a stranger gets."""

import getpass
import json
import os
import shutil
import socket
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from contrapose.plan import Plan

from contrapose.errors import ConfigError, TableError
from contrapose.project.given import given_config
from contrapose.publish.__main__ import main
from contrapose.publish.chain import Chain, built_chain
from contrapose.publish.package import Wishes, publish
from contrapose.publish.runs import trained_runs
from tests.checkout import HOME, Checkout

RUN = "dropout/simcse/seed42"
KILLED = """
import os, signal, sys
from contrapose.publish import package
package.write_sums = lambda folder: os.kill(os.getpid(), signal.SIGKILL)
from contrapose.publish.__main__ import main
main(["--to", sys.argv[1]])
"""


@pytest.fixture(scope="module")
def project(finished: Checkout):
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(finished.folder)
        yield finished


@pytest.fixture(scope="module")
def chain(project: Checkout) -> Chain:
    return built_chain(Plan(given_config([]), HOME))


@pytest.fixture(scope="module")
def package(chain: Chain, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A package with one encoder, written twice: the second call must not change a byte."""
    made, again = (tmp_path_factory.mktemp("publish") / name for name in ("made", "again"))
    assert main(["--to", str(made), "--encoders", RUN]) == 0
    publish(chain, Wishes(again, [RUN]))
    assert contents(made) == contents(again)
    shutil.rmtree(again)
    return made


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_sha256sum_accepts_the_sums_and_knows_every_file(package):
    done = subprocess.run(
        ["sha256sum", "--check", "--strict", "SHA256SUMS"], cwd=package, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout
    assert len(done.stdout.splitlines()) == len(contents(package)) - 1


def test_the_descriptor_lists_every_file_with_its_columns(package):
    described = json.loads((package / "datapackage.json").read_text())
    resources = {each["path"]: each for each in described["resources"]}
    assert set(resources) == set(contents(package)) - {"datapackage.json", "SHA256SUMS"}
    assert all((package / path).stat().st_size == each["bytes"] for path, each in resources.items())
    table = resources["tables/smoke_table1.csv"]
    printed = pd.read_csv(package / "tables/smoke_table1.csv")
    assert [field["name"] for field in table["schema"]["fields"]] == list(printed.columns)
    assert all(
        field["description"]
        for each in resources.values()
        if "schema" in each
        for field in each["schema"]["fields"]
    )
    assert {each["name"] for each in described["licenses"]} == {"Apache-2.0"}


def test_every_table_figure_and_score_is_in_it(project, package):
    for kind in ("tables", "figures"):
        built = {path.name for path in (project.folder / "results" / kind).iterdir()}
        assert {path.name for path in (package / kind).iterdir()} == built
    scored = pd.read_parquet(package / "scores" / "english.parquet")
    assert RUN in set(scored.run)
    assert len(pd.read_csv(package / "scores" / "english.csv")) == len(scored)


def test_no_file_says_on_which_machine_or_by_whom_it_was_made(project, package):
    forbidden = [str(HOME), str(project.folder), str(Path.home()) + "/", f"/{getpass.getuser()}/"]
    host = socket.gethostname()
    forbidden += [host] if len(host) > 4 else []  # `vm` stands in many words
    for name, content in contents(package).items():
        assert not [text for text in forbidden if text.encode() in content], name


def test_the_chain_leads_from_a_table_to_what_nobody_makes(package):
    found = json.loads((package / "provenance.json").read_text())
    jobs = {job["id"]: job for job in found["jobs"]}
    assert len(jobs) == len(found["jobs"])
    reached, todo = set(), [found["made by"]["tables/smoke_table1"]]
    while todo:
        job = jobs[todo.pop()]
        reached.add(job["rule"])
        todo += [each["job"] for each in job["inputs"] if "job" in each]
    assert {
        "report_sts_table",
        "evaluate_run",
        "train_encoder",
        "corpus_sample",
        "retrieve_articles",
    } <= reached
    files = [each for job in found["jobs"] for each in job["inputs"] if "job" not in each]
    assert files
    assert all(len(each["sha256"]) == 64 and not each["path"].startswith("/") for each in files)


def test_the_settings_are_there_without_what_belongs_to_this_machine(package):
    config = yaml.safe_load((package / "config" / "config.yaml").read_text())
    assert config["world"] == "tiny"
    assert not {"data", "endpoint", "encoder", "pathvars", "device"} & set(config)
    assert (package / "config" / "studies" / "smoke" / "study.yaml").is_file()
    licences = pd.read_csv(package / "licences.csv", keep_default_na=False)
    assert set(licences.licence) == {"apache-2.0"}  # this world makes everything itself


def test_a_published_encoder_has_one_card_and_the_same_vectors(project, package):
    from sentence_transformers import SentenceTransformer

    from contrapose.train.embeddings import embeddings
    from contrapose.train.encoder import load_encoder

    folder = package / "encoders" / RUN
    front, text = (folder / "README.md").read_text().removeprefix("---\n").split("\n---\n", 1)
    matter = yaml.safe_load(front)
    assert (matter["library_name"], matter["license"]) == ("sentence-transformers", "apache-2.0")
    (first, *_) = matter["model-index"][0]["results"]
    metric = first["metrics"][0]
    assert metric["args"]["low"] <= metric["value"] <= metric["args"]["high"]
    assert "paper (" not in text  # this world's numbers do not compare
    texts = ["The cat sat.", "A dog ran in the park.", "It rains."]
    ours = embeddings(load_encoder(project.folder / "results" / "train" / RUN / "encoder"), texts, 2)
    theirs = SentenceTransformer(str(folder), device="cpu").encode(texts)
    lengths = np.linalg.norm(ours, axis=1, keepdims=True)  # about 8: rounding is relative to it
    assert (np.abs(theirs - ours) / lengths).max() < 1e-6


def test_mteb_scores_a_published_encoder(package):
    mteb = pytest.importorskip("mteb", reason="mteb is not installed: pip install mteb")
    from sentence_transformers import SentenceTransformer

    from tests.workflow.mteb_task import LocalSTS

    model = SentenceTransformer(str(package / "encoders" / RUN), device="cpu")
    (result,) = mteb.evaluate(model, [LocalSTS()], cache=None).task_results
    pairs = [(one, two) for one, two, _ in LocalSTS.rows]
    cosines = [
        float(np.dot(*(vector / np.linalg.norm(vector) for vector in model.encode(pair)))) for pair in pairs
    ]
    expected = np.corrcoef(cosines, [score for *_, score in LocalSTS.rows])[0, 1]
    assert result.scores["test"][0]["cosine_pearson"] == pytest.approx(expected, abs=1e-5)


def test_a_stale_table_is_refused_or_published_with_its_reason(project, chain, tmp_path):
    with project.edited("config/recipes.yaml", "epochs: 2", "epochs: 2, temperature: 0.1"):
        edited = replace(chain, plan=Plan(given_config([]), HOME))
    with pytest.raises(TableError, match=r"stale .*temperature: 0\.05 -> 0\.1"):
        publish(edited, Wishes(tmp_path / "stale"))
    assert list(tmp_path.iterdir()) == []
    publish(edited, Wishes(tmp_path / "stale", allow_stale=True))
    assert "Published with --allow-stale" in (tmp_path / "stale" / "README.md").read_text()
    assert json.loads((tmp_path / "stale" / "provenance.json").read_text())["published although"]


def test_a_package_killed_before_its_end_leaves_nothing_that_looks_finished(project, tmp_path):
    target = tmp_path / "killed"
    done = subprocess.run([sys.executable, "-c", KILLED, str(target)], env=_environment(), cwd=project.folder)
    assert done.returncode == -9
    assert not target.exists()
    assert not list(tmp_path.rglob("SHA256SUMS"))


def test_a_folder_that_is_there_is_not_replaced_unasked(project, package, tmp_path):
    with pytest.raises(SystemExit, match="is there"):
        main(["--to", str(package)])
    (tmp_path / "own.txt").write_text("mine")
    with pytest.raises(SystemExit, match="is no package"):
        main(["--to", str(tmp_path), "--force"])


@pytest.mark.parametrize("run", ["glove", "pretrained/bert-base", "dropout/simcse/seed99"])
def test_what_is_no_run_behind_a_table_is_refused(chain, run):
    with pytest.raises(ConfigError, match=r"is no run|has no entry"):
        trained_runs([run], chain)


def _environment() -> dict[str, str]:

    return {**os.environ, "PYTHONPATH": str(HOME / "src")}
