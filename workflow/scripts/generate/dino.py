"""Let a causal language model write texts for the sentences of one shard of a corpus."""

from contrapose.warm import run_warm

run_warm()  # before the slow imports

from pathlib import Path

from contrapose.generate.dino import dino_texts
from contrapose.generate.jobs import DinoJob
from contrapose.score.perplexity import load_causal_lm
from contrapose.stage import log_to, provenance
from contrapose.state import alone_in, remove_state
from contrapose.tables import SENTENCES, SYNTHETIC, read_table, write_table

with log_to(snakemake.log[0], snakemake.threads), alone_in(Path(snakemake.resources.state)):
    job = DinoJob.model_validate_json(snakemake.params.settings)
    resources, state = snakemake.resources, Path(snakemake.resources.state)
    source = (job.hub.model, job.hub.revision) if job.hub else (resources.language_model, None)
    lm = load_causal_lm(*source, device=resources.device, precision=job.precision)
    sentences = read_table(snakemake.input.sentences, SENTENCES, columns=["id", "text"])
    shard, shards = int(snakemake.wildcards.shard), int(snakemake.wildcards.shards)
    texts = dino_texts(lm, sentences, job.instructions, job.texts, state, shard, shards)
    write_table(texts, snakemake.output.texts, SYNTHETIC, provenance(snakemake))
    remove_state(state)
