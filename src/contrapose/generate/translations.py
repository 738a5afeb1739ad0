"""Sentences of Chinese evaluation sets in English, asked of a language model.  PrdSimCSE, table 6."""

import logging

import pandas as pd

from contrapose.generate.client import Client
from contrapose.generate.jobs import AskingJob
from contrapose.generate.tries import all_tried, completions_of
from contrapose.tables import TRANSLATIONS

logger = logging.getLogger(__name__)


async def translate_shard(
    sentences: pd.DataFrame, job: AskingJob, client: Client
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Ask for a translation of every sentence, one sentence a request.

    Parameters
    ----------
    sentences : DataFrame with `id` and `text`
        The rows of one shard; no text twice.
    job : AskingJob
        Its answers are read as translations.
    client : Client

    Returns
    -------
    TRANSLATIONS and COMPLETIONS table
        In the order of the sentences.  A sentence whose tries all failed has completions only.
    """
    rows = list(zip(sentences.id, sentences.text, strict=True))
    tried = await all_tried(rows, job, client, f"{job.llm}, prompt {job.prompt}")
    found = [(text, one.items[0]) for (_, text), one in zip(rows, tried, strict=True) if one.items]
    logger.info("%d of %d sentences are translated", len(found), len(rows))
    return pd.DataFrame(found, columns=TRANSLATIONS.columns, dtype="str"), completions_of(tried)
