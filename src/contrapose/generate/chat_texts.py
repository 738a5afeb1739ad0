"""One text per sentence from a chat model: translations, and texts with labels (DINO)."""

import logging
from collections import Counter
from collections.abc import Iterable

import pandas as pd

from contrapose.generate.client import Client
from contrapose.generate.jobs import AskingJob, BacktranslationJob, ChatTextsJob
from contrapose.generate.translation import there_and_back
from contrapose.generate.tries import Tried, all_tried, completions_of
from contrapose.tables import SYNTHETIC, TRANSLATIONS

logger = logging.getLogger(__name__)


async def chat_texts(
    sentences: pd.DataFrame, job: ChatTextsJob, client: Client
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Ask for every text of every sentence, one text per request, up to `asked.tries` paid answers each.

    Returns SYNTHETIC, in the order of the sentences, and COMPLETIONS, instruction by instruction.  If all
    tries for a text failed, it is the last raw answer, with the reason.
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

    Returns TRANSLATIONS and COMPLETIONS in the order of the sentences; the latter alone where all tries
    failed.
    """
    found, tried = await _translated(zip(sentences.id, sentences.text, strict=True), job, client)
    logger.info("%d of %d sentences are translated", len(found), len(sentences))
    return pd.DataFrame(found.items(), columns=TRANSLATIONS.columns, dtype="str"), completions_of(tried)


async def backtranslated(
    sentences: pd.DataFrame, job: BacktranslationJob, client: Client
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Ask for a translation of every sentence, then for one of each accepted translation back.

    Returns TRANSLATIONS and PARAPHRASES, see `there_and_back`, and the COMPLETIONS of both directions,
    distinguished by the prompt.  A text that occurs several times is asked about once, for its first
    sentence.
    """
    rows = list(zip(sentences.id, sentences.text, strict=True))
    there, tried = await _translated(rows, job.there, client)
    found = [(id, there[text]) for id, text in rows if text in there]
    back, again = await _translated(found, job.back, client)
    return *there_and_back(sentences, there, back), completions_of([*tried, *again])


async def _translated(
    rows: Iterable[tuple[str, str]], job: AskingJob, client: Client
) -> tuple[dict[str, str], list[Tried]]:
    """Ask about each distinct text; return the translations by text, and all tries."""
    ids: dict[str, str] = {}
    for id, text in rows:
        ids.setdefault(text, id)
    asked = [(id, text) for text, id in ids.items()]
    tried = await all_tried(asked, job, client, f"{job.llm}, prompt {job.prompt}")
    return {text: one.items[0] for text, one in zip(ids, tried, strict=True) if one.items}, tried
