"""Print a study's table of scores: CSV, Parquet, Markdown and a plot."""

from typing import TYPE_CHECKING

from contrapose.jobs import STSTableJob
from contrapose.report.files import csv_table, cut_texts, sts_markdown, write_csv, write_text
from contrapose.report.plots import sts_plot
from contrapose.report.published import read_published
from contrapose.report.sts_table import left_out, selected_rows, sts_table
from contrapose.stage import input_files, log_to, provenance, run_of
from contrapose.tables import PUBLISHABLE, SCORES, read_provenance, read_tables, write_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with log_to(snakemake.log[0]):
    job = STSTableJob.model_validate_json(snakemake.params.settings)
    scores = read_tables(input_files(snakemake, "scores"), SCORES)
    sets = [read_provenance(path) for path in input_files(snakemake, "benchmarks")]
    scored = [read_provenance(path) for path in input_files(snakemake, "scores")]
    lacking = dict.fromkeys(made_from["lacking"] for made_from in scored if made_from.get("lacking"))
    notes = [*job.notes, *(note for made_from in sets for note in made_from.get("notes", []))]
    notes += [f"Left out: {why}." for why in lacking]
    rows = selected_rows(job.rows, scores, job.form, job.columns if job.fine_tuned else [])
    job = job.model_copy(update={"rows": rows, "notes": notes})
    missing = {what: path for made_from in sets for what, path in made_from.get("missing", {}).items()}
    published = read_published(input_files(snakemake, "published"))
    tidy = sts_table(scores, published, job)
    absent = left_out(job, missing)
    logs = [read_provenance(path) for path in input_files(snakemake, "histories")]
    cuts = {run_of(log): cut_texts(log) for log in logs}
    factor = "" if job.fine_tuned else " x100"
    sts_plot(tidy, snakemake.output.plot, [column.metric for column in job.columns], factor)
    write_text(sts_markdown(tidy, published, job, absent, cuts), snakemake.output.markdown)
    write_table(tidy, snakemake.output.parquet, PUBLISHABLE, provenance(snakemake))
    write_csv(csv_table(tidy, job, absent), snakemake.output.csv)
