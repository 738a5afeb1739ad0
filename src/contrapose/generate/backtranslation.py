"""Translate every sentence of a corpus into another language and back, with models on this machine."""

import logging
from collections.abc import Mapping
from typing import Annotated

import pandas as pd

from contrapose.generate.seq2seq import plan, translations
from contrapose.jobs.inputs import Sentences
from contrapose.jobs.step import Device, FromJob, Outputs, State
from contrapose.settings.spec import Spec
from contrapose.tables import PARAPHRASES, TRANSLATIONS

__all__ = ["build", "plan"]  # planned as every step with an encoder-decoder

logger = logging.getLogger(__name__)


def build(
    spec: Spec,
    sentences: Sentences,
    folders: Annotated[tuple[str, str], FromJob(lambda spec, job: (job.resources.there, job.resources.back))],
    device: Device,
    state: State,
) -> Annotated[tuple, Outputs(translations=TRANSLATIONS, backtranslations=PARAPHRASES)]:
    """Translate there and back, each distinct text once; what is empty or did not end is left out.

    `state` keeps finished batches, so that a killed job resumes there and gives the same texts.
    """
    from contrapose.generate.encoder_decoders import Seq2SeqModel

    forth, back = (Seq2SeqModel(folder, device) for folder in folders)
    ways = {text: other for text, other in translations(sentences.text, forth, state).items() if other}
    return backtranslations(sentences, ways, translations(ways.values(), back, state))


def backtranslations(
    sentences: pd.DataFrame, forth: Mapping[str, str], back: Mapping[str, str]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Combine translations into another language with their back-translations.

    TRANSLATIONS are in the order of `forth`; PARAPHRASES, with one slot, in the order of the sentences,
    without those that lack a translation either way.
    """
    texts = sentences.text.map(forth).map(back).fillna("").astype("str")
    table = pd.DataFrame({"sentence_id": sentences.id, "slot": 0, "text": texts}).astype({"slot": "int16"})
    table = table[table.text != ""].reset_index(drop=True)
    logger.info("%d of %d sentences are translated there and back", len(table), len(sentences))
    return pd.DataFrame(forth.items(), columns=TRANSLATIONS.columns, dtype="str"), table
