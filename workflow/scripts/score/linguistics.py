"""Measure the wording of human and machine texts, and count the labels in each tenth of p(human)."""

from contrapose.score.jobs import HumanTexts
from contrapose.score.linguistics import linguistics, tenths
from contrapose.stage import log_to, provenance
from contrapose.tables import BENCHMARK, IDENTIFIED, LINGUISTICS, PAIRS, TENTHS, read_table, write_table

with log_to(snakemake.log[0]):
    human = HumanTexts.model_validate_json(snakemake.params.settings)
    pairs = read_table(snakemake.input.pairs, PAIRS)
    identified = read_table(snakemake.input.identified, IDENTIFIED)
    benchmarks = read_table(snakemake.input.benchmarks, BENCHMARK)
    made_from = provenance(snakemake)
    found = linguistics(pairs, identified, benchmarks, human)
    write_table(found, snakemake.output.linguistics, LINGUISTICS, made_from)
    write_table(tenths(pairs, identified), snakemake.output.tenths, TENTHS, made_from)
