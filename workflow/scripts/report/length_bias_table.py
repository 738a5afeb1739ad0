"""Print a study's table of length bias: CSV, Parquet, Markdown and a plot."""

from typing import TYPE_CHECKING

from contrapose.jobs import LengthBiasTableJob
from contrapose.report.files import write_csv, write_text
from contrapose.report.length_bias_table import length_bias_csv, length_bias_markdown, length_bias_table
from contrapose.report.plots import cosines_plot
from contrapose.report.published import read_published
from contrapose.stage import input_files, log_to, provenance
from contrapose.tables import LENGTH_BIAS, PUBLISHABLE, read_tables, write_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with log_to(snakemake.log[0]):
    job = LengthBiasTableJob.model_validate_json(snakemake.params.settings)
    measured = read_tables(input_files(snakemake, "bias"), LENGTH_BIAS)
    published = read_published(input_files(snakemake, "published"))
    tidy = length_bias_table(measured, published, job)
    cosines_plot(tidy, snakemake.output.plot)
    write_text(length_bias_markdown(tidy, published, job), snakemake.output.markdown)
    write_table(tidy, snakemake.output.parquet, PUBLISHABLE, provenance(snakemake))
    write_csv(length_bias_csv(tidy, job), snakemake.output.csv)
