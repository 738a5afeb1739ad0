"""Add up the cost of all answers."""

import json

from contrapose.generate.cost import cost_markdown, cost_table, journals
from contrapose.generate.jobs import CostJob
from contrapose.report.files import write_text
from contrapose.settings.worlds import Connection
from contrapose.stage import log_to, provenance
from contrapose.tables import COST, write_table

with log_to(snakemake.log[0]):
    job = CostJob.model_validate_json(snakemake.params.settings)
    folders = json.loads(snakemake.resources.journals)
    connections = {
        llm: Connection(**each) for llm, each in json.loads(snakemake.resources.connections).items()
    }
    found = journals(job, connections, folders)
    table = cost_table(found, snakemake.input.completions)
    write_table(table, snakemake.output.cost, COST, provenance(snakemake))
    write_text(cost_markdown(table), snakemake.output.markdown)
