"""Pairs of a sentence with its paraphrases by a language model."""

import logging
from typing import TYPE_CHECKING, Literal

import pandas as pd
from pydantic import Field

from contrapose.errors import TableError
from contrapose.kinds import Paths, planned
from contrapose.pairs.rows import as_pairs
from contrapose.pairs.strategy import Material, Paraphrases, Sentences, Strategy, corpus_material
from contrapose.refs import LLMName, PromptName, SampledCorpusName
from contrapose.settings.spec import Spec

if TYPE_CHECKING:
    from contrapose.project import Places, Project

logger = logging.getLogger(__name__)


VERSIONS = 5  # paraphrases that are asked for.  Thesis, section 3.2


class ParaphrasePairs(Spec, Strategy):
    """The positives are an LLM's paraphrases. Thesis, section 4.1."""

    kind: Literal["paraphrase"]
    corpus: SampledCorpusName
    llm: LLMName = Field("chatgpt", description="Role in the world")
    prompt: PromptName = Field("2", description="File name under config/prompts/ without .txt")
    positives: int = Field(
        1,
        ge=1,
        le=VERSIONS,
        description="Paraphrases of a sentence in one loss, a view each: 1 makes five slots of one, 2 two "
        "slots of two, 5 one of five; those that do not fill a slot are left out",
    )

    @planned
    def inputs(self, places: "Places") -> dict[str, Paths]:
        """What is left of the sentences, and their paraphrases."""
        tables = ("sentences", "paraphrases")
        return {each: places.generated(self.corpus, self.llm, self.prompt, each) for each in tables}

    @planned
    def material(self, project: "Project") -> Material:
        """Sentences."""
        return corpus_material(project, self.corpus)

    @planned
    def questions(self, project: "Project") -> list[tuple[str, str, str]]:
        """Return what is asked."""
        return [(self.corpus, self.llm, self.prompt)]

    @planned
    def views(self, project: "Project") -> int:
        """A view for each paraphrase of a slot."""
        return self.positives

    @planned
    def slot_count(self, project: "Project") -> int:
        """Those that `positives` fills."""
        return VERSIONS // self.positives

    @planned
    def rows(self, project: "Project") -> float | None:
        """A row for each sentence and slot."""
        count = project.sentences(self.corpus)
        return count and self.slot_count(project) * count


def build(spec: ParaphrasePairs, sentences: Sentences, paraphrases: Paraphrases) -> pd.DataFrame:
    """Pair each sentence with its paraphrases: see `paraphrase_pairs`."""
    return paraphrase_pairs(sentences, paraphrases, spec.positives)


def paraphrase_pairs(sentences: pd.DataFrame, paraphrases: pd.DataFrame, positives: int = 1) -> pd.DataFrame:
    """Pair each sentence with all its paraphrases, paraphrase j in slot j.  Thesis, section 4.1.

    Epoch e trains on slot e mod n_slots, so each epoch sees every sentence once, with another paraphrase
    than in the epoch before.  The source is always the anchor (SPEC 1.5).

    Parameters
    ----------
    sentences : SENTENCES table
        After replacement: sentences without acceptable paraphrases are already exchanged.
    paraphrases : PARAPHRASES table
        Rows of sentences that are not in `sentences` are left out and counted in the log.
    positives : int
        Paraphrases in one loss, m: paraphrase j is view j mod m of slot j // m.  Those of a last slot that is
        not full are left out, which the log says.

    Returns
    -------
    PAIRS table, slot by slot and view by view, within a view in the order of the sentences

    Raises
    ------
    TableError
        The slots are not numbered 0, 1, 2 ..., a sentence lacks one, or there are fewer than `positives`.
    """
    slots = sorted(int(slot) for slot in paraphrases.slot.unique())
    if slots != list(range(len(slots))) or not slots:
        raise TableError(f"paraphrases: slots are {slots}, expected 0, 1, 2 ... Make the paraphrases again.")
    texts = paraphrases.pivot(index="sentence_id", columns="slot", values="text").reindex(sentences.id)
    lacking = texts.isna().any(axis="columns")
    if lacking.any():
        first = texts.index[lacking][0]
        have = [slot for slot in slots if isinstance(texts.loc[first, slot], str)]
        raise TableError(
            f"paraphrases: {int(lacking.sum())} of {len(sentences)} sentences lack a slot; the first is "
            f"'{first}', which has {have} of {slots}. Use the sentences after replacement."
        )
    unused = paraphrases.sentence_id.nunique() - len(sentences)
    logger.info("%d sentences x %d paraphrases; %d others not used", len(sentences), len(slots), unused)
    if len(slots) < positives:
        raise TableError(
            f"paraphrases: there are {len(slots)} of each sentence, the pair set wants {positives} in one "
            f"loss. Set positives to {len(slots)} or less."
        )
    used = slots[: len(slots) // positives * positives]
    if len(used) < len(slots):
        logger.info("%d of %d paraphrases fill no slot of %d", len(slots) - len(used), len(slots), positives)
    parts = [
        as_pairs(sentences.id, sentences.text, texts[each], each // positives, each % positives)
        for each in used
    ]
    return pd.concat(parts, ignore_index=True)
