"""A table of prompts: rows are prompts to language models, columns are scores of their paraphrases."""

import math
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from itertools import zip_longest
from typing import ClassVar, Literal

import pandas as pd
from pydantic import Field

from contrapose.markdown import markdown_table
from contrapose.refs import TrainableName
from contrapose.report.about import About
from contrapose.report.files import image
from contrapose.report.kinds.base import Printed, Published, Report
from contrapose.report.plots import gradient_plot
from contrapose.report.published import Decimals, PaperRows, published_numbers
from contrapose.settings.rows import PromptRow
from contrapose.steps import Paths, Project, planned
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
NOTES = [
    "Mean ± standard error over sentences.",
    "Sim: mean of (cosine + 1) / 2 over the paraphrases of a sentence, five of a language model. BLEU: "
    "the sentence as hypothesis, its paraphrases as references. Total: (Sim + 1 - BLEU) / 2. The thesis "
    "prints these three.",
    "BLEU single: mean over them as the only reference. BLEU characters: of the plain texts, which "
    "NLTK takes for sequences of characters. 4-gram: share of sentences with four words in a row that a "
    "paraphrase keeps; for all others BLEU is 0.",
]
SHARES = {"4-gram"}  # means of yes and no: their standard error adds no information


class PromptTable(Printed):
    """How near paraphrases stay to their sentence in meaning, and how far they go in wording."""

    kind: Literal["prompts"]
    scorer: TrainableName = Field("scorer", description="Role of the encoder that measures similarity")
    parascore: TrainableName | None = Field(
        None, description="Role of the encoder behind a ParaScore column; null: no such column"
    )
    rows: list[PromptRow] = Field(min_length=1)

    plotted: ClassVar[bool] = True
    plot_after_table: ClassVar[bool] = False
    decimals: ClassVar[Decimals] = 3

    @planned
    def questions(self, project: Project) -> list[tuple[str, str, str]]:
        return [row.question for row in self.rows if row.question]

    @planned
    def stand_ins(self, project: Project, name: str) -> list[str]:
        return project.notes.encoder_notes([self.scorer])

    @planned
    def about(self, project: Project, name: str) -> About:
        scorer = project.encoder(self.scorer)
        pooling = "its own pooling" if scorer.pooling == "auto" else f"pooling {scorer.pooling}"
        roles = dict.fromkeys(row.llm for row in self.rows if row.question)
        players = [f"{role}: {project.notes.player(role)}" for role in roles]
        files = [note for row in self.rows for note in _file_notes(project, row)]
        notes = [f"Similarity: {scorer.name}; {pooling}", *players, *files]
        return About(**project.reports.about(name, notes))

    @planned
    def inputs(self, project: Project, name: str) -> dict[str, Paths]:
        def files(role: str | None, what: str) -> list[str]:
            return [_scores(project, row, role, what) for row in self.rows] if role else []

        return {
            "sentences": files(self.scorer, "sentences"),
            "slots": files(self.scorer, "slots"),
            "parascores": files(self.parascore, "parascores"),
        }


@planned
def _scores(project: Project, row: PromptRow, scorer: str, table: str) -> str:
    if row.question:
        return project.places.paraphrase_scores(*row.question, scorer, table)
    return project.places.pair_scores(project.pairs_id(str(row.pairs)), scorer, table)


@planned
def _file_notes(project: Project, row: PromptRow) -> Iterator[str]:
    """Name the source of a row's pairs, and their word tokenizer if it is not NLTK's."""
    if row.pairs:
        pairs = project.pairs(project.pairs_id(row.pairs))
        told = [pairs.material(project).note, project.notes.words(pairs)]
        yield from (f"{row.label}: {note}" for note in told if note)


