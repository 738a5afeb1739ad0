"""Pair each sentence with its paraphrases, one slot each."""

from typing import TYPE_CHECKING

from contrapose.pairs.paraphrase import paraphrase_pairs
from contrapose.stage import log_to, provenance
from contrapose.tables import PAIRS, PARAPHRASES, SENTENCES, read_table, write_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with log_to(snakemake.log[0]):
    sentences = read_table(snakemake.input.sentences, SENTENCES)
    paraphrases = read_table(snakemake.input.paraphrases, PARAPHRASES)
    pairs = paraphrase_pairs(sentences, paraphrases)
    write_table(pairs, snakemake.output.pairs, PAIRS, provenance(snakemake))
