"""Print a study's table of prompts: CSV, Parquet, Markdown and a plot."""

from typing import TYPE_CHECKING

from contrapose.jobs import PromptTableJob
from contrapose.report.files import write_csv, write_text
from contrapose.report.plots import gradient_plot
from contrapose.report.prompt_table import prompt_csv, prompt_markdown, prompt_table, read_scores
from contrapose.report.published import read_published
from contrapose.stage import input_files, log_to, provenance
from contrapose.tables import PROMPT_TABLE, write_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake


with log_to(snakemake.log[0]):
    job = PromptTableJob.model_validate_json(snakemake.params.settings)
    kinds = ("sentences", "slots", "parascores")
    scores = read_scores(*(input_files(snakemake, kind) for kind in kinds))
    published = read_published(input_files(snakemake, "published"))
    tidy = prompt_table(scores, published, job)
    gradient_plot(tidy, snakemake.output.plot)
    write_text(prompt_markdown(tidy, published, job), snakemake.output.markdown)
    write_table(tidy, snakemake.output.parquet, PROMPT_TABLE, provenance(snakemake))
    write_csv(prompt_csv(tidy, job), snakemake.output.csv)
