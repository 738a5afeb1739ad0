"""Draw how far the rows of a table are above one of their group: PDF, PNG, SVG and Parquet."""

from typing import TYPE_CHECKING

from contrapose.jobs import DifferencesJob
from contrapose.report.differences import differences, differences_figure
from contrapose.stage import log_to, provenance
from contrapose.tables import DIFFERENCES, PUBLISHABLE, read_table, write_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with log_to(snakemake.log[0]):
    job = DifferencesJob.model_validate_json(snakemake.params.settings)
    points = differences(read_table(snakemake.input.table, PUBLISHABLE), job)
    differences_figure(points, job, [snakemake.output.pdf, snakemake.output.png, snakemake.output.svg])
    write_table(points, snakemake.output.parquet, DIFFERENCES, provenance(snakemake))
