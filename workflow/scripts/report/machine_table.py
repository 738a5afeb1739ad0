"""Print the machine and the software: CSV, Parquet and Markdown."""

from typing import TYPE_CHECKING

from contrapose.jobs import PrintedTable
from contrapose.report.files import write_csv, write_text
from contrapose.report.machine_table import machine, machine_markdown, machine_table
from contrapose.report.published import read_published
from contrapose.stage import input_files, log_to, provenance
from contrapose.tables import MACHINE, write_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with log_to(snakemake.log[0]):
    job = PrintedTable.model_validate_json(snakemake.params.settings)
    tidy = machine_table(machine(), job)
    published = read_published(input_files(snakemake, "published"))
    write_text(machine_markdown(tidy, published, job), snakemake.output.markdown)
    write_table(tidy, snakemake.output.parquet, MACHINE, provenance(snakemake))
    write_csv(tidy.drop(columns="table"), snakemake.output.csv)
