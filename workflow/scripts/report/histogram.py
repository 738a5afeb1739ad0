"""Draw a study's figure of gold scores: PDF, PNG, SVG and Parquet."""

from typing import TYPE_CHECKING

from contrapose.jobs import HistogramJob
from contrapose.report.plots import histogram_figure
from contrapose.report.statistics import score_histogram
from contrapose.stage import log_to, provenance
from contrapose.tables import BENCHMARK, HISTOGRAM, read_table, write_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with log_to(snakemake.log[0]):
    job = HistogramJob.model_validate_json(snakemake.params.settings)
    tidy = score_histogram(read_table(snakemake.input.benchmarks, BENCHMARK), job)
    histogram_figure(tidy, [snakemake.output.pdf, snakemake.output.png, snakemake.output.svg])
    write_table(tidy, snakemake.output.parquet, HISTOGRAM, provenance(snakemake))
