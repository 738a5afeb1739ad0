"""A table of prompts: rows are prompts to language models, columns are scores of their paraphrases."""

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import NamedTuple

import pandas as pd

from contrapose.jobs import PromptTableJob
from contrapose.report.files import bullets, deviation_parts, joined, markdown_table
from contrapose.report.published import printed_rows, published_numbers, published_table
from contrapose.tables import PARASCORES, PROMPT_TABLE, SENTENCE_SCORES, SLOT_SCORES, read_table

# Printed name: column of SENTENCE_SCORES. The first three are the thesis's.
COLUMNS = {
    "Sim": "similarity",
    "BLEU": "bleu",
    "Total": "total",
    "cosine": "cosine",
    "BLEU single": "bleu_single",
    "BLEU characters": "bleu_characters",
    "4-gram": "common_4gram",
}
GRADIENT = {"Sim": "similarity", "BLEU single": "bleu"}  # printed name: column of SLOT_SCORES
PARASCORE = "ParaScore"
SHARES = {"4-gram"}  # means of yes and no: their standard error says nothing more


class RowScores(NamedTuple):
    """The scores behind a row."""

    sentences: pd.DataFrame  # SENTENCE_SCORES
    slots: pd.DataFrame  # SLOT_SCORES
    parascores: pd.DataFrame | None = None  # PARASCORES


def read_scores(sentences: Sequence[str], slots: Sequence[str], parascores: Sequence[str]) -> list[RowScores]:
    """Read the files behind a table, one of each kind per row; of ParaScore there may be none."""
    return [
        RowScores(
            read_table(of_sentences, SENTENCE_SCORES),
            read_table(of_slots, SLOT_SCORES),
            read_table(of_pairs, PARASCORES) if of_pairs else None,
        )
        for of_sentences, of_slots, of_pairs in zip_longest(sentences, slots, parascores)
    ]


def prompt_table(
    scores: Sequence[RowScores], published: pd.DataFrame | None, job: PromptTableJob
) -> pd.DataFrame:
    """Lay out scores as the cells of a table, tidy.

    Parameters
    ----------
    scores : sequence of RowScores, one per row of the job
    published : table with columns llm, prompt, Sim, BLEU and Total, optional
        The paper's printed table.
    job : PromptTableJob

    Returns
    -------
    PROMPT_TABLE table
        For each row its scores over the five paraphrases together, then similarity and single-reference
        BLEU of each slot; ParaScore, where there is one, both ways.

    Raises
    ------
    ConfigError
        The paper has no row of the name that a row gives.
    """
    printed = printed_rows(job.table, published, job.layout)
    cells = []
    for number, (row, found) in enumerate(zip(job.rows, scores, strict=True)):
        numbers = published_numbers(row.published, row.label, printed)
        about = {"table": job.table, "world": job.world, "row": number, "published_row": row.published or ""}
        about |= {name: getattr(row, name) for name in ("label", "prompt", "llm", "corpus")}
        for column, slot, values in _columns(found):
            theirs = numbers.get(column) if slot is None else None
            cells.append({**about, "column": column, "slot": slot, **_mean(values), "published": theirs})
    table = pd.DataFrame(cells, columns=PROMPT_TABLE.columns)
    return table.astype({"slot": "Int16", "spread": float, "error": float, "published": float})


def _columns(found: RowScores) -> Iterator[tuple[str, int | None, pd.Series]]:
    """Yield printed name, slot and the values per sentence."""
    for name, column in COLUMNS.items():
        yield name, None, found.sentences[column]
    per_slot = [(found.slots, name, column) for name, column in GRADIENT.items()]
    if found.parascores is not None:
        yield PARASCORE, None, found.parascores.groupby("sentence_id").parascore.mean()
        per_slot.append((found.parascores, PARASCORE, "parascore"))
    for table, name, column in per_slot:
        for slot, values in table.groupby("slot")[column]:
            yield name, int(slot), values


def _mean(values: pd.Series) -> dict[str, float | int | None]:
    values = values.astype(float)
    spread = float(values.std(ddof=1)) if len(values) > 1 else None
    error = spread / math.sqrt(len(values)) if spread is not None else None
    return {"value": float(values.mean()), "n": len(values), "spread": spread, "error": error}


