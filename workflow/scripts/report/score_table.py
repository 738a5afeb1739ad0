"""Print the scores of one encoder folder as CSV."""

from contrapose.errors import LackingError
from contrapose.report.about import missing_sets
from contrapose.report.files import write_csv
from contrapose.report.jobs import ScoreTableJob
from contrapose.report.score_table import score_table
from contrapose.stage import log_to
from contrapose.tables import SCORES, read_provenance, read_table

with log_to(snakemake.log[0]):
    job = ScoreTableJob.model_validate_json(snakemake.params.settings)
    scores = read_table(snakemake.input.scores, SCORES)
    made = read_provenance(snakemake.input.scores)
    if why := made.get("lacking"):
        raise LackingError(f"{why}.")
    missing = missing_sets([snakemake.input.benchmarks])
    write_csv(score_table(scores, missing, made["pooling"], job), snakemake.output.csv)
