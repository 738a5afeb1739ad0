"""Read recorded answers of a language model into a table."""

from pathlib import Path

from contrapose.retrieve.recorded import recorded_answers
from contrapose.settings.worlds import RecordedLLM
from contrapose.stage import log_to, provenance
from contrapose.tables import RECORDED_ANSWERS, write_table

with log_to(snakemake.log[0]):
    source = RecordedLLM.model_validate_json(snakemake.params.settings)
    data = Path(snakemake.resources.data) if snakemake.resources.data else None
    table = recorded_answers(source, data)
    write_table(table, snakemake.output.table, RECORDED_ANSWERS, provenance(snakemake))
