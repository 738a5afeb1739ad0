"""Score one encoder on tasks of mteb: a run of ours, or a pretrained one."""

from contrapose.warm import run_warm

run_warm()  # before the slow imports

import json
import shutil
from pathlib import Path

from contrapose.evaluate.jobs import MtebJob
from contrapose.evaluate.mteb_scores import digest_of, mteb_scores, revision_of
from contrapose.evaluate.mteb_tasks import mteb_tasks
from contrapose.left_out import or_left_out
from contrapose.stage import log_to, provenance
from contrapose.state import alone_in, remove_state
from contrapose.tables import SCORES, write_table
from contrapose.train.encoder import encoder_of

state, folder = Path(snakemake.resources.state), Path(snakemake.output.results)
with (
    log_to(snakemake.log[0], snakemake.threads),
    alone_in(state),
    or_left_out(snakemake, scores=SCORES),
):
    folder.mkdir(parents=True, exist_ok=True)
    job, res = MtebJob.model_validate_json(snakemake.params.settings), snakemake.resources
    source = res.get("folder") or snakemake.input.get("encoder")
    encoder = encoder_of(job, source, res.device)
    revision = job.encoder.revision if job.encoder else revision_of(Path(source))
    tasks = mteb_tasks(job.tasks, json.loads(res.mteb))
    # Tasks that are done survive a kill, as long as encoder and files are the same.
    done = state / revision / digest_of(map(Path, snakemake.input.files))
    scores = mteb_scores(encoder, tasks, job, revision, done, res.batch_size)
    shutil.copytree(done, folder, dirs_exist_ok=True)
    metrics = {task.metadata.name: task.metadata.main_score for task in tasks}
    write_table(scores, snakemake.output.scores, SCORES, {**provenance(snakemake), "metrics": metrics})
    remove_state(state)
