"""Convert an encoder of rinna's form to an ordinary folder, see `rinna`."""

from typing import TYPE_CHECKING, Annotated, ClassVar

from contrapose.settings.spec import Spec
from contrapose.steps import FromJob, Writer, planned

if TYPE_CHECKING:
    from contrapose.project import Project


class RinnaEncoder(Spec):
    """Where it is: on the hub, or, without a name, in a folder."""

    model: str | None
    revision: str | None
    section: ClassVar[str] = "encoders"  # of the world

    @classmethod
    @planned
    def of(cls, project: "Project", role: str) -> "RinnaEncoder":
        from contrapose.project.models import source_of_kind

        found = source_of_kind(project, cls.section, role, "rinna")
        return cls(model=found.model, revision=found.revision)


Source = Annotated[str, FromJob(lambda spec, job: spec.model or job.resources.source)]


def build(spec: RinnaEncoder, source: Source) -> Writer:
    """Convert it, once."""
    from contrapose.retrieve.rinna import write_rinna_encoder

    return lambda draft: write_rinna_encoder(source, draft, spec.revision)
