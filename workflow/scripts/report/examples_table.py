"""Print examples of a pair set: CSV, Parquet and Markdown."""

from typing import TYPE_CHECKING

from contrapose.jobs import ExamplesTableJob
from contrapose.report.files import write_csv, write_text
from contrapose.report.pairs_tables import examples_csv, examples_markdown, examples_table
from contrapose.stage import input_files, log_to, provenance
from contrapose.tables import EXAMPLES, PAIRS, read_tables, write_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with log_to(snakemake.log[0]):
    job = ExamplesTableJob.model_validate_json(snakemake.params.settings)
    tidy = examples_table(read_tables(input_files(snakemake, "pairs"), PAIRS), job)
    write_text(examples_markdown(tidy, job), snakemake.output.markdown)
    write_table(tidy, snakemake.output.parquet, EXAMPLES, provenance(snakemake))
    write_csv(examples_csv(tidy, job), snakemake.output.csv)
