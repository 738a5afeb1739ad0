"""What is trained and scored for the rows of tables."""

from pathlib import Path
from typing import Any, NamedTuple, cast

from contrapose.base.errors import ConfigError
from contrapose.project.lookups import Lookups
from contrapose.settings.catalogs import PinnedEncoder, Prompts, VectorForm
from contrapose.settings.catalogs.model_folders import checked_folder, encoder_files
from contrapose.settings.ids import Run, run_from
from contrapose.settings.spec import PoolingName

FOLDER = "folder"  # the id of the run that `--config encoder=` scores


class Scored(NamedTuple):
    """The encoder behind a run, as evaluations use it."""

    id: str  # in the column `run` of scores
    files: list[str] | str  # inputs of a job
    folder: str = ""  # location, if it is not made by a training of ours; empty for one of the hub
    pooling: PoolingName = "auto"
    hub: PinnedEncoder | None = None
    prompts: Prompts | None = None
    form: VectorForm = "encoder"


class Runs:
    """What is trained and scored for the rows of tables."""

    def __init__(self, project: Lookups) -> None:
        self.project = project

    def scored(self, run: str) -> Scored:
        """Return the location of a run's encoder, and what a job has to know about it.

        `run` is `{pairs}/{recipe}/seed{seed}` of a training, `released/{role}/{pooling}` of a pretrained
        encoder or, to be fine-tuned, `released/{role}/seed{seed}`, and `folder` of `--config encoder=`.
        Raises ConfigError if it is a pretrained encoder that this catalog lacks, or no folder is given.
        """
        if run == FOLDER:
            folder, pooling = self.project.config.encoder, self.project.config.pooling
            if folder is None:
                raise ConfigError(
                    "encoder is not set. Name the folder of the encoder to evaluate: --config encoder=FOLDER"
                )
            files = encoder_files(checked_folder(Path(folder).expanduser(), "encoder"))
            return Scored(f"encoder/{Path(folder).resolve().name}", files, folder, pooling)
        released = run_from(run)
        if isinstance(released, Run):
            return Scored(run, f"<results>/train/{run}/encoder")
        model = self.project.encoder(released.role)
        pooling = cast(PoolingName, released.pooling)
        self.check_pooling(released.role, pooling)
        hub = cast(PinnedEncoder | None, model.hub)
        form = self.project.source("encoders", released.role).form
        return Scored(run, model.files, model.place, pooling, hub, model.prompts, form)

    def dev_file(self, pairs: str, recipe: str) -> str | list[str]:
        """The file that selects the checkpoint of a run: evaluation sets, or its own dev pairs; else none."""
        dev: Any = self.project.recipe(recipe).dev
        if dev is None:
            return []
        if dev == "pairs":
            return self.project.paths.pairs(self.own_dev(pairs))
        return self.project.paths.dev(dev)

    def own_dev(self, pairs: str) -> str:
        """Return the dev pairs that select the checkpoint; raise ConfigError if the pair set has none."""
        dev = self.project.pairs(pairs).dev_pairs(self.project, pairs)
        if dev is None:
            raise ConfigError(
                f"pairs '{pairs}' has no dev pairs, but a recipe with dev: pairs needs them to select "
                "its checkpoint. Set held_out of the pair set (for kind dino: dev), or set dev of "
                "the recipe to a task such as stsb."
            )
        return dev

    def check_pooling(self, role: str, pooling: PoolingName) -> None:
        """Raise a ConfigError if what has no vectors of tokens is to be pooled in a way of one's own."""
        source = self.project.entry("encoders", role)
        if pooling != "auto" and source is not None and source.form != "encoder":
            raise ConfigError(
                f"encoders.{role} is a file of word vectors or an endpoint, so pooling '{pooling}' "
                "has no effect. Remove pooling."
            )

    def of_seeds(self, pairs: str, recipe: str, redraw: bool) -> list[Run]:
        runs = []
        for draw, seed in enumerate(self.project.seeds, 1):
            redrawn = {"seed": str(draw)} if redraw else {}
            runs.append(Run(self.project.pairs_id(pairs, **redrawn), recipe, seed))
        return runs

    def is_soup(self, recipe: str | None) -> bool:
        """Whether all seeds of a recipe make one encoder together."""
        return self.project.entry("recipes", recipe).is_soup(self.project) if recipe else False

    def averaged(self, pairs: str, recipe: str, seed: int) -> list[Run]:
        """Return the trainings whose weights are averaged for a run; none for any other kind of recipe."""
        spec = self.project.recipe(recipe)
        if not spec.averages:
            return []
        return (
            self.of_seeds(pairs, spec.recipe, spec.resample_per_seed)
            if self.is_soup(recipe)
            else [Run(pairs, spec.recipe, seed)]
        )

    def averaged_encoders(self, pairs: str, recipe: str, seed: str) -> list[str]:
        """Return the folders of the encoders whose weights are averaged."""
        return [str(self.scored(each.id).files) for each in self.averaged(pairs, recipe, int(seed))]
