"""`make publish` on the small project: what a stranger gets."""

import getpass
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import frictionless
import numpy as np
import pandas as pd
import pytest
import yaml

from contrapose.base.errors import ConfigError, ContraposeError, TableError
from contrapose.project import Project
from contrapose.project.cli_config import given_config
from contrapose.tools.publish.chain import Chain, built_chain
from contrapose.tools.publish.package import _copy_results, publish
from contrapose.tools.publish.upload import main
from tests.checkout import HOME, TARGET, Checkout

RUN = "dropout/simcse/seed42"
KILLED = """
import os, signal, sys
from contrapose.tools.publish import package
package.check_no_leak = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
from contrapose.tools.publish.upload import main
main(["--to", sys.argv[1]])
"""


@pytest.fixture(scope="module")
def project(finished: Checkout):
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(finished.folder)
        yield finished


@pytest.fixture(scope="module")
def chain(project: Checkout) -> Chain:
    return built_chain([])


@pytest.fixture(scope="module")
def package(chain: Chain, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A package with one encoder, written twice: the second call must not change a byte."""
    made, again = (tmp_path_factory.mktemp("publish") / name for name in ("made", "again"))
    main(["--to", str(made), "--encoders", RUN])
    assert publish(chain, again, [RUN]) == {}
    assert contents(made) == contents(again)
    shutil.rmtree(again)
    return made


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_frictionless_accepts_it_and_finds_what_was_changed(package, tmp_path):
    report = frictionless.validate(str(package / "datapackage.json"))
    assert report.valid, report.flatten(["name", "type", "message"])
    changed = Path(shutil.copytree(package, tmp_path / "changed"))
    with (changed / "tables/smoke_table1.parquet").open("ab") as file:
        file.write(b"x")
    found = frictionless.validate(str(changed / "datapackage.json")).flatten(["type"])
    assert {kind for (kind,) in found} == {"hash-count", "byte-count"}


def test_the_descriptor_lists_every_file_with_its_columns(package):
    described = json.loads((package / "datapackage.json").read_text())
    resources = {each["path"]: each for each in described["resources"]}
    assert set(resources) == set(contents(package)) - {"datapackage.json"}
    fields = {path: each["schema"]["fields"] for path, each in resources.items() if "schema" in each}
    assert all(field["description"] for each in fields.values() for field in each)
    printed = pd.read_csv(package / "tables/smoke_table1.csv")
    assert [field["name"] for field in fields["tables/smoke_table1.csv"]] == list(printed.columns)
    tidy = {field["name"]: field["type"] for field in fields["tables/smoke_table1.parquet"]}
    assert (tidy["run"], tidy["n"], tidy["value"]) == ("string", "integer", "number")
    assert described["licenses"] == [{"name": "Apache-2.0", "path": "LICENSE"}]
    assert {each["licence"] for each in described["sources"]} == {"apache-2.0"}  # all is made here


def test_every_table_figure_and_score_is_in_it(project, package):
    for kind in ("tables", "figures"):
        built = {path.name for path in (project.folder / "results" / kind).glob("[!.]*")}
        assert {path.name for path in (package / kind).iterdir()} == built
    assert RUN in set(pd.read_parquet(package / "scores.parquet").run)


def test_no_file_says_on_which_machine_or_by_whom_it_was_made(project, package):
    forbidden = [str(HOME), str(project.folder), str(Path.home()) + "/", f"/{getpass.getuser()}/"]
    for name, content in contents(package).items():
        assert not [text for text in forbidden if text.encode() in content], name


def test_the_chain_leads_from_a_table_to_what_nobody_makes(package):
    jobs = json.loads((package / "provenance.json").read_text())
    makers = {path: job for job in jobs for path in job["outputs"]}
    reached, todo = set(), ["results/tables/smoke_table1.csv"]
    while todo:
        path = todo.pop()
        assert not path.startswith("/")
        if path in makers:
            reached.add(makers[path]["rule"])
            todo += makers[path]["inputs"]
    assert {"report_sts_table", "evaluate_suite", "train_encoder", "corpus_sample", "mini_world"} <= reached
    of_encoder = json.loads((package / "encoders" / RUN / "provenance.json").read_text())
    assert {job["rule"] for job in of_encoder} < {job["rule"] for job in jobs}
    assert all(job["settings"] is not None and job["code"] for job in jobs)


def test_the_settings_are_there_without_what_belongs_to_this_machine(package):
    found = {str(path.relative_to(package)) for path in (package / "config").rglob("*.yaml")}
    assert found == {
        "config/recipes.yaml", "config/studies/smoke/study.yaml", "config/catalogs/tiny.yaml",
    }  # fmt: skip


def test_the_card_of_the_package_loads_it(package, tmp_path):
    code = example(package / "README.md").replace("FOLDER", str(package))
    found: dict = {}
    exec(code.replace('"scores")', f'"scores", cache_dir={str(tmp_path)!r})'), found)
    assert len(found["scores"]) == len(pd.read_parquet(package / "scores.parquet"))


def test_a_published_encoder_has_one_card_that_loads_it_and_the_same_vectors(project, package):
    from contrapose.models.embeddings import embeddings
    from contrapose.models.sentence_encoder import load_encoder

    folder = package / "encoders" / RUN
    front = (folder / "README.md").read_text().removeprefix("---\n").split("\n---\n", 1)[0]
    matter = yaml.safe_load(front)
    assert (matter["library_name"], matter["license"]) == ("sentence-transformers", "apache-2.0")
    scores = pd.read_parquet(package / "scores.parquet").query("run == @RUN").value
    results = matter["model-index"][0]["results"]
    assert results
    assert {each["metrics"][0]["value"] for each in results} < set(scores)
    found: dict = {}
    exec(example(folder / "README.md").replace("FOLDER", str(folder)), found)
    texts = ["A sentence.", "Another one."]
    ours = embeddings(load_encoder(project.folder / "results" / "train" / RUN / "encoder"), texts)
    lengths = np.linalg.norm(ours, axis=1, keepdims=True)  # about 8: rounding is relative to it
    assert (np.abs(found["vectors"] - ours) / lengths).max() < 1e-6


def example(card: Path) -> str:
    return card.read_text().split("```python\n")[1].split("```")[0]


def test_a_leak_or_a_stale_table_is_refused_and_leaves_nothing(project, chain, tmp_path, monkeypatch):
    monkeypatch.setenv("MY_TOKEN", "smoke_table1")
    with pytest.raises(ConfigError, match=r"tables/smoke_table1\.parquet: the value of MY_TOKEN"):
        publish(chain, tmp_path / "leak")
    with project.edited("config/recipes.yaml", "epochs: 2", "epochs: 2, temperature: 0.1"):
        edited = replace(chain, project=Project(given_config([]), HOME))
    with pytest.raises(TableError, match=r"temperature: 0\.05 -> 0\.1"):
        publish(edited, tmp_path / "stale")
    with project.edited(TARGET, "tiny,", "TINY,"), pytest.raises(TableError, match="csv: has other content"):
        publish(chain, tmp_path / "changed")
    assert list(tmp_path.iterdir()) == []


def test_tables_that_print_sentences_of_others_are_left_out(chain, tmp_path):
    real = {"files": chain.project.files, "home": chain.project.home, "studies": []}
    other = SimpleNamespace(**real, catalog=SimpleNamespace(mini=None))
    kept = SimpleNamespace(project=other, targets=chain.targets, makers=chain.makers, jobs=[], provenance=str)
    skipped = _copy_results(tmp_path, kept, {})
    assert skipped == ["tables/smoke_examples", "tables/smoke_weighted"]
    names = {path.stem for path in (tmp_path / "tables").iterdir()}
    assert "smoke_table1" in names
    assert not {"smoke_examples", "smoke_weighted"} & names


def test_a_package_killed_before_its_end_leaves_nothing_that_looks_finished(project, tmp_path):
    target = tmp_path / "killed"
    environment = {**os.environ, "PYTHONPATH": str(HOME / "src")}
    done = subprocess.run([sys.executable, "-c", KILLED, str(target)], env=environment, cwd=project.folder)
    assert done.returncode == -signal.SIGKILL
    assert not target.exists()


def test_a_folder_that_is_there_and_an_unknown_run_are_refused(project, package, tmp_path):
    with pytest.raises(ContraposeError, match="already exists"):
        main(["--to", str(package)])
    for run in ("glove", "pretrained/bert-base", "dropout/simcse/seed99"):
        with pytest.raises(ContraposeError, match="runs behind the tables that are built has no entry"):
            main(["--to", str(tmp_path / "p"), "--encoders", run])
    assert not (tmp_path / "p").exists()


def test_results_copied_without_encoders_and_a_log_are_published_and_what_lacks_is_said(
    project, chain, tmp_path, monkeypatch
):
    kept = shutil.ignore_patterns("encoder", "state", ".snakemake")
    monkeypatch.chdir(shutil.copytree(project.folder, tmp_path / "copied", symlinks=True, ignore=kept))
    log = f"results/train/{RUN}/history.parquet"
    Path(log).unlink()
    skipped = publish(chain, tmp_path / "made", [RUN])
    (name,) = skipped.keys() - {f"encoders/{RUN}"}
    assert skipped[f"encoders/{RUN}"] == "is not here"
    assert re.fullmatch(r"logs of 1 of \d+ jobs", name)
    assert skipped[name] == f"are not here: {log}"
    assert f"- left out: {name} (are not here: {log})" in (tmp_path / "made/README.md").read_text()
    Path(TARGET).with_suffix(".md").unlink()
    with pytest.raises(TableError, match=r"smoke_table1\.md: is gone"):
        publish(chain, tmp_path / "again")
