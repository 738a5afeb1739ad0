"""Judge the claims of a study: CSV, Parquet and Markdown."""

from contrapose.report.claims import claim_functions
from contrapose.report.claims.cells import our_cells, papers_cells
from contrapose.report.claims_table import claims_csv, claims_markdown, claims_table
from contrapose.report.files import write_csv, write_text
from contrapose.report.jobs import ClaimsJob
from contrapose.stage import input_files, log_to, provenance
from contrapose.tables import CLAIMS, write_table

with log_to(snakemake.log[0]):
    job = ClaimsJob.model_validate_json(snakemake.params.settings)
    tables = our_cells(input_files(snakemake, "tables"), input_files(snakemake, "histories"), job)
    published = papers_cells(input_files(snakemake, "published"), job)
    verdicts = claims_table(tables, published, claim_functions(job.study), job)
    notes = [note for cells in tables.values() for note in cells.notes]
    write_text(claims_markdown(verdicts, notes, job), snakemake.output.markdown)
    write_table(verdicts, snakemake.output.parquet, CLAIMS, provenance(snakemake))
    write_csv(claims_csv(verdicts, job), snakemake.output.csv)
