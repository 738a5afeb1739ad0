"""Fetch the data folder from the hub."""

from contrapose.retrieve.archive import unpack_archive
from contrapose.settings.worlds import HubArchive
from contrapose.stage import log_to
from contrapose.tables import written

with log_to(snakemake.log[0]):
    spec = HubArchive.model_validate_json(snakemake.params.settings)
    with written(snakemake.output.data) as draft:
        unpack_archive(spec, draft)
