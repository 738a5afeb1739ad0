"""Convert a language model of rinna's form to an ordinary folder, see `rinna`."""

from typing import ClassVar

from contrapose.retrieve.rinna_encoder import RinnaEncoder, Source
from contrapose.steps import Writer


class RinnaLanguageModel(RinnaEncoder):
    """Where it is, likewise."""

    section: ClassVar[str] = "language_models"


def build(spec: RinnaLanguageModel, source: Source) -> Writer:
    """Convert it, once."""
    from contrapose.retrieve.rinna import write_rinna_language_model

    return lambda draft: write_rinna_language_model(source, draft, spec.revision)
