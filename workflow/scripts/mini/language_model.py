"""Make a language model of the mini world, to be checked in by hand below resources/."""

import json

from contrapose.settings.instructions import Instructions
from contrapose.stage import log_to
from contrapose.tables import written
from contrapose_mini.language_models import write_mini_language_model

with log_to(snakemake.log[0], snakemake.threads):
    settings = json.loads(snakemake.params.settings)
    read = {name: Instructions.model_validate(content) for name, content in settings["instructions"]}
    with written(snakemake.output.language_model) as draft:
        write_mini_language_model(settings["name"], read, draft)
