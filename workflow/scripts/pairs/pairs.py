"""Make a pair set, by its kind."""

from contrapose.kinds import built
from contrapose.stage import log_to, provenance
from contrapose.tables import PAIRS, write_table

with log_to(snakemake.log[0]):
    pairs = built("contrapose.pairs", snakemake)
    made_by = {**provenance(snakemake), "lacking": "", **pairs.attrs}  # and which sentences are dropped
    write_table(pairs, snakemake.output.pairs, PAIRS, made_by)
