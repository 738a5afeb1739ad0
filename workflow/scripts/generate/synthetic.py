"""Put the shards of synthetic texts together."""

from typing import TYPE_CHECKING

from contrapose.stage import log_to, provenance
from contrapose.tables import SYNTHETIC, read_tables, write_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with log_to(snakemake.log[0]):
    texts = read_tables(snakemake.input.texts, SYNTHETIC)
    write_table(texts, snakemake.output.texts, SYNTHETIC, provenance(snakemake))
