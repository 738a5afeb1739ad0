"""Print an estimate of the requests of all studies, and keep it as the log; nothing is sent."""

import json
from pathlib import Path

from contrapose.generate.estimate import estimate_table
from contrapose.generate.job import journals_of
from contrapose.generate.jobs import EstimateJob
from contrapose.report.files import write_text
from contrapose.settings.worlds import Connection
from contrapose.tables import SENTENCES, read_table

job = EstimateJob.model_validate_json(snakemake.params.settings)
connections = {llm: Connection(**each) for llm, each in json.loads(snakemake.resources.connections).items()}
folders = {
    llm: {journals_of(connections[llm], folder, code) for code in job.codes}
    for llm, folder in json.loads(snakemake.resources.journals).items()
}
tables = {Path(path).stem: read_table(path, SENTENCES) for path in snakemake.input.sentences}
corpora = {name: list(zip(table.id, table.text, strict=True)) for name, table in tables.items()}
table = estimate_table(job, corpora, folders, connections).to_string(index=False)
write_text(table + "\n", snakemake.log[0])
print(table)
