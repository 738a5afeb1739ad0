"""Translate every sentence of a corpus into another language and back, with models on this machine."""

from typing import Annotated, NamedTuple

import pandas as pd

from contrapose.generate.seq2seq import FilesAlone
from contrapose.pairs.strategy import Sentences
from contrapose.steps import Device, FromJob, Rows
from contrapose.tables import PARAPHRASES, TRANSLATIONS


class TranslatedBack(NamedTuple):
    """Translations there and back."""

    translations: Annotated[pd.DataFrame, Rows(TRANSLATIONS)]
    backtranslations: Annotated[pd.DataFrame, Rows(PARAPHRASES)]


def build(
    spec: FilesAlone,
    sentences: Sentences,
    folders: Annotated[tuple[str, str], FromJob(lambda spec, job: (job.resources.there, job.resources.back))],
    device: Device,
) -> TranslatedBack:
    """Translate there and back, see `backtranslated`."""
    from contrapose.generate.encoder_decoders import Seq2SeqModel, backtranslated

    there, back = (Seq2SeqModel(folder, device) for folder in folders)
    return TranslatedBack(*backtranslated(sentences, there, back))
