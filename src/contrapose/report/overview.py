"""The first page of the report: what is built, what came out, how it was trained, what it cost."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import pandas as pd

from contrapose.report.claims.verdict import KINDS
from contrapose.report.files import deviation_parts, joined
from contrapose.report.jobs import OverviewJob, StudyResults
from contrapose.report.runs import RunRow
from contrapose.report.web import Grid, filled, grid_of, html_of

ONE = {"tables": "table", "figures": "figure", "claims": "claims"}
BEST_IN = {"prompts": "Total"}  # by kind: the column that says best what is better; else a column of averages


class Built(NamedTuple):
    """A result that is there."""

    tidy: pd.DataFrame
    made: Mapping  # provenance of its Parquet file


def overview(
    built: Mapping[tuple[str, str], Built],
    runs: Sequence[RunRow],
    cost: pd.DataFrame | None,
    job: OverviewJob,
) -> str:
    """Write the overview as HTML that loads nothing.

    What is not among the `built`, by kind and name, is named as not built.  `cost` is a COST table.
    """
    return filled(
        "overview.html",
        job=job,
        studies=[_study(about, built) for about in job.studies],
        runs=runs,
        costs=_costs(cost),
        packages=_packages([each.made for each in built.values()]),
    )


def _study(about: StudyResults, built: Mapping[tuple[str, str], Built]) -> dict[str, object]:
    there = [result for result in about.results if result[:2] in built]
    rows = [[name, ONE[kind], caption, result_line(built[kind, name])] for kind, name, caption in there]
    return {
        "about": about,
        "built": len(there),
        "missing": [f"{name} ({ONE[kind]})" for kind, name, _ in about.results if (kind, name) not in built],
        "results": grid_of(f"Results of {about.name}", ["name", "kind", "what", "result"], rows),
        "deviations": html_of(joined(deviation_parts(about.deviations)[1:]), about.name, {}),
    }


def result_line(result: Built) -> str:
    """Say in a line what came out: claims by verdict, the best row of a table of scores, else its size."""
    tidy, spec = result.tidy, result.made["settings"].get("spec", {})
    if "verdict" in tidy:
        counts = tidy.verdict.value_counts()
        return ", ".join(
            [*(f"{kind} {counts.get(kind, 0)}" for kind in KINDS), f"no verdict {tidy.verdict.isna().sum()}"]
        )
    wanted = BEST_IN.get(spec.get("kind")) or spec.get("average")
    if wanted and (best := _highest(tidy, wanted)):
        return best
    if {"row", "column"} <= set(tidy):
        return f"{tidy['row'].nunique()} rows, {tidy['column'].nunique()} columns"
    return f"{len(tidy)} rows"


def _highest(tidy: pd.DataFrame, column: str) -> str:
    """Return the row that is best in a column, means over seeds alone; empty if none has a value."""
    means = tidy[tidy.seed.isna()] if "seed" in tidy else tidy[tidy.slot.isna()]
    named = [name for name in dict.fromkeys(means.column) if name.split(" of ")[0] == column]
    cells = means[means.column.isin(named) & means.value.notna()]
    if cells.empty:
        return ""
    best = cells.loc[cells.value.idxmax()]
    name = ": ".join(str(best[each]) for each in ("group", "model", "label", "llm") if best.get(each))
    return f"Highest {named[0]}: {name}, {best.value:.4g}"


def _costs(cost: pd.DataFrame | None) -> Grid:
    columns = ["requests", "prompt_tokens", "completion_tokens", "usd", "usd_at_most"]
    sums = [] if cost is None else cost.groupby(["llm", "model"])[columns].sum().iterrows()
    rows = [[*names, *(_amount(name, one[name]) for name in columns)] for names, one in sums]
    return grid_of("Cost of language models", ["llm", "model", *columns], rows)


def _amount(column: str, value: float) -> str:
    return f"{value:.4f}" if column.startswith("usd") else f"{int(value):,}"


def _packages(made: Sequence[Mapping]) -> Grid:
    """Return every version that a result was made with: several of one package are worth a look."""
    found: dict[str, dict[str, None]] = {}
    for each in made:
        for package, version in each["packages"].items():
            found.setdefault(package, {})[version] = None
    rows = [[package, ", ".join(versions)] for package, versions in sorted(found.items())]
    return grid_of("Packages behind the results", ["package", "version"], rows)
