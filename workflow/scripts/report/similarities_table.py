"""Print a study's table of similarities: CSV, Parquet and Markdown."""

from typing import TYPE_CHECKING

from contrapose.jobs import SimilaritiesTableJob
from contrapose.report.files import write_csv, write_text
from contrapose.report.published import read_published
from contrapose.report.similarities_table import similarities_csv, similarities_markdown, similarities_table
from contrapose.stage import input_files, log_to, provenance
from contrapose.tables import PUBLISHABLE, TEXT_SIMILARITIES, read_tables, write_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with log_to(snakemake.log[0]):
    job = SimilaritiesTableJob.model_validate_json(snakemake.params.settings)
    found = read_tables(input_files(snakemake, "similarities"), TEXT_SIMILARITIES)
    published = read_published(input_files(snakemake, "published"))
    tidy = similarities_table(found, published, job)
    write_text(similarities_markdown(tidy, published, job), snakemake.output.markdown)
    write_table(tidy, snakemake.output.parquet, PUBLISHABLE, provenance(snakemake))
    write_csv(similarities_csv(tidy, job), snakemake.output.csv)
