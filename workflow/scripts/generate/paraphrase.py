"""Ask a language model for five paraphrases of every sentence of one shard of a corpus."""

from typing import TYPE_CHECKING

from contrapose.config import Connection
from contrapose.generate.job import answered
from contrapose.generate.paraphrases import paraphrase_shard, shard_of
from contrapose.jobs import ParaphraseJob
from contrapose.stage import log_to, provenance
from contrapose.tables import COMPLETIONS, PARAPHRASES, SENTENCES, read_table, write_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with log_to(snakemake.log[0]):
    job = ParaphraseJob.model_validate_json(snakemake.params.settings)
    connection = Connection.model_validate_json(snakemake.resources.connection)
    corpus, shard, shards = (snakemake.wildcards[name] for name in ("corpus", "shard", "shards"))
    sentences = shard_of(read_table(snakemake.input.sentences, SENTENCES), int(shard), int(shards))
    writer = f"{corpus}-prompt{job.prompt}-{shard}-of-{shards}"
    paraphrases, completions = answered(
        lambda ask, concurrency: paraphrase_shard(sentences, job, ask, concurrency),
        connection, snakemake.resources.journal, writer, snakemake.input.knowledge, snakemake.params.code,
    )  # fmt: skip
    write_table(paraphrases, snakemake.output.paraphrases, PARAPHRASES, provenance(snakemake))
    write_table(completions, snakemake.output.completions, COMPLETIONS, provenance(snakemake))
