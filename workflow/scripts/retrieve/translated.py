"""Put the translated evaluation sets together."""

from contrapose.retrieve.translated import translated_benchmarks
from contrapose.settings.worlds import TranslatedPairs
from contrapose.stage import input_files, log_to, provenance
from contrapose.tables import BENCHMARK, TRANSLATIONS, read_table, read_tables, write_table

with log_to(snakemake.log[0]):
    spec = TranslatedPairs.model_validate_json(snakemake.params.settings)
    chinese = read_table(snakemake.input.benchmarks, BENCHMARK)
    translations = read_tables(input_files(snakemake, "translations"), TRANSLATIONS)
    benchmarks, notes = translated_benchmarks(chinese, translations, spec)
    made_from = {**provenance(snakemake), "notes": notes}
    write_table(benchmarks, snakemake.output.benchmarks, BENCHMARK, made_from)
