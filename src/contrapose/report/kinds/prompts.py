"""A table of prompts: rows are prompts to language models, columns are scores of their paraphrases."""

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import zip_longest
from typing import Any, ClassVar, Literal

import numpy as np
import pandas as pd
from pydantic import Field, model_validator

from contrapose.base.markdown import markdown_table
from contrapose.jobs.step import InputFiles, planned
from contrapose.report.about import About
from contrapose.report.cells import Cells, RowCells, cell_table
from contrapose.report.files import image
from contrapose.report.kinds.base import TableSettings
from contrapose.report.output import Report
from contrapose.report.planned_notes import encoder_notes, tokenizer
from contrapose.report.printed_cells import Decimals
from contrapose.report.resampling import Resamples
from contrapose.report.table_plots import gradient_plot
from contrapose.settings.plan import Plan
from contrapose.settings.refs import CorpusName, LLMName, PromptName, TrainableName, TripletPairsId
from contrapose.settings.spec import Spec, check_one_of
from contrapose.tables import PARASCORES, SENTENCE_SCORES, SLOT_SCORES, read_table

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
    (
        "Sim: mean of (cosine + 1) / 2 over the paraphrases of a sentence (five from a language model). "
        "BLEU: the sentence as hypothesis, its paraphrases as references. Total: (Sim + 1 - BLEU) / 2. "
        "The thesis prints these three numbers."
    ),
    (
        "BLEU single: mean over the paraphrases as the only reference. BLEU characters: BLEU of the "
        "plain texts, which NLTK reads as sequences of characters. 4-gram: share of sentences with four "
        "consecutive words that also occur in a paraphrase; for all others, BLEU is 0."
    ),
]
SHARES = {"4-gram"}  # means of yes and no: their standard error adds no information


class PromptRow(Spec):
    """A row shows the answers of a language model to a prompt, or the paraphrases of a file."""

    label: str = Field(description="This is the label of the row.")
    prompt: PromptName | None = Field(
        None,
        description="This is the prompt of the request: the name of a file under config/prompts/, "
        "without its ending.",
    )
    llm: LLMName = Field("chatgpt", description="This entry of the catalog's `llms` writes the paraphrases.")
    corpus: CorpusName | None = Field(None, description="The sentences of this corpus are paraphrased.")
    pairs: TripletPairsId | None = Field(
        None,
        description="This is the id of a pair set of kind `triplets`, in place of corpus, llm and "
        "prompt. Lines with the same first sentence are its paraphrases.",
    )
    published: str | None = Field(
        None, description="This is `llm: prompt` of the paper's row, if it has one."
    )

    @model_validator(mode="after")
    def _one_source(self) -> "PromptRow":
        check_one_of(self, ("corpus", "prompt"), ("pairs",))
        return self

    @property
    def unused(self) -> tuple[str, ...]:
        """Fields without effect: the pairs of a file need no language model."""
        return ("llm",) if self.pairs else ()

    @property
    def question(self) -> tuple[str, str, str] | None:
        """Corpus, llm and prompt of the paraphrases to request; None: they are in a file."""
        return (self.corpus, self.llm, self.prompt) if self.corpus and self.prompt else None


class PromptTable(TableSettings):
    """The table shows how close paraphrases stay to their sentence in meaning, and how different their
    wording is.
    """

    kind: Literal["prompts"]
    scorer: TrainableName = Field(
        "scorer", description="This is the catalog's name of the encoder that measures similarity."
    )
    parascore: TrainableName | None = Field(
        None,
        description="This is the catalog's name of the encoder that a ParaScore column uses. With null, "
        "there is no such column.",
    )
    rows: list[PromptRow] = Field(
        min_length=1, description="Each entry is a row of the table: a prompt, or a set of paraphrases."
    )

    plotted: ClassVar[bool] = True
    plot_after_table: ClassVar[bool] = False
    decimals: ClassVar[Decimals] = 3
    labels: ClassVar[Mapping[str, str]] = {"label": "model", "llm": "group"}
    spread: ClassVar[str] = ""
    missing: ClassVar[str] = "–"

    @property
    def counted(self) -> str:
        return "sentences"

    def questions(self, project: Plan) -> list[tuple[str, str, str]]:
        return [row.question for row in self.rows if row.question]

    def stand_ins(self, project: Plan, name: str) -> list[str]:
        return encoder_notes(project, [self.scorer])

    def about(self, project: Plan, name: str) -> About:
        scorer = project.encoder(self.scorer)
        pooling = "its own pooling" if scorer.pooling == "auto" else f"pooling {scorer.pooling}"
        roles = dict.fromkeys(row.llm for row in self.rows if row.question)
        players = [f"{role}: {project.entry('llms', role).player}" for role in roles]
        notes = [f"Similarity: {scorer.name}; {pooling}", *players]
        for row in (row for row in self.rows if row.pairs):
            pairs = project.pairs(project.pairs_id(str(row.pairs)))
            # The source of the pairs, and their word tokenizer if it is not NLTK's.
            of_row = filter(None, [pairs.material(project).note, tokenizer(project, pairs)])
            notes += [f"{row.label}: {note}" for note in of_row]
        return About.planned(project, name, notes)

    def inputs(self, project: Plan, about: About) -> dict[str, InputFiles]:
        def files(role: str | None, what: str) -> list[str]:
            return [_scores(project, row, role, what) for row in self.rows] if role else []

        return {
            "sentences": files(self.scorer, "sentences"),
            "slots": files(self.scorer, "slots"),
            "parascores": files(self.parascore, "parascores"),
        }


