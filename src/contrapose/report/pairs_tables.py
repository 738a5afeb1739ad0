"""Tables of what a pair set looks like: words in front of sentences of some length, and examples."""

import pandas as pd

from contrapose.errors import TableError
from contrapose.jobs import ExamplesTableJob, PrefixWordsTableJob
from contrapose.report.files import bullets, deviation_parts, joined, markdown_table
from contrapose.report.published import printed_rows, published_numbers, published_table
from contrapose.report.sts_table import NOTHING, NUMBERS
from contrapose.tables import EXAMPLES, PUBLISHABLE

WORDS, SENTENCES = "prefix_words", "sentences"
SHOWN = ["anchor", "positive", "negative", "label", "weight"]  # of an example, as far as it has them


def prefix_words_table(
    pairs: pd.DataFrame, published: pd.DataFrame | None, job: PrefixWordsTableJob
) -> pd.DataFrame:
    """Count the words that a pair set puts in front of its sentences, by the length of the sentence.

    Lengths in words between white space.  PrdSimCSE, Table 8.

    Parameters
    ----------
    pairs : PAIRS table
    published : the paper's printed table, optional
    job : PrefixWordsTableJob

    Returns
    -------
    PUBLISHABLE table
        A row per band: mean number of words in front, and how many sentences it is over.

    Raises
    ------
    TableError
        A positive does not end in its anchor, so it has no prefix.
    """
    whole = [positive.endswith(anchor) for anchor, positive in zip(pairs.anchor, pairs.positive, strict=True)]
    if not all(whole):
        wrong = pairs.iloc[whole.index(False)]
        raise TableError(f"{job.pairs}: {wrong.positive!r} does not end in {wrong.anchor!r}: no prefix.")
    length = pairs.anchor.str.split().str.len()
    in_front = pairs.positive.str.split().str.len() - length
    printed = printed_rows(job.table, published, job.layout)
    cells = []
    for number, band in enumerate(job.bands):
        words = in_front[length.between(band.at_least, band.most)]
        about = {"table": job.table, "world": job.world, "row": number, "group": "", "model": band.name}
        about |= {"run": "", "seed": None, "published_row": band.name if printed else ""}
        numbers = published_numbers(band.name if printed else None, band.name, printed)
        values = {WORDS: float(words.mean()) if len(words) else None, SENTENCES: float(len(words))}
        for column, value in values.items():
            cell = {**NOTHING, "value": value, "n": len(words), "published": numbers.get(column)}
            cells.append({**about, "column": column, **cell})
    return pd.DataFrame(cells, columns=PUBLISHABLE.columns).astype(NUMBERS)


def printed_prefix_words(tidy: pd.DataFrame) -> pd.DataFrame:
    """Return the table as it is printed: a band per row."""
    wide = tidy.pivot(index=["row", "model"], columns="column", values="value").reset_index()
    shown = {"label": wide.model, **{name: wide[name].map(_number) for name in (WORDS, SENTENCES)}}
    return pd.DataFrame(shown)


def _number(value: float) -> str:
    return "–" if pd.isna(value) else f"{value:g}"


def prefix_words_csv(tidy: pd.DataFrame, job: PrefixWordsTableJob) -> pd.DataFrame:
    """Return the printed table with the world in front and the pair set behind each row."""
    table = printed_prefix_words(tidy)
    table.insert(0, "world", job.world)
    table["note"] = f"counted in {job.pairs}"
    return table


def prefix_words_markdown(
    tidy: pd.DataFrame, published: pd.DataFrame | None, job: PrefixWordsTableJob
) -> str:
    """Write the table for people, the paper's rule below it."""
    parts = [*_head(job), markdown_table(printed_prefix_words(tidy)), bullets(_notes(job))]
    if published is not None:  # a rule, not a result: it holds in every world
        printed = printed_rows(job.table, published, job.layout)
        theirs = published_table(printed, [band.name for band in job.bands], [WORDS], decimals=None)
        parts += ["## The paper's rule", f"As printed in: {job.source}.", markdown_table(theirs)]
    return joined([*parts, *deviation_parts(job.deviations)])


def examples_table(pairs: pd.DataFrame, job: ExamplesTableJob) -> pd.DataFrame:
    """Return rows of a pair set whose positive is another text than the anchor.

    The first ones; or by weight those of the highest, then those of the lowest, with label and weight, each
    positive once.  Ids break ties.

    Parameters
    ----------
    pairs : PAIRS table
        Of several views the last one is shown: the first of them may be the sentence itself.
    job : ExamplesTableJob

    Returns
    -------
    EXAMPLES table
    """
    shown = pairs[(pairs["view"] == pairs["view"].max()) & (pairs.slot == 0)]
    shown = shown[shown.positive != shown.anchor]
    if job.order == "weight":
        shown = shown.sort_values(["weight", "id"], ascending=[False, True]).drop_duplicates("positive")
        shown = shown.iloc[sorted({*range(len(shown))[: job.rows], *range(len(shown))[-job.rows :]})]
    else:
        shown = shown.head(job.rows).assign(label=None, weight=None)
    texts = shown.assign(table=job.table, world=job.world, row=range(len(shown)))
    return texts[EXAMPLES.columns].astype({"row": "int16", "label": float, "weight": float})


def examples_csv(tidy: pd.DataFrame, job: ExamplesTableJob) -> pd.DataFrame:
    """Return the examples as they are printed; without a column for negatives where there are none."""
    return _printed_examples(tidy, ["world", *SHOWN]).assign(note=f"from {job.pairs}")


def examples_markdown(tidy: pd.DataFrame, job: ExamplesTableJob) -> str:
    """Write the examples for people."""
    parts = [*_head(job), markdown_table(_printed_examples(tidy, SHOWN)), bullets(_notes(job))]
    return joined([*parts, *deviation_parts(job.deviations)])


def _printed_examples(tidy: pd.DataFrame, columns: list[str]) -> pd.DataFrame:
    shown = tidy[columns]
    if len(tidy):
        shown = shown.dropna(axis="columns", how="all")
    numbers = {name: shown[name].map("{:.3g}".format) for name in ("label", "weight") if name in shown}
    return shown.assign(**numbers)


def _head(job: PrefixWordsTableJob | ExamplesTableJob) -> list[str]:
    return [f"# {job.table}", job.caption, f"World `{job.world}`: {job.world_description}."]


def _notes(job: PrefixWordsTableJob | ExamplesTableJob) -> list[str]:
    return [f"Pair set `{job.pairs}`.", *job.notes]
