"""Fine-tune one encoder on a task on pairs and score it: a run of ours, or one as it is."""

from contrapose.warm import hand_over

hand_over()  # before what takes long to import

from typing import TYPE_CHECKING

import torch

from contrapose.evaluate.fine_tuned import fine_tuned_scores
from contrapose.jobs import FineTunedJob
from contrapose.stage import log_to, provenance
from contrapose.tables import SCORES, write_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with log_to(snakemake.log[0]):
    job = FineTunedJob.model_validate_json(snakemake.params.settings)
    resources = snakemake.resources
    torch.set_num_threads(snakemake.threads)
    folder = resources.get("folder") or snakemake.input.get("encoder")
    scores, lacking = fine_tuned_scores(snakemake.input.benchmarks, job, folder, resources.device)
    made_by = provenance(snakemake)
    write_table(scores, snakemake.output.scores, SCORES, {**made_by, "lacking": lacking})
