"""Ask a language model to translate every sentence of a corpus into another language and back."""

from contrapose.generate.chat_texts import backtranslated
from contrapose.generate.job import answered
from contrapose.generate.jobs import BacktranslationJob
from contrapose.settings.worlds import Connection
from contrapose.stage import log_to, provenance
from contrapose.tables import COMPLETIONS, PARAPHRASES, SENTENCES, TRANSLATIONS, read_table, write_table

with log_to(snakemake.log[0]):
    job = BacktranslationJob.model_validate_json(snakemake.params.settings)
    connection = Connection.model_validate_json(snakemake.resources.connection)
    corpus, translator = snakemake.wildcards.corpus, snakemake.wildcards.translator
    sentences = read_table(snakemake.input.sentences, SENTENCES)
    translations, found, completions = answered(
        lambda client: backtranslated(sentences, job, client),
        connection, snakemake.resources.journal,
        {"llm": job.llm, "corpus": corpus, "prompt": translator, "shard": "0-of-1"},
        snakemake.input.recorded, snakemake.params.code,
    )  # fmt: skip
    write_table(translations, snakemake.output.translations, TRANSLATIONS, provenance(snakemake))
    write_table(found, snakemake.output.backtranslations, PARAPHRASES, provenance(snakemake))
    write_table(completions, snakemake.output.completions, COMPLETIONS, provenance(snakemake))