def build(
    spec: PromptTable,
    about: About,
    sentences: list[str],
    slots: list[str],
    parascores: list[str],
    published: Published,
) -> Report:
    """Arrange scores, a file of each kind per row, as the cells of a PROMPT_TABLE table.

    For each row its scores over the five paraphrases together, then similarity and single-reference BLEU of
    each slot; ParaScore, if there is one, in both ways.
    """
    tidy = _cells(spec, about, published, zip_longest(sentences, slots, parascores))
    parts = [
        "## From the first to the last paraphrase",
        "Mean similarity at each place in the answer, or in a file.",
        markdown_table(gradient_table(tidy)),
        image(about),
    ]
    return spec.report(
        about.model_copy(update={"notes": []}),
        tidy,
        [*NOTES, *(f"{note.removesuffix('.')}." for note in about.notes)],
        *parts,
        columns=COLUMNS,
        published=published,
        shown=printed_prompts(tidy),
        body=markdown_table(printed_prompts(tidy, errors=True)),
        told="; ".join(about.notes),
        schema=PROMPT_TABLE,
        plot=partial(gradient_plot, tidy, about),
    )


def _cells(
    spec: PromptTable, about: About, published: PaperRows, files: Iterable[tuple[str, str, str | None]]
) -> pd.DataFrame:
    cells = []
    for number, (row, of_row) in enumerate(zip(spec.rows, files, strict=True)):
        numbers = published_numbers(row.published, row.label, published)
        told = {"table": about.name, "world": about.world, "row": number}
        told |= {"published_row": row.published or ""}
        corpus, llm, prompt = row.question or (row.pairs, "", "")
        told |= {"label": row.label, "prompt": prompt, "llm": llm, "corpus": corpus}
        for column, slot, values in _columns(*of_row):
            theirs = numbers.get(column) if slot is None else None
            cells.append({**told, "column": column, "slot": slot, **_mean(values), "published": theirs})
    table = pd.DataFrame(cells, columns=PROMPT_TABLE.columns)
    return table.astype({"slot": "Int16", **dict.fromkeys(("value", "spread", "error", "published"), float)})


def _columns(
    sentences: str, slots: str, parascores: str | None
) -> Iterator[tuple[str, int | None, pd.Series]]:
    """Yield printed name, slot and the values per sentence, from the files of a row."""
    whole = read_table(sentences, SENTENCE_SCORES)
    for name, column in COLUMNS.items():
        yield name, None, whole[column]
    of_slots = read_table(slots, SLOT_SCORES)
    per_slot = [(of_slots, name, column) for name, column in GRADIENT.items()]
    if parascores:
        of_pairs = read_table(parascores, PARASCORES)
        yield PARASCORE, None, of_pairs.groupby("sentence_id").parascore.mean()
        per_slot.append((of_pairs, PARASCORE, "parascore"))
    for table, name, column in per_slot:
        for slot, values in table.groupby("slot")[column]:
            yield name, int(slot), values


def _mean(values: pd.Series) -> dict[str, float | int | None]:
    values = values.astype(float)
    spread = float(values.std(ddof=1)) if len(values) > 1 else None
    error = spread / math.sqrt(len(values)) if spread is not None else None
    value = float(values.mean()) if len(values) else None
    return {"value": value, "n": len(values), "spread": spread, "error": error}


def printed_prompts(tidy: pd.DataFrame, errors: bool = False) -> pd.DataFrame:
    """Return the table as printed, with standard errors over sentences if wanted: `0.947 ± 0.004`."""
    together = tidy[tidy.slot.isna()]
    rows = []
    for _, cells in together.groupby("row", sort=True):
        first = cells.iloc[0]
        texts = {cell["column"]: _text(cell, errors) for cell in cells.to_dict("records")}
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
        ranks = cells.value.rank().corr(cells.slot.astype(float)) if cells.value.nunique() > 1 else None
        rank = {"rank correlation": "–" if ranks is None else f"{ranks:.2f}"}
        rows.append({"label": first.label, "llm": first.llm, **rank, **places})
    table = pd.DataFrame(rows, dtype=object).fillna("–")
    return table[[*table.columns.drop("rank correlation"), "rank correlation"]]


def _text(cell: Mapping, errors: bool) -> str:
    if pd.isna(cell["value"]):
        return "–"
    error = f" ± {cell['error']:.3f}" if errors and pd.notna(cell["error"]) else ""
    return f"{cell['value']:.3f}" + ("" if cell["column"] in SHARES else error)