@planned
def _scores(project: Plan, row: PromptRow, scorer: str, table: str) -> str:
    if row.question:
        return project.paths.paraphrase_scores(*row.question, scorer, table)
    return project.paths.pair_scores(project.pairs_id(str(row.pairs)), scorer, table)


def build(
    spec: PromptTable, about: About, sentences: list[str], slots: list[str], parascores: list[str]
) -> Report:
    """Arrange scores, a file of each kind per row, as cells; the language model is the group of a row.

    For each row its scores over the five paraphrases together, then similarity and single-reference BLEU of
    each slot; ParaScore, if there is one, in both ways.
    """
    mean = _Means(about.bootstrap, [read_table(file, SENTENCE_SCORES).sentence_id for file in sentences])
    files = zip_longest(sentences, slots, parascores)
    rows = [
        RowCells(row.label, _cells(mean, *of_row), row.llm if row.question else "", row.published)
        for row, of_row in zip(spec.rows, files, strict=True)
    ]
    tidy = cell_table(about, rows)
    sections = [
        "## From the first to the last paraphrase",
        "Mean similarity at each place in the answer, or in a file.",
        markdown_table(gradient_table(tidy)),
        image(about),
    ]
    return spec.report(
        about.model_copy(update={"notes": []}),
        tidy,
        [*NOTES, *(f"{note.removesuffix('.')}." for note in about.notes)],
        *sections,
        columns=list(COLUMNS),
        body=markdown_table(spec.printed(tidy, "error")),
        row_notes="; ".join(about.notes),
        plot=partial(gradient_plot, tidy, about),
    )


class _Means:
    """Means over sentences, with resamples that are the same for all rows of a table: for its claims."""

    def __init__(self, number: int, sentences: Sequence[pd.Series]) -> None:
        self.sentences = pd.Index(pd.concat(sentences).unique())
        self.resamples = Resamples(number)

    def __call__(self, values: pd.Series, ids: pd.Series) -> dict[str, Any]:
        """Return the cell of values of sentences, one each; without resamples for fewer than two."""
        values = values.astype(float)
        cell = {"value": values.mean(), "n": len(values), "std": values.std(), "error": values.sem()}
        if len(values) < 2:
            return cell
        influence = np.zeros(len(self.sentences))
        centred = (values - values.mean()).to_numpy()
        influence[self.sentences.get_indexer(ids)] = centred * len(influence) / len(values)
        return {**cell, "resampled": self.resamples("", cell["value"], influence)}


def _cells(mean: _Means, sentences: str, slots: str, parascores: str | None) -> Cells:
    """Return the cells of a row from its files: means over sentences, at each place in the answer, too."""
    whole, of_slots = read_table(sentences, SENTENCE_SCORES), read_table(slots, SLOT_SCORES)
    cells: Cells = {name: mean(whole[column], whole.sentence_id) for name, column in COLUMNS.items()}
    for name in SHARES:
        cells[name]["error"] = None
    per_slot = [(of_slots, name, column) for name, column in GRADIENT.items()]
    if parascores:
        of_pairs = read_table(parascores, PARASCORES)
        of_sentences = of_pairs.groupby("sentence_id").parascore.mean().reset_index()
        cells[PARASCORE] = mean(of_sentences.parascore, of_sentences.sentence_id)
        per_slot.append((of_pairs, PARASCORE, "parascore"))
    for table, name, column in per_slot:
        for slot, rows in table.groupby("slot"):
            cells[name, "", slot] = mean(rows[column], rows.sentence_id)
    return cells


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
        rows.append({"label": first.model, "llm": first["group"], **rank, **places})
    table = pd.DataFrame(rows, dtype=object).fillna("–")
    return table[[*table.columns.drop("rank correlation"), "rank correlation"]]
