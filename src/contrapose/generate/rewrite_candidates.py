"""Candidates of a dictionary with their perplexities, streamed: those of a sentence come together."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from tqdm import tqdm

from contrapose.base.directory import rebuild
from contrapose.base.errors import TableError
from contrapose.tables import PERPLEXITIES, REWRITES, ROWS_PER_GROUP, open_table

COLUMNS = ["sentence_id", "number", "probability", "relation", "text"]  # of REWRITES


def whole_sentences(pieces: Iterable[pd.DataFrame]) -> Iterator[pd.DataFrame]:
    """Cut a stream of rows of sentences (column sentence_id) anew, so that no sentence is cut in two."""
    rest = None
    for piece in pieces:
        rows = piece if rest is None else pd.concat([rest, piece], ignore_index=True)
        is_last = rows.sentence_id == rows.sentence_id.iloc[-1]
        if not is_last.all():
            yield rows[~is_last]
        rest = rows[is_last]
    if rest is not None:
        yield rest


def scored_candidates(
    rewrites: Sequence[str | Path], perplexities: Sequence[str | Path], threshold: float
) -> Iterator[pd.DataFrame]:
    """Yield the candidates of all shards that are likely enough, some whole sentences at a time.

    They have COLUMNS, and a perplexity unless no language model has judged them, in the order of the REWRITES
    tables: some 10,000 rows at once, whatever the files hold.  Those that the language model gave no
    perplexity are left out.  Raises TableError if the PERPLEXITIES tables are those of other candidates.
    """
    if perplexities:
        shards = [_joined(*pair) for pair in zip(rewrites, perplexities, strict=True)]
    else:
        shards = [_unscored(path) for path in rewrites]
    for shard in shards:
        for candidates in whole_sentences(shard):
            yield likely(candidates.dropna(), threshold)  # only a perplexity may be null


def _unscored(rewrites: str | Path) -> Iterator[pd.DataFrame]:
    with open_table(rewrites, REWRITES) as texts:
        for batch in texts.iter_batches(ROWS_PER_GROUP, columns=COLUMNS):
            yield batch.to_pandas()


def _joined(rewrites: str | Path, perplexities: str | Path) -> Iterator[pd.DataFrame]:
    others = TableError(
        f"{perplexities}: these perplexities belong to other candidates than those of {rewrites}. "
        f"{rebuild(perplexities)}"
    )
    with open_table(rewrites, REWRITES) as texts, open_table(perplexities, PERPLEXITIES) as scores:
        count = texts.metadata.num_rows
        if scores.metadata.num_rows != count:
            raise others
        batches = zip(  # of equal sizes, whatever the row groups are
            texts.iter_batches(ROWS_PER_GROUP, columns=COLUMNS),
            scores.iter_batches(ROWS_PER_GROUP),
            strict=True,
        )
        with tqdm(total=count, desc="candidates", unit=" candidates", mininterval=5, delay=5) as progress:
            for candidates, scored in batches:
                if any(not candidates[name].equals(scored[name]) for name in PERPLEXITIES.key):
                    raise others
                yield candidates.append_column("perplexity", scored["perplexity"]).to_pandas()
                progress.update(len(candidates))


def likely(candidates: pd.DataFrame, threshold: float) -> pd.DataFrame:
    """Return the candidates whose probability is the threshold or more, both as REWRITES has them: float32.

    As a float64, 0.7 is more than the float32 nearest to it: a rule of just this probability would be lost.
    """
    return candidates[candidates.probability >= np.float32(threshold)]


def most_fluent(candidates: pd.DataFrame) -> pd.DataFrame:
    """Return the candidate of lowest perplexity of each sentence; the text breaks ties.  PPDB-CSE, 3.2."""
    ordered = candidates.sort_values(["perplexity", "text"], kind="stable")
    return ordered.drop_duplicates("sentence_id").sort_index()


def most_likely(candidates: pd.DataFrame) -> pd.DataFrame:
    """Return the candidate of highest probability of each sentence.  Ours, where nothing tells fluency.

    That is the first in REWRITES, which has the likeliest first and equally likely ones by text.
    """
    return candidates.drop_duplicates("sentence_id")
