"""Translate every sentence of the Chinese evaluation sets with a model on this machine."""

from typing import Annotated

import pandas as pd

from contrapose.pairs.strategy import Sentences
from contrapose.settings.spec import Spec
from contrapose.steps import Device, FromJob, Project, Rows, planned
from contrapose.tables import TRANSLATIONS


@planned
def plan(project: Project, **names: str) -> Spec:
    return Spec()


def build(
    spec: Spec,
    sentences: Sentences,
    folder: Annotated[str, FromJob(lambda spec, job: job.resources.folder)],
    device: Device,
) -> Annotated[pd.DataFrame, Rows(TRANSLATIONS)]:
    """Translate, see `translated`."""
    from contrapose.generate.encoder_decoders import Seq2SeqModel, translated

    return translated(sentences.text.tolist(), Seq2SeqModel(folder, device))
