"""Costs of the rows of a table: work and seconds of their jobs, and their requests to language models."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from math import nan
from pathlib import Path
from statistics import fmean

import numpy as np
import pandas as pd
from pydantic import Field

from contrapose.jobs.timing import read_timing
from contrapose.report.about import TableRow
from contrapose.report.cells import COMPUTE, UNKNOWN
from contrapose.settings.spec import Spec
from contrapose.tables import COSTS

JOB_COSTS, REQUEST_COSTS = COSTS[:3], COSTS[3:]  # costs of jobs; costs of questions
SAME = 1.1  # ratio of work up to which costs count as the same: batches of other lengths differ as much. Ours

Question = tuple[str, str, str]  # corpus, llm, prompt
Amounts = dict[str, float]  # by name in COSTS; nan: unknown


class Expenses(Spec):
    """What causes the costs of a trained encoder."""

    jobs: list[str] = Field(description="Files of what jobs took: its training, those behind its pairs")
    questions: list[Question] = Field([], description="To language models, that its pairs are made from")


class Asked(Spec):
    """What a language model was asked, and whether 0 USD are its price."""

    journals: list[str] = Field(description="Folders")
    price_known: bool = Field(description="The catalog says of what day its prices are")
    key: bool = Field(description="It is reached with a key, so its answers may be paid for")


class Costs(Spec):
    """Where a table finds the costs of its rows; no other number depends on it."""

    runs: dict[str, Expenses] = Field({}, description="Of each training")
    asked: dict[str, Asked] = Field({}, description="By the role of the language model")


def with_costs(tidy: pd.DataFrame, rows: Sequence[TableRow], costs: Costs) -> pd.DataFrame:
    """Add the costs of a row to its means over seeds.

    Of a run with everything that its pairs are made from, as if it were the only one: seconds are the least
    over runs, as other work on a machine only adds some, the rest is the mean.  A pretrained encoder costs
    nothing.  Unknown costs are missing.
    """
    of_questions = _request_costs(costs)
    by_row: dict[int, Amounts] = {}
    for number, row in enumerate(rows):
        per_run = [_run_cost(costs.runs[run], of_questions) for run in row.runs if run in costs.runs]
        free = 0.0 if row.runs else nan
        for name in COSTS:
            amounts = [each[name] for each in per_run] or [free]
            known = [each for each in amounts if each == each] or [nan]
            by_row.setdefault(number, {})[name] = min(known) if name.endswith("seconds") else fmean(amounts)
    beside = pd.DataFrame.from_dict(by_row, "index", float, list(COSTS)).loc[tidy["row"]].set_axis(tidy.index)
    return tidy.assign(**beside.where(tidy.seed.isna()))


def _run_cost(behind: Expenses, of_questions: Mapping[Question, Amounts]) -> Amounts:
    parts = [read_timing(file) or dict.fromkeys(JOB_COSTS, nan) for file in behind.jobs]
    parts += [
        of_questions.get(question) or dict.fromkeys(REQUEST_COSTS, nan) for question in behind.questions
    ]
    return {name: sum(part.get(name, 0.0) for part in parts) for name in COSTS}


def _request_costs(costs: Costs) -> dict[Question, Amounts]:
    """Return the costs of each question in the journals, including answers that are no longer used.

    Tokens are unknown where no reply gave them, and USD for a model with a key and without prices.
    """
    # Imports all that asks: too slow for a plan.
    from contrapose.generate.ledger import PICO, sends

    # Requests, tokens; pico-USD: known, and at most besides.
    sums: dict[Question, np.ndarray] = defaultdict(lambda: np.zeros(4, np.int64))
    for llm, asked in costs.asked.items():
        for journal in (file for folder in asked.journals for file in Path(folder).glob("*.jsonl")):
            for sent in sends(journal):
                question = sent.job.get("corpus", ""), llm, sent.prompt
                sums[question] += (1, sum(sent.used or ()), *sent.cost)
    by_question = {}
    for question, total in sums.items():
        (requests, tokens, known, perhaps), asked = total.tolist(), costs.asked[question[1]]
        is_priced = tokens and (known or asked.price_known)
        is_free = not (known or perhaps or asked.key)
        usd = known / PICO if is_priced or is_free else nan
        amounts = float(requests), float(tokens) or nan, float(usd)
        by_question[question] = dict(zip(REQUEST_COSTS, amounts, strict=True))
    return by_question


def printed_costs(tidy: pd.DataFrame, rows: Sequence[TableRow]) -> pd.DataFrame:
    """Return the costs of rows as texts, without columns of zeros; empty for a row without runs.

    Work is printed as multiples of that of the last baseline that is trained, or of the least one.
    """
    costs = tidy[tidy.seed.isna()].groupby("row")[list(COSTS)].first()
    existing = [number for number, row in enumerate(rows) if row.runs]
    names = [name for name in COSTS if (costs.loc[existing, name] != 0).any()]
    texts = costs[names].map(cost_text)
    texts = texts.drop(columns="flops", errors="ignore")
    if (costs.flops > 0).any():
        work = costs.flops[costs.flops > 0]
        unit = compute_unit(work, {number: rows[number].label for number in work.index}, tidy.baseline)
        multiples = [UNKNOWN if pd.isna(each) else f"{each:.2f}" for each in costs.flops / work[unit]]
        texts.insert(0, f"{COMPUTE} ({rows[unit].label} = 1)", multiples)
    return texts.where(texts.index.to_series().isin(existing), "", axis=0)


def compute_unit(work: pd.Series, labels: Mapping[int, str], baselines: Iterable[str]) -> int:
    """Return the row whose work is 1 wherever work is shown: the last trained baseline, or the least work."""
    named = {*baselines}
    of_baselines = [number for number in work.index if labels[number] in named]
    return int(of_baselines[-1] if of_baselines else work.idxmin())


def cost_text(amount: float) -> str:
    """Format an amount: three digits, or a whole number; `UNKNOWN` if it is missing."""
    if pd.isna(amount):
        return UNKNOWN
    return f"{amount:.0f}" if amount >= 100 else f"{amount:.3g}"


def cheapest(cells: pd.DataFrame) -> pd.DataFrame:
    """Return the cells of rows that cost least: USD first, then work, of which `SAME` counts as the same.

    Rows whose cost is not known are left out.
    """
    known = cells[~unknown_costs(cells)]
    least = known[known.usd == known.usd.min()]
    return least[least.flops <= SAME * least.flops.min()]


def unknown_costs(cells: pd.DataFrame) -> pd.Series:
    """Return for each row whether its work or its price is not known."""
    return cells[["usd", "flops"]].isna().any(axis=1)
