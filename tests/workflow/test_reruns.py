"""What runs again when something changes: every row of config/reruns.csv, and edits of code."""

import csv
import json
import shutil
import subprocess
import sys
from contextlib import ExitStack, chdir
from pathlib import Path

import pytest

from contrapose.project import Project, steps
from contrapose.settings.cli_config import given_config
from contrapose.tables import ARTICLES, read_provenance, read_table, write_table
from contrapose.tools.dry_run import Job, planned_jobs
from tests.checkout import HOME, OTHERS, PROMPTS, TARGET, Checkout, checkout, environment

STAGES = ["retrieve", "corpus", "generate", "score", "pairs", "train", "evaluate", "report"]
with (HOME / "config" / "reruns.csv").open(newline="") as file:
    ROWS = list(csv.DictReader(file))
# These change which jobs there are, or which files they read: Snakemake itself has to plan them.
OF_OTHER_JOBS = {
    *("Config.seeds", "Config.search", "Config.endpoint", "EncoderFolder.path", "EncoderFolder.pooling"),
    *("ParaphrasePairs.prompt", "Row.recipe", "Row.encoder", "Row.pooling", "PromptTable.scorer"),
    *("PromptTable.parascore", "PromptRow.prompt", "RewritesRow.threshold"),
}
IN_THREE_SHARDS = (
    "config/config.yaml",
    "bootstrap: 100",
    "bootstrap: 100\nshards: {corpus: 3, generate: 3, synthetic: 3, rewrites: 3}",
)
SHARDED = ["corpus_draw", "corpus_segments", "generate_paraphrase"]
SHARDED += ["generate_dino", "generate_rewrites", "score_rewrite_perplexities"]
REWRITTEN = {"generate_rewrites": 3, "score_rewrite_perplexities": 3}

INFO_NCE = "src/contrapose/train/losses/info_nce.py"
CANDIDATES = "src/contrapose/train/candidates.py"
NEW_TABLE = "NEW = Table('new', COST.schema, key=COST.key)"


def stages(plan: dict[str, int]) -> str:
    """Write the stages of a plan in their order; `-` for none."""
    return ", ".join(stage for stage in STAGES if any(rule.startswith(stage) for rule in plan)) or "-"


def named(rows: list[dict[str, str]]) -> list:
    return [pytest.param(row, id=row["key"]) for row in rows]


@pytest.fixture(scope="module")
def planned(tmp_path_factory: pytest.TempPathFactory) -> tuple[Checkout, list[Job], list[str]]:
    """The small project before anything is built, all jobs behind its tables, and their settings."""
    project = checkout(tmp_path_factory.mktemp("planned") / "project")
    with chdir(project.folder):
        jobs = planned_jobs(Project(given_config([]), project.folder), [TARGET, PROMPTS, *OTHERS])
    return project, jobs, settings(project, jobs)


def settings(project: Checkout, jobs: list[Job]) -> list[str]:
    """Return what Snakemake compares of each job with what its results were made with."""
    with chdir(project.folder):
        read = Project(given_config([]), project.folder)
        return [steps.settings(read, job.rule, job.wildcards) for job in jobs]


@pytest.mark.parametrize("row", named([row for row in ROWS if row["key"] not in OF_OTHER_JOBS]))
def test_a_key_changes_settings_of_the_stages_that_docs_name(planned, row):
    project, jobs, before = planned
    with project.edited(row["file"], row["old"], row["new"]):
        now = settings(project, jobs)
    again = [job for job, one, other in zip(jobs, before, now, strict=True) if one != other]
    for job in again:  # and of what waits for them; the list grows
        again += [each for each in jobs if each not in again and {*job.outputs} & {*each.inputs}]
    assert stages({job.rule: 1 for job in again}) == row["reruns"]


@pytest.mark.parametrize("row", named([row for row in ROWS if row["key"] in OF_OTHER_JOBS]))
def test_a_key_plans_the_stages_that_docs_name(finished: Checkout, row):
    with finished.edited(row["file"], row["old"], row["new"]):
        assert stages(finished.plan()) == row["reruns"]


def test_keys_that_rerun_nothing_rerun_nothing_all_together(finished: Checkout):
    rows = [row for row in ROWS if row["reruns"] == "-" and not row["key"].startswith("Shards.")]
    with ExitStack() as edits:
        for file, old, new in (*((row["file"], row["old"], row["new"]) for row in rows), IN_THREE_SHARDS):
            edits.enter_context(finished.edited(file, old, new))
        assert finished.plan() == {}


