"""The report in one HTML file: questions and findings, a page for each result, and how it was made."""

from collections.abc import Mapping, Sequence

import pandas as pd

from contrapose.report.files import deviation_parts, joined
from contrapose.report.findings import NO_VERDICT, chart, finding, ranked, verdicts
from contrapose.report.page import page
from contrapose.report.results import CatalogFacts, Result, StudyResults
from contrapose.report.training_logs import RunRow
from contrapose.report.web import POLICY, SCRIPT, Grid, filled, grid_of, html_of

KIND = {"tables": "table", "figures": "figure", "claims": "claims"}


def report(
    studies: Sequence[StudyResults],
    runs: Sequence[RunRow],
    cost: pd.DataFrame | None,
    catalog: CatalogFacts,
    workflow: str = "",
) -> str:
    """Write the report as HTML that loads nothing, opening on the first study of which something is built.

    `cost` is a COST table, `workflow` the file beside it with Snakemake's own report, if there is one.
    """
    built = [study for study in studies if study.results]
    return filled(
        "report.html",
        catalog=catalog,
        studies=[_study(study, first=study is built[0]) for study in built],
        unbuilt=[study for study in studies if not study.results],
        pages=[page(result, study, catalog) for study in built for result in study.results],
        runs=runs,
        costs=_costs(cost),
        packages=_packages([result.made for study in built for result in study.results]),
        workflow=workflow,
        script=SCRIPT,
        policy=POLICY,
    )


def _study(study: StudyResults, first: bool) -> dict[str, object]:
    shown = [result for result in study.results if result.kind != "claims"]
    main = main_result(shown)
    return {
        "about": study,
        "first": first,
        "main": main,
        "finding": finding(main) if main else "",
        "chart": chart(main) if main and first else None,
        "images": list(main.images.values()) if main and first else [],
        "results": [(KIND[result.kind], result, finding(result)) for result in shown],
        "claims": [_claims(result) for result in study.results if result.kind == "claims"],
        "deviations": html_of(joined(deviation_parts(study.deviations)[1:]), study.name, {}),
    }


def main_result(results: Sequence[Result]) -> Result | None:
    """Return the first result that has ranked rows, or else a picture, and of these the most claims."""
    return max(
        results,
        key=lambda result: (bool(ranked(result)[0]), bool(result.images), result.claims),
        default=None,
    )


def _claims(result: Result) -> dict[str, object]:
    counts = verdicts(result)
    claims = result.tidy.fillna({"verdict": NO_VERDICT}).to_dict("records")
    claims.sort(key=lambda row: list(counts).index(row["verdict"]))
    rows = [(row["verdict"], row["claim"], row["missing"] or row["detail"]) for row in claims]
    return {"result": result, "verdicts": counts, "rows": rows}


def _costs(cost: pd.DataFrame | None) -> Grid:
    columns = ["requests", "prompt_tokens", "completion_tokens", "usd", "usd_at_most"]
    sums = [] if cost is None else cost.groupby(["llm", "model"])[columns].sum().iterrows()
    forms = {name: ".4f" if name.startswith("usd") else ",.0f" for name in columns}
    rows = [[*names, *(format(one[name], form) for name, form in forms.items())] for names, one in sums]
    return grid_of("Cost of language models", ["llm", "model", *columns], rows)


def _packages(made: Sequence[Mapping]) -> Grid:
    """Return all package versions that results were made with: several of one package are worth a look."""
    versions_of: dict[str, dict[str, None]] = {}
    for each in made:
        for package, version in each["packages"].items():
            versions_of.setdefault(package, {})[version] = None
    rows = [[package, ", ".join(versions)] for package, versions in sorted(versions_of.items())]
    return grid_of("Packages behind the results", ["package", "version"], rows)
