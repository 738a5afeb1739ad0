"""Another workflow reuses ours: it brings pairs, and has them trained on and scored."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from contrapose.tables import PAIRS, SCORES, read_table
from tests.checkout import HOME, SMALL, Checkout

SNAKEFILE = "workflow/Snakefile"


@pytest.fixture
def example(tmp_path) -> Checkout:
    """The example in a folder of its own, with the settings of the small project."""
    copy = Checkout(shutil.copytree(HOME / "examples/module", tmp_path / "mine"))
    shutil.copytree(SMALL, copy.folder / "config", dirs_exist_ok=True)
    path = copy.folder / SNAKEFILE
    ours = "../../../workflow/Snakefile"
    assert ours in path.read_text()
    path.write_text(path.read_text().replace(ours, str(HOME / SNAKEFILE)))
    return copy


@pytest.mark.slow
def test_a_workflow_that_imports_ours_scores_an_encoder_trained_on_its_own_pairs(example: Checkout):
    example.run()
    results = example.folder / "results"
    pairs = read_table(results / "pairs/mine.parquet", PAIRS)
    assert len(pairs) == len((example.folder / "pairs.csv").read_text().splitlines()) - 1
    scores = read_table(results / "evaluate/english/mine/simcse/seed42.parquet", SCORES)
    assert set(scores.run) == {"mine/simcse/seed42"}
    assert {"sts12", "stsb", "sickr"} <= set(scores.task)
    assert example.plan("all") == {}
    with example.edited("pairs.csv", "the old farmer", "the poor farmer"):
        assert example.plan("all") == {"all": 1, "evaluate_suite": 1, "pairs_mine": 1, "train_encoder": 1}


def test_folders_of_the_importing_workflow_are_those_of_its_module_statement(example: Checkout):
    path = example.folder / SNAKEFILE
    folders = ["results", "logs", "state"]
    moved = ", ".join(f'{name}="made/{name}"' for name in folders)
    text = path.read_text().replace('"results/', '"made/results/')
    path.write_text(text.replace("    config:", f"    pathvars:\n        {moved},\n    config:", 1))
    plan = example.forked("--dry-run").stdout
    for folder in folders:
        assert f"made/{folder}/train/mine/simcse/seed42" in plan
        assert not re.search(rf"(?<!made/)\b{folder}/", plan)


def git(*arguments: str | Path) -> str:
    """Return what git says, of this repository."""
    command = ["git", "-C", HOME, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def test_a_workflow_fetched_at_a_tag_runs_with_the_installed_package_of_its_version(
    example: Checkout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    # What `snakedeploy deploy-workflow URL . --tag v1` writes; Git is told where the hosted repository is.
    path = example.folder / SNAKEFILE
    hosted = 'github("contrapose/contrapose", path="workflow/Snakefile", tag="v1")'
    path.write_text(path.read_text().replace(f'"{HOME / SNAKEFILE}"', hosted))
    repository = tmp_path / "hosted.git"
    subprocess.run(["git", "init", "-q", "--bare", repository], check=True)
    git("push", "-q", repository, f"{git('stash', 'create') or 'HEAD'}:refs/tags/v1")
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", f"url.{repository.as_uri()}.insteadOf")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "https://github.com/contrapose/contrapose")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    example.run("results/pairs/dropout.parquet")
    read_table(example.folder / "results/pairs/dropout.parquet", PAIRS)
    assert example.plan("results/pairs/dropout.parquet") == {}
