"""Print a study's table of prompts: CSV, Parquet, Markdown and a plot."""

from itertools import zip_longest
from typing import TYPE_CHECKING

from contrapose.jobs import PromptTableJob
from contrapose.report.files import write_csv, write_text
from contrapose.report.plots import gradient_plot
from contrapose.report.prompt_table import RowScores, prompt_csv, prompt_markdown, prompt_table
from contrapose.report.published import read_published
from contrapose.stage import input_files, log_to, provenance
from contrapose.tables import (
    PARASCORES,
    PROMPT_TABLE,
    SENTENCE_SCORES,
    SLOT_SCORES,
    read_table,
    write_table,
)

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake


with log_to(snakemake.log[0]):
    job = PromptTableJob.model_validate_json(snakemake.params.settings)
    kinds = ("sentences", "slots", "parascores")
    per_row = zip_longest(*(input_files(snakemake, kind) for kind in kinds))
    scores = [
        RowScores(
            read_table(sentences, SENTENCE_SCORES),
            read_table(slots, SLOT_SCORES),
            read_table(parascores, PARASCORES) if parascores else None,
        )
        for sentences, slots, parascores in per_row
    ]
    published = read_published(input_files(snakemake, "published"))
    tidy = prompt_table(scores, published, job)
    gradient_plot(tidy, snakemake.output.plot)
    write_text(prompt_markdown(tidy, published, job), snakemake.output.markdown)
    write_table(tidy, snakemake.output.parquet, PROMPT_TABLE, provenance(snakemake))
    write_csv(prompt_csv(tidy, job), snakemake.output.csv)
