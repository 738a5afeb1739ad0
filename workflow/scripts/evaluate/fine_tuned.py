"""Fine-tune one encoder on a task on pairs and score it: a run of ours, or a pretrained one."""

from contrapose.warm import run_warm

run_warm()  # before the slow imports

from contrapose.evaluate.fine_tuned import fine_tuned_scores
from contrapose.evaluate.jobs import FineTunedJob
from contrapose.left_out import or_left_out
from contrapose.stage import log_to, provenance
from contrapose.state import remove_state
from contrapose.tables import SCORES, write_table
from contrapose.train.checkpoint import Checkpoints

with log_to(snakemake.log[0], snakemake.threads), or_left_out(snakemake, scores=SCORES):
    job = FineTunedJob.model_validate_json(snakemake.params.settings)
    resources = snakemake.resources
    folder = resources.get("folder") or snakemake.input.get("encoder")
    checkpoints = Checkpoints.of(resources)
    scores = fine_tuned_scores(snakemake.input.benchmarks, job, folder, resources.device, checkpoints)
    write_table(scores, snakemake.output.scores, SCORES, provenance(snakemake))
    remove_state(checkpoints.state)
