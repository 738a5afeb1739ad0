"""Make the encoder of one role of the mini world, to be checked in by hand below resources/."""

import json
from typing import TYPE_CHECKING

import torch

from contrapose.retrieve.mini.pretrain import MINI_ENCODERS, pretraining_texts
from contrapose.stage import log_to
from contrapose.tables import written
from contrapose.train.pretraining import pretrain_encoder

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with log_to(snakemake.log[0]):
    spec = MINI_ENCODERS[json.loads(snakemake.params.settings)["role"]]
    torch.set_num_threads(snakemake.threads)
    with written(snakemake.output.encoder) as draft:
        pretrain_encoder(pretraining_texts(spec.texts, spec.language), spec, draft)
