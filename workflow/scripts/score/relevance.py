"""Score the anchors of a pair set with their positives and hard negatives, by a cross-encoder."""

from contrapose.warm import run_warm

run_warm()  # before the slow imports

from contrapose.left_out import or_left_out, read_pairs
from contrapose.score.relevance import relevance
from contrapose.stage import log_to, provenance
from contrapose.tables import RELEVANCE, write_table
from contrapose.train.classifier import load_cross_encoder
from contrapose.train.jobs import EncoderJob

with log_to(snakemake.log[0], snakemake.threads), or_left_out(snakemake, relevance=RELEVANCE):
    job, resources = EncoderJob.model_validate_json(snakemake.params.settings), snakemake.resources
    hub = job.encoder
    source, revision = (hub.model, hub.revision) if hub else (resources.encoder, None)
    model = load_cross_encoder(source, revision).on(resources.device, job.precision)
    found = relevance(read_pairs(snakemake.input.pairs), model)
    write_table(found, snakemake.output.relevance, RELEVANCE, provenance(snakemake))
