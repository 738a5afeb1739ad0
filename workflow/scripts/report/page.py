"""Write a page of the report: a table, a figure or the claims of a study."""

from pathlib import Path

import pandas as pd

from contrapose.report.files import write_text
from contrapose.report.jobs import PageJob
from contrapose.report.page import figure_markdown, page
from contrapose.report.web import data_uri
from contrapose.stage import input_files, log_to
from contrapose.tables import read_provenance

with log_to(snakemake.log[0]):
    job = PageJob.model_validate_json(snakemake.params.settings)
    made = read_provenance(snakemake.input.numbers)
    tidy = pd.read_parquet(snakemake.input.numbers)
    images = {Path(path).name: data_uri(path) for path in input_files(snakemake, "plot")}
    markdown, csv = input_files(snakemake, "text") or (None, None)
    text = Path(markdown).read_text(encoding="utf-8") if markdown else figure_markdown(made)
    html = page(text, tidy, made, images, data_uri(csv) if csv else None, job)
    write_text(html, snakemake.output.page)
