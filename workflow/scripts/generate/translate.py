"""Ask a language model for a translation of every sentence of one shard."""

from contrapose.generate.chat_texts import translate_shard
from contrapose.generate.job import answered
from contrapose.generate.jobs import AskingJob
from contrapose.generate.tries import read_shard
from contrapose.settings.worlds import Connection
from contrapose.stage import log_to, provenance
from contrapose.tables import COMPLETIONS, TRANSLATIONS, write_table
from contrapose.tasks import UNTRANSLATED

with log_to(snakemake.log[0]):
    job = AskingJob.model_validate_json(snakemake.params.settings)
    connection = Connection.model_validate_json(snakemake.resources.connection)
    shard, shards = snakemake.wildcards.shard, snakemake.wildcards.shards
    sentences = read_shard(snakemake.input.sentences, int(shard), int(shards))
    translations, completions = answered(
        lambda client: translate_shard(sentences, job, client),
        connection, snakemake.resources.journal,
        {"llm": job.llm, "corpus": UNTRANSLATED, "prompt": job.prompt, "shard": f"{shard}-of-{shards}"},
        snakemake.input.recorded, snakemake.params.code,
    )  # fmt: skip
    write_table(translations, snakemake.output.translations, TRANSLATIONS, provenance(snakemake))
    write_table(completions, snakemake.output.completions, COMPLETIONS, provenance(snakemake))
