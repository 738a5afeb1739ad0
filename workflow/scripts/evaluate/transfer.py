"""Score one encoder on every transfer task: a run of ours, or a pretrained one."""

from contrapose.warm import run_warm

run_warm()  # before the slow imports

from threadpoolctl import threadpool_limits

from contrapose.evaluate.jobs import TransferJob
from contrapose.evaluate.transfer import transfer_results
from contrapose.evaluate.vectors import sentence_vectors
from contrapose.left_out import or_left_out
from contrapose.stage import log_to, provenance
from contrapose.tables import PREDICTIONS, SCORES, TRANSFER, read_table, write_table

with (
    log_to(snakemake.log[0], snakemake.threads),
    threadpool_limits(snakemake.threads),
    or_left_out(snakemake, scores=SCORES, predictions=PREDICTIONS),
):
    job, resources = TransferJob.model_validate_json(snakemake.params.settings), snakemake.resources
    items = read_table(snakemake.input.transfer, TRANSFER)
    source = resources.get("folder") or snakemake.input.get("encoder")
    texts = [*items.sentence1, *items.sentence2.dropna()]
    vectors, _ = sentence_vectors(job, source, texts, resources.device)
    first, second = vectors[: len(items)], vectors[len(items) :]
    scores, predictions = transfer_results(items, first, second, job)
    write_table(scores, snakemake.output.scores, SCORES, provenance(snakemake))
    write_table(predictions, snakemake.output.predictions, PREDICTIONS, provenance(snakemake))
