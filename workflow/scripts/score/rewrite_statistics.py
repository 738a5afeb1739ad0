"""Count what a paraphrase dictionary offers, and what the choice by perplexity keeps of it."""

from contrapose.corpus.languages import tokeniser
from contrapose.dictionary.scored import scored_candidates
from contrapose.score.jobs import RewriteStatisticsJob
from contrapose.score.rewrite_statistics import rewrite_statistics
from contrapose.stage import input_files, log_to, provenance
from contrapose.tables import REWRITE_STATISTICS, SENTENCES, read_table, write_table

with log_to(snakemake.log[0]):
    job = RewriteStatisticsJob.model_validate_json(snakemake.params.settings)
    sentences = read_table(snakemake.input.sentences, SENTENCES, columns=["id", "text"])
    files = [input_files(snakemake, name) for name in ("rewrites", "perplexities")]
    candidates = scored_candidates(*files, job.threshold)
    statistics = rewrite_statistics(sentences, candidates, tokeniser(job.language), job)
    write_table(statistics, snakemake.output.statistics, REWRITE_STATISTICS, provenance(snakemake))
