"""Make the language model of the mini world, to be checked in by hand below resources/."""

from typing import TYPE_CHECKING

import torch

from contrapose.jobs import MiniLanguageModelJob
from contrapose.retrieve.mini.instructed import MINI_LANGUAGE_MODEL, mini_documents
from contrapose.stage import log_to
from contrapose.tables import written
from contrapose.train.language_model import train_language_model

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with log_to(snakemake.log[0]):
    job = MiniLanguageModelJob.model_validate_json(snakemake.params.settings)
    torch.set_num_threads(snakemake.threads)
    documents = mini_documents(dict(job.instructions), MINI_LANGUAGE_MODEL.documents)
    with written(snakemake.output.language_model) as draft:
        train_language_model(documents, MINI_LANGUAGE_MODEL, draft)
