"""Put the translated evaluation sets together."""

from typing import TYPE_CHECKING

from contrapose.jobs import TranslationSample
from contrapose.retrieve.translated import translated_benchmarks
from contrapose.stage import input_files, log_to, provenance
from contrapose.tables import BENCHMARK, TRANSLATIONS, read_table, read_tables, write_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with log_to(snakemake.log[0]):
    spec = TranslationSample.model_validate_json(snakemake.params.settings)
    chinese = read_table(snakemake.input.benchmarks, BENCHMARK)
    translations = read_tables(input_files(snakemake, "translations"), TRANSLATIONS)
    benchmarks, notes = translated_benchmarks(chinese, translations, spec)
    made_from = {**provenance(snakemake), "notes": notes}
    write_table(benchmarks, snakemake.output.benchmarks, BENCHMARK, made_from)
