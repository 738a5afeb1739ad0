"""Pair each sentence with itself, and with itself lengthened by punctuation marks."""

from typing import TYPE_CHECKING

from contrapose.jobs import PunctuationJob
from contrapose.pairs.punctuation import punctuation_pairs
from contrapose.stage import log_to, provenance
from contrapose.tables import PAIRS, SENTENCES, read_table, write_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with log_to(snakemake.log[0]):
    spec = PunctuationJob.model_validate_json(snakemake.params.settings)
    sentences = read_table(snakemake.input.sentences, SENTENCES)
    write_table(punctuation_pairs(sentences, spec), snakemake.output.pairs, PAIRS, provenance(snakemake))
