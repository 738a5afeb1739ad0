"""Write the overview of what is built."""

from pathlib import Path

import pandas as pd

from contrapose.report.files import write_text
from contrapose.report.jobs import OverviewJob
from contrapose.report.overview import Built, overview
from contrapose.report.runs import run_row
from contrapose.stage import input_files, log_to, run_of
from contrapose.tables import COST, HISTORY, read_provenance, read_table

with log_to(snakemake.log[0]):
    job = OverviewJob.model_validate_json(snakemake.params.settings)
    results = map(Path, input_files(snakemake, "results"))
    built = {
        (path.parent.name, path.stem): Built(pd.read_parquet(path), read_provenance(path)) for path in results
    }
    runs = []
    for path in input_files(snakemake, "histories"):
        made = read_provenance(path)
        runs.append(run_row(run_of(made), read_table(path, HISTORY), made))
    costs = [read_table(path, COST) for path in input_files(snakemake, "cost")]
    write_text(overview(built, runs, costs[0] if costs else None, job), snakemake.output.page)
