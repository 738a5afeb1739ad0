"""Convert an encoder of rinna's form to an ordinary folder, see `rinna`."""

from typing import Annotated

from contrapose.settings.spec import Spec
from contrapose.steps import FromJob, Project, Writer, planned


class RinnaModel(Spec):
    """Where it is: on the hub, or, without a name, in a folder."""

    model: str | None
    revision: str | None


Source = Annotated[str, FromJob(lambda spec, job: spec.model or job.resources.source)]


@planned
def plan(project: Project, role: str, section: str = "encoders") -> RinnaModel:
    from contrapose.project.models import source_of_kind

    source = source_of_kind(project, section, role, "rinna")
    return RinnaModel(model=source.model, revision=source.revision)


def build(spec: RinnaModel, source: Source) -> Writer:
    """Convert it, once."""
    from contrapose.retrieve.rinna import write_rinna_encoder

    return lambda draft: write_rinna_encoder(source, draft, spec.revision)
