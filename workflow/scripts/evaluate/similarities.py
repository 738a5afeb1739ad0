"""Compare a sentence with edited forms of it, by one encoder: a run of ours, or a pretrained one."""

from contrapose.warm import run_warm

run_warm()  # before the slow imports

from contrapose.evaluate.jobs import SimilaritiesJob
from contrapose.evaluate.similarities import text_similarities
from contrapose.left_out import or_left_out
from contrapose.stage import log_to, provenance
from contrapose.tables import TEXT_SIMILARITIES, write_table
from contrapose.train.embeddings import embeddings
from contrapose.train.encoder import encoder_of

with log_to(snakemake.log[0], snakemake.threads), or_left_out(snakemake, similarities=TEXT_SIMILARITIES):
    job = SimilaritiesJob.model_validate_json(snakemake.params.settings)
    resources = snakemake.resources
    folder = resources.get("folder") or snakemake.input.get("encoder")
    encoder = encoder_of(job, folder, resources.device)
    texts = [job.sentence, *(text for _, text in job.texts)]
    found = text_similarities(embeddings(encoder, texts), job)
    write_table(found, snakemake.output.similarities, TEXT_SIMILARITIES, provenance(snakemake))
