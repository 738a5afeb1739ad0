"""Make a pair set, by its kind."""

from contrapose.left_out import or_left_out
from contrapose.stage import input_files, log_to, provenance
from contrapose.steps import result
from contrapose.tables import PAIRS, read_provenance, write_table

with log_to(snakemake.log[0]), or_left_out(snakemake, pairs=PAIRS):
    pairs = result(snakemake)
    lines = [read_provenance(path).get("dropped") for path in input_files(snakemake, "sentences")]
    told = {
        "lacking": pairs.attrs.get("lacking", ""),  # why there are no pairs
        "dropped": "; ".join(filter(None, [*lines, pairs.attrs.get("dropped")])),  # for the notes of tables
    }
    write_table(pairs, snakemake.output.pairs, PAIRS, {**provenance(snakemake), **told})
