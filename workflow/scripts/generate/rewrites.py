"""Rewrite the sentences of one shard of a corpus with a paraphrase dictionary."""

from pathlib import Path

from contrapose.generate.rewrites import rewrite_sentences
from contrapose.generate.tries import read_shard
from contrapose.settings.corpora import Substitution
from contrapose.stage import log_to, provenance
from contrapose.tables import REWRITES, TableWriter

with log_to(snakemake.log[0]):
    spec = Substitution.model_validate_json(snakemake.params.settings)
    shard, shards = int(snakemake.wildcards.shard), int(snakemake.wildcards.shards)
    corpus, phrases, rules = snakemake.input.files
    sentences = read_shard(corpus, shard, shards)
    with TableWriter(snakemake.output.rewrites, REWRITES, provenance(snakemake)) as rewrites:
        counts = rewrite_sentences(sentences, phrases, rules, spec, rewrites)
        rewrites.add_provenance(counts=counts, dictionary=Path(phrases).parent.name)
