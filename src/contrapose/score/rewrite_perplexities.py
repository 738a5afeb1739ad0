"""How fluent the candidates of a dictionary are."""

import logging
from collections.abc import Iterator
from functools import partial
from typing import Annotated

import pandas as pd
from tqdm import tqdm

from contrapose.generate.rewrite_candidates import whole_sentences
from contrapose.jobs.state import made_once
from contrapose.jobs.step import Rows, State, planned
from contrapose.models.given import LanguageModel, OfCausalLM
from contrapose.settings.plan import Plan
from contrapose.tables import PERPLEXITIES, REWRITES, ROWS_PER_GROUP, open_table

logger = logging.getLogger(__name__)


class RewritePerplexities(OfCausalLM):
    """What perplexities depend on, beside the texts and the files of the model."""


@planned
def plan(project: Plan, rewrites: str, **shard: str) -> RewritePerplexities:
    """Return the revision and precision of the model that scores; all shards score alike."""
    model = project.language_model(project.entry("rewrites", rewrites).lm)
    return RewritePerplexities(hub=model.hub, precision=project.config.precision)


def build(
    spec: RewritePerplexities, rewrites: list[str], lm: LanguageModel, state: State
) -> Iterator[Annotated[pd.DataFrame, Rows(PERPLEXITIES)]]:
    """Yield the perplexity of the whole text of each candidate of a dictionary.  PPDB-CSE, section 3.2.

    Candidates of a sentence are scored together, so that their common beginning is read once.  Other blocks,
    as with another number of shards, change a perplexity by rounding only; see `perplexities`.

    `state` keeps each block when it is scored, so that a killed job resumes there and gives the same bytes.

    Yields PERPLEXITIES in the order of the file, some whole sentences at a time.  Without a perplexity where
    a candidate is empty or too long for the model; the log counts them.

    Memory beside the model: some 10,000 candidates and their tokens, whatever the file holds.
    """
    import torch

    from contrapose.models.checkpoint import identity
    from contrapose.models.perplexity import perplexities

    def scored(block: pd.DataFrame) -> pd.DataFrame:
        values = perplexities(lm, block.text.tolist())
        return block.assign(perplexity=values)[PERPLEXITIES.columns]

    made_by = f"{torch.__version__} {lm.model.device.type}"
    who = identity(made_by, *lm.model.state_dict().values())
    reused = blocks = missing = 0
    with open_table(rewrites[0], REWRITES) as file:
        batches = file.iter_batches(ROWS_PER_GROUP, columns=["sentence_id", "number", "text"])
        count = file.metadata.num_rows
        with tqdm(total=count, desc="candidates", unit=" candidates", mininterval=5) as progress:
            for block in whole_sentences(batch.to_pandas() for batch in batches):
                contents = (*block.sentence_id, block.number.to_numpy().tobytes(), *block.text)
                kept = state / f"{identity(who, *contents)}.parquet"
                blocks, reused = blocks + 1, reused + kept.exists()
                rows = made_once(kept, PERPLEXITIES, partial(scored, block))
                missing += int(rows.perplexity.isna().sum())
                yield rows
                progress.update(len(block))
    logger.info("%d blocks of candidates; %d of them exist already", blocks, reused)
    logger.info("%d of %d candidates have no perplexity, because they are empty or too long", missing, count)
