"""Print a study's table of correlations: CSV, Parquet, Markdown and a plot."""

from typing import TYPE_CHECKING

import pandas as pd

from contrapose.jobs import STSTableJob
from contrapose.report.files import csv_table, sts_markdown, write_csv, write_text
from contrapose.report.plots import sts_plot
from contrapose.report.sts_table import left_out, selected_rows, sts_table
from contrapose.stage import input_files, log_to, provenance
from contrapose.tables import PUBLISHABLE, SCORES, empty, read_provenance, read_table, write_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with log_to(snakemake.log[0]):
    job = STSTableJob.model_validate_json(snakemake.params.settings)
    scores = pd.concat(
        [empty(SCORES), *(read_table(path, SCORES) for path in input_files(snakemake, "scores"))],
        ignore_index=True,
    )
    job = job.model_copy(update={"rows": selected_rows(job.rows, scores)})
    missing = read_provenance(snakemake.input.benchmarks).get("missing", {})
    printed = [pd.read_csv(path) for path in input_files(snakemake, "published")]
    published = printed[0] if printed else None
    tidy = sts_table(scores, published, job)
    absent = left_out(job, missing)
    sts_plot(tidy, snakemake.output.plot)
    write_text(sts_markdown(tidy, published, job, absent), snakemake.output.markdown)
    write_table(tidy, snakemake.output.parquet, PUBLISHABLE, provenance(snakemake))
    write_csv(csv_table(tidy, job, absent), snakemake.output.csv)
