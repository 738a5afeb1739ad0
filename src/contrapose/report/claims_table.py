"""The claims of a paper and the verdicts on them: a row per claim."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Annotated

import pandas as pd
from pydantic import Field

from contrapose.base.errors import ConfigError
from contrapose.base.markdown import bullets, markdown_table
from contrapose.jobs.step import Outputs
from contrapose.report.claims import ClaimFunction, claim_functions
from contrapose.report.claims.cell_arrays import Cells, MissingCell, printed_cells, read_cells
from contrapose.report.claims.verdict import KINDS, Kind, Verdict, of_one_seed
from contrapose.report.files import joined, write_csv, write_text
from contrapose.report.inference import LEVEL
from contrapose.report.published import PrintedLayout, read_published
from contrapose.settings.deviations import Claim
from contrapose.settings.spec import Spec
from contrapose.tables import CLAIMS, HISTORY, read_table

ELSEWHERE: Kind = "not judged in this catalog"
PUBLISHED = ["published_verdict", "published_difference"]


class ClaimsJob(Spec):
    """What the verdicts on a study's claims depend on, beside its tables."""

    study: str
    source: str = Field(description="The paper, in words")
    catalog: str
    catalog_description: str
    generated: bool = Field(description="The catalog makes its own text: no verdict is one on the paper")
    claims: list[Claim] = Field(min_length=1)
    not_judged: list[str] = Field([], description="Ids of claims that this catalog cannot judge")
    tables: list[str] = Field(
        description="Tables that the claims need and there are, in the order of the files"
    )
    runs: list[str] = Field(description="Trained encoders behind them, in the order of their logs")
    published: list[str] = Field(description="Printed tables that the claims need, in the order of the files")
    layouts: list[PrintedLayout] = Field([], description="Of these printed tables")
    functions: str = Field(description="Digest of the study's module of claims, which is found by name")
    notes: list[str] = Field([], description="What a reader has to know, e.g. that another encoder stands in")


def build(
    spec: ClaimsJob, tables: list[str], histories: list[str], published: list[str]
) -> Annotated[tuple, Outputs(markdown=None, parquet=CLAIMS, csv=None)]:
    """Judge the claims of a study."""
    logs = {run: read_table(path, HISTORY) for run, path in zip(spec.runs, histories, strict=True)}
    cells = {name: read_cells(name, path, logs) for name, path in zip(spec.tables, tables, strict=True)}
    last = max(map(len, cells.values()), default=1) - 1
    first, *others = (
        {name: of_table[min(choice, len(of_table) - 1)] for name, of_table in cells.items()}
        for choice in range(last + 1)
    )
    files = zip(spec.published, spec.layouts, published, strict=True)
    printed = {name: printed_cells(name, read_published([path]), layout) for name, layout, path in files}
    verdicts = claims_table(first, printed, claim_functions(spec.study), spec, others)
    notes = dict.fromkeys(note for of_table in cells.values() for each in of_table for note in each.notes)
    text = claims_markdown(verdicts, [*notes], spec)
    return partial(write_text, text), verdicts, partial(write_csv, claims_csv(verdicts, spec))


def claims_table(
    tables: Mapping[str, Cells],
    published: Mapping[str, Cells],
    functions: Mapping[str, ClaimFunction],
    job: ClaimsJob,
    others: Sequence[Mapping[str, Cells]] = (),
) -> pd.DataFrame:
    """Judge every claim on our tables and on the paper's, by name, as far as they exist.

    `others` are our tables with fair rows in the place of the paper's own, see `tidy_cells`: of all verdicts
    the worst counts, and its detail says what the others give.

    Returns a CLAIMS table: a claim that lacks a table, or a cell of one, has no verdict and gives the reason.
    Raises a ConfigError if a claim has no function, or a function no claim.
    """
    unmatched = {claim.claim_id for claim in job.claims} ^ functions.keys()
    if unmatched:
        raise ConfigError(
            f"config/studies/{job.study}/claims.csv and src/contrapose/report/claims/{job.study}.py "
            f"must have the same claims, but only one of them has {', '.join(sorted(unmatched))}. Add "
            "these to the other file, or remove them."
        )
    rows = []
    for claim in job.claims:
        function = functions[claim.claim_id]
        verdict, missing = _worst([judged(claim, function, each) for each in (tables, *others)])
        if claim.claim_id in job.not_judged:
            verdict, missing = Verdict(ELSEWHERE, math.nan, None, 0, "", ELSEWHERE), ""
        printed, _ = judged(claim, function, published)
        row = dict.fromkeys(CLAIMS.columns) | {"missing": missing, "detail": ""}
        row |= {"study": job.study, "catalog": job.catalog}
        row |= {name: getattr(claim, name) for name in ("claim_id", "claim", "tables")}
        if verdict:
            row |= {"verdict": verdict.kind}
            row |= {name: getattr(verdict, name) for name in ("difference", "error", "seeds", "detail")}
        if printed:
            row |= {"published_verdict": printed.kind, "published_difference": printed.difference}
        rows.append(row)
    numbers = {"difference": float, "error": float, "seeds": "Int16", "published_difference": float}
    return pd.DataFrame(rows, columns=CLAIMS.columns).astype(numbers)


