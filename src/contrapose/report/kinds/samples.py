"""A table of the pairs behind the rows of a table of scores: what they are like, and some of them."""

from collections.abc import Mapping
from typing import ClassVar, Literal

import pandas as pd
from pydantic import Field

from contrapose.base.markdown import markdown_table
from contrapose.jobs.stage import run_of
from contrapose.jobs.status import read_status
from contrapose.jobs.step import InputFiles
from contrapose.report.about import About, TableRow
from contrapose.report.kinds.base import TableSettings
from contrapose.report.kinds.rows import OfRows
from contrapose.report.look import scores_in_words, shown_pairs
from contrapose.report.output import Report
from contrapose.settings.ids import is_trained, training_from
from contrapose.settings.plan import Plan
from contrapose.tables import PAIR_SAMPLES, SAMPLES, empty, read_provenance, read_table

PRINTED = {  # what is measured of a pair set, and how it is printed
    **{"pairs": "{:.0f}", "copies %": "{:.1%}", "duplicates %": "{:.1%}", "cut %": "{:.1%}"},
    **{"cosine": "{:.3f}", "cosine of negatives": "{:.3f}"},
}
NOTES = [
    (
        "copies: pairs whose positive equals the anchor. duplicates: pairs whose two texts occur in an "
        "earlier pair. cut: training texts longer than `max_length` of the recipe."
    ),
    (
        "cosine: similarity of anchor and positive by the encoder before training, as the mean over up "
        "to 200 sentences. Hard negatives that are nearer than the positive may be correct answers."
    ),
]


class SamplesTable(OfRows, TableSettings):
    """The table shows some training pairs of each method of a table of scores, and their properties."""

    kind: Literal["samples"]
    of: str = Field(description="This table of kind `sts` in the same study names the pair sets.")
    pairs: int = Field(10, ge=1, le=200, description="This many pairs are shown for each row.")
    published: None = Field(None, description="This key stays null, since no paper prints such a table.")

    papers: ClassVar[str] = ""
    reads_logs: ClassVar[bool] = True

    def inputs(self, project: Plan, about: About) -> dict[str, InputFiles]:
        sets = filter(None, map(pair_set, about.rows))
        samples = [project.paths.pair_samples(*each) for each in dict.fromkeys(sets)]
        return {**super().inputs(project, about), "samples": samples}


def pair_set(row: TableRow) -> tuple[str, str] | None:
    """Return the pair set of a row's first training, and the role of its encoder; None without a training."""
    runs = list(filter(is_trained, row.every_run))
    return (training_from(runs[0]).pairs, row.encoder) if runs else None


def build(spec: SamplesTable, about: About, tables: list[str], samples: list[str]) -> Report:
    """Return SAMPLES of the rows that are trained on pairs, whose page says what their pair sets are like."""
    names = [read_provenance(file)["wildcards"] for file in samples]
    sets = [(each["pairs"], each["scorer"]) for each in names]
    texts_of = {each: read_table(file, PAIR_SAMPLES) for each, file in zip(sets, samples, strict=True)}
    counts = {each: read_status(file).counts for each, file in zip(sets, samples, strict=True)}
    cuts = dict(map(_cut, about.histories))
    scores = scores_in_words(tables[0])
    parts, summary, sections = [empty(SAMPLES)], [], dict[tuple[str, str], list[str]]()
    for number, row in enumerate(about.rows):
        key = pair_set(row)
        if key in texts_of and len(texts_of[key]):
            cut = next((cuts[run] for run in row.every_run if run in cuts), None)
            measured, texts = _measured(texts_of[key], counts[key], cut), texts_of[key].head(spec.pairs)
            labels = {"table": about.name, "catalog": about.catalog, "group": row.group, "model": row.model}
            parts.append(texts.assign(**labels, row=number, number=range(len(texts)), **measured))
            printed = [
                "–" if pd.isna(value) else form.format(value).rstrip("%")
                for form, value in zip(PRINTED.values(), measured.values(), strict=True)
            ]
            summary.append((row.label, scores.get(number, "–"), *printed))
            sections.setdefault(key, []).append(f"{row.label}: {scores.get(number, 'no score')}")
    tidy = pd.concat([each.astype(parts[0].dtypes) for each in parts], ignore_index=True)
    folded = [
        f"### {'; '.join(titles)}\n\n{markdown_table(shown_pairs(texts_of[key].head(spec.pairs)))}"
        for key, titles in sections.items()
    ]
    shown = pd.DataFrame(summary, columns=["model", "score", *PRINTED])
    body = markdown_table(shown)
    return spec.report(about, tidy, NOTES, *folded, shown=shown, body=body, row_notes="", schema=SAMPLES)


def _cut(history: str) -> tuple[str, float | None]:
    """Return a run and the share of its training texts that were cut; None if its log does not say."""
    made = read_provenance(history)
    counts = read_status(made).counts
    return run_of(made), counts["cut"] / counts["texts"] if counts.get("texts") else None


def _measured(texts: pd.DataFrame, counts: Mapping[str, int], cut: float | None) -> dict[str, float | None]:
    """Return what SAMPLES say of the pair set of a row."""
    shares = {name: counts[name] / counts["rows"] for name in ("copies", "duplicates")}
    means = {"mean_cosine": texts.cosine.mean(), "mean_negative_cosine": texts.negative_cosine.mean()}
    return {"pairs": counts["rows"], **shares, "cut": cut, **means}
