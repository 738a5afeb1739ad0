"""Join the shards of a sampled corpus: the first accepted sentences, each text once."""

from typing import Annotated

import pandas as pd

from contrapose.corpus.draw import CorpusDraws
from contrapose.corpus.draw import plan as plan
from contrapose.status import with_status
from contrapose.steps import Rows
from contrapose.tables import DRAWS, SENTENCES


def build(
    spec: CorpusDraws, draws: Annotated[pd.DataFrame, Rows(DRAWS)]
) -> Annotated[pd.DataFrame, Rows(SENTENCES)]:
    """Join the draws, see `corpus_sentences`; the file says what was rejected."""
    from contrapose.corpus.sampling import corpus_sentences

    sentences, rejected = corpus_sentences(draws, spec)
    return with_status(sentences, counts=rejected)
