"""Pairs of a dictionary and tables of rewrites: settings, inputs, and what is left out or refused."""

import shutil
from pathlib import Path

import pytest
import yaml
from contrapose.plan import Plan

from contrapose.errors import ConfigError

HOME = Path(__file__).parents[2]
ENGLISH = {"group": "English", "model": "0.4", "rewrites": "ppdb-en", "threshold": 0.4}
JAPANESE = {"group": "Japanese", "model": "0.1", "rewrites": "ehimerppdb-ja", "threshold": 0.1}
TABLES = {
    "t": {"kind": "rewrites", "caption": "c", "rows": [ENGLISH, JAPANESE, ENGLISH]},
    "e": {"kind": "examples", "caption": "c", "pairs": "ppdb-en+threshold=0.2"},
}
WORLD = {
    "sizes": {"wiki40b": 100, "pairs_40k": 40, "pairs_dev": 6},
    "dictionaries": {"ppdb": {"kind": "ppdb", "files": ["p.gz"], "note": "small"}, "ehimerppdb": None},
    "language_models": {"gpt2": {"kind": "hub", "model": "gpt2", "revision": "a" * 40}},
}


@pytest.fixture
def build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Build a plan of the thesis with other tables, in a world that has an English dictionary alone."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(HOME / "config", tmp_path / "config")

    def build(tables: dict = TABLES) -> Plan:
        for file, entries in (("worlds/mini.yaml", WORLD), ("studies/thesis/study.yaml", {"tables": tables})):
            path = tmp_path / "config" / file
            content = yaml.safe_load(path.read_text())
            for entry, more in entries.items():
                content[entry].update(more)
            path.write_text(yaml.safe_dump(content))
        return Plan({"studies": ["thesis"]}, HOME)

    return build


def test_dev_pairs_are_the_first_ones_whatever_the_size_of_the_training_set(build):
    plan = build()
    train, dev = plan.pairs_dictionary("ppdb-en"), plan.pairs_dictionary("ppdb-en+part=dev")
    assert (train.threshold, train.skipped, train.pairs) == (0.4, 6, 40)
    assert (dev.threshold, dev.skipped, dev.pairs) == (0.4, 0, 6)
    other = plan.pairs_dictionary("ppdb-en+part=dev+size=pairs_10k+threshold=0.2")
    assert other == dev.model_copy(update={"threshold": 0.2})


def test_a_table_reads_each_threshold_once_and_leaves_out_what_the_world_lacks(build):
    plan = build()
    assert plan.rewrite_statistics_inputs("t") == ["<results>/score/rewrites/ppdb-en/statistics-0.4.parquet"]
    english, japanese, _ = plan.report_rewrites_table("t").rows
    assert english.note == "ppdb: small"
    assert japanese.note == "left out: this world has no dictionary 'ehimerppdb'"
    job = plan.score_rewrite_statistics("ppdb-en", "0.4")
    assert (job.threshold, job.at_most, job.language) == (0.4, 64, "english")
    with pytest.raises(ConfigError, match=r"threshold '0\.40' is written '0\.4'"):
        plan.score_rewrite_statistics("ppdb-en", "0.40")


def test_the_language_model_is_that_of_the_rewrites_and_the_same_for_every_shard(build):
    plan = build()
    jobs = [plan.score_rewrites("ppdb-en", shard=shard, shards="2") for shard in "01"]
    assert jobs[0] == jobs[1]
    assert jobs[0].hub.model == "gpt2"
    assert plan.language_model_inputs("gpt2") == []


def test_examples_can_be_of_a_dictionary(build):
    assert build().shown_pairs_inputs("e") == ["<results>/pairs/ppdb-en+threshold=0.2.parquet"]


def test_a_threshold_below_the_floor_is_refused_before_a_job_starts(build):
    low = {"kind": "rewrites", "caption": "c", "rows": [{**ENGLISH, "threshold": 0.05}]}
    with pytest.raises(ConfigError, match=r"row '0\.4': threshold is 0\.05, but rewrites\.ppdb-en has no"):
        build({"t": low})
    with pytest.raises(ConfigError, match=r"pairs: threshold is 0\.05"):
        build({"t": {**TABLES["e"], "pairs": "ppdb-en+threshold=0.05"}})
