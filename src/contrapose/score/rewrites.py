"""How fluent the candidates of a dictionary are."""

from collections.abc import Iterator
from pathlib import Path

import pandas as pd
from tqdm import tqdm

from contrapose.dictionary.scored import whole_sentences
from contrapose.score.perplexity import CausalLM, perplexities
from contrapose.tables import PERPLEXITIES, REWRITES, ROWS_PER_GROUP, open_table


def rewrite_perplexities(lm: CausalLM, rewrites: str | Path) -> Iterator[pd.DataFrame]:
    """Yield the perplexity of each candidate as its whole text has it.  PPDB-CSE, section 3.2; SPEC 5.3.

    Candidates of a sentence are scored together, so that their common beginning is read once.  Other blocks,
    as of another number of shards, change a perplexity by rounding only, see `perplexities`.

    Memory beside the model: some 10,000 candidates and their tokens, whatever the file holds.

    Parameters
    ----------
    lm : CausalLM
    rewrites : path of a REWRITES table

    Yields
    ------
    PERPLEXITIES table, in the order of the file, some whole sentences at a time
    """
    with open_table(rewrites, REWRITES) as file:
        batches = file.iter_batches(ROWS_PER_GROUP, columns=["sentence_id", "number", "text"])
        count = file.metadata.num_rows
        with tqdm(total=count, desc="candidates", unit=" candidates", mininterval=5) as progress:
            for block in whole_sentences(batch.to_pandas() for batch in batches):
                found = perplexities(lm, block.text.tolist())
                yield block.assign(perplexity=found)[PERPLEXITIES.columns]
                progress.update(len(block))
