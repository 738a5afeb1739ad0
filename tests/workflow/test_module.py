"""Another workflow reuses ours: it brings pairs, and has them trained on and scored."""

import re
import shutil

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
        assert example.plan("all") == {"all": 1, "evaluate_run": 1, "pairs_mine": 1, "train_encoder": 1}


def test_folders_of_the_importing_workflow_are_those_of_its_module_statement(example: Checkout):
    path = example.folder / SNAKEFILE
    folders = ["results", "logs", "state"]
    moved = ", ".join(f'{name}="made/{name}"' for name in folders)
    text = path.read_text().replace('"results/', '"made/results/')
    path.write_text(text.replace("    config:", f"    pathvars:\n        {moved},\n    config:", 1))
    plan = example.run("--dry-run").stdout
    for folder in folders:
        assert f"made/{folder}/train/mine/simcse/seed42" in plan
        assert not re.search(rf"(?<!made/)\b{folder}/", plan)
