"""Write queries for every document of a corpus with an encoder-decoder on this machine."""

from contrapose.warm import run_warm

run_warm()  # before the slow imports

from contrapose.generate.jobs import QueriesJob
from contrapose.generate.queries import written_queries
from contrapose.generate.seq2seq import Seq2SeqModel
from contrapose.stage import log_to, provenance
from contrapose.tables import PARAPHRASES, SENTENCES, read_table, write_table

with log_to(snakemake.log[0], snakemake.threads):
    job, resources = QueriesJob.model_validate_json(snakemake.params.settings), snakemake.resources
    source, revision = (job.hub.model, job.hub.revision) if job.hub else (resources.language_model, None)
    model = Seq2SeqModel(source, resources.device, revision, "writer of queries")
    found = written_queries(read_table(snakemake.input.sentences, SENTENCES), model, job.queries)
    write_table(found, snakemake.output.queries, PARAPHRASES, provenance(snakemake))
