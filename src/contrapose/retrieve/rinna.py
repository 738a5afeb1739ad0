"""Convert a model of rinna's form to an ordinary folder, once; see `rinna_models`."""

from typing import Annotated, Literal

from contrapose.jobs.step import FromJob, Writer, planned
from contrapose.settings.plan import Plan
from contrapose.settings.spec import Spec


class RinnaModel(Spec):
    """A model: on the hub, or, without a name, in a folder."""

    section: Literal["encoders", "language_models"]
    model: str | None
    revision: str | None


Source = Annotated[str, FromJob(lambda spec, job: spec.model or job.resources.source)]


@planned
def plan(project: Plan, section: Literal["encoders", "language_models"], role: str) -> RinnaModel:
    """Return a model of rinna, and whether it is read as an encoder or as a language model."""
    source = project.source(section, role, "rinna")
    return RinnaModel(section=section, model=source.model, revision=source.revision)


def build(spec: RinnaModel, source: Source) -> Writer:
    """Write the folder of an encoder or a language model."""
    from contrapose.retrieve.rinna_models import write_rinna_encoder, write_rinna_language_model

    write = write_rinna_encoder if spec.section == "encoders" else write_rinna_language_model
    return lambda draft: write(source, draft, spec.revision)
