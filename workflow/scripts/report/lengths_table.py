"""Print correlations by sentence length: CSV, Parquet, Markdown and a plot."""

from typing import TYPE_CHECKING

from contrapose.jobs import LengthsTableJob
from contrapose.report.files import write_csv, write_text
from contrapose.report.lengths_table import lengths_csv, lengths_markdown, lengths_table
from contrapose.report.plots import sts_plot
from contrapose.report.published import read_published
from contrapose.stage import input_files, log_to, provenance
from contrapose.tables import BENCHMARK, COSINES, PUBLISHABLE, read_table, read_tables, write_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with log_to(snakemake.log[0]):
    job = LengthsTableJob.model_validate_json(snakemake.params.settings)
    files = zip(job.runs, input_files(snakemake, "cosines"), strict=True)
    cosines = {run: read_table(path, COSINES) for run, path in files}
    published = read_published(input_files(snakemake, "published"))
    benchmarks = read_tables(input_files(snakemake, "benchmarks"), BENCHMARK)
    tidy = lengths_table(benchmarks, cosines, published, job)
    sts_plot(tidy, snakemake.output.plot)
    write_text(lengths_markdown(tidy, published, job), snakemake.output.markdown)
    write_table(tidy, snakemake.output.parquet, PUBLISHABLE, provenance(snakemake))
    write_csv(lengths_csv(tidy, job), snakemake.output.csv)
