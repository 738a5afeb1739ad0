"""Convert a language model of rinna's form to an ordinary folder, see `rinna`."""

from contrapose.retrieve import rinna_encoder
from contrapose.retrieve.rinna_encoder import RinnaModel, Source
from contrapose.steps import Project, Writer, planned


@planned
def plan(project: Project, role: str) -> RinnaModel:
    return rinna_encoder.plan(project, role, "language_models")


def build(spec: RinnaModel, source: Source) -> Writer:
    """Convert it, once."""
    from contrapose.retrieve.rinna import write_rinna_language_model

    return lambda draft: write_rinna_language_model(source, draft, spec.revision)
