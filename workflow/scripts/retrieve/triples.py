"""Read NLI triples of the world into a table."""

from pathlib import Path

from pydantic import TypeAdapter

from contrapose.retrieve.triples import read_triples
from contrapose.settings.worlds import TripleSource
from contrapose.stage import log_to, provenance
from contrapose.tables import TRIPLES, write_table

with log_to(snakemake.log[0]):
    source = TypeAdapter(TripleSource).validate_json(snakemake.params.settings)
    data = Path(snakemake.resources.data) if snakemake.resources.data else None
    write_table(read_triples(source, data), snakemake.output.table, TRIPLES, provenance(snakemake))
