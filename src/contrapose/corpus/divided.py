"""Parts of a corpus for training and for test pairs, which share neither documents nor sentences."""

import logging
from typing import Annotated, Literal

import numpy as np
import pandas as pd
from pydantic import Field

from contrapose.base.errors import TableError
from contrapose.base.seeds import generator
from contrapose.jobs.step import Rows, planned
from contrapose.settings.corpora import CorpusKind, Counts, Texts
from contrapose.settings.plan import Plan
from contrapose.settings.refs import CorpusName, Size, as_number, resolved
from contrapose.tables import SENTENCES
from contrapose.text.equal_text import equal_words

logger = logging.getLogger(__name__)

Sentences = Annotated[pd.DataFrame, Rows(SENTENCES)]
FEWEST = 2  # sentences of a part: a pair


class DividedCorpus(CorpusKind):
    """The sentences are a part of another corpus. Whole documents are held out, so that no method trains
    on test sentences.
    """

    kind: Literal["split"]
    corpus: CorpusName = Field(description="This names the corpus that is split, an entry under `corpora`.")
    held_out: Size = Field(
        description="At least this many sentences are held out. Whole documents are held out where the "
        "documents are known, so the number may be a little higher."
    )
    part: Literal["train", "test"] = Field(
        "train", description="This chooses the part: `test` is the held-out sentences, `train` is all others."
    )
    seed: int = Field(1, ge=0, description="This seed selects the documents that are held out.")
    size: Size | None = Field(
        None,
        description="The training part is a seeded sample of at most this many sentences. With null, it "
        "is all of them.",
    )

    def shrinks(self, project: Plan) -> bool:
        return self.part == "train"

    def whole(self, project: Plan) -> str:
        return self.corpus

    def note(self, project: Plan) -> str:
        return project.corpus(self.corpus).note(project)

    def amount(self, project: Plan, count: int | None) -> str:
        return "every line that is not held out" if count is None else f"{count} sentences"

    def check_documents(self, project: Plan, name: str) -> None:  # parts are whole documents
        project.entry("corpora", self.corpus).check_documents(project, self.corpus)

    def lacking_documents(self, project: Plan) -> str:
        return project.corpus(self.corpus).lacking_documents(project)

    def texts(self, project: Counts, count: int | None) -> Texts:
        whole, length = project.texts(self.corpus)
        if whole is None:
            return Texts(None, length)
        held_out = min(whole, project.size(self.held_out))
        left = held_out if self.part == "test" else whole - held_out
        return Texts(min(left, count or left), length)


@planned
def plan(project: Plan, corpus: str) -> DividedCorpus:
    """Return how the sentences of a corpus of kind divided are divided, with this catalog's sizes."""
    return resolved(project.corpus(corpus), project)


def build(spec: DividedCorpus, sentences: Sentences) -> Sentences:
    """Hold out whole documents, drawn one after the other until they have enough sentences.

    A corpus of one `article_id` does not say where documents end: single sentences are drawn.  A sentence of
    the training part whose words are also those of a sentence of the test part is left out, see
    `equal_words`.  Both parts keep the order of the corpus.  Raises TableError if a part has fewer than two
    sentences.
    """
    unit = sentences.article_id if sentences.article_id.nunique() > 1 else sentences.id
    sizes = unit.value_counts(sort=False)
    drawn = sizes.iloc[generator("corpus", "divided", spec.seed).permutation(len(sizes))]
    before = drawn.cumsum() - drawn
    is_test = unit.isin(drawn.index[before < as_number(spec.held_out)])
    words = sentences.text.map(equal_words)
    again = ~is_test & words.isin(words[is_test])
    logger.info(
        "%d sentences are held out; %d sentences of the training part are dropped, because they equal "
        "one of these",
        is_test.sum(),
        again.sum(),
    )
    part = sentences[is_test if spec.part == "test" else ~is_test & ~again].reset_index(drop=True)
    if len(part) < FEWEST:
        raise TableError(
            f"corpora: the corpus '{spec.corpus}' has {len(sentences)} sentences. "
            f"{int(is_test.sum())} of them are held out, and only {len(part)} remain for part: "
            f"{spec.part}. Change held_out, or add sentences."
        )
    if spec.size is None or spec.part == "test":
        return part
    sample = generator("corpus", "divided", "size", spec.seed).permutation(len(part))
    return part.iloc[np.sort(sample[: as_number(spec.size)])].reset_index(drop=True)
