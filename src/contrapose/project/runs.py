"""What is trained and scored for the rows of tables."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple, cast

from contrapose.base.errors import ConfigError
from contrapose.models.declared import declared_by
from contrapose.models.pooling import WORDS
from contrapose.project.lookups import Lookups
from contrapose.project.registries import lacking
from contrapose.report.row_settings import OF_PAIRS, Row
from contrapose.settings.catalogs import EncoderHub, Prompts
from contrapose.settings.catalogs.model_folders import checked_folder, encoder_files
from contrapose.settings.ids import Run, changed_id
from contrapose.settings.spec import PoolingName

FOLDER, RELEASED = "folder", "released"  # prefixes of run ids that are not our trainings
SEED = re.compile(r"seed\d+")  # at the end of the id of a trained or fine-tuned run


class Scored(NamedTuple):
    """The encoder behind a run, as evaluations use it."""

    id: str  # in the column `run` of scores
    files: list[str] | str  # inputs of a job
    folder: str = ""  # location, if it is not made by a training of ours; empty for one of the hub
    pooling: PoolingName = "auto"
    hub: EncoderHub | None = None
    prompts: Prompts | None = None


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
                raise ConfigError("encoder is not set. Say which folder to score: --config encoder=FOLDER")
            files = encoder_files(checked_folder(Path(folder).expanduser(), "encoder"))
            return Scored(f"encoder/{Path(folder).resolve().name}", files, folder, pooling)
        first, role, last = run.split("/")
        if first != RELEASED:
            return Scored(run, f"<results>/train/{run}/encoder")
        model = self.project.encoder(role)
        pooling = "auto" if SEED.fullmatch(last) else cast(PoolingName, last)
        self.check_pooling(role, pooling)
        hub = cast(EncoderHub | None, model.hub)
        return Scored(run, model.files, model.place, pooling, hub, model.prompts)

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
                f"pairs '{pairs}' has no dev pairs, which a recipe with dev: pairs needs to select its "
                "checkpoint. Set held_out of the pair set (kind dino: dev), or set the recipe's dev to a "
                "task such as stsb."
            )
        return dev

    def check_pooling(self, role: str, pooling: PoolingName) -> None:
        """Raise a ConfigError if what has no vectors of tokens is to be pooled in a way of one's own."""
        source = self.project.entry("encoders", role)
        if pooling != "auto" and source is not None and not source.trainable:
            raise ConfigError(
                f"encoders.{role}: is word vectors, which are always averaged, or an endpoint, so "
                f"pooling '{pooling}' has no effect. Leave pooling out."
            )

    def missing(self, row: Row) -> str:
        """Return what this catalog lacks for a row, the encoder first, then the pairs; empty if nothing."""
        if row.pairs is None or row.recipe is None:
            return lacking(self.project, row)
        recipe = self.project.recipe(self.project.recipe_id(row.recipe))
        return lacking(self.project, recipe, row)

    def of(self, row: Row) -> list[Run]:
        """Return the runs behind a row, one per seed; none for a pretrained encoder, or for a missing row."""
        if row.pairs is None or row.recipe is None or self.missing(row):
            return []
        row = _with(row, row.choices[0] if row.choices else {})
        pairs, recipe = str(row.pairs), self.project.recipe_id(str(row.recipe))
        if row.redraw and self.is_soup(recipe):
            return self._of_seeds(pairs, self.project.recipe_id(changed_id(recipe, {"redraw": True})), False)
        return self._of_seeds(pairs, recipe, row.redraw)

    def _of_seeds(self, pairs: str, recipe: str, redraw: bool) -> list[Run]:
        runs = []
        for draw, seed in enumerate(self.project.seeds, 1):
            redrawn = {"draw": str(draw)} if redraw else {}
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
            self._of_seeds(pairs, spec.recipe, spec.redraw)
            if self.is_soup(recipe)
            else [Run(pairs, spec.recipe, seed)]
        )

    def of_soup(self, row: Row) -> list[str]:
        """Return the ids of the trainings that a row averages to one encoder; none for any other row."""
        of_row = self.of(row)[:1] if self.is_soup(row.recipe) else []
        return [each.id for run in of_row for each in self.averaged(run.pairs, run.recipe, run.seed)]

    def averaged_encoders(self, pairs: str, recipe: str, seed: str) -> list[str]:
        """Return the folders of the encoders whose weights are averaged."""
        return [str(self.scored(each.id).files) for each in self.averaged(pairs, recipe, int(seed))]

    def searched(self, row: Row) -> dict[str, list[Run]]:
        """Return {setting: its runs} of a row's choices and, with `search`, of its grid."""
        if row.recipe is None:
            return {}
        chosen = list(row.choices)
        if self.project.config.search and row.grid:
            chosen += [dict(zip(row.grid, values, strict=True)) for values in product(*row.grid.values())]
        runs = {}
        for settings in chosen:
            name = ",".join(f"{key}={value}" for key, value in settings.items())
            runs[name] = self.of(_with(row, settings).model_copy(update={"choices": []}))
        return runs

    def every(self, row: Row) -> Iterator[Run]:
        for group in (self.of(row), *self.searched(row).values()):
            yield from group

    def released(self, row: Row) -> str | None:
        if row.encoder is None or lacking(self.project, row):
            return None
        pooling = self.project.encoder(row.encoder).pooling if row.pooling == "auto" else row.pooling
        self.check_pooling(row.encoder, pooling)
        return f"{RELEASED}/{row.encoder}/{pooling}"

    def pooled_anew(self, row: Row) -> str:
        """Return the run id of a row's encoder without training, pooled as the recipe of the row pools it.

        Empty without a recipe, and if its folder, as far as it is on this machine, declares to pool alike.
        """
        if not (runs := self.of(row)):
            return ""
        recipe: Any = self.project.recipe(runs[0].recipe)
        role, pooler = recipe.encoder, recipe.trained(self.project).pooler
        if pooler == "own" or self.project.encoder(role).pooling != "auto":
            return ""
        form = declared_by(self.project, role)
        # SimCSE's dense layer on [CLS] is for training alone.
        evaluated = "cls_before_pooler" if pooler == "cls" else pooler
        return f"{RELEASED}/{role}/{evaluated}" if form is None or form.differs(pooler) else ""

    def with_poolings(self, rows: Sequence[Row]) -> Sequence[Row]:
        """Return rows, behind each pretrained encoder the same pooled as the recipes of other rows pool it.

        They show what the change of the pooling alone does.  An encoder whose row names a pooling has no
        further ones.
        """
        own = [row for row in rows if row.encoder and row.pooling == "auto"]
        anew = dict.fromkeys(filter(None, map(self.pooled_anew, rows))) if own else {}
        added = []
        for row in rows:
            added.append(row)
            for run in anew if row in own else ():
                _, role, pooling = run.split("/")
                there = {each.pooling for each in rows if (each.group, each.encoder) == (row.group, role)}
                if role == row.encoder and pooling not in there:
                    label = {"model": f"{row.model}, {WORDS[pooling]} pooling", "pooling": pooling}
                    added.append(row.model_copy(update={**label, "published": None, "fair_for": None}))
        return added

    def role_of(self, row: Row) -> str | None:
        """Return the encoder that a row starts from, or is; None if this catalog does not have it."""
        if runs := self.of(row):
            return self.project.recipe(runs[0].recipe).encoder
        return row.encoder if self.released(row) else None


def _with(row: Row, settings: Mapping[str, object]) -> Row:
    """Return a row with changed settings of its recipe and, with the prefix `pairs.`, of its pair set."""
    of_pairs: dict[str, Any] = {}
    others: dict[str, Any] = {}
    for name, value in settings.items():
        (of_pairs if name.startswith(OF_PAIRS) else others)[name.removeprefix(OF_PAIRS)] = value
    changed = {"pairs": changed_id(str(row.pairs), of_pairs), "recipe": changed_id(str(row.recipe), others)}
    return row.model_copy(update=changed)
