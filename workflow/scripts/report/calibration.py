"""Draw how calibrated classifiers of machine and human texts are: PDF, PNG, SVG and Parquet."""

from typing import TYPE_CHECKING

from contrapose.jobs import CalibrationJob
from contrapose.report.calibration import calibration_figure, calibration_points
from contrapose.stage import input_files, log_to, provenance
from contrapose.tables import CALIBRATION, HELD_OUT, read_table, write_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with log_to(snakemake.log[0]):
    job = CalibrationJob.model_validate_json(snakemake.params.settings)
    names = dict.fromkeys(panel.identified for panel in job.panels if panel.identified)
    files = zip(names, input_files(snakemake, "held_out"), strict=True)
    points = calibration_points({name: read_table(path, HELD_OUT) for name, path in files}, job)
    calibration_figure(points, [snakemake.output.pdf, snakemake.output.png, snakemake.output.svg])
    write_table(points, snakemake.output.parquet, CALIBRATION, provenance(snakemake))
