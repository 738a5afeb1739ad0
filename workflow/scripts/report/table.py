"""Build a table of a study, by its kind: CSV, Parquet, Markdown and, of some kinds, a plot."""

from contrapose.report.files import write_csv, write_text
from contrapose.stage import log_to, provenance
from contrapose.steps import built
from contrapose.tables import write_table

with log_to(snakemake.log[0]):
    report = built("contrapose.report.kinds", snakemake)
    if report.plot:
        report.plot([snakemake.output.plot])
    write_text(report.markdown, snakemake.output.markdown)
    write_table(report.tidy, snakemake.output.parquet, report.schema, provenance(snakemake))
    write_csv(report.csv, snakemake.output.csv)
