"""Which jobs a call would run."""

import subprocess
from pathlib import Path

import pytest
from contrapose.plan import Plan

from contrapose.errors import BackendError
from contrapose.forecast import dag
from contrapose.forecast.dag import Job, planned_jobs
from contrapose.preflight.needs import Needs, needs_of

HOME = Path(__file__).parents[3]


def dry_run(monkeypatch: pytest.MonkeyPatch, output: str) -> list[list[str]]:
    """Let Snakemake say this; return the calls."""
    calls: list[list[str]] = []

    def run(command: list[str], **options: object) -> subprocess.CompletedProcess:
        calls.append(command)
        return subprocess.CompletedProcess(command, 0, output, "")

    monkeypatch.setattr(dag.subprocess, "run", run)
    return calls


def test_only_what_is_not_built_is_asked_for_and_nothing_left_is_no_error(monkeypatch):
    plan = Plan({"studies": ["thesis"]}, HOME)
    calls = dry_run(monkeypatch, "Building DAG of jobs...\nNothing to be done (all files are there).\n")
    assert planned_jobs(plan, ["thesis"], "python", everything=False) == []
    assert "--forceall" not in calls[0]
    planned_jobs(plan, ["thesis"], "python")
    assert "--forceall" in calls[1]
    dry_run(monkeypatch, "An output of another form.\n")
    with pytest.raises(BackendError, match="plans an unknown number of jobs"):
        planned_jobs(plan, ["thesis"], "python", everything=False)


def test_jobs_need_the_encoders_and_models_behind_their_names():
    plan = Plan({"world": "hub", "studies": ["thesis", "rise"]}, HOME)
    known = {"corpus": "wiki-1-1", "llm": "chatgpt", "prompt": "2"}
    jobs = [
        Job("train_encoder", {"pairs": "dropout", "recipe": "simcse+encoder=roberta-base", "seed": "42"}),
        Job("evaluate_released", {"suite": "english", "role": "bert-base", "pooling": "cls"}),
        Job("score_similarities", {**known, "scorer": "scorer"}),
        Job("train_language_model", {"role": "gpt2"}),  # makes it, and needs none
        Job("generate_paraphrase", {**known, "shard": "0", "shards": "2"}),
        Job("retrieve_naive", {}),
    ]
    needs = needs_of(plan, jobs)
    assert needs.encoders == ["bert-base", "roberta-base", "scorer"]
    assert (needs.llms, needs.language_models) == (["chatgpt"], [])
    assert needs.benchmarks == ["sts12", "sts13", "sts14", "sts15", "sts16", "stsb", "sickr"]
    assert needs_of(plan, []) == Needs()
