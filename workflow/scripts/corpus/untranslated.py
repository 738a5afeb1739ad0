"""Make the list of sentences that are to be translated."""

from contrapose.retrieve.translated import untranslated_sentences
from contrapose.settings.worlds import TranslatedPairs
from contrapose.stage import log_to, provenance
from contrapose.tables import BENCHMARK, SENTENCES, read_table, write_table

with log_to(snakemake.log[0]):
    spec = TranslatedPairs.model_validate_json(snakemake.params.settings)
    sentences = untranslated_sentences(read_table(snakemake.input.benchmarks, BENCHMARK), spec)
    write_table(sentences, snakemake.output.sentences, SENTENCES, provenance(snakemake))
