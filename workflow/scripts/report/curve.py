"""Draw a column of tables against the number that their rows stand for: PDF, PNG, SVG and Parquet."""

from typing import TYPE_CHECKING

from contrapose.jobs import CurveJob
from contrapose.report.curves import curve_points
from contrapose.report.plots import curve_figure
from contrapose.stage import input_files, log_to, provenance
from contrapose.tables import CURVE, PUBLISHABLE, read_table, write_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with log_to(snakemake.log[0]):
    job = CurveJob.model_validate_json(snakemake.params.settings)
    files = zip(job.of, input_files(snakemake, "tables"), strict=True)
    points = curve_points({name: read_table(path, PUBLISHABLE) for name, path in files}, job)
    curve_figure(points, job, [snakemake.output.pdf, snakemake.output.png, snakemake.output.svg])
    write_table(points, snakemake.output.parquet, CURVE, provenance(snakemake))
