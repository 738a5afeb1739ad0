"""A strategy is a module and an entry, a step a module and a rule: those of the pages as they stand."""

import re
import shutil

import pandas as pd
import pytest

from contrapose.tables import PAIRS, read_table
from tests.checkout import HOME, Checkout

PAGE = (HOME / "CONTRIBUTING.md").read_text()
FENCE = re.compile(r"^```(?:python|yaml|snakemake)\n# (\S+?)(?:, [^\n]*)?\n(.*?)^```", re.M | re.S)
# The method of a person's own project is a method of the package, too.
METHOD = dict(FENCE.findall((HOME / "docs/how-to/add-a-method.md").read_text()))
BLOCKS = {
    "src/contrapose/pairs/swapping.py": METHOD["mine/strategies/swapping.py"],
    **dict(FENCE.findall(PAGE)),
}
PAIRS_ENTRY = METHOD["mine/config/recipes.yaml"].replace("corpus: sentences", "corpus: wiki")
TABLE_ENTRY = BLOCKS["config/studies/<paper>/study.yaml"]
MODULES = [path for path in BLOCKS if path.startswith("src/")]
RULES = "workflow/rules/score.smk"


@pytest.fixture
def project(finished: Checkout, tmp_path) -> Checkout:
    """A copy of the finished project with modules, entries, and a row that is trained on the pairs."""
    copy = Checkout(shutil.copytree(finished.folder, tmp_path / "copy"))
    for path in MODULES:
        (copy.folder / path).write_text(BLOCKS[path])
    with (copy.folder / RULES).open("a") as rules:
        rules.write(f"\n\n{BLOCKS[RULES]}")
    recipes, study = (copy.folder / "config" / name for name in ("recipes.yaml", "studies/smoke/study.yaml"))
    recipes.write_text(recipes.read_text().replace("pairs:\n", f"pairs:\n{PAIRS_ENTRY}", 1))
    row = "      - {group: Ours, model: bert, pairs: swapped+rate=0.3, recipe: simcse}\n"
    table = f"  swapped:\n    kind: sts\n    caption: C.\n    columns: {{STS-B: stsb}}\n    rows:\n{row}"
    study.write_text(study.read_text().replace("tables:\n", f"tables:\n{TABLE_ENTRY}{table}", 1))
    return copy


def test_a_new_strategy_and_a_new_kind_of_table_build_a_table(project: Checkout):
    assert len(MODULES) == 3
    targets = ["results/tables/smoke_word_counts.csv", "results/tables/smoke_swapped.csv"]
    assert project.plan(*targets) == {
        **{"pairs_swapping": 2, "train_encoder": 1, "evaluate_suite": 1},
        **{"report_pair_words_table": 1, "report_sts_table": 1},
    }
    project.run(*targets)
    words, scores = ((project.folder / path).read_text() for path in targets)
    assert scores.splitlines()[1].startswith("tiny,Ours,bert,")
    pairs = read_table(project.folder / "results/pairs/swapped.parquet", PAIRS)
    both = {side: pairs[side].str.split().map(sorted) for side in ("anchor", "positive")}
    assert both["positive"].equals(both["anchor"])
    assert (pairs.positive != pairs.anchor).any()
    mean = f"{both['anchor'].str.len().mean():.2f}"
    assert f"swapped,{mean},{mean}," in words
    assert project.plan() == {}  # nothing else is made again
    with project.edited(MODULES[0], "< spec.rate", "<= spec.rate"):
        again = {"pairs_swapping": 2, "train_encoder": 1, "evaluate_suite": 1, "report_sts_table": 1}
        assert project.plan(*targets) == again | {"report_pair_words_table": 1}


def test_a_new_step_that_runs_a_model_is_a_module_and_a_rule(project: Checkout):
    target = "results/score/norms/dropout/bert-base.parquet"
    assert project.plan(target) == {"score_norms": 1}
    project.run(target)
    norms = pd.read_parquet(project.folder / target)
    pairs = read_table(project.folder / "results/pairs/dropout.parquet", PAIRS)
    assert norms.id.tolist() == pairs.id.tolist()
    assert norms.norm.gt(0).all()
    module = next(path for path in MODULES if path.endswith("norms.py"))
    with project.edited(module, "axis=1)", "axis=1) + 1"):
        assert project.plan(target) == {"score_norms": 1}
