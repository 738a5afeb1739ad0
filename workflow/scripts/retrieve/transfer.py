"""Read the transfer tasks of the world into one table."""

from pathlib import Path

from pydantic import TypeAdapter

from contrapose.retrieve.transfer import read_transfer
from contrapose.settings.worlds import TransferFiles
from contrapose.stage import log_to, provenance
from contrapose.tables import TRANSFER, write_table
from contrapose.tasks import TransferTask

with log_to(snakemake.log[0]):
    adapter = TypeAdapter(dict[TransferTask, TransferFiles])
    sources = adapter.validate_json(snakemake.params.settings)
    transfer, missing = read_transfer(Path(snakemake.resources.data), sources)
    made_from = {**provenance(snakemake), "missing": missing}
    write_table(transfer, snakemake.output.table, TRANSFER, made_from)
