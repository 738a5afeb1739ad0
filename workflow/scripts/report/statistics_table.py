"""Print a study's table of statistics: CSV, Parquet and Markdown."""

from typing import TYPE_CHECKING

from contrapose.jobs import StatisticsTableJob
from contrapose.report.files import write_csv, write_text
from contrapose.report.published import read_published
from contrapose.report.sources import missing_sets
from contrapose.report.statistics import read_material, statistics_csv, statistics_markdown, statistics_table
from contrapose.stage import input_files, log_to, provenance
from contrapose.tables import STATISTICS, write_table

if TYPE_CHECKING:
    from snakemake.iocontainers import snakemake


with log_to(snakemake.log[0]):
    job = StatisticsTableJob.model_validate_json(snakemake.params.settings)
    others = (input_files(snakemake, kind) for kind in ("naive", "corpora", "punkt"))
    material = read_material(snakemake.input.benchmarks, *others, job)
    published = read_published(input_files(snakemake, "published"))
    missing = missing_sets([snakemake.input.benchmarks])
    tidy = statistics_table(material, published, job)
    write_text(statistics_markdown(tidy, job, missing), snakemake.output.markdown)
    write_table(tidy, snakemake.output.parquet, STATISTICS, provenance(snakemake))
    write_csv(statistics_csv(tidy, job, missing), snakemake.output.csv)
