"""Run the step of a rule: `build` of its module, with what its signature asks for."""

from contrapose.warm import run_warm

if snakemake.resources.get("device"):  # it runs a model
    run_warm(snakemake.resources.step, "contrapose.encoders.sentence_encoder")  # before the slow imports

from contrapose.step import run

run(snakemake)
