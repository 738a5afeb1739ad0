"""Print a study's table of the wording of human and machine texts: CSV, Parquet and Markdown."""

from typing import TYPE_CHECKING

from contrapose.jobs import LinguisticsTableJob
from contrapose.report.files import write_csv, write_text
from contrapose.report.linguistics_table import linguistics_csv, linguistics_markdown, linguistics_table
from contrapose.report.published import read_published
from contrapose.stage import input_files, log_to, provenance
from contrapose.tables import LINGUISTICS, PUBLISHABLE, read_table, write_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with log_to(snakemake.log[0]):
    job = LinguisticsTableJob.model_validate_json(snakemake.params.settings)
    there = [source.name for source in job.sources if not source.missing]
    files = zip(there, input_files(snakemake, "linguistics"), strict=True)
    measured = {name: read_table(path, LINGUISTICS) for name, path in files}
    published = read_published(input_files(snakemake, "published"))
    tidy = linguistics_table(measured, published, job)
    write_text(linguistics_markdown(tidy, published, job), snakemake.output.markdown)
    write_table(tidy, snakemake.output.parquet, PUBLISHABLE, provenance(snakemake))
    write_csv(linguistics_csv(tidy, job), snakemake.output.csv)
