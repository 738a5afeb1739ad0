"""Make an ordinary folder of a language model of rinna's form."""

from contrapose.warm import hand_over

hand_over()  # before what takes long to import

from typing import TYPE_CHECKING

from contrapose.jobs import RinnaJob
from contrapose.retrieve.rinna import write_rinna_language_model
from contrapose.stage import log_to
from contrapose.tables import written

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with log_to(snakemake.log[0]):
    job = RinnaJob.model_validate_json(snakemake.params.settings)
    with written(snakemake.output.language_model) as draft:
        write_rinna_language_model(job.model or snakemake.resources.source, draft, job.revision)