def _worst(judgements: Sequence[tuple[Verdict | None, str]]) -> tuple[Verdict | None, str]:
    """Return the worst verdict of those by the paper's own rows and by fair ones, or what is missing for any.

    So a claim needs all of them: in a small catalog a fair row may be the weaker one, as its batches are few.
    The detail says what other rows give, unless it is the same.
    """
    names = ["the paper's own row", "the fair row"]
    if len(judgements) > len(names):
        names[1:] = [f"fair row {number}" for number in range(1, len(judgements))]
    verdicts = {name: each for name, (each, _) in zip(names, judgements, strict=False) if each}
    if not verdicts:
        return None, judgements[-1][1]
    worst = max(
        verdicts, key=lambda name: (KINDS.index(_kind_of(verdicts[name])), -verdicts[name].difference)
    )
    chosen = verdicts.pop(worst)
    unlike = {name: each for name, each in verdicts.items() if each.difference != chosen.difference}
    if not unlike:
        return chosen, ""
    said = [f"{name}: {_kind_of(each)}, {each.difference:+.4g}" for name, each in unlike.items()]
    detail = f"With {worst}; with {'; with '.join(said)}"
    return replace(chosen, detail=". ".join(filter(None, [chosen.detail, detail]))), ""


def _kind_of(verdict: Verdict) -> Kind:
    return verdict.by_sign if verdict.kind == "one seed" else verdict.kind


def judged(claim: Claim, function: ClaimFunction, tables: Mapping[str, Cells]) -> tuple[Verdict | None, str]:
    """Return the verdict on a claim, or None and what is missing for it."""
    absent = [name for name in claim.needs if name not in tables]
    if absent:
        return None, f"not built: {', '.join(absent)}"
    try:
        verdict = function({name: tables[name] for name in claim.needs})
    except MissingCell as error:
        return None, str(error)
    return of_one_seed(verdict) if any(tables[name].seeds == 1 for name in claim.needs) else verdict, ""


def claims_csv(verdicts: pd.DataFrame, job: ClaimsJob) -> pd.DataFrame:
    """Return the table for people; without verdicts on the paper if the catalog makes its own text."""
    shown = verdicts.drop(columns=["study", *(PUBLISHED if job.generated else [])])
    for name in shown.columns.intersection(["difference", "error", "published_difference"]):
        shown[name] = [_number(value) for value in shown[name]]
    about = f"about the generated text of catalog {job.catalog}, not the text of the paper"
    return shown.assign(note="; ".join([*([about] if job.generated else []), *job.notes]))


def claims_markdown(verdicts: pd.DataFrame, notes: list[str], job: ClaimsJob) -> str:
    """Write the CLAIMS table for people: how many claims hold, then each of them."""
    counts = verdicts.verdict.value_counts()
    summary = ", ".join(f"{kind} {counts.get(kind, 0)}" for kind in KINDS)
    tested = int((verdicts.error.notna() & (verdicts.verdict != "one seed")).sum())
    rows = []
    for row in verdicts.to_dict("records"):
        error = f" ± {_number(row['error'])}" if pd.notna(row["error"]) else ""
        shown = {
            "claim": f"{row['claim_id']}. {row['claim']}",
            "verdict": f"– ({row['missing']})" if row["missing"] else row["verdict"],
            "difference": f"{_number(row['difference'])}{error}",
            "one by one": row["detail"],
        }
        if not job.generated:
            is_printed = pd.notna(row["published_verdict"])
            printed = f"{row['published_verdict']} {_number(row['published_difference'])}"
            shown["paper's numbers"] = printed if is_printed else "–"
        rows.append(shown)
    lines = [
        (
            "A positive difference agrees with the claim. Differences are in units of their tables. ± is "
            "the standard error: of scores over test pairs and seeds, of other numbers over seeds."
        ),
        (
            "holds: everything that the claim says is true. same direction: the difference has the "
            "claimed sign, but part of the claim does not hold, or two rows that the claim calls equal "
            "are not shown to be equal. not significant: the difference is 0, or can be chance. It is "
            "tested like methods in tables of scores, or only over seeds (Student's t). opposite: the "
            "difference has the other sign. one seed: encoders were trained only once, so the difference "
            "can be chance. not judged in this catalog: the claim is about something that this catalog "
            "does not have."
        ),
        (
            f"Number of tested claims: {tested}. If the truth is exactly at the limit of a claim, chance "
            f"alone makes the claim hold with a probability of at most {50 * LEVEL:g} %, and makes it the "
            f"opposite with the same probability. So chance would decide about {LEVEL * tested:.1f} of "
            "these claims at most. Only the main difference of a claim, and what it calls equal, are "
            "tested. For its other parts, only the means count."
        ),
        *notes,
        *job.notes,
    ]
    if job.generated:
        about = "these verdicts are about the text of the catalog, not of the paper"
        lines.append(f"The text of catalog {job.catalog} is generated: {about}.")
    parts = [
        f"# Claims of {job.study}",
        job.source,
        f"Catalog `{job.catalog}`: {job.catalog_description}.",
        f"Of {len(verdicts)} claims: {summary}, no verdict {int(verdicts.verdict.isna().sum())}.",
        markdown_table(pd.DataFrame(rows)),
        bullets(lines),
    ]
    return joined(parts)


def _number(value: float | None) -> str:
    return "" if value is None or pd.isna(value) else f"{value:.4g}"
