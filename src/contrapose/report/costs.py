"""Costs of the rows of a table: seconds of their jobs, and their requests to language models."""

from collections.abc import Mapping, Sequence
from math import nan
from statistics import fmean

import pandas as pd
from pydantic import Field

from contrapose.generate.endpoint import serving_module
from contrapose.report.about import About, TableRow, row_label
from contrapose.report.cells import UNKNOWN
from contrapose.report.comparison import ONE_SEED
from contrapose.settings.spec import Spec
from contrapose.settings.worlds import Connection
from contrapose.tables import COSTS
from contrapose.took import read_took

SECONDS, ASKED = COSTS[:2], COSTS[2:]  # costs of jobs; costs of questions
# Costs that decide which row is the cheapest, in this order: if none costs money the GPU, then the CPU.
DECIDING = {"usd": "USD", "gpu_seconds": "GPU seconds", "cpu_seconds": "CPU seconds"}

Question = tuple[str, str, str]  # corpus, llm, prompt
Amounts = dict[str, float]  # by name in COSTS; nan: unknown


class Expenses(Spec):
    """What causes the costs of a trained encoder."""

    jobs: list[str] = Field(description="Files of what jobs took: its training, those behind its pairs")
    questions: list[Question] = Field([], description="To language models, that its pairs are made from")


class Costs(Spec):
    """Where a table finds the costs of its rows; no other number depends on it."""

    runs: dict[str, Expenses] = Field({}, description="Of each training")
    journals: dict[str, str] = Field({}, description="Folder of each language model that is asked")
    connections: dict[str, Connection] = Field({}, description="How each is reached")
    codes: list[str] = Field([], description="Of the jobs that ask: see Costs")


def with_costs(tidy: pd.DataFrame, rows: Sequence[TableRow], costs: Costs) -> pd.DataFrame:
    """Add the costs of a row to its means over seeds.

    The mean over its runs, each with everything that its pairs are made from, as if it were the only run.  A
    pretrained encoder costs nothing.  Unknown costs are missing.
    """
    of_questions = _asked(costs)
    of_rows = {}
    for number, row in enumerate(rows):
        per_run = [_run_cost(costs.runs[run], of_questions) for run in row.runs if row.trained]
        free = 0.0 if row.runs else nan
        of_rows[number] = {name: fmean(each[name] for each in per_run) if per_run else free for name in COSTS}
    beside = (
        pd.DataFrame.from_dict(of_rows, "index", float, list(COSTS)).loc[tidy["row"]].set_axis(tidy.index)
    )
    return tidy.assign(**beside.where(tidy.seed.isna()))


def _run_cost(behind: Expenses, asked: Mapping[Question, Amounts]) -> Amounts:
    parts = [read_took(file) or dict.fromkeys(SECONDS, nan) for file in behind.jobs]
    parts += [asked.get(question) or dict.fromkeys(ASKED, nan) for question in behind.questions]
    return {name: sum(part.get(name, 0.0) for part in parts) for name in COSTS}


def _asked(costs: Costs) -> dict[Question, Amounts]:
    """Return the costs of each question in the journals, including answers that are no longer used.

    Tokens are unknown where no reply gave them, and USD for a model without prices.
    """
    # Imports all that asks: too slow for a plan.
    from contrapose.generate.cost import CostSettings, cost_table, journals

    job = CostSettings(models=dict.fromkeys(costs.journals, ""), codes=costs.codes)
    table = cost_table(journals(job, costs.connections, costs.journals), [])
    costs_of = {}
    for question, rows in table.groupby(["corpus", "llm", "prompt"]):
        tokens, usd = float(rows.prompt_tokens.sum() + rows.completion_tokens.sum()), float(rows.usd.sum())
        priced = bool(tokens) and (usd > 0 or _is_priced(costs.connections[question[1]]))
        amounts = float(rows.requests.sum()), tokens or nan, usd if priced else nan
        costs_of[question] = dict(zip(ASKED, amounts, strict=True))
    return costs_of


def _is_priced(connection: Connection) -> bool:
    """Tell whether a price of 0 is intended: it has a date, or the model is served in the job itself."""
    return connection.prices_as_of is not None or bool(serving_module(connection.endpoint))


def printed_costs(tidy: pd.DataFrame, rows: Sequence[TableRow]) -> pd.DataFrame:
    """Return the costs of rows as texts, without columns of zeros; empty for a row without runs."""
    costs = tidy[tidy.seed.isna()].groupby("row")[list(COSTS)].first()
    known = [number for number, row in enumerate(rows) if row.runs]
    names = [name for name in COSTS if (costs.loc[known, name] != 0).any()]
    texts = costs[names].map(cost_text)
    return texts.where(texts.index.to_series().isin(known), "", axis=0)


def cost_text(amount: float) -> str:
    """Format an amount: three digits, or a whole number; `UNKNOWN` if it is missing."""
    if pd.isna(amount):
        return UNKNOWN
    return f"{amount:.0f}" if amount >= 100 else f"{amount:.3g}"


def cheapest_lines(tidy: pd.DataFrame, columns: Sequence[str], about: About) -> list[str]:
    """Say which rows tie with the best of some columns, and which of these is the cheapest."""
    tied = tidy[tidy.tied.fillna(False)].sort_values("value", ascending=False, kind="stable")
    lines = [
        f"{column}: {said}" if columns[1:] else said
        for column in columns
        if (said := _cheapest(tied[tied.column == column]))
    ]
    one_seed = len(about.seeds) == 1 and any(row.trained and row.runs for row in about.rows)
    return [*lines, ONE_SEED] if lines and one_seed else lines


def _cheapest(tied: pd.DataFrame) -> str:
    names = [row_label(*labels) for labels in zip(tied["group"], tied.model, strict=True)]
    if not names:
        return ""
    costs = tied[list(DECIDING)].set_axis(names)
    known = costs.dropna().sort_values(list(DECIDING), kind="stable")
    shown = [name for name in DECIDING if name == "cpu_seconds" or (costs[name] != 0).any()]
    best, *others = names
    parts = [
        f"Tied with the best ({best}): {', '.join(others)}."
        if others
        else f"No row ties with the best, {best}."
    ]
    if len(known):
        amounts = ", ".join(f"{cost_text(known[name].iloc[0])} {DECIDING[name]}" for name in shown)
        among = "The cheapest of these" + " whose cost is known" * (len(known) < len(costs))
        parts.append(f"{among}: {known.index[0]} ({amounts})." if others else f"It costs {amounts}.")
    if len(known) < len(costs):
        parts.append(f"Cost not known: {', '.join(costs.index[costs.isna().any(axis=1)])}.")
    return " ".join(parts)
