"""Translate every sentence of a corpus into another language and back, with models on this machine."""

from typing import Annotated

from contrapose.generate.seq2seq import plan as plan
from contrapose.pairs.strategy import Sentences
from contrapose.settings.spec import Spec
from contrapose.steps import Device, FromJob, Outputs
from contrapose.tables import PARAPHRASES, TRANSLATIONS


def build(
    spec: Spec,
    sentences: Sentences,
    folders: Annotated[tuple[str, str], FromJob(lambda spec, job: (job.resources.there, job.resources.back))],
    device: Device,
) -> Annotated[tuple, Outputs(translations=TRANSLATIONS, backtranslations=PARAPHRASES)]:
    """Translate there and back, see `backtranslated`."""
    from contrapose.generate.encoder_decoders import Seq2SeqModel, backtranslated

    there, back = (Seq2SeqModel(folder, device) for folder in folders)
    return backtranslated(sentences, there, back)
