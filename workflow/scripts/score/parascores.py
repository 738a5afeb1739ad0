"""Give each paraphrase its ParaScore."""

from typing import TYPE_CHECKING

import torch

from contrapose.jobs import ScorerJob
from contrapose.pairs.paraphrase import paraphrase_pairs
from contrapose.score.parascore import parascores
from contrapose.stage import log_to, provenance
from contrapose.tables import PARAPHRASES, PARASCORES, SENTENCES, read_table, write_table
from contrapose.train.devices import chosen_device
from contrapose.train.encoder import load_encoder

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with log_to(snakemake.log[0]):
    hub = ScorerJob.model_validate_json(snakemake.params.settings).encoder
    resources = snakemake.resources
    torch.set_num_threads(snakemake.threads)
    sentences = read_table(snakemake.input.sentences, SENTENCES)
    pairs = paraphrase_pairs(sentences, read_table(snakemake.input.paraphrases, PARAPHRASES))
    source, revision = (hub.model, hub.revision) if hub else (resources.encoder, None)
    encoder = load_encoder(source, revision).to(chosen_device(resources.device))
    write_table(parascores(pairs, encoder), snakemake.output.parascores, PARASCORES, provenance(snakemake))
