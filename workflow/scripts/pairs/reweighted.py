"""Give pairs weights by how human their texts look, or leave some out."""

from typing import TYPE_CHECKING

from contrapose.config.pairs import ReweightedPairs
from contrapose.pairs.reweighted import reweighted_pairs
from contrapose.stage import log_to, provenance
from contrapose.tables import IDENTIFIED, PAIRS, read_table, read_tables, write_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with log_to(snakemake.log[0]):
    spec = ReweightedPairs.model_validate_json(snakemake.params.settings)
    pairs = read_table(snakemake.input.pairs, PAIRS)
    identified = read_tables(snakemake.input.identified, IDENTIFIED)
    reweighted = reweighted_pairs(pairs, identified, spec)
    write_table(reweighted, snakemake.output.pairs, PAIRS, provenance(snakemake))
