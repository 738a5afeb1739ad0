"""Print a study's table of statistics: CSV, Parquet and Markdown."""

from typing import TYPE_CHECKING

from contrapose.corpus.punkt import splitter
from contrapose.jobs import StatisticsTableJob
from contrapose.report.files import write_csv, write_text
from contrapose.report.published import read_published
from contrapose.report.statistics import Material, statistics_csv, statistics_markdown, statistics_table
from contrapose.stage import input_files, log_to, provenance
from contrapose.tables import (
    BENCHMARK,
    NAIVE,
    PUNKT,
    SENTENCES,
    STATISTICS,
    empty,
    read_provenance,
    read_table,
    write_table,
)

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake


with log_to(snakemake.log[0]):
    job = StatisticsTableJob.model_validate_json(snakemake.params.settings)
    naive, punkt = input_files(snakemake, "naive"), input_files(snakemake, "punkt")
    corpora = dict.fromkeys(row.corpus for row in job.rows if row.corpus in job.corpora)
    material = Material(
        benchmarks=read_table(snakemake.input.benchmarks, BENCHMARK),
        naive=read_table(naive[0], NAIVE) if naive else empty(NAIVE),
        corpora={
            name: read_table(path, SENTENCES, ["words"])
            for name, path in zip(corpora, input_files(snakemake, "corpora"), strict=True)
        },
        split=splitter(read_table(punkt[0], PUNKT)) if punkt else None,
    )
    published = read_published(input_files(snakemake, "published"))
    missing = read_provenance(snakemake.input.benchmarks).get("missing", {})
    tidy = statistics_table(material, published, job)
    write_text(statistics_markdown(tidy, job, missing), snakemake.output.markdown)
    write_table(tidy, snakemake.output.parquet, STATISTICS, provenance(snakemake))
    write_csv(statistics_csv(tidy, job, missing), snakemake.output.csv)
