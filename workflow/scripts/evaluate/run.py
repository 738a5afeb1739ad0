"""Score one encoder on a suite of evaluation sets: a run of ours, or any folder."""

from contrapose.warm import run_warm

run_warm()  # before the slow imports

from contrapose.evaluate.jobs import EvaluationJob
from contrapose.evaluate.run import run_scores
from contrapose.left_out import or_left_out
from contrapose.stage import log_to, provenance
from contrapose.tables import BENCHMARK, COSINES, SCORES, read_table, write_table

with log_to(snakemake.log[0], snakemake.threads), or_left_out(snakemake, scores=SCORES, cosines=COSINES):
    job = EvaluationJob.model_validate_json(snakemake.params.settings)
    resources = snakemake.resources
    source = resources.get("folder") or snakemake.input.get("encoder")
    benchmarks = read_table(snakemake.input.benchmarks, BENCHMARK)
    scores, cosines, told = run_scores(benchmarks, job, source, resources.device)
    made_by = provenance(snakemake)
    write_table(cosines, snakemake.output.cosines, COSINES, made_by)
    write_table(scores, snakemake.output.scores, SCORES, {**made_by, **told})
