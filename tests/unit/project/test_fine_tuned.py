import pytest

PRETRAINED = {"group": "English", "model": "none", "encoder": "bert-base"}
GRID = {"pairs.threshold": [0.3, 0.4], "learning_rate": [3e-5, 1e-5]}
OURS = {"group": "English", "model": "Ours", "pairs": "ppdb-en", "recipe": "simcse", "grid": GRID}
COLUMNS = {
    "ESCI": {"English": {"task": "esci_us", "metric": "micro_f1"}},
    "STS": {"English": "stsb_pairs", "Japanese": "jsts"},
}
TABLE = {"kind": "fine_tuned", "caption": "c", "columns": COLUMNS, "fine_tuning": "pair-tasks"}
TABLE["rows"] = [PRETRAINED, OURS]
GPT2 = {"path": "resources/mini/language_models/gpt2"}
FOLDER = "<results>/evaluate/fine_tuned/pair-tasks"


@pytest.fixture
def tuned(build):
    """Give a function that builds a project of one table."""

    def project(table=TABLE, fine_tuning=None, catalog=None, **config):
        recipes = {"fine_tunings.pair-tasks": fine_tuning or {}}
        return build(
            {"table3": table}, None, {"language_models.gpt2": GPT2, **(catalog or {})}, recipes, **config
        )

    return project


def test_a_job_knows_what_its_task_and_its_catalog_make_of_the_settings(tuned, job):
    project = tuned(fine_tuning={"train_pairs": "pairs_40k"})

    def fine_tuned(task, run):
        return job(project, "evaluate_fine_tuned", fine_tuning="pair-tasks", task=task, run=run)

    product, other = (
        fine_tuned("esci_us", "ppdb-en/simcse/seed43"),
        fine_tuned("stsb_pairs", "released/bert-base/seed42"),
    )
    assert (product.recipe.max_length, other.recipe.max_length) == (256, 128)
    assert (product.run, product.seed, product.train_pairs) == ("ppdb-en/simcse/seed43", 43, 512)
    assert (other.run, other.seed) == ("released/bert-base/seed42", 42)
    assert other.recipe.learning_rate == pytest.approx(5e-4)  # the mini world's encoders take larger steps
    assert (other.recipe.early_stopping_patience, other.recipe.epochs, other.recipe.lr_scheduler_type) == (
        3,
        20,
        "constant",
    )


def test_a_table_takes_every_task_of_every_run_once_per_seed(tuned, inputs):
    project = tuned(seeds=2)
    runs = [f"{name}/seed{seed}" for name in ("released/bert-base", "ppdb-en/simcse") for seed in (42, 43)]
    found = inputs(project, "own_table3")
    assert found["scores"] == [
        f"{FOLDER}/{task}/{run}.parquet"
        for pair in (runs[:2], runs[2:])
        for task in ("esci_us", "stsb_pairs")
        for run in pair
    ]
    assert [row.trained for row in project.about("own_table3").rows] == [True, True]
    assert found["sets"] == ["<results>/retrieve/benchmarks/pair_tasks_english.parquet"]
    lacking = tuned(catalog={"benchmarks.esci_us": ...})
    assert not any("esci_us" in file for file in inputs(lacking, "own_table3")["scores"])
    notes = lacking.about("own_table3").notes
    assert "Skipped: esci_us, because the catalog has no such sets." in notes


def test_rows_of_another_language_have_other_tasks_in_the_same_columns(tuned, inputs):
    japanese = {"group": "Japanese", "model": "none", "encoder": "japanese-roberta-base"}
    table = {**TABLE, "columns": {"STS": COLUMNS["STS"]}, "rows": [PRETRAINED, japanese]}
    found = inputs(tuned(table), "own_table3")
    assert found["scores"] == [
        f"{FOLDER}/stsb_pairs/released/bert-base/seed42.parquet",
        f"{FOLDER}/jsts/released/japanese-roberta-base/seed42.parquet",
    ]
    suites = [f"<results>/retrieve/benchmarks/pair_tasks_{name}.parquet" for name in ("english", "japanese")]
    assert found["sets"] == suites


def test_a_search_tries_settings_of_the_pair_set_and_of_the_recipe(tuned):
    selected = tuned(search=True).about("own_table3").rows[2]
    assert selected.model == "Ours, selected"
    low, slow = "ppdb-en+threshold=0.3", "simcse+learning_rate=1e-05"
    assert {each.setting: each.runs for each in selected.candidates} == {
        "pairs.threshold=0.3,learning_rate=3e-05": [f"{low}/simcse/seed42"],
        "pairs.threshold=0.3,learning_rate=1e-05": [f"{low}/{slow}/seed42"],
        "pairs.threshold=0.4,learning_rate=3e-05": ["ppdb-en/simcse/seed42"],
        "pairs.threshold=0.4,learning_rate=1e-05": [f"ppdb-en/{slow}/seed42"],
    }
    # A row is left alone whose pairs the catalog cannot make.
    nowhere = {"language_models.gpt2": {"path": "nowhere", "optional": True}}
    (row,) = tuned({**TABLE, "rows": [OURS]}, catalog=nowhere, search=True).about("own_table3").rows
    assert (row.runs, row.candidates) == ([], [])
    assert row.note == "skipped: this catalog has no model at language_models.gpt2"
