"""A table of what a dictionary offers at some thresholds, and what the choice by perplexity keeps of it."""

from collections.abc import Mapping
from typing import NamedTuple

import pandas as pd

from contrapose.jobs import RewritesTableJob
from contrapose.report.files import bullets, deviation_parts, joined, markdown_table, row_notes
from contrapose.report.sts_table import NOTHING, NUMBERS, printed_table
from contrapose.tables import PUBLISHABLE


class Column(NamedTuple):
    """What a column holds."""

    measure: str  # of REWRITE_STATISTICS
    decimals: int
    factor: float = 1.0


COLUMNS = {
    "candidates": Column("candidates", 2),
    "with any": Column("any", 2, 100),
    "capped": Column("capped", 2, 100),
    "BLEU": Column("bleu", 2, 100),
    "p offered": Column("probability_offered", 3),
    "p kept": Column("probability_kept", 3),
    "perplexity offered": Column("perplexity_offered", 1),
    "perplexity kept": Column("perplexity_kept", 1),
}
STAGES = ("offered", "chance", "kept")  # measures of REWRITE_STATISTICS that each relation has; shares
OF_RELATIONS = (*STAGES, "refused")
RELATION_DECIMALS = 2
NO_CLASS = "no class"


def rewrites_table(statistics: Mapping[str, pd.DataFrame], job: RewritesTableJob) -> pd.DataFrame:
    """Lay out statistics of rewrites as the cells of a table, tidy.

    Parameters
    ----------
    statistics : mapping of a row's `statistics`: REWRITE_STATISTICS table
    job : RewritesTableJob

    Returns
    -------
    PUBLISHABLE table
        Shares and BLEU x100.  Of each row COLUMNS, then `Equivalence, offered` and so on, OF_RELATIONS, for
        every relation that any row has, empty in rows whose dictionary has none.
    """
    tables = [statistics[row.statistics] for row in job.rows if row.statistics]
    told = [set(table.relation[table.measure.isin(OF_RELATIONS)]) for table in tables]
    relations = sorted(set().union(*(each for each in told if any(each))))
    columns = {(each.measure, ""): (name, each.factor) for name, each in COLUMNS.items()}
    for relation in relations:
        for measure in OF_RELATIONS:
            columns[measure, relation] = (f"{relation or NO_CLASS}, {measure}", 100)
    cells = []
    for number, row in enumerate(job.rows):
        about = {"table": job.table, "world": job.world, "row": number, "group": row.group}
        about |= {"model": row.model, "run": "", "seed": None, "published": None, "published_row": ""}
        found = {}
        if row.statistics:
            found = statistics[row.statistics].set_index(["measure", "relation"])[["value", "n"]].T.to_dict()
            if not any(relation for _, relation in found):  # a dictionary without classes
                found = {place: cell for place, cell in found.items() if place[0] not in OF_RELATIONS}
        for place, (name, factor) in columns.items():
            own = {"value": factor * found[place]["value"], "n": found[place]["n"]} if place in found else {}
            cells.append({**about, "column": name, **NOTHING, **own})
    return pd.DataFrame(cells, columns=PUBLISHABLE.columns).astype({**NUMBERS, "n": "int64"})


def printed_rewrites(tidy: pd.DataFrame) -> pd.DataFrame:
    """Return the table as it is printed: group, model and a text per column."""
    decimals = {name: each.decimals for name, each in COLUMNS.items()}
    parts = [
        printed_table(tidy[tidy.column == name], decimals.get(name, RELATION_DECIMALS))
        for name in dict.fromkeys(tidy.column)
    ]
    return pd.concat([parts[0], *(part.drop(columns=["group", "model"]) for part in parts[1:])], axis=1)


def rewrites_csv(tidy: pd.DataFrame, job: RewritesTableJob) -> pd.DataFrame:
    """Return the printed table with the world in front and a note behind each row."""
    table = printed_rewrites(tidy)
    table.insert(0, "world", job.world)
    return table.assign(note=[row.note for row in job.rows])


def rewrites_markdown(tidy: pd.DataFrame, job: RewritesTableJob) -> str:
    """Write the table for people, and below it what perplexity refuses."""
    is_common = tidy.column.isin(list(COLUMNS))
    parts = [
        f"# {job.table}",
        job.caption,
        f"World `{job.world}`: {job.world_description}.",
        markdown_table(printed_rewrites(tidy[is_common]).replace("", "–")),
        bullets(_notes(job)),
    ]
    if not is_common.all():
        parts += [
            "## What perplexity refuses",
            "Relation of what is replaced to what stands for it, in %. Offered: its share among all "
            "candidates. Chance: what a choice without perplexity would keep, the mean over sentences of its "
            "share among their candidates. Kept: its share among the most fluent ones; below chance it is "
            "refused. Refused: of the sentences that are offered it and another one, those that keep the "
            "other.",
            markdown_table(_by_relation(tidy[~is_common])),
            f"![{job.table}]({job.table}.png)",
        ]
    return joined([*parts, *deviation_parts(job.deviations)])


def _by_relation(tidy: pd.DataFrame) -> pd.DataFrame:
    """Return the columns about relations below each other: a row for each relation of a row."""
    names = tidy.column.str.rpartition(", ")
    shown = tidy.assign(relation=names[0], measure=names[2]).dropna(subset="value")
    rows = []
    for (_, relation), cells in shown.groupby(["row", "relation"]):
        about = {**cells[["group", "model"]].iloc[0], "relation": relation}
        values = zip(cells.measure, cells.value, strict=True)
        rows.append({**about, **{name: f"{value:.{RELATION_DECIMALS}f}" for name, value in values}})
    return pd.DataFrame(rows, columns=["group", "model", "relation", *OF_RELATIONS]).fillna("–")


def _notes(job: RewritesTableJob) -> list[str]:
    notes = [
        "candidates: of a sentence, mean over all of the corpus. with any: % of the sentences that have one. "
        "capped: % that have as many as are made at most.",
        "BLEU x100: a sentence against its most fluent candidate, which is kept; unsmoothed, mean.",
        "p: of the rule, mean. Perplexity: geometric mean, of all candidates and of those that are kept.",
        *row_notes(job.rows),
    ]
    if job.generated:
        notes.append(f"World {job.world} makes its own text: these numbers do not compare with any paper's.")
    return notes + job.notes
