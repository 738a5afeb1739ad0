"""Make the list of sentences that are to be translated."""

from typing import TYPE_CHECKING

from contrapose.jobs import TranslationSample
from contrapose.retrieve.translated import untranslated_sentences
from contrapose.stage import log_to, provenance
from contrapose.tables import BENCHMARK, SENTENCES, read_table, write_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with log_to(snakemake.log[0]):
    spec = TranslationSample.model_validate_json(snakemake.params.settings)
    sentences = untranslated_sentences(read_table(snakemake.input.benchmarks, BENCHMARK), spec)
    write_table(sentences, snakemake.output.sentences, SENTENCES, provenance(snakemake))
