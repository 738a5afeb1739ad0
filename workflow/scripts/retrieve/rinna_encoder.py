"""Make an ordinary folder of an encoder of rinna's form."""

from contrapose.warm import hand_over

hand_over()  # before what takes long to import

import json

from contrapose.retrieve.rinna import write_rinna_encoder
from contrapose.stage import log_to
from contrapose.tables import written

with log_to(snakemake.log[0]):
    hub = json.loads(snakemake.params.settings)
    with written(snakemake.output.model) as draft:
        write_rinna_encoder(hub["model"] or snakemake.resources.source, draft, hub["revision"])
