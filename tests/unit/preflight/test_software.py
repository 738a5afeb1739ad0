"""Versions of packages, and what only some jobs import or call."""

import json
from pathlib import Path

import pytest
from contrapose.plan import Plan

from contrapose.forecast.dag import Job
from contrapose.preflight import software
from contrapose.preflight.needs import Needs
from contrapose.preflight.software import check_profile, check_python, check_software, check_versions

HOME = Path(__file__).parents[3]
PINS = "numpy==2.4.6\nPyYAML==6.0.3\ntorch==2.13.0\n"


def test_versions_are_compared_whatever_the_spelling_and_the_build():
    assert (
        check_versions(PINS, {"NumPy": "2.4.6", "pyyaml": "6.0.3", "torch": "2.13.0+cpu"})[0].level == "fine"
    )
    (found,) = check_versions(PINS, {"numpy": "2.3.0", "torch": "2.13.0"})
    assert found.level == "warning"
    assert found.found.startswith("numpy 2.3.0 (tested: 2.4.6). ")


def test_an_old_python_is_missing(monkeypatch: pytest.MonkeyPatch):
    assert check_python().level == "fine"
    monkeypatch.setattr(software, "PYTHON", (9, 0))
    assert check_python().level == "missing"


def test_japanese_words_need_mecab_where_a_job_cuts_them(monkeypatch: pytest.MonkeyPatch):
    plan = Plan({"studies": ["ppdbcse"]}, HOME)
    jobs = [Job("generate_rewrites", {"rewrites": name}) for name in plan.recipes.rewrites]
    needs = Needs(jobs=jobs)
    there = {one.what: one.level for one in check_software(plan, needs, "", None)}
    japanese = {
        f"rewrites.{name}" for name, each in plan.recipes.rewrites.items() if each.language == "japanese"
    }
    assert japanese
    assert {what: level for what, level in there.items() if what.startswith("rewrites.")} == dict.fromkeys(
        japanese, "fine"
    )
    monkeypatch.setattr(software.importlib.util, "find_spec", lambda name: None)
    absent = [one for one in check_software(plan, needs, "", None) if one.what in japanese]
    assert {one.level for one in absent} == {"missing"}
    assert "fugashi, ipadic cannot be imported. pip install fugashi ipadic" in absent[0].found


def test_a_tokenizer_that_names_a_dictionary_of_mecab_needs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(HOME)
    plan = Plan({"studies": ["thesis"]}, HOME)
    source = plan.world.encoders["bert-base"]
    for name in ("config.json", "model.safetensors"):
        (tmp_path / name).write_bytes((Path(source.path) / name).read_bytes())  # type: ignore[union-attr]
    config = {"word_tokenizer_type": "mecab", "mecab_kwargs": {"mecab_dic": "unidic_not_there"}}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config))
    plan.world.encoders["bert-base"] = source.model_copy(update={"path": str(tmp_path)})  # type: ignore[union-attr]
    found = {one.what: one.found for one in check_software(plan, Needs(encoders=["bert-base"]), "", None)}
    assert found["encoders.bert-base"] == (
        "MeCab cuts its texts: unidic_not_there cannot be imported. pip install unidic-not-there"
    )


def test_a_profile_for_a_cluster_needs_its_plugin_and_sbatch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(software.shutil, "which", lambda program: None)
    assert [one.level for one in check_profile(tmp_path)] == ["unchecked"]
    profile = tmp_path / "profile.yaml"
    profile.write_text("jobs: 4\n")
    assert [one.level for one in check_profile(tmp_path)] == ["fine"]
    profile.write_text("executor: slurm\n")
    assert "there is no sbatch here" in check_profile(tmp_path)[-1].found
    profile.write_text("executor: no-such\n")
    assert "pip install snakemake-executor-plugin-no-such" in check_profile(tmp_path)[0].found
    monkeypatch.setattr(software.shutil, "which", lambda program: "/usr/bin/sbatch")
    profile.write_text("executor: slurm\n")
    assert [one.level for one in check_profile(tmp_path)] == ["fine"]
