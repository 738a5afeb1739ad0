"""Make an encoder of the mini world, to be checked in by hand below resources/."""

import json

from contrapose.stage import log_to
from contrapose.tables import written
from contrapose_mini.pretrain import write_mini_encoder

with log_to(snakemake.log[0], snakemake.threads), written(snakemake.output.encoder) as draft:
    write_mini_encoder(json.loads(snakemake.params.settings)["name"], draft)
