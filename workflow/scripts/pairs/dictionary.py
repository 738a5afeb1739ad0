"""Pair sentences with candidates of a paraphrase dictionary."""

from typing import TYPE_CHECKING

from contrapose.dictionary.scored import scored_candidates
from contrapose.jobs import DictionaryJob
from contrapose.pairs.dictionary import dictionary_pairs
from contrapose.stage import input_files, log_to, provenance
from contrapose.tables import PAIRS, SENTENCES, read_table, write_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with log_to(snakemake.log[0]):
    job = DictionaryJob.model_validate_json(snakemake.params.settings)
    sentences = read_table(snakemake.input.sentences, SENTENCES, columns=["id", "text"])
    files = [input_files(snakemake, name) for name in ("rewrites", "perplexities")]
    pairs = dictionary_pairs(sentences, scored_candidates(*files, job.threshold), job)
    write_table(pairs, snakemake.output.pairs, PAIRS, provenance(snakemake))
