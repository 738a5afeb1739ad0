"""Draw a study's figure of alignment and uniformity: PDF, PNG, SVG and Parquet."""

from typing import TYPE_CHECKING

from contrapose.jobs import ScatterJob
from contrapose.report.geometry_table import scatter_points
from contrapose.report.plots import scatter_figure
from contrapose.stage import log_to, provenance
from contrapose.tables import PUBLISHABLE, SCATTER, read_table, write_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with log_to(snakemake.log[0]):
    job = ScatterJob.model_validate_json(snakemake.params.settings)
    points = scatter_points(read_table(snakemake.input.table, PUBLISHABLE), job)
    scatter_figure(points, [snakemake.output.pdf, snakemake.output.png, snakemake.output.svg])
    write_table(points, snakemake.output.parquet, SCATTER, provenance(snakemake))
