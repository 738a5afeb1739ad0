"""Print a study's table of accuracy by length of question: CSV, Parquet and Markdown."""

from typing import TYPE_CHECKING

from contrapose.jobs import QuestionLengthsJob
from contrapose.report.files import write_csv, write_text
from contrapose.report.published import read_published
from contrapose.report.question_lengths_table import (
    question_lengths_csv,
    question_lengths_markdown,
    question_lengths_table,
)
from contrapose.report.sources import missing_sets
from contrapose.stage import input_files, log_to, provenance
from contrapose.tables import (
    PREDICTIONS,
    PUBLISHABLE,
    TRANSFER,
    read_table,
    read_tables,
    write_table,
)

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with log_to(snakemake.log[0]):
    job = QuestionLengthsJob.model_validate_json(snakemake.params.settings)
    predictions = read_tables(input_files(snakemake, "predictions"), PREDICTIONS)
    transfer = read_table(snakemake.input.transfer, TRANSFER)
    missing = missing_sets([snakemake.input.transfer])
    published = read_published(input_files(snakemake, "published"))
    tidy = question_lengths_table(predictions, transfer, published, job)
    write_text(question_lengths_markdown(tidy, published, job, missing), snakemake.output.markdown)
    write_table(tidy, snakemake.output.parquet, PUBLISHABLE, provenance(snakemake))
    write_csv(question_lengths_csv(tidy, job, missing), snakemake.output.csv)
