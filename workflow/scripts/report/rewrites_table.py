"""Print what a dictionary offers and what perplexity keeps of it: CSV, Parquet, Markdown and a plot."""

from typing import TYPE_CHECKING

from contrapose.jobs import RewritesTableJob
from contrapose.report.files import write_csv, write_text
from contrapose.report.relations import relations_plot
from contrapose.report.rewrites_table import rewrites_csv, rewrites_markdown, rewrites_table
from contrapose.stage import input_files, log_to, provenance
from contrapose.tables import PUBLISHABLE, REWRITE_STATISTICS, read_table, write_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with log_to(snakemake.log[0]):
    job = RewritesTableJob.model_validate_json(snakemake.params.settings)
    names = dict.fromkeys(row.statistics for row in job.rows if row.statistics)
    files = zip(names, input_files(snakemake, "statistics"), strict=True)
    tidy = rewrites_table({name: read_table(path, REWRITE_STATISTICS) for name, path in files}, job)
    relations_plot(tidy, snakemake.output.plot)
    write_text(rewrites_markdown(tidy, job), snakemake.output.markdown)
    write_table(tidy, snakemake.output.parquet, PUBLISHABLE, provenance(snakemake))
    write_csv(rewrites_csv(tidy, job), snakemake.output.csv)
