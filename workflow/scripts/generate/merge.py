"""Put the shards of a corpus together, with new sentences for those that could not be paraphrased."""

from contrapose.corpus.articles import ArticleFile
from contrapose.corpus.punkt import splitter
from contrapose.corpus.sampling import replacements
from contrapose.generate.job import answered
from contrapose.generate.jobs import ReplacementJob
from contrapose.generate.paraphrases import PARAPHRASED, replace_failed
from contrapose.settings.worlds import Connection
from contrapose.stage import log_to, provenance
from contrapose.tables import COMPLETIONS, PARAPHRASES, PUNKT, SENTENCES, read_table, read_tables, write_table

with log_to(snakemake.log[0]):
    job = ReplacementJob.model_validate_json(snakemake.params.settings)
    connection = Connection.model_validate_json(snakemake.resources.connection)
    sentences = read_table(snakemake.input.sentences, SENTENCES)
    paraphrases = read_tables(snakemake.input.paraphrases, PARAPHRASES)
    completions = read_tables(snakemake.input.completions, COMPLETIONS)
    replace = None
    if job.corpus:
        split = splitter(read_table(snakemake.input.punkt, PUNKT))
        replace = replacements(ArticleFile(snakemake.input.articles), split, job.corpus)
    done = answered(
        lambda client: replace_failed(sentences, paraphrases, completions, job, client, replace),
        connection, snakemake.resources.journal, {**dict(snakemake.wildcards.items()), "shard": "merge"},
        snakemake.input.recorded, snakemake.params.code,
    )  # fmt: skip
    for found, table in zip(done, PARAPHRASED, strict=True):
        write_table(found, snakemake.output[table.name], table, provenance(snakemake))
