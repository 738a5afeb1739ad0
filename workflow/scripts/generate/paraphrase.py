"""Ask a language model for five paraphrases of every sentence of one shard of a corpus."""

from contrapose.generate.job import answered
from contrapose.generate.jobs import AskingJob
from contrapose.generate.paraphrases import paraphrase_shard
from contrapose.generate.tries import read_shard
from contrapose.settings.worlds import Connection
from contrapose.stage import log_to, provenance
from contrapose.tables import COMPLETIONS, PARAPHRASES, write_table

with log_to(snakemake.log[0]):
    job = AskingJob.model_validate_json(snakemake.params.settings)
    connection = Connection.model_validate_json(snakemake.resources.connection)
    corpus, shard, shards = (snakemake.wildcards[name] for name in ("corpus", "shard", "shards"))
    sentences = read_shard(snakemake.input.sentences, int(shard), int(shards))
    paraphrases, completions = answered(
        lambda client: paraphrase_shard(sentences, job, client),
        connection, snakemake.resources.journal,
        {"llm": job.llm, "corpus": corpus, "prompt": job.prompt, "shard": f"{shard}-of-{shards}"},
        snakemake.input.recorded, snakemake.params.code,
    )  # fmt: skip
    write_table(paraphrases, snakemake.output.paraphrases, PARAPHRASES, provenance(snakemake))
    write_table(completions, snakemake.output.completions, COMPLETIONS, provenance(snakemake))
