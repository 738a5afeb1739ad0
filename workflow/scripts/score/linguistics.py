"""Measure the wording of human and machine texts, and count the labels in each tenth of p(human)."""

from contrapose.left_out import or_left_out, read_pairs
from contrapose.score.jobs import LinguisticsJob
from contrapose.score.linguistics import human_texts, linguistics, tenths
from contrapose.stage import log_to, provenance
from contrapose.tables import IDENTIFIED, LINGUISTICS, TENTHS, read_table, write_table

with log_to(snakemake.log[0]), or_left_out(snakemake, linguistics=LINGUISTICS, tenths=TENTHS):
    job = LinguisticsJob.model_validate_json(snakemake.params.settings)
    pairs = read_pairs(snakemake.input.pairs)
    identified = read_table(snakemake.input.identified, IDENTIFIED)
    human = human_texts(snakemake.input.human, job)
    made_from = provenance(snakemake)
    found = linguistics(pairs, identified, human, job.language)
    write_table(found, snakemake.output.linguistics, LINGUISTICS, made_from)
    write_table(tenths(pairs, identified), snakemake.output.tenths, TENTHS, made_from)
