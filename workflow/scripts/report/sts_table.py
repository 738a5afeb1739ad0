"""Print a study's table of scores: CSV, Parquet, Markdown and a plot."""

from typing import TYPE_CHECKING

from contrapose.jobs import STSTableJob
from contrapose.report.files import csv_table, sts_markdown, write_csv, write_text
from contrapose.report.plots import sts_plot
from contrapose.report.published import read_published
from contrapose.report.sources import completed, cuts, missing_sets
from contrapose.report.sts_table import left_out, sts_table
from contrapose.stage import input_files, log_to, provenance
from contrapose.tables import PUBLISHABLE, SCORES, read_tables, write_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with log_to(snakemake.log[0]):
    scored, sets = input_files(snakemake, "scores"), input_files(snakemake, "benchmarks")
    scores = read_tables(scored, SCORES)
    job = completed(STSTableJob.model_validate_json(snakemake.params.settings), scores, scored, sets)
    published = read_published(input_files(snakemake, "published"))
    tidy = sts_table(scores, published, job)
    absent = left_out(job, missing_sets(sets))
    cut = cuts(input_files(snakemake, "histories"))
    factor = "" if job.fine_tuned else " x100"
    sts_plot(tidy, snakemake.output.plot, [column.metric for column in job.columns], factor)
    write_text(sts_markdown(tidy, published, job, absent, cut), snakemake.output.markdown)
    write_table(tidy, snakemake.output.parquet, PUBLISHABLE, provenance(snakemake))
    write_csv(csv_table(tidy, job, absent), snakemake.output.csv)
