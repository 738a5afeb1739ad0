"""Run the step of a rule: `build` of its module, with what its signature asks for."""

from contrapose.jobs.warm import run_warm

if snakemake.resources.get("device"):  # it runs a model
    run_warm(snakemake.resources.step, "contrapose.models.sentence_encoder")  # before the slow imports

from contrapose.jobs.step import run

run(snakemake)
