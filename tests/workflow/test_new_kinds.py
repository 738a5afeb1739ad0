"""A strategy is a module and an entry, and so is a kind of table: those of CONTRIBUTING.md as they stand."""

import re
import shutil

import pytest

from contrapose.tables import PAIRS, read_table
from tests.checkout import HOME, Checkout

PAGE = (HOME / "CONTRIBUTING.md").read_text()
BLOCKS = dict(
    re.findall(r"^```(?:python|yaml)\n# (\S+?)(?:, [^\n]*)?\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
)
PAIRS_ENTRY, TABLE_ENTRY = BLOCKS["config/recipes.yaml"], BLOCKS["config/studies/<paper>/study.yaml"]
MODULES = [path for path in BLOCKS if path.endswith(".py")]


@pytest.fixture
def project(finished: Checkout, tmp_path) -> Checkout:
    """A copy of the finished project with modules, entries, and a row that is trained on the pairs."""
    copy = Checkout(shutil.copytree(finished.folder, tmp_path / "copy"))
    for path in MODULES:
        (copy.folder / path).write_text(BLOCKS[path])
    recipes, study = (copy.folder / "config" / name for name in ("recipes.yaml", "studies/smoke/study.yaml"))
    recipes.write_text(recipes.read_text().replace("pairs:\n", f"pairs:\n{PAIRS_ENTRY}", 1))
    row = "      - {group: Ours, model: bert, pairs: dropped+rate=0.3, recipe: simcse}\n"
    table = f"  dropped:\n    kind: sts\n    caption: C.\n    columns: {{STS-B: stsb}}\n    rows:\n{row}"
    study.write_text(study.read_text().replace("tables:\n", f"tables:\n{TABLE_ENTRY}{table}", 1))
    return copy


def test_a_new_strategy_and_a_new_kind_of_table_build_a_table(project: Checkout):
    assert len(MODULES) == 2
    targets = ["results/tables/smoke_word_counts.csv", "results/tables/smoke_dropped.csv"]
    assert project.plan(*targets) == {
        **{"pairs_word_dropping": 2, "train_encoder": 1, "evaluate_run": 1},
        **{"report_pair_words_table": 1, "report_sts_table": 1},
    }
    project.run(*targets)
    words, scores = ((project.folder / path).read_text() for path in targets)
    assert scores.splitlines()[1].startswith("tiny,Ours,bert,")
    pairs = read_table(project.folder / "results/pairs/dropped.parquet", PAIRS)
    lengths = {side: pairs[side].str.split().str.len() for side in ("anchor", "positive")}
    assert (lengths["positive"] <= lengths["anchor"]).all()
    mean = {side: f"{length.mean():.2f}" for side, length in lengths.items()}
    assert f"dropped,{mean['anchor']},{mean['positive']}," in words
    assert project.plan() == {}  # nothing else is made again
    with project.edited(MODULES[0], ">= spec.rate", "> spec.rate"):
        again = {"pairs_word_dropping": 2, "train_encoder": 1, "evaluate_run": 1, "report_sts_table": 1}
        assert project.plan(*targets) == again | {"report_pair_words_table": 1}
