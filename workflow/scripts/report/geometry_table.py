"""Print a study's table of alignment and uniformity: CSV, Parquet and Markdown."""

from typing import TYPE_CHECKING

import pandas as pd

from contrapose.jobs import GeometryTableJob
from contrapose.report.files import write_csv, write_text
from contrapose.report.geometry_table import geometry_csv, geometry_markdown, geometry_table
from contrapose.stage import input_files, log_to, provenance
from contrapose.tables import GEOMETRY, PUBLISHABLE, empty, read_provenance, read_table, write_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with log_to(snakemake.log[0]):
    job = GeometryTableJob.model_validate_json(snakemake.params.settings)
    found = [read_table(path, GEOMETRY) for path in input_files(snakemake, "geometry")]
    measured = pd.concat([empty(GEOMETRY), *found], ignore_index=True)
    missing = read_provenance(snakemake.input.benchmarks).get("missing", {})
    printed = [pd.read_csv(path) for path in input_files(snakemake, "published")]
    published = printed[0] if printed else None
    tidy = geometry_table(measured, published, job)
    write_text(geometry_markdown(tidy, published, job, missing), snakemake.output.markdown)
    write_table(tidy, snakemake.output.parquet, PUBLISHABLE, provenance(snakemake))
    write_csv(geometry_csv(tidy, job, missing), snakemake.output.csv)