def printed_table(tidy: pd.DataFrame, errors: bool = False) -> pd.DataFrame:
    """Return the table as it is printed: label, llm, sentences and a text per column, three decimals.

    Parameters
    ----------
    tidy : PROMPT_TABLE table
    errors : bool
        Add the standard error over sentences: `0.947 ± 0.004`.
    """
    together = tidy[tidy.slot.isna()]
    rows = []
    for _, cells in together.groupby("row", sort=True):
        first = cells.iloc[0]
        texts = {cell["column"]: _printed(cell, errors) for cell in cells.to_dict("records")}
        rows.append({"label": first.label, "llm": first.llm, "sentences": str(first.n), **texts})
    return pd.DataFrame(rows)


def gradient_table(tidy: pd.DataFrame) -> pd.DataFrame:
    """Return the mean similarity at each place in the answer, and its rank correlation with the place.

    A prompt that asks for a scale from near to far should give -1 (thesis, section 3.2: it does not).
    """
    rows = []
    for _, cells in tidy[tidy.slot.notna() & (tidy.column == "Sim")].groupby("row", sort=True):
        first = cells.iloc[0]
        places = {str(slot + 1): f"{value:.3f}" for slot, value in zip(cells.slot, cells.value, strict=True)}
        ranks = cells.value.rank().corr(cells.slot.astype(float))
        rows.append({"label": first.label, "llm": first.llm, **places, "rank correlation": f"{ranks:.2f}"})
    return pd.DataFrame(rows)


def _printed(cell: Mapping, errors: bool) -> str:
    error = f" ± {cell['error']:.3f}" if errors and pd.notna(cell["error"]) else ""
    return f"{cell['value']:.3f}" + ("" if cell["column"] in SHARES else error)


def prompt_csv(tidy: pd.DataFrame, job: PromptTableJob) -> pd.DataFrame:
    """Return the printed table with the world in front and who played which role behind."""
    table = printed_table(tidy)
    table.insert(0, "world", job.world)
    table["note"] = "; ".join(job.notes)
    return table


def prompt_markdown(tidy: pd.DataFrame, published: pd.DataFrame | None, job: PromptTableJob) -> str:
    """Write the table for people: what it is, the numbers, the five places, what we did otherwise.

    The paper's numbers stand in a table of their own, and not at all if the world makes its own text.
    """
    parts = [
        f"# {job.table}",
        job.caption,
        f"World `{job.world}`: {job.world_description}.",
        markdown_table(printed_table(tidy, errors=True)),
        bullets(_notes(job)),
        "## From the first to the fifth paraphrase",
        "Mean similarity at each place in the answer.",
        markdown_table(gradient_table(tidy)),
        f"![{job.table}]({job.table}.png)",
    ]
    wanted = [row.published for row in job.rows if row.published]
    if published is not None and not job.generated and wanted:
        parts += ["## The paper's numbers", f"As printed in: {job.source}."]
        printed = printed_rows(job.table, published, job.layout)
        labels = [row.published for row in job.rows]
        parts += [markdown_table(published_table(printed, labels, list(COLUMNS), decimals=3))]
    return joined([*parts, *deviation_parts(job.deviations)])


def _notes(job: PromptTableJob) -> list[str]:
    notes = [
        "Mean ± standard error over sentences.",
        "Sim: mean of (cosine + 1) / 2 over the five. BLEU: the sentence as hypothesis, its five paraphrases "
        "as references. Total: (Sim + 1 - BLEU) / 2. The thesis prints these three.",
        "BLEU single: mean over the five as the only reference. BLEU characters: of the plain texts, which "
        "NLTK takes for sequences of characters. 4-gram: share of sentences with four words in a row that a "
        "paraphrase keeps; for all others BLEU is 0.",
        *(f"{note}." for note in job.notes),
    ]
    if job.generated:
        notes.append(f"World {job.world} makes its own text: these numbers do not compare with any paper's.")
    return notes
