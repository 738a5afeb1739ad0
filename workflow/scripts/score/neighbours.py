"""Find the texts of a pair set that are nearest to its anchors."""

from contrapose.warm import run_warm

run_warm()  # before the slow imports

from contrapose.left_out import or_left_out, read_pairs
from contrapose.score.jobs import NeighboursJob
from contrapose.score.neighbours import neighbours
from contrapose.stage import log_to, provenance
from contrapose.tables import NEIGHBOURS, write_table
from contrapose.train.encoder import encoder_of

with log_to(snakemake.log[0], snakemake.threads), or_left_out(snakemake, neighbours=NEIGHBOURS):
    job = NeighboursJob.model_validate_json(snakemake.params.settings)
    resources = snakemake.resources
    pairs = read_pairs(snakemake.input.pairs)
    encoder = encoder_of(job, resources.encoder, resources.device)
    found = neighbours(pairs, encoder, job.nearest)
    write_table(found, snakemake.output.neighbours, NEIGHBOURS, provenance(snakemake))
