"""What rows cost, by hand: seconds that jobs left, requests in a journal, the cheapest rows."""

import json

import pandas as pd
import pytest

from contrapose.jobs.timing import AMOUNTS
from contrapose.report.about import TableRow
from contrapose.report.cells import EMPTY_CELL, cell_table, encoder_cells
from contrapose.report.row_costs import Asked, Costs, Expenses, cheapest, with_costs
from contrapose.tables import COSTS
from tests.kinds import about

ROWS = [
    TableRow(model="plain", runs=["released/e/mean"], trained=False),
    TableRow(model="dropout", runs=["d/r/seed42", "d/r/seed43"]),
    TableRow(model="asked", runs=["a/r/seed42", "a/r/seed43"]),
    TableRow(model="gone"),
]
QUESTION = ("wiki", "chatgpt", "2")


@pytest.fixture
def found(tmp_path):
    """Give a function (which differs from what there is) -> the table of `ROWS` with its costs."""

    def job(name: str, cpu: float, gpu: float = 0.0, flops: float = 1e12) -> str:
        file = tmp_path / f"{name}.took.json"
        facts = {"work": "", "finished": True, "wall_seconds": 1, "cpu_seconds": cpu}
        facts |= {"gpu_seconds": gpu, "flops": flops}
        file.write_text(json.dumps(facts))
        return str(file)

    def table(question=QUESTION, usage=True, key="KEY", **prices) -> pd.DataFrame:
        journal = tmp_path / "journal"
        journal.mkdir(exist_ok=True)
        counts = {"usage": {"prompt_tokens": 300, "completion_tokens": 50}} if usage else {}
        choices = [{"message": {"content": "1. x"}, "finish_reason": "stop"}]
        price = {"prompt": 0.0, "completion": 0.0, "as_of": None} | prices
        about_sentence = {"prompt": "2", "sentence_id": "1", "attempt": 0}
        records = [{"job": {"llm": "chatgpt", "corpus": "wiki", "shard": "0-of-1"}, "prices": price}]
        for each in ("a", "b"):
            records.append({"sent": each, **about_sentence, "most": [400, 600]})
            records.append({"key": each, "status": 200, "body": json.dumps({"choices": choices, **counts})})
        (journal / "wiki.jsonl").write_text("".join(json.dumps(each) + "\n" for each in records))
        of_llm = Asked(journals=[str(journal)], price_known=bool(price["as_of"]), key=bool(key))
        writing = job("writing", 5.0)
        dropout = [Expenses(jobs=[job(f"d{seed}", cpu)]) for seed, cpu in ((42, 10.0), (43, 20.0))]
        asked = [
            Expenses(jobs=[job(f"a{seed}", 30.0, gpu), writing], questions=[question])
            for seed, gpu in ((42, 4.0), (43, 6.0))
        ]
        runs = [*ROWS[1].runs, *ROWS[2].runs]
        of_runs = dict(zip(runs, [*dropout, *asked], strict=True))
        costs = Costs(runs=of_runs, asked={"chatgpt": of_llm})
        cell = {"A": {"value": 1.0, "n": 1}}
        facts = about(seeds=[42, 43], rows=ROWS)
        tidy = cell_table(facts, encoder_cells(facts, lambda run: cell if run else {"A": EMPTY_CELL}))
        return with_costs(tidy, ROWS, costs)

    return table


def of_rows(tidy: pd.DataFrame) -> list[list]:
    means = tidy[tidy.seed.isna()][list(COSTS)].astype(object)
    return means.where(means.notna(), None).to_numpy().tolist()


def test_a_row_costs_its_mean_training_and_all_that_its_pairs_are_made_from(found):
    tidy = found(prompt=2.0, completion=4.0)
    usd = 2 * (300 * 2 + 50 * 4) / 1e6
    assert of_rows(tidy) == [
        [0, 0, 0, 0, 0, 0],
        [1e12, 10, 0, 0, 0, 0],  # seconds: the least over seeds
        [2e12, 35, 4, 2, 700, pytest.approx(usd)],
        [None] * 6,
    ]
    assert tidy[tidy.seed.notna()][list(COSTS)].isna().all(axis=None)


def test_one_encoder_of_all_seeds_costs_all_of_their_trainings(tmp_path):
    soup = TableRow(model="soup", runs=["d/soup/seed42"], trained=False)
    jobs = [tmp_path / f"{name}.took.json" for name in ("soup", "seed42", "seed43")]
    for file, flops in zip(jobs, (0.0, 1e12, 3e12), strict=True):
        file.write_text(json.dumps(dict.fromkeys(AMOUNTS, flops) | {"work": "", "finished": True}))
    costs = Costs(runs={"d/soup/seed42": Expenses(jobs=[str(file) for file in jobs])})
    facts = about(rows=[soup])
    tidy = cell_table(facts, encoder_cells(facts, lambda run: {"a": EMPTY_CELL}))
    assert of_rows(with_costs(tidy, [soup], costs)) == [[4e12, 4e12, 4e12, 0, 0, 0]]


def test_what_nobody_knows_is_missing(found, tmp_path):
    assert of_rows(found())[2] == [2e12, 35, 4, 2, 700, None]  # without a price
    assert of_rows(found(as_of="2026-01-01"))[2] == [2e12, 35, 4, 2, 700, 0]  # a price of 0, which is meant
    assert of_rows(found(usage=False, prompt=2.0))[2] == [2e12, 35, 4, 2, None, None]
    # A server of one's own, for which no key is sent, costs nothing even if it counts no tokens.
    assert of_rows(found(key=None))[2] == [2e12, 35, 4, 2, 700, 0]
    assert of_rows(found(key=None, usage=False))[2] == [2e12, 35, 4, 2, None, 0]
    assert of_rows(found(key=None, usage=False, prompt=2.0))[2] == [2e12, 35, 4, 2, None, None]
    assert of_rows(found(question=("wiki", "chatgpt", "3")))[2] == [2e12, 35, 4, None, None, None]  # recorded


PRICED = pd.DataFrame(
    [("LLM", 5.0, 2.0), ("Dropout", 1.0, 0.0), ("Prefix", 1.05, 0.0), ("Mined", 1.3, 0.0)],
    columns=["model", "flops", "usd"],
)


def test_the_cheapest_rows_cost_no_money_and_then_about_the_least_work():
    assert cheapest(PRICED).model.tolist() == ["Dropout", "Prefix"]
    assert cheapest(PRICED.assign(usd=[0.0, 1.0, 1.0, 1.0])).model.tolist() == ["LLM"]
    assert cheapest(PRICED.assign(usd=[None, 0.0, None, 0.0])).model.tolist() == ["Dropout"]
    assert cheapest(PRICED.assign(usd=None)).empty
