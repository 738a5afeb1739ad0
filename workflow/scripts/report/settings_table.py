"""Print with which settings the runs behind a table were trained: CSV, Parquet and Markdown."""

from typing import TYPE_CHECKING

from contrapose.jobs import SettingsTableJob
from contrapose.report.files import write_csv, write_text
from contrapose.report.published import read_published
from contrapose.report.settings_table import settings_csv, settings_markdown, settings_table
from contrapose.report.sts_table import selected_rows
from contrapose.stage import input_files, log_to, provenance, run_of
from contrapose.tables import PUBLISHABLE, SCORES, read_provenance, read_tables, write_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with log_to(snakemake.log[0]):
    job = SettingsTableJob.model_validate_json(snakemake.params.settings)
    scores = read_tables(input_files(snakemake, "scores"), SCORES)
    job = job.model_copy(update={"rows": selected_rows(job.rows, scores, job.form)})
    logs = [read_provenance(path) for path in input_files(snakemake, "histories")]
    made = {run_of(log): log for log in logs}
    published = read_published(input_files(snakemake, "published"))
    tidy = settings_table(made, published, job)
    write_text(settings_markdown(tidy, published, job), snakemake.output.markdown)
    write_table(tidy, snakemake.output.parquet, PUBLISHABLE, provenance(snakemake))
    write_csv(settings_csv(tidy, job), snakemake.output.csv)
