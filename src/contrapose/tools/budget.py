"""Choose seeds, steps and sentences of a run by a budget of time or money, the same for all methods.

What is chosen is written into `config/config.yaml` of the folder: `plan`, `report` and a later `run` then
mean the same encoders.  docs/how-to/methods-and-budget.md has the order of choices, and
docs/explanation/statistics.md the reason why no method gets more than others.
"""

import re
from bisect import bisect_right
from collections.abc import Sequence
from contextlib import chdir
from pathlib import Path

from contrapose.base.directory import call
from contrapose.base.errors import ConfigError
from contrapose.base.home import HOME
from contrapose.generate.progress import usd
from contrapose.project import Project
from contrapose.settings.cli_config import CONFIG
from contrapose.tools.budget_time import for_time
from contrapose.tools.budgeted_run import BudgetedRun
from contrapose.tools.command_line import RunArguments
from contrapose.tools.model_work import SECONDS
from contrapose.tools.plan import llm_estimates, prices_to_set
from contrapose.tools.workload import Call

UNITS = {"s": 1.0, "min": 60.0, "h": SECONDS, "USD": 1.0}
FEWEST_SENTENCES = 100  # on which the thesis compares prompts
# Of the money, what answers are expected to cost; the rest is for refused and long ones.
EXPECTED = 0.8


def amount(text: str) -> tuple[float, str]:
    """Return a budget as seconds or USD, and its unit; raise a ConfigError if it is neither."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?) ?(s|min|h|USD)", text)
    if not text:
        raise ConfigError("--budget: the value is missing. Write it like 20min, 2h, 90s or 5USD.")
    if not match or not float(match[1]):
        raise ConfigError(
            f"--budget {text}: the value is neither a time nor an amount of money. Write it like "
            "20min, 2h, 90s or 5USD."
        )
    return float(match[1]) * UNITS[match[2]], match[2]


def within(budgets: Sequence[str], folder: str, arguments: list[str]) -> bool:
    """Choose what budgets allow and write it; return whether the run itself is left to do.

    `arguments` are those of `contrapose run` without the budgets.  Raises a ConfigError if a budget allows
    no run that says something, and then nothing has been written.
    """
    amounts = sorted(map(amount, budgets), key=lambda each: each[1] != "USD")  # fewer sentences, less time
    if {"-n", "--dry-run"} & set(arguments):
        raise ConfigError(
            "--budget cannot be combined with -n (--dry-run). To estimate a run, call `contrapose plan`."
        )
    if not Path(folder, CONFIG).is_file():
        raise ConfigError(
            f"--budget: {folder} has no {CONFIG}, to which the choice is written. Create a project "
            "first: contrapose init FOLDER"
        )
    parsed = RunArguments.of(arguments)
    if not parsed.targets:
        raise ConfigError(
            "--budget: the target is missing. Name what to build after --, for example: "
            f"{call('run', '--budget 20min -- compare')}"
        )
    run = BudgetedRun(Path(folder).resolve(), parsed, budgets)
    with chdir(run.folder):
        return all(
            _for_money(run, value) if unit == "USD" else for_time(run, value) for value, unit in amounts
        )


def _for_money(run: BudgetedRun, dollars: float) -> bool:
    """Choose of how many sentences answers are asked, and let no model of the folder cost more in all."""
    every = run.call({})
    costs = _costs(every)
    names = {one.labels["corpus"] for one in llm_estimates(every)} & every.project.recipes.corpora.keys()
    most = max((every.texts(name).sentences or 0 for name in names), default=0)
    wanted = sum(costs.values())
    if not wanted:
        print("--budget: every answer is stored already, so no request has to be paid.", flush=True)
        return True

    def cost(sentences: int) -> float:
        project = Project(run.settings({"sentences": sentences}), HOME)
        return sum(_costs(Call(project, every.jobs)).values())

    count = most
    if wanted > EXPECTED * dollars:
        count = bisect_right(range(most), EXPECTED * dollars, lo=1, key=cost) - 1
    if count < min(FEWEST_SENTENCES, most):
        raise ConfigError(
            f"--budget {dollars:g}USD: this budget is too small. Answers about {FEWEST_SENTENCES} "
            f"sentences cost about {usd(cost(FEWEST_SENTENCES))}, and Contrapose plans with "
            f"{EXPECTED:.0%} of a budget. Answers about all {most:,} sentences would cost "
            f"{usd(wanted)}. Raise the budget, or use fewer methods."
        )
    fewer = {"sentences": count} if count < most else {}
    expected = cost(count) if fewer else wanted
    limits = {role: round(dollars * each / wanted, 6) for role, each in costs.items() if each}
    print(
        f"--budget: every method is trained on {count:,} of {most:,} sentences, whose answers cost "
        f"about {usd(expected)} (all sentences: {usd(wanted)}). At most {dollars:g} USD will be "
        f"spent. These settings are written to {run.place}.",
        flush=True,
    )
    shares = ", ".join(f"{role}: {each:g}" for role, each in limits.items())
    run.write({**fewer, "llm_budget": f"{{{shares}}}"})
    return True


def _costs(call: Call) -> dict[str, float]:
    """Return what the answers that are left to ask are expected to cost, by role."""
    costs: dict[str, float] = {}
    for one in llm_estimates(call):
        if one.amounts["requests"] is not None and one.amounts["cost"] is None:
            raise ConfigError(f"--budget: Contrapose does not know the {prices_to_set(call)[0]}")
        if one.amounts["cost"] is None:
            raise ConfigError(
                f"--budget: Contrapose cannot estimate what the answers cost, because the {one.unknown} is "
                f"not known. Set size at corpora.{one.labels['corpus']} in config/recipes.yaml."
            )
        costs[one.labels["llm"]] = costs.get(one.labels["llm"], 0.0) + one.amounts["cost"]
    return costs
