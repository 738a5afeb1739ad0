"""One text for a sentence, asked of a chat model: translations, and texts with labels (DINO)."""

import logging
from collections import Counter

import pandas as pd

from contrapose.generate.client import Client
from contrapose.generate.jobs import AskedTextsJob, AskingJob
from contrapose.generate.tries import all_tried, completions_of
from contrapose.tables import SYNTHETIC, TRANSLATIONS

logger = logging.getLogger(__name__)


async def asked_texts(
    sentences: pd.DataFrame, job: AskedTextsJob, client: Client
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Ask for every text of every sentence, one text a request, up to `asked.tries` paid answers each.

    Parameters
    ----------
    sentences : SENTENCES table

    Returns
    -------
    SYNTHETIC table, in the order of the sentences
        A text whose tries all failed is the last answer as it came, with the reason.
    COMPLETIONS table, instruction by instruction
    """
    rows = list(zip(sentences.id, sentences.text, strict=True))
    tried = []
    texts = []
    for place, each in enumerate(job.instructions):
        answers = await all_tried(rows, each, client, f"{each.llm}, prompt {each.prompt}")
        tried += answers
        for number, one in enumerate(answers):
            text = one.items[0] if one.items else str(one.completions[-1]["answer"])
            texts.append((number, place, one.id, each.label, each.entry, text, one.reason))
    refused = Counter(reason for *_, reason in texts if reason)
    logger.info("%d texts for %d sentences; refused: %s", len(texts), len(rows), dict(refused) or "none")
    found = pd.DataFrame([row for _, _, *row in sorted(texts)], columns=SYNTHETIC.columns)
    return found.astype({"label": "float32", "entry": "int16"}), completions_of(tried)


async def translate_shard(
    sentences: pd.DataFrame, job: AskingJob, client: Client
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Ask for a translation of every sentence of a shard (`id`, `text`; no text twice).  PrdSimCSE, table 6.

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
