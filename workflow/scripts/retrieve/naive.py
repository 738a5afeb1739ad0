"""Read the evaluation sets of the world naively."""

from pathlib import Path

from pydantic import TypeAdapter

from contrapose.retrieve.naive import naive_texts
from contrapose.settings.worlds import BenchmarkFiles, BenchmarkHub
from contrapose.stage import log_to, provenance
from contrapose.tables import NAIVE, write_table

with log_to(snakemake.log[0]):
    adapter = TypeAdapter(dict[str, BenchmarkFiles | BenchmarkHub])
    sources = adapter.validate_json(snakemake.params.settings)
    data = Path(snakemake.resources.data) if snakemake.resources.data else None
    write_table(naive_texts(data, sources), snakemake.output.table, NAIVE, provenance(snakemake))