def test_a_temperature_retrains_the_runs_that_use_it(finished: Checkout):
    with finished.edited("config/recipes.yaml", "epochs: 2", "epochs: 2, temperature: 0.1"):
        assert finished.plan() == {
            **{"train_encoder": 2, "evaluate_suite": 2},
            **{"report_sts_table": 1, "report_settings_table": 1},
        }
    with finished.edited("config/recipes.yaml", "simcse: {batch", "simcse: {temperature: 0.1, batch"):
        assert finished.plan() == {
            **{"train_encoder": 1, "evaluate_suite": 1, "evaluate_geometry": 1},
            **{"evaluate_length_bias": 1, "evaluate_edits": 1},
            **{"report_sts_table": 1, "report_geometry_table": 1, "report_scatter": 1},
            **{"report_length_bias_table": 1, "report_similarities_table": 1, "report_lengths_table": 1},
        }


@pytest.mark.parametrize(
    ("file", "old", "new", "expected"),
    [
        ("config/prompts/1.txt", "Generate", "Write", {"generate_paraphrase": 3}),
        ("config/recipes.yaml", "seed: 1", "seed: 2", {"corpus_draw": 3, "generate_paraphrase": 6}),
        ("config/recipes.yaml", "entries: 2}", "entries: 3}", {"generate_dino": 3}),
        ("config/recipes.yaml", "corpus: wiki40b, dict", "at_most: 8, corpus: wiki40b, dict", REWRITTEN),
    ],
    ids=["prompt", "corpus", "texts", "rewrites"],
)
def test_what_is_made_anew_is_made_in_todays_number_of_shards(finished: Checkout, file, old, new, expected):
    with finished.edited(*IN_THREE_SHARDS), finished.edited(file, old, new):
        plan = finished.plan()
    assert {rule: jobs for rule, jobs in plan.items() if rule in SHARDED} == expected


@pytest.mark.parametrize(
    ("file", "old", "new", "expected"),
    [
        (INFO_NCE, '"""', '"""Another first sentence.  ', "-"),
        (INFO_NCE, "\n\n\ndef info_nce", "\n\n# a comment\n\n\ndef info_nce", "-"),
        (CANDIDATES, "/ spec.temperature", "/ spec.temperature / 1.0", "train, evaluate, report"),
        ("src/contrapose/score/bleu.py", "return math.exp(", "return 1.0 * math.exp(", "score, report"),
        (
            "src/contrapose/pairs/dropout.py",
            "yield as_pairs(",
            "yield 0 or as_pairs(",
            "pairs, train, evaluate, report",
        ),
        (
            "src/contrapose/report/scores.py",
            "def average(",
            "def _new():\n    pass\n\n\ndef average(",
            "-",
        ),
        (
            "src/contrapose_mini/loopback/server.py",
            "CREATED = 1",
            "CREATED = 2",
            "generate, score, pairs, train, evaluate, report",
        ),
        ("workflow/rules/train.smk", "# One trained", "# Exactly one trained", "-"),
        ("src/contrapose/tables/__init__.py", "TABLES = ", f"{NEW_TABLE}\nTABLES = ", "-"),
    ],
    ids=["docstring", "comment", "loss", "score", "strategy", "function", "endpoint", "rule", "table"],
)
def test_an_edit_of_the_code_reruns_what_reaches_it(finished: Checkout, file, old, new, expected):
    with finished.edited(file, old, new):
        assert stages(finished.plan()) == expected


def test_results_of_changed_code_are_accepted_with_a_reason(finished, tmp_path):
    copy = Checkout(Path(shutil.copytree(finished.folder, tmp_path / "copy", symlinks=True)))
    command = [sys.executable, "-m", "contrapose", "accept", "--reason", "x / 1.0 is x"]
    known = {"cwd": copy.folder, "env": environment() | {"PYTHONPATH": str(copy.folder / "src")}}

    def accept() -> subprocess.CompletedProcess:
        return subprocess.run(command, **known, capture_output=True, text=True)

    with copy.edited(CANDIDATES, "/ spec.temperature", "/ spec.temperature / 1.0"):
        assert copy.plan()["train_encoder"]
        with copy.edited("config/recipes.yaml", "seed: 1", "seed: 2"):
            refused = accept()
            assert refused.returncode == 1
            assert "seed from 1 to 2" in refused.stderr
        with copy.edited("config/catalogs/tiny.yaml", "mini: {seed: 7", "mini: {seed: 8"):
            refused = accept()
            assert refused.returncode == 1
            assert "results/retrieve/data: its settings have changed: seed from 7 to 8" in refused.stderr
        articles = copy.folder / "results/retrieve/articles.parquet"
        before = articles.read_bytes()
        write_table(read_table(articles, ARTICLES)[:-1], articles, ARTICLES, read_provenance(articles))
        refused = accept()
        assert refused.returncode == 1
        assert "results/retrieve/articles.parquet: it has " in refused.stderr
        articles.write_bytes(before)
        assert not (copy.folder / "results/accepted.jsonl").exists()
        done = accept()
        assert done.returncode == 0, done.stderr
        assert copy.plan() == {}
    log = [json.loads(line) for line in (copy.folder / "results/accepted.jsonl").open()]
    assert {line["reason"] for line in log} == {"x / 1.0 is x"}
    assert any("results/train/" in line["file"] for line in log)
