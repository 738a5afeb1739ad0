"""Make a pair set, by its kind."""

from contrapose.kinds import built
from contrapose.stage import log_to, provenance
from contrapose.tables import PAIRS, write_table

with log_to(snakemake.log[0]):
    pairs = built("contrapose.pairs", snakemake)
    lacking = pairs.attrs.get("lacking", "")
    write_table(pairs, snakemake.output.pairs, PAIRS, {**provenance(snakemake), "lacking": lacking})
