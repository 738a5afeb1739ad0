"""Convert a model of rinna's form to an ordinary folder."""

from contrapose.warm import run_warm

run_warm()  # before the slow imports

import json

from contrapose.retrieve.rinna import write_rinna_encoder, write_rinna_language_model
from contrapose.stage import log_to
from contrapose.tables import written

with log_to(snakemake.log[0]):
    hub = json.loads(snakemake.params.settings)
    write = write_rinna_encoder if snakemake.rule.endswith("encoder") else write_rinna_language_model
    with written(snakemake.output.model) as draft:
        write(hub["model"] or snakemake.resources.source, draft, hub["revision"])
