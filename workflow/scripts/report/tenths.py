"""Draw the labels in each tenth of synthetic pairs by p(human): PDF, PNG, SVG and Parquet."""

from typing import TYPE_CHECKING

from contrapose.jobs import TenthsJob
from contrapose.report.tenths import levels_by_tenth, tenths_figure
from contrapose.stage import input_files, log_to, provenance
from contrapose.tables import LEVELS, TENTHS, read_table, write_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with log_to(snakemake.log[0]):
    job = TenthsJob.model_validate_json(snakemake.params.settings)
    there = [source.name for source in job.sources if not source.missing]
    files = zip(there, input_files(snakemake, "tenths"), strict=True)
    levels = levels_by_tenth({name: read_table(path, TENTHS) for name, path in files}, job)
    tenths_figure(levels, job, [snakemake.output.pdf, snakemake.output.png, snakemake.output.svg])
    write_table(levels, snakemake.output.parquet, LEVELS, provenance(snakemake))
