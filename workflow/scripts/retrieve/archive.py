"""Fetch the data folder from the hub."""

from typing import TYPE_CHECKING

from contrapose.config.worlds import HubArchive
from contrapose.retrieve.archive import unpack_archive
from contrapose.stage import log_to
from contrapose.tables import written

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with log_to(snakemake.log[0]):
    spec = HubArchive.model_validate_json(snakemake.params.settings)
    with written(snakemake.output.data) as draft:
        unpack_archive(spec, draft)
