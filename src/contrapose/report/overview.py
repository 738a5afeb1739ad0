"""The report in one HTML file: questions and findings, a page for each result, and how it was made."""

from collections.abc import Mapping, Sequence

import pandas as pd

from contrapose.report.about import label_of
from contrapose.report.card import card
from contrapose.report.chart import chart
from contrapose.report.files import deviation_parts, joined
from contrapose.report.findings import NO_VERDICT, finding, means_of, ranked, verdicts
from contrapose.report.page import page, skipped_rows
from contrapose.report.pictures import heat_maps, planes
from contrapose.report.results import CatalogFacts, Result, StudyResults
from contrapose.report.share_curves import share_curves
from contrapose.report.skipped import missing_inputs
from contrapose.report.training_logs import RunRow, without_empty
from contrapose.report.web import POLICY, SCRIPT, Grid, filled, grid_of, html_of

WORD_ORDER = "_word_order"  # at the end of the name of a table of the same methods
KIND = {"tables": "table", "figures": "figure", "claims": "claims"}


def report(
    studies: Sequence[StudyResults],
    runs: Sequence[RunRow],
    cost: pd.DataFrame | None,
    catalog: CatalogFacts,
    workflow: str = "",
    date: str = "",
) -> str:
    """Write the report as HTML that loads nothing, opening on the first study of which something is built.

    `cost` is a COST table, `workflow` the file beside it with Snakemake's own report, if there is one, `date`
    that of today.
    """
    built = [study for study in studies if study.results]
    names, shown = without_empty(runs)
    return filled(
        "report.html",
        catalog=catalog,
        studies=[_study(study, catalog, first=study is built[0]) for study in built],
        unbuilt=[study for study in studies if not study.results],
        pages=[page(result, study, catalog) for study in built for result in study.results],
        runs=shown,
        cells=names,
        costs=_costs(cost),
        packages=_packages([result.made for study in built for result in study.results]),
        workflow=workflow,
        date=date,
        script=SCRIPT,
        policy=POLICY,
    )


def _study(study: StudyResults, catalog: CatalogFacts, first: bool) -> dict[str, object]:
    shown = [result for result in study.results if result.kind != "claims"]
    main = main_result(shown)
    column, rows = ranked(main) if main else ("", None)
    return {
        "about": study,
        "first": first,
        "main": main,
        "finding": finding(main) if main else "",
        "card": card(main, column) if main and column else None,
        "chart": chart(main, column, rows) if main and column and first else None,
        "curves": share_curves(main, rows, [column]) if main and column and first else [],
        "cosines": main.cosines if main and first else None,
        **_pictures(main if first else None, column, study.results),
        "skipped": (skipped := skipped_rows(main) if main and first else {}),
        "inputs": missing_inputs(skipped, catalog.name),
        "images": list(main.images.values()) if main and first else [],
        "results": [(KIND[result.kind], result, finding(result)) for result in shown],
        "claims": [_claims(result) for result in study.results if result.kind == "claims"],
        "deviations": html_of(joined(deviation_parts(study.deviations)[1:]), study.name, {}),
    }


def _pictures(main: Result | None, column: str, results: Sequence[Result]) -> dict[str, object]:
    if main is None or not column:
        return {"planes": [], "heats": []}
    means, general = means_of(main.tidy), main.general
    for other in results:  # the same methods on pairs that differ in the order of words alone
        if other.name == main.name + WORD_ORDER:
            scored = ranked(other)[1].assign(column=WORD_ORDER.strip("_").replace("_", " "))
            rows = {label_of(cell): cell["row"] for _, cell in means.iterrows()}
            scored["row"] = [rows.get(label_of(cell), -1) for _, cell in scored.iterrows()]
            means, general = (
                pd.concat([means, scored[scored["row"] >= 0]]),
                [*general, *scored.column.head(1)],
            )
    return {"planes": planes(main, means, column, general), "heats": heat_maps(main, means, means.column)}


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
    return grid_of("Packages that made the results", ["package", "version"], rows)
