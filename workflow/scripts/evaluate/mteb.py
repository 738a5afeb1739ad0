"""Score one encoder on tasks of mteb: a run of ours, or a pretrained one."""

from contrapose.warm import run_warm

run_warm()  # before the slow imports

import json
import shutil
from pathlib import Path

from contrapose.evaluate.jobs import MtebJob
from contrapose.evaluate.mteb_scores import scores_of_job
from contrapose.left_out import or_left_out
from contrapose.stage import log_to, provenance
from contrapose.state import alone_in, remove_state
from contrapose.tables import SCORES, write_table

inputs, res, state = snakemake.input, snakemake.resources, Path(snakemake.resources.state)
with log_to(snakemake.log[0], snakemake.threads), alone_in(state), or_left_out(snakemake, scores=SCORES):
    job = MtebJob.model_validate_json(snakemake.params.settings)
    source = res.get("folder") or inputs.get("encoder")
    scores, metrics, folder = scores_of_job(job, source, json.loads(res.mteb), inputs.files, state, res)
    shutil.copytree(folder, snakemake.output.results)
    write_table(scores, snakemake.output.scores, SCORES, {**provenance(snakemake), "metrics": metrics})
    remove_state(state)
