"""What the small project's answers took: the table of costs, and the estimate once everything is answered."""

import pandas as pd

from contrapose.jobs.timing import read_timing
from contrapose.tables import CELLS, COMPLETIONS, COST, COSTS, read_table
from tests.checkout import TARGET, Checkout


def test_the_cost_of_all_answers_equals_the_tables_of_completions(finished: Checkout):
    finished.run("results/generate/cost.parquet")
    cost = read_table(finished.folder / "results/generate/cost.parquet", COST)
    paths = (finished.folder / "results/generate").glob("*/*/completions.parquet")
    answers = pd.concat([read_table(path, COMPLETIONS) for path in paths])
    counts = ["prompt_tokens", "completion_tokens"]
    assert cost.groupby("llm")[counts].sum().equals(answers.groupby("llm")[counts].sum().astype("int64"))
    accepted = cost[cost.outcome == "accepted"].requests.sum()
    assert accepted == (answers.refused == "").sum() > 0
    assert cost.requests.sum() == len(answers)
    # Asked for synthetic texts in one job.
    assert {"0-of-1", "0-of-2", "1-of-2", "merge"} >= set(cost.shard) >= {"0-of-1", "0-of-2", "1-of-2"}
    labelled = cost[cost.prompt.str.startswith("dino-")]
    assert set(labelled.corpus) == {"dev-sources"}  # what the cost of a row is looked for by
    text = (finished.folder / "results/generate/cost.md").read_text()
    assert f"for {len(answers)} requests." in text


def test_the_estimate_knows_that_everything_is_answered_and_makes_nothing(finished: Checkout):
    before = sorted((finished.folder / "state").rglob("*.jsonl"))
    lines = finished.run("generate_estimate").stdout.splitlines()
    (total,) = (line.split() for line in lines if line.split()[:1] == ["all"])
    sentences, known, requests = total[1:4]
    assert sentences == known != "0"
    assert requests == "0"
    assert sorted((finished.folder / "state").rglob("*.jsonl")) == before


def test_a_used_up_budget_ends_the_job_with_its_own_exit_code_and_the_words_how_to_go_on(
    finished: Checkout,
):
    part = "wiki/vicuna-prompt3/0-of-2"
    with finished.edited(
        "config/catalogs/tiny.yaml", "model: close,", "model: close, prompt_price: 2.0, budget: 0.0,"
    ):
        said = finished.run(f"results/generate/{part}/paraphrases.parquet", check=False).stdout
    assert "exit status 3" in said
    log = (finished.folder / f"logs/generate/{part}.log").read_text()
    assert "BudgetError: vicuna, prompt 3: 0 of 32 sentences are answered. llms.vicuna.budget: the" in log
    assert "could exceed the budget of 0 USD." in log
    assert "raise llms.vicuna.budget in the catalog file, or llm_budget in config/config.yaml" in log


STUDY = "config/studies/smoke/study.yaml"
WITH_COSTS = "Three runs.", "Three runs.\n    costs: true"


def test_a_table_says_what_its_rows_cost_and_other_seconds_rerun_nothing(finished: Checkout):
    with finished.edited(STUDY, *WITH_COSTS):
        finished.run(TARGET, "results/generate/cost.parquet")
        tidy = read_table(finished.folder / TARGET.replace("csv", "parquet"), CELLS)
        rows = tidy[tidy.seed.isna()].groupby("row")[list(COSTS)].first()
        cost = read_table(finished.folder / "results/generate/cost.parquet", COST)
        cost = cost[cost.corpus == "wiki"].groupby("llm").sum(numeric_only=True).loc[["chatgpt", "vicuna"]]
        assert rows.requests.tolist() == [0, *cost.requests]
        assert rows.tokens.tolist() == [0, *(cost.prompt_tokens + cost.completion_tokens)]
        assert rows.usd.tolist() == [0, *cost.usd]
        assert (rows.cpu_seconds > 0).all()
        (job,) = (finished.folder / "logs/train/dropout/simcse").glob("*.took.json")
        assert rows.cpu_seconds[0] == read_timing(job)["cpu_seconds"]
        with finished.edited(str(job.relative_to(finished.folder)), '"cpu_seconds": ', '"cpu_seconds": 9'):
            assert finished.plan(TARGET) == {}
    finished.run(TARGET)  # as it was
