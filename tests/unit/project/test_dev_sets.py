"""Which pairs select checkpoints, and what a training depends on."""

from pathlib import Path

import pytest

from contrapose.base.errors import ConfigError
from contrapose.project import Project
from contrapose.retrieve import suites
from contrapose.retrieve.dev import build, plan
from tests.checkout import HOME

PAIRS = "main-captions\tMSRvid\t2012test\t{0}\t2.5\ta cat sat {0}\ta dog sat\n"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    folder = tmp_path / "senteval/STS/STSBenchmark"
    folder.mkdir(parents=True)
    for number, split in enumerate(("train", "dev", "test")):
        (folder / f"sts-{split}.csv").write_text("".join(PAIRS.format(each + number) for each in range(3)))
    return Project({"catalog": "files", "data": str(tmp_path), "studies": ["thesis"]}, HOME)


def test_a_training_depends_on_the_dev_file_and_on_no_test_file(project, tmp_path):
    assert project.runs.dev_file("dropout", "simcse") == "<results>/retrieve/dev/stsb.parquet"
    assert [Path(file).name for file in suites.dev_inputs(project, "stsb")] == ["sts-dev.csv"]
    (settings,) = plan(project, "stsb").root.values()
    loose = plan(project, "stsb").model_copy(
        update={"root": {"stsb": settings.model_copy(update={"complete": False})}}
    )
    (tmp_path / "senteval/STS/STSBenchmark/sts-test.csv").write_text("broken")
    found = build(loose, tmp_path)
    assert found[["split", "sentence1"]].to_numpy().tolist() == [
        ["dev", f"a cat sat {each}"] for each in (1, 2, 3)
    ]


def test_a_catalog_without_dev_pairs_of_the_task_says_so(project):
    says = "yaml: benchmarks has no dev pairs of task own, which choose the checkpoint of a training."
    with pytest.raises(ConfigError, match=says):
        plan(project, "own")


@pytest.mark.parametrize(
    ("changes", "config", "dev"),
    [
        ({}, {}, False),
        ({}, {"search": True}, True),
        ({"split": "dev"}, {}, True),
        ({"best_of_seeds": True}, {}, True),
    ],
)
def test_dev_pairs_of_a_user_are_scored_only_if_something_reads_the_scores(build, job, changes, config, dev):
    rows = [{"model": "Dropout", "pairs": "dropout", "recipe": "simcse"}]
    table = {"kind": "sts", "caption": "c", "columns": {"Own": "own"}, "rows": rows}
    project = build({"one": {**table, **changes}}, **config)
    run = "dropout/simcse/seed42"
    assert job(project, "evaluate_suite", suite="own", run=run).dev is dev
    assert job(project, "evaluate_suite", suite="english", run=run).dev  # as in the papers


@pytest.mark.parametrize("splits", [["test"], ["dev", "test"]])
@pytest.mark.parametrize(
    ("row", "search", "says"),
    [
        ({"grid": {"learning_rate": [1e-5, 3e-5]}}, True, "has a grid, and search is true"),
        ({"choices": [{"learning_rate": 1e-5}]}, False, "has choices"),
        ({"grid": {"learning_rate": [1e-5, 3e-5]}}, False, None),
    ],
)
def test_settings_are_trained_only_if_dev_pairs_can_select_one(build, row, search, says, splits):
    rows = [{"model": "Dropout", "pairs": "dropout", "recipe": "simcse", **row}]
    table = {"kind": "sts", "caption": "c", "columns": {"Own": "own"}, "rows": rows}
    own = {"kind": "pairs", "task": "own", "path": "pairs", "splits": splits}
    project = build({"one": table}, catalog={"benchmarks.own": own}, search=search)
    if says and "dev" not in splits:
        with pytest.raises(
            ConfigError, match=f"the row 'Dropout' of table 'own_one' {says}, but the catalog"
        ):
            project.about("own_one")
    else:
        project.about("own_one")
