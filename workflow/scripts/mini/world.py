"""Make the mini world's data folder, in the original file formats."""

from contrapose.settings.worlds import MiniWorld
from contrapose.stage import log_to
from contrapose.tables import written
from contrapose_mini.files import write_mini_world

with log_to(snakemake.log[0]):
    spec = MiniWorld.model_validate_json(snakemake.params.settings)
    with written(snakemake.output.data) as draft:
        write_mini_world(draft, spec)
