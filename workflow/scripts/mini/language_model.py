"""Make a language model of the mini world, to be checked in by hand below resources/."""

from typing import TYPE_CHECKING

import torch

from contrapose.jobs import MiniLanguageModelJob
from contrapose.stage import log_to
from contrapose.tables import written
from contrapose_mini.language_models import write_mini_language_model

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with log_to(snakemake.log[0]):
    job = MiniLanguageModelJob.model_validate_json(snakemake.params.settings)
    torch.set_num_threads(snakemake.threads)
    with written(snakemake.output.language_model) as draft:
        write_mini_language_model(job.name, dict(job.instructions), draft)
