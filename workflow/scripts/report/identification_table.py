"""Print a study's table of identification: CSV, Parquet and Markdown."""

from typing import TYPE_CHECKING

from contrapose.jobs import IdentificationTableJob
from contrapose.report.files import write_csv, write_text
from contrapose.report.identification_table import (
    identification_csv,
    identification_markdown,
    identification_table,
)
from contrapose.report.published import read_published
from contrapose.stage import input_files, log_to, provenance
from contrapose.tables import HELD_OUT, PUBLISHABLE, read_table, write_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with log_to(snakemake.log[0]):
    job = IdentificationTableJob.model_validate_json(snakemake.params.settings)
    names = dict.fromkeys(row.identified for row in job.rows if row.identified)
    files = zip(names, input_files(snakemake, "held_out"), strict=True)
    held_out = {name: read_table(path, HELD_OUT) for name, path in files}
    published = read_published(input_files(snakemake, "published"))
    tidy = identification_table(held_out, published, job)
    write_text(identification_markdown(tidy, published, job), snakemake.output.markdown)
    write_table(tidy, snakemake.output.parquet, PUBLISHABLE, provenance(snakemake))
    write_csv(identification_csv(tidy, job), snakemake.output.csv)
