"""Translate every sentence of the Chinese evaluation sets with a model on this machine."""

from typing import TYPE_CHECKING, Annotated

import pandas as pd

from contrapose.pairs.strategy import Sentences
from contrapose.settings.spec import Spec
from contrapose.steps import Device, FromJob, Rows, planned
from contrapose.tables import TRANSLATIONS

if TYPE_CHECKING:
    from contrapose.project import Project


class FilesAlone(Spec):
    """The input files determine the result."""

    @classmethod
    @planned
    def of(cls, project: "Project", **names: str) -> "FilesAlone":
        return cls()


def build(
    spec: FilesAlone,
    sentences: Sentences,
    folder: Annotated[str, FromJob(lambda spec, job: job.resources.folder)],
    device: Device,
) -> Annotated[pd.DataFrame, Rows(TRANSLATIONS)]:
    """Translate, see `translated`."""
    from contrapose.generate.encoder_decoders import Seq2SeqModel, translated

    return translated(sentences.text.tolist(), Seq2SeqModel(folder, device))
