"""`make preflight` on the small project: the jobs it needs are planned, whatever is missing."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from contrapose.plan import Plan

from contrapose.forecast.dag import Job
from contrapose.preflight.__main__ import main, preflight
from contrapose.preflight.files import check_files
from contrapose.preflight.findings import Finding
from contrapose.preflight.needs import Needs, needs_of
from contrapose.settings.worlds import MiniWorld
from contrapose_mini.files import write_mini_world
from tests.checkout import TARGET, Checkout, checkout

WITHOUT_TORCH = """
import sys
from contrapose.preflight.__main__ import main
try:
    main()
finally:
    assert "torch" not in sys.modules
"""
JOBS = {
    "retrieve_articles": {},
    "retrieve_benchmarks": {"suite": "english"},
    "retrieve_collection": {"collection": "wiki40b"},
    "retrieve_dictionary": {"dictionary": "ppdb"},
    "retrieve_transfer": {},
    "retrieve_triples": {"source": "nli"},
    "corpus_published": {"corpus": "simcse"},
    "train_encoder": {"pairs": "dropout", "recipe": "simcse", "seed": "42"},
    "score_rewrites": {"rewrites": "ppdb", "shard": "0", "shards": "1"},
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """The small project with its mini world, and with worlds of the same files in a folder."""
    made = checkout(tmp_path_factory.mktemp("preflight"))
    write_mini_world(made.folder / "data", MiniWorld(seed=7, articles=80, pairs=6))
    worlds = made.folder / "config/worlds"
    world = yaml.safe_load((worlds / "tiny.yaml").read_text())
    del world["mini"]
    (worlds / "here.yaml").write_text(yaml.safe_dump(world))
    world["encoders"]["roberta-base"] = {"path": "{data}/encoders/roberta-base"}
    world["articles"]["path"] = "wiki/*.parquet"
    world["encoders"]["released"] = {"path": "encoders/released", "optional": True}
    world["dictionaries"]["ppdb"]["files"] = ["ppdb/other.gz"]
    (worlds / "lacking.yaml").write_text(yaml.safe_dump(world))
    return made


def looked_at(project: Checkout, world: str, data: str, *targets: str) -> dict[str, Finding]:
    plan = Plan({"world": world, "data": data, "studies": ["smoke"]}, project.folder)
    return {one.what: one for one in preflight(plan, targets, None, lambda what: None)}


def of_level(found: dict[str, Finding], level: str) -> dict[str, str]:
    return {what: one.found for what, one in found.items() if one.level == level}


def test_in_the_mini_world_all_is_fine_and_pytorch_is_not_imported(project: Checkout):
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_TORCH, "--config", "device=auto", "--", TARGET],
        cwd=project.folder, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": str(project.folder / "src")},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith(f"# Preflight: {TARGET} in world tiny\n\nFine (")
    assert "  encoders.bert-base: " in done.stdout
    assert done.stdout.endswith("\n\nNothing is missing.\n\n")
    assert "preflight: planning the jobs" in done.stderr


def test_files_in_their_formats_are_fine(project: Checkout, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(project.folder)
    plan = Plan({"world": "here", "data": "data", "studies": ["smoke"]}, project.folder)
    needs = needs_of(plan, [Job(rule, dict(known)) for rule, known in JOBS.items()])
    found = {one.what: one for one in check_files(plan, needs)}
    assert [one for one in found.values() if one.level != "fine"] == []
    assert {
        *("articles", "collections.wiki40b", "sentence_files.simcse", "triple_files.nli", "transfer.trec"),
        *("benchmarks.sts12", "benchmarks.stsb", "dictionaries.ppdb", "encoders.bert-base"),
        "language_models.gpt2",
    } <= set(found)
    assert "benchmarks.mrpc" not in found  # of another suite than the one that a job reads


def test_all_that_is_missing_or_wrong_is_told_at_once(project: Checkout, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(project.folder)
    shutil.copytree("data", "bad")
    scores = Path("bad/senteval/STS/STS13-en-test/STS.gs.FNWN.txt")
    scores.write_text(scores.read_text() + "9\n")
    shutil.rmtree("bad/senteval/STS/STS16-en-test")
    Path("bad/nli_for_simcse.csv").write_text("no,csv\n")
    for file in Path("bad/wiki40b/en").iterdir():
        file.write_bytes(b"no Parquet")
    weights = Path("resources/mini/encoders/bert-base/model.safetensors")
    whole = weights.read_bytes()
    weights.write_bytes(whole[:-100])
    try:
        found = looked_at(project, "lacking", "bad")
    finally:
        weights.write_bytes(whole)
    wrong = of_level(found, "missing")
    # The jobs could be planned all the same: nothing is said of them.
    assert set(wrong) == {
        *("articles", "encoders.roberta-base", "encoders.bert-base", "benchmarks.sts13"),
        *("collections.wiki40b", "encoders.scorer"),  # the scorer is bert-base, too
    }
    assert wrong["articles"].startswith("articles: no file matches 'wiki/*.parquet' below 'bad'. Put ")
    assert "roberta-base' is no folder. Put the encoder there" in wrong["encoders.roberta-base"]
    assert "model.safetensors" in wrong["encoders.bert-base"]
    assert "STS.gs.FNWN.txt" in wrong["benchmarks.sts13"]
    plan = Plan({"world": "lacking", "data": "bad", "studies": ["smoke"]}, project.folder)
    triples = {one.what: one.found for one in check_files(plan, Needs(triple_files=["nli"]))}
    assert (
        "the header is 'no,csv', expected sent0,sent1,hard_neg or sent0,sent1" in triples["triple_files.nli"]
    )
    left_out = of_level(found, "left out")
    assert "smoke_table4" in left_out["encoders.released: 'encoders/released' is not there"]
    assert "smoke_candidates" in left_out["dictionaries.ppdb: 'ppdb/other.gz' is not there"]
    assert left_out["benchmarks.sts16"].startswith("no folder 'STS/STS16-en-test'")
    fine = of_level(found, "fine")
    assert {"benchmarks.sts12", "benchmarks.mrpc", "transfer.trec", "language_models.gpt2"} <= set(fine)


def test_a_target_that_is_none_is_told_with_all_else_that_the_world_names(project: Checkout, monkeypatch):
    monkeypatch.chdir(project.folder)
    found = looked_at(project, "here", "data", "results/tables/no_such_table.csv")
    assert found["jobs"].found.startswith("results/tables/no_such_table.csv cannot be planned: ")
    assert "Host:" not in found["jobs"].found
    assert {"transfer.mr", "benchmarks.snli", "language_models.gpt2", "encoders.roberta-base"} <= set(found)


def test_a_wrong_setting_is_told_and_ends_with_an_error(project: Checkout, monkeypatch, capsys):
    monkeypatch.chdir(project.folder)
    with pytest.raises(SystemExit, match="1"):
        main(["--config", "world=tniy"])
    assert "settings: worlds has no entry 'tniy'. Did you mean 'tiny'?" in capsys.readouterr().out
