"""Pair each sentence with itself."""

from typing import TYPE_CHECKING

from contrapose.jobs import DropoutJob
from contrapose.pairs.dropout import dropout_pairs
from contrapose.stage import log_to, provenance
from contrapose.tables import PAIRS, SENTENCES, read_table, write_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with log_to(snakemake.log[0]):
    spec = DropoutJob.model_validate_json(snakemake.params.settings)
    sentences = read_table(snakemake.input.sentences, SENTENCES)
    write_table(dropout_pairs(sentences, spec), snakemake.output.pairs, PAIRS, provenance(snakemake))
