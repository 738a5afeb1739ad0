"""Read the evaluation sets of the world into one table."""

from pathlib import Path

from pydantic import TypeAdapter

from contrapose.retrieve.benchmarks import read_benchmarks
from contrapose.settings.worlds import BenchmarkFiles, BenchmarkHub
from contrapose.stage import log_to, provenance
from contrapose.tables import BENCHMARK, write_table

with log_to(snakemake.log[0]):
    adapter = TypeAdapter(dict[str, BenchmarkFiles | BenchmarkHub])
    sources = adapter.validate_json(snakemake.params.settings)
    data = Path(snakemake.resources.data) if snakemake.resources.data else None
    benchmarks, missing = read_benchmarks(data, sources)
    made_from = {**provenance(snakemake), "missing": missing}
    write_table(benchmarks, snakemake.output.table, BENCHMARK, made_from)
