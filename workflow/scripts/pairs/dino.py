"""Pair each sentence with texts that a language model wrote for it."""

from typing import TYPE_CHECKING

from contrapose.config.pairs import DinoPairs
from contrapose.pairs.dino import dino_pairs
from contrapose.stage import log_to, provenance
from contrapose.tables import PAIRS, SENTENCES, SYNTHETIC, read_table, write_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with log_to(snakemake.log[0]):
    spec = DinoPairs.model_validate_json(snakemake.params.settings)
    texts = read_table(snakemake.input.texts, SYNTHETIC)
    sentences = read_table(snakemake.input.sentences, SENTENCES)
    write_table(dino_pairs(texts, sentences, spec), snakemake.output.pairs, PAIRS, provenance(snakemake))
