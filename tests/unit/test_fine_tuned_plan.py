"""Which files and settings fine-tuned encoders and their tables have."""

from pathlib import Path

import pytest
import yaml
from contrapose.plan import Plan

from contrapose.errors import ConfigError

HOME = Path(__file__).parents[2]
ROWS = [
    {"group": "English", "model": "none", "encoder": "bert-base"},
    {
        "group": "English",
        "model": "Ours",
        "pairs": "ppdb-en",
        "recipe": "simcse",
        "grid": {"pairs.threshold": [0.3, 0.4], "learning_rate": [3e-5, 1e-5]},
    },
]
COLUMNS = {
    "ESCI": {"English": {"task": "esci_us", "metric": "micro_f1"}},
    "STS": {"English": "stsb_pairs", "Japanese": "jsts"},
}
GPT2 = {"path": "resources/mini/language_models/gpt2"}
TABLE = {"kind": "fine_tuned", "caption": "c", "columns": COLUMNS, "fine_tuning": "pair-tasks", "rows": ROWS}


@pytest.fixture
def plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Build a plan of a study with one table in the mini world, with other fine-tunings and settings."""
    monkeypatch.chdir(tmp_path)

    def build(
        table: object = TABLE,
        fine_tuning: object = None,
        without: str = "",
        language_model: object = GPT2,
        **config,
    ) -> Plan:
        world = yaml.safe_load((HOME / "config/worlds/mini.yaml").read_text())
        world["language_models"]["gpt2"] = language_model
        world["benchmarks"].pop(without, None)
        recipes = yaml.safe_load((HOME / "config/recipes.yaml").read_text())
        recipes["fine_tunings"]["pair-tasks"] = fine_tuning or {}
        study = {"title": "t", "source": "s", "prefix": "own_", "tables": {"table3": table}}
        files = {"worlds/mini": world, "recipes": recipes, "studies/own/study": study}
        for name, content in files.items():
            path = tmp_path / "config" / f"{name}.yaml"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(yaml.safe_dump(content, sort_keys=False))
        return Plan({"studies": ["own"], **config}, HOME)

    return build


def test_a_job_knows_what_its_task_and_its_world_make_of_the_settings(plan):
    project = plan(fine_tuning={"train_pairs": "pairs_40k"})
    product = project.evaluate_fine_tuned("pair-tasks", "esci_us", "ppdb-en", "simcse", "43")
    other = project.evaluate_fine_tuned_released("pair-tasks", "stsb_pairs", "bert-base", "42")
    assert (product.recipe.max_length, other.recipe.max_length) == (256, 128)
    assert (product.run, product.seed, product.train_pairs) == ("ppdb-en/simcse/seed43", 43, 512)
    assert (other.run, other.seed) == ("released/bert-base/seed42", 42)
    assert other.recipe.learning_rate == pytest.approx(5e-4)  # the mini world's encoders take larger steps
    assert (other.recipe.patience, other.recipe.epochs, other.recipe.schedule) == (3, 20, "constant")
    with pytest.raises(ConfigError, match="tasks that encoders are fine-tuned on"):
        project.evaluate_fine_tuned("pair-tasks", "sts12", "ppdb-en", "simcse", "42")


def test_a_setting_of_long_inputs_changes_no_other_task(plan):
    def settings(task: str, **changed) -> str:
        wildcards = {"fine_tuning": "pair-tasks", "task": task, "role": "bert-base", "seed": "42"}
        return plan(fine_tuning=changed).settings("evaluate_fine_tuned_released", wildcards)

    assert settings("paws") == settings("paws", long_max_length=64)
    assert settings("esci_us") != settings("esci_us", long_max_length=64)


def test_a_table_takes_every_task_of_every_run_once_per_seed(plan):
    project = plan(seeds=2)
    files = project.fine_tuned_inputs("own_table3")
    runs = [f"{name}/seed{seed}" for name in ("released/bert-base", "ppdb-en/simcse") for seed in (42, 43)]
    folder = "<results>/evaluate/fine_tuned/pair-tasks"
    assert files == [
        f"{folder}/{task}/{run}.parquet"
        for pair in (runs[:2], runs[2:])
        for task in ("esci_us", "stsb_pairs")
        for run in pair
    ]
    job = project.report_fine_tuned_table("own_table3")
    assert (job.fine_tuned, job.form, [row.trained for row in job.rows]) == (True, "raw", [True, True])
    assert project.scored_sets_inputs("own_table3") == [
        "<results>/retrieve/benchmarks/pair_tasks_english.parquet"
    ]


def test_a_set_that_a_world_lacks_is_not_asked_for_and_the_table_says_so(plan):
    project = plan(without="esci_us")
    assert not any("esci_us" in file for file in project.fine_tuned_inputs("own_table3"))
    job = project.report_fine_tuned_table("own_table3")
    assert "Left out: esci_us; this world has no such sets." in job.notes
    assert [column.name for column in job.columns] == ["ESCI", "STS", "STS"]


def test_rows_of_another_language_have_other_tasks_in_the_same_columns(plan):
    japanese = {"group": "Japanese", "model": "none", "encoder": "japanese-roberta-base"}
    table = {**TABLE, "columns": {"STS": COLUMNS["STS"]}, "rows": [ROWS[0], japanese]}
    project = plan(table)
    folder = "<results>/evaluate/fine_tuned/pair-tasks"
    assert project.fine_tuned_inputs("own_table3") == [
        f"{folder}/stsb_pairs/released/bert-base/seed42.parquet",
        f"{folder}/jsts/released/japanese-roberta-base/seed42.parquet",
    ]
    suites = [f"<results>/retrieve/benchmarks/pair_tasks_{name}.parquet" for name in ("english", "japanese")]
    assert project.scored_sets_inputs("own_table3") == suites


def test_a_search_tries_settings_of_the_pair_set_and_of_the_recipe(plan):
    selected = plan(search=True).report_fine_tuned_table("own_table3").rows[2]
    assert selected.model == "Ours, selected"
    runs = {each.setting: each.runs for each in selected.candidates}
    assert runs == {
        "pairs.threshold=0.3,learning_rate=3e-05": ["ppdb-en+threshold=0.3/simcse/seed42"],
        "pairs.threshold=0.3,learning_rate=1e-05": [
            "ppdb-en+threshold=0.3/simcse+learning_rate=1e-05/seed42"
        ],
        "pairs.threshold=0.4,learning_rate=3e-05": ["ppdb-en/simcse/seed42"],
        "pairs.threshold=0.4,learning_rate=1e-05": ["ppdb-en/simcse+learning_rate=1e-05/seed42"],
    }
    wrong = [{**ROWS[1], "grid": {"pairs.treshold": [0.3]}}]
    with pytest.raises(ConfigError, match="treshold"):
        plan({**TABLE, "rows": wrong}, search=True)


def test_a_search_leaves_a_row_alone_whose_pairs_the_world_cannot_make(plan):
    project = plan(
        {**TABLE, "rows": ROWS[1:]}, language_model={"path": "nowhere", "optional": True}, search=True
    )
    (row,) = project.report_fine_tuned_table("own_table3").rows
    assert (row.runs, row.candidates) == ([], [])
    assert row.note == "left out: this world has no language model 'gpt2'"


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"columns": {"STS12": {"English": "sts12"}}}, "no task that encoders are fine-tuned on"),
        (
            {"columns": {"a": {"English": "stsb_pairs"}, "b": {"English": "jsts"}}},
            "columns of several suites",
        ),
        ({"columns": {"a": {"Japanese": "jsts"}}}, "columns.a has no task for the rows of group 'English'"),
        ({"kind": "sts", "fine_tuning": None, "columns": {"a": "jsts"}}, "take a table of kind fine_tuned"),
        ({"fine_tuning": "pair-task"}, "pair-tasks"),
        ({"rows": [{**ROWS[0], "encoder": "glove"}]}, "is word vectors"),
        ({"rows": [{**ROWS[0], "pooling": "avg"}]}, "leave pooling out"),
    ],
)
def test_what_cannot_be_fine_tuned_is_refused(plan, changed, message):
    table = {key: value for key, value in {**TABLE, **changed}.items() if value is not None}
    with pytest.raises(ConfigError, match=message):
        plan(table)
