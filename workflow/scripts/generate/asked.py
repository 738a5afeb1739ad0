"""Ask a chat model for texts of several labels for every sentence of a corpus."""

from pathlib import Path

from contrapose.generate.chat_texts import chat_texts
from contrapose.generate.job import answered
from contrapose.generate.jobs import ChatTextsJob
from contrapose.settings.worlds import Connection
from contrapose.stage import log_to, provenance
from contrapose.tables import COMPLETIONS, SENTENCES, SYNTHETIC, read_table, write_table

with log_to(snakemake.log[0]):
    job = ChatTextsJob.model_validate_json(snakemake.params.settings)
    connection = Connection.model_validate_json(snakemake.resources.connection)
    sentences, corpus = read_table(snakemake.input.sentences, SENTENCES), Path(snakemake.input.sentences).stem
    texts, completions = answered(
        lambda client: chat_texts(sentences, job, client),
        connection, snakemake.resources.journal,
        {"llm": job.llm, "corpus": corpus, "prompt": snakemake.wildcards.texts, "shard": "0-of-1"},
        snakemake.input.recorded, snakemake.params.code,
    )  # fmt: skip
    write_table(texts, snakemake.output.texts, SYNTHETIC, provenance(snakemake))
    write_table(completions, snakemake.output.completions, COMPLETIONS, provenance(snakemake))
