"""Print a study's table of alignment and uniformity: CSV, Parquet and Markdown."""

from typing import TYPE_CHECKING

from contrapose.jobs import GeometryTableJob
from contrapose.report.files import write_csv, write_text
from contrapose.report.geometry_table import geometry_csv, geometry_markdown, geometry_table
from contrapose.report.published import read_published
from contrapose.report.sources import missing_sets
from contrapose.stage import input_files, log_to, provenance
from contrapose.tables import GEOMETRY, PUBLISHABLE, read_tables, write_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with log_to(snakemake.log[0]):
    job = GeometryTableJob.model_validate_json(snakemake.params.settings)
    measured = read_tables(input_files(snakemake, "geometry"), GEOMETRY)
    missing = missing_sets([snakemake.input.benchmarks])
    published = read_published(input_files(snakemake, "published"))
    tidy = geometry_table(measured, published, job)
    write_text(geometry_markdown(tidy, published, job, missing), snakemake.output.markdown)
    write_table(tidy, snakemake.output.parquet, PUBLISHABLE, provenance(snakemake))
    write_csv(geometry_csv(tidy, job, missing), snakemake.output.csv)
