"""Compute the perplexity of each candidate of a dictionary under a causal language model."""

from contrapose.warm import run_warm

run_warm()  # before the slow imports

from pathlib import Path

from contrapose.score.jobs import PerplexityJob
from contrapose.score.perplexity import load_causal_lm
from contrapose.score.rewrites import rewrite_perplexities
from contrapose.stage import log_to, provenance
from contrapose.state import alone_in, remove_state
from contrapose.tables import PERPLEXITIES, TableWriter

with log_to(snakemake.log[0], snakemake.threads), alone_in(Path(snakemake.resources.state)):
    job = PerplexityJob.model_validate_json(snakemake.params.settings)
    resources, state = snakemake.resources, Path(snakemake.resources.state)
    source = (job.hub.model, job.hub.revision) if job.hub else (resources.language_model, None)
    lm = load_causal_lm(*source, device=resources.device, precision=job.precision)
    with TableWriter(snakemake.output.perplexities, PERPLEXITIES, provenance(snakemake)) as writer:
        for block in rewrite_perplexities(lm, snakemake.input.rewrites, state):
            writer.write(block)
    remove_state(state)
