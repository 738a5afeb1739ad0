"""Convert a language model of rinna's form to an ordinary folder, see `rinna`."""

from typing import TYPE_CHECKING

from contrapose.retrieve.rinna_encoder import RinnaEncoder, Source
from contrapose.steps import Writer, planned

if TYPE_CHECKING:
    from contrapose.project import Project


class RinnaLanguageModel(RinnaEncoder):
    """Where it is, likewise."""

    @classmethod
    @planned
    def of(cls, project: "Project", role: str) -> "RinnaLanguageModel":
        """Return that of a role."""
        from contrapose.project.models import source_of_kind

        found = source_of_kind(project, "language_models", role, "rinna")
        return cls(model=found.model, revision=found.revision)


def build(spec: RinnaLanguageModel, source: Source) -> Writer:
    """Convert it, once."""
    from contrapose.retrieve.rinna import write_rinna_language_model

    return lambda draft: write_rinna_language_model(source, draft, spec.revision)
