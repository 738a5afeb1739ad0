"""Pair each premise with its entailment and its contradiction."""

from typing import TYPE_CHECKING

from contrapose.jobs import TripleSample
from contrapose.pairs.triples import triple_pairs
from contrapose.stage import log_to, provenance
from contrapose.tables import PAIRS, TRIPLES, read_table, write_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with log_to(snakemake.log[0]):
    spec = TripleSample.model_validate_json(snakemake.params.settings)
    triples = read_table(snakemake.input.triples, TRIPLES)
    write_table(triple_pairs(triples, spec), snakemake.output.pairs, PAIRS, provenance(snakemake))
