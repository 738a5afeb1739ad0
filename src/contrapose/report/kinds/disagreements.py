"""A table of the test pairs that a row of a table of scores and its baseline judge most differently."""

from collections.abc import Sequence
from typing import ClassVar, Literal

import pandas as pd
from pydantic import Field

from contrapose.base.markdown import markdown_table
from contrapose.jobs.step import InputFiles
from contrapose.report.about import About, label_of
from contrapose.report.kinds.base import TableSettings
from contrapose.report.kinds.rows import OfRows
from contrapose.report.look import scores_in_words, shortened
from contrapose.report.output import Report
from contrapose.report.planned_rows import available_suites, score_files, scored_sets
from contrapose.settings.plan import Plan
from contrapose.settings.spec import TextForm
from contrapose.tables import (
    BENCHMARK,
    CELLS,
    COSINES,
    DISAGREEMENTS,
    empty,
    read_provenance,
    read_table,
    read_tables,
)

PAIR = ["task", "form", "split", "subset", "row"]  # names a scored pair
PRINTED = {"cosine": 4, "baseline_cosine": 4, "place": 1, "baseline_place": 1, "gold_place": 1}  # decimals
NOTES = [
    (
        "Scores depend only on the order of cosines. Each pair has a place among the test pairs of its "
        "set, from 0 (least similar) to 100: by gold score, by the baseline and by the method, as means "
        "over seeds. The tables show the pairs with the largest difference between baseline and method."
    ),
    (
        "nearer: test pairs whose place by the method is nearer to the place by gold score than the "
        "place by the baseline; farther: the reverse."
    ),
]


class DisagreementsTable(OfRows, TableSettings):
    """The table shows the test pairs on which the methods of a table of scores and their baseline differ
    most.
    """

    kind: Literal["disagreements"]
    of: str = Field(
        description="This table of kind `sts` in the same study is examined. Its first baseline counts."
    )
    pairs: int = Field(20, ge=1, description="This many pairs are shown for each method.")
    published: None = Field(None, description="This key stays null, since no paper prints such a table.")

    papers: ClassVar[str] = ""

    def inputs(self, project: Plan, about: About) -> dict[str, InputFiles]:
        of = self.table_of(project, about.name)
        suites = available_suites(project, of)
        cosines = [file for suite in suites for file in score_files(project, about, suite, "-cosines")]
        return {**super().inputs(project, about), "cosines": cosines, "sets": scored_sets(project, of)}

    def about(self, project: Plan, name: str) -> "DisagreementsAbout":
        spec = project.shown(self.table_of(project, name)).spec
        tasks = list(dict.fromkeys(column.task for column in spec.columns.values()))
        facts = dict(super().about(project, name))
        return DisagreementsAbout(**facts, tasks=tasks, form=spec.form, split=spec.split)


class DisagreementsAbout(About):
    """Facts about a table of disagreements."""

    tasks: list[str] = Field(description="Sets behind the columns of the table of scores")
    form: TextForm
    split: Literal["dev", "test"]


def build(
    spec: DisagreementsTable,
    about: DisagreementsAbout,
    tables: list[str],
    cosines: list[str],
    sets: list[str],
) -> Report:
    """Return DISAGREEMENTS of the rows that have a baseline: their test pairs of most different places."""
    scored = read_table(tables[0], CELLS)
    gold = _chosen(read_tables(sets, BENCHMARK), about).rename(columns={"score": "gold"})
    gold = gold.assign(gold_place=_places(gold, "gold")).set_index(PAIR)
    judged = _judged(scored, about, cosines)
    labels = {label_of(cell): cell["row"] for cell in scored.to_dict("records")}
    scores, frames, summary, sections = scores_in_words(tables[0]), [], [], []
    compared = scored[(scored.baseline != "") & (scored.variant == "")].drop_duplicates("row")
    for cell in compared.to_dict("records"):
        theirs = judged.loc[labels[cell["baseline"]]].add_prefix("baseline_")
        pairs = gold.join(judged.loc[cell["row"]], how="inner").join(theirs, how="inner").reset_index()
        label = label_of(cell)
        apart = (pairs.place - pairs.baseline_place).abs().sort_values(ascending=False, kind="stable")
        far = pairs.loc[apart.index].head(spec.pairs).rename(columns={"row": "pair"})
        named = {key: cell[key] for key in ("row", "group", "model", "baseline")}
        frames.append(far.assign(table=about.name, catalog=about.catalog, number=range(len(far)), **named))
        off, before = ((pairs[name] - pairs.gold_place).abs() for name in ("place", "baseline_place"))
        counts = (len(pairs), (off < before).sum(), (off > before).sum())
        summary.append((label, scores.get(cell["row"], "–"), *counts))
        sections.append(
            f"### {label} and {cell['baseline']}\n\n{markdown_table(_printed(far, cell['baseline']))}"
        )
    tidy = pd.concat([empty(DISAGREEMENTS), *frames], ignore_index=True)[DISAGREEMENTS.columns]
    csv = tidy.drop(columns=["table", "catalog", "row"]).round(PRINTED)
    shown = pd.DataFrame(summary, columns=["model", "score", "test pairs", "nearer", "farther"])
    body = markdown_table(shown.astype(str))
    return spec.report(
        about, tidy, NOTES, *sections, shown=shown, body=body, csv=csv, row_notes="", schema=DISAGREEMENTS
    )


def _chosen(pairs: pd.DataFrame, about: DisagreementsAbout) -> pd.DataFrame:
    """Return the rows of BENCHMARK or COSINES that the table of scores is about."""
    return pairs[pairs.task.isin(about.tasks) & (pairs.form == about.form) & (pairs.split == about.split)]


def _places(pairs: pd.DataFrame, column: str, *by: str) -> pd.Series:
    """Return the places of pairs among those of their set, in % of their number; equal ones share theirs."""
    return 100 * pairs.groupby([*by, "task"])[column].rank(pct=True)


def _judged(tables: pd.DataFrame, about: DisagreementsAbout, cosines: Sequence[str]) -> pd.DataFrame:
    """Return cosine and place of each test pair by each row of CELLS, means over its runs."""
    runs = tables.loc[tables.run != "", ["row", "run"]].drop_duplicates().rename(columns={"row": "of"})
    parts = [
        _chosen(read_table(file, COSINES), about).assign(run=read_provenance(file)["wildcards"]["run"])
        for file in cosines
    ]
    pairs = pd.concat([empty(COSINES).assign(run=""), *parts], ignore_index=True)
    pairs = pairs.assign(place=_places(pairs, "cosine", "run")).merge(runs, on="run")
    return pairs.groupby(["of", *PAIR])[["cosine", "place"]].mean()


def _printed(pairs: pd.DataFrame, baseline: str) -> pd.DataFrame:
    columns = [(f"sentence {side}", pairs[f"sentence{side}"].map(shortened)) for side in (1, 2)]
    columns += [("set", pairs.task)] if pairs.task.nunique() > 1 else []
    columns += [
        ("gold", pairs.gold.map("{:g}".format)),
        (f"cosine, {baseline}", pairs.baseline_cosine.map("{:.2f}".format)),
        ("cosine", pairs.cosine.map("{:.2f}".format)),
        ("place by gold", pairs.gold_place.map("{:.0f}".format)),
        (f"by {baseline}", pairs.baseline_place.map("{:.0f}".format)),
        ("by the method", pairs.place.map("{:.0f}".format)),
    ]
    names, texts = zip(*columns, strict=True)
    return pd.concat(texts, axis=1).set_axis(list(names), axis=1)
