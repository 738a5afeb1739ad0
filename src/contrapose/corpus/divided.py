"""Parts of a corpus for training and for test pairs, which share neither documents nor sentences."""

import logging
from typing import Annotated

import numpy as np
import pandas as pd

from contrapose.base.errors import TableError
from contrapose.base.seeds import generator
from contrapose.jobs.step import Rows, planned
from contrapose.settings.corpora import DividedCorpus
from contrapose.settings.plan import Plan
from contrapose.settings.refs import as_number, resolved
from contrapose.tables import SENTENCES
from contrapose.text.equal_text import equal_words

logger = logging.getLogger(__name__)

Sentences = Annotated[pd.DataFrame, Rows(SENTENCES)]
FEWEST = 2  # sentences of a part: a pair


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
    logger.info("%d sentences held out, %d as these are among them", is_test.sum(), again.sum())
    part = sentences[is_test if spec.part == "test" else ~is_test & ~again].reset_index(drop=True)
    if len(part) < FEWEST:
        raise TableError(
            f"corpora: of {len(sentences)} sentences of '{spec.corpus}' {int(is_test.sum())} are held out, "
            f"and {len(part)} left for {spec.part}. Change held_out, or add sentences."
        )
    if spec.size is None or spec.part == "test":
        return part
    sample = generator("corpus", "divided", "size", spec.seed).permutation(len(part))
    return part.iloc[np.sort(sample[: as_number(spec.size)])].reset_index(drop=True)
