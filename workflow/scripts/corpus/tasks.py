"""Make a corpus of the sentences of evaluation sets."""

from contrapose.corpus.tasks import task_sentences
from contrapose.settings.corpora import TaskCorpus
from contrapose.stage import log_to, provenance
from contrapose.tables import BENCHMARK, SENTENCES, read_table, write_table

with log_to(snakemake.log[0]):
    spec = TaskCorpus.model_validate_json(snakemake.params.settings)
    sentences = task_sentences(read_table(snakemake.input.benchmarks, BENCHMARK), spec)
    write_table(sentences, snakemake.output.sentences, SENTENCES, provenance(snakemake))
