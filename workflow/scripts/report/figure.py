"""Draw a figure of a study, by its kind: PDF, PNG, SVG and Parquet."""

from contrapose.stage import log_to, provenance
from contrapose.steps import built
from contrapose.tables import write_table

with log_to(snakemake.log[0]):
    drawing = built("contrapose.report.kinds", snakemake)
    drawing.draw([snakemake.output.pdf, snakemake.output.png, snakemake.output.svg])
    write_table(drawing.tidy, snakemake.output.parquet, drawing.schema, provenance(snakemake))
