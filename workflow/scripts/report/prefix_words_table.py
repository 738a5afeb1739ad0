"""Count the words that a pair set puts in front of its sentences: CSV, Parquet and Markdown."""

from typing import TYPE_CHECKING

from contrapose.jobs import PrefixWordsTableJob
from contrapose.report.files import write_csv, write_text
from contrapose.report.pairs_tables import prefix_words_csv, prefix_words_markdown, prefix_words_table
from contrapose.report.published import read_published
from contrapose.stage import input_files, log_to, provenance
from contrapose.tables import PAIRS, PUBLISHABLE, read_tables, write_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with log_to(snakemake.log[0]):
    job = PrefixWordsTableJob.model_validate_json(snakemake.params.settings)
    published = read_published(input_files(snakemake, "published"))
    pairs = read_tables(input_files(snakemake, "pairs"), PAIRS)
    tidy = prefix_words_table(pairs, published, job)
    write_text(prefix_words_markdown(tidy, published, job), snakemake.output.markdown)
    write_table(tidy, snakemake.output.parquet, PUBLISHABLE, provenance(snakemake))
    write_csv(prefix_words_csv(tidy, job), snakemake.output.csv)
