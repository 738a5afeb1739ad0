"""Score one encoder on tasks of mteb: a run of ours, or a pretrained one."""

from contrapose.warm import run_warm

run_warm()  # before the slow imports

import json
from pathlib import Path

from contrapose.evaluate.jobs import MtebJob
from contrapose.evaluate.mteb_scores import mteb_scores, revision_of
from contrapose.evaluate.mteb_tasks import mteb_tasks
from contrapose.left_out import or_left_out
from contrapose.stage import log_to, provenance
from contrapose.tables import SCORES, write_table
from contrapose.train.encoder import encoder_of

with log_to(snakemake.log[0], snakemake.threads), or_left_out(snakemake, scores=SCORES):
    folder = Path(snakemake.output.results)
    folder.mkdir(parents=True, exist_ok=True)
    job, res = MtebJob.model_validate_json(snakemake.params.settings), snakemake.resources
    source = res.get("folder") or snakemake.input.get("encoder")
    encoder = encoder_of(job, source, res.device)
    revision = job.encoder.revision if job.encoder else revision_of(Path(source))
    tasks = mteb_tasks(job.tasks, json.loads(res.mteb))
    scores = mteb_scores(encoder, tasks, job, revision, folder, res.batch_size)
    metrics = {task.metadata.name: task.metadata.main_score for task in tasks}
    write_table(scores, snakemake.output.scores, SCORES, {**provenance(snakemake), "metrics": metrics})
