"""Train a small language model, on a corpus or on instructions with labelled pairs."""

from contrapose.warm import run_warm

run_warm()  # before the slow imports

from contrapose.stage import log_to
from contrapose.tables import BENCHMARK, SENTENCES, read_table, written
from contrapose.train.jobs import LanguageModelJob
from contrapose.train.language_model import pair_documents, text_documents, train_language_model

with log_to(snakemake.log[0], snakemake.threads):
    job = LanguageModelJob.model_validate_json(snakemake.params.settings)
    spec = job.language_model
    if spec.corpus:
        texts = read_table(snakemake.input.texts, SENTENCES).text.tolist()
        documents = text_documents(texts, spec.documents, spec.seed)
    else:
        benchmarks = read_table(snakemake.input.texts, BENCHMARK)
        documents = pair_documents(benchmarks, job.instructions, spec.documents, spec.seed)
    with written(snakemake.output.language_model) as draft:
        train_language_model(documents, spec, draft)
