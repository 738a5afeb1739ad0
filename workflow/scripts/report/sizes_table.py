"""Print how large pair sets and evaluation sets are: CSV, Parquet and Markdown."""

from typing import TYPE_CHECKING

from contrapose.jobs import SizesTableJob
from contrapose.report.files import write_csv, write_text
from contrapose.report.published import read_published
from contrapose.report.sizes_table import sizes_csv, sizes_markdown, sizes_table
from contrapose.report.sources import missing_sets
from contrapose.stage import input_files, log_to, provenance
from contrapose.tables import (
    BENCHMARK,
    PAIRS,
    PUBLISHABLE,
    count_rows,
    read_tables,
    write_table,
)

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake

with log_to(snakemake.log[0]):
    job = SizesTableJob.model_validate_json(snakemake.params.settings)
    files = zip(job.pairs, input_files(snakemake, "pairs"), strict=True)
    pair_sets = {pairs: count_rows(path, PAIRS) for pairs, path in files}
    sets = input_files(snakemake, "benchmarks")
    missing = missing_sets(sets)
    published = read_published(input_files(snakemake, "published"))
    benchmarks = read_tables(sets, BENCHMARK, ["task", "form", "split"])  # millions of rows: not their texts
    tidy = sizes_table(pair_sets, benchmarks, published, job)
    write_text(sizes_markdown(tidy, published, job, missing), snakemake.output.markdown)
    write_table(tidy, snakemake.output.parquet, PUBLISHABLE, provenance(snakemake))
    write_csv(sizes_csv(tidy, job, missing), snakemake.output.csv)
