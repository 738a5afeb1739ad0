"""Put the shards of synthetic texts together."""

from contrapose.stage import log_to, provenance
from contrapose.tables import SYNTHETIC, read_tables, write_table

with log_to(snakemake.log[0]):
    texts = read_tables(snakemake.input.texts, SYNTHETIC)
    write_table(texts, snakemake.output.texts, SYNTHETIC, provenance(snakemake))
