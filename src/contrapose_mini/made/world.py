"""Make the mini world's data folder, in the original file formats; see `write_mini_world`."""

from contrapose.jobs.step import Writer, planned
from contrapose.settings.catalogs import MiniWorld
from contrapose.settings.plan import Plan


@planned
def plan(project: Plan) -> MiniWorld:
    """Return the settings of the made-up data, with numbers of articles and pairs times the world's scale."""
    mini, scale = project.catalog.mini, project.catalog.scale
    assert mini is not None  # otherwise the rule does not exist
    sizes = {name: max(1, round(getattr(mini, name) * scale)) for name in ("articles", "pairs")}
    return mini.model_copy(update=sizes)


def build(spec: MiniWorld) -> Writer:
    """Write the folder."""
    from contrapose_mini.files import write_mini_world

    return lambda draft: write_mini_world(draft, spec)
