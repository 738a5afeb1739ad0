"""The trainings and encoders behind a row of a table, by their ids."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from contrapose.models.declared import declared_by
from contrapose.models.pooling import WORDS
from contrapose.report.row_settings import OF_PAIRS, Row
from contrapose.settings.ids import Released, Run, changed_id
from contrapose.settings.plan import Plan


def missing(project: Plan, row: Row) -> str:
    """Return what this catalog lacks for a row, the encoder first, then the pairs; empty if nothing."""
    recipe = project.recipe(project.recipe_id(row.recipe)) if row.recipe else None
    return (recipe and project.lacking(recipe)) or project.lacking(row)


def trainings(project: Plan, row: Row) -> list[Run]:
    """Return the runs behind a row, one per seed; none for a pretrained encoder, or for a missing row."""
    if row.pairs is None or row.recipe is None or missing(project, row):
        return []
    row = _with(row, row.choices[0] if row.choices else {})
    pairs, recipe = str(row.pairs), project.recipe_id(str(row.recipe))
    if row.resample_per_seed and project.runs.is_soup(recipe):
        redrawn = project.recipe_id(changed_id(recipe, {"resample_per_seed": True}))
        return project.runs.of_seeds(pairs, redrawn, False)
    return project.runs.of_seeds(pairs, recipe, row.resample_per_seed)


def averaged(project: Plan, row: Row) -> list[str]:
    """Return the ids of the trainings that a row averages to one encoder; none for any other row."""
    soups = trainings(project, row)[:1] if project.runs.is_soup(row.recipe) else []
    return [run.id for soup in soups for run in project.runs.averaged(soup.pairs, soup.recipe, soup.seed)]


def searched(project: Plan, row: Row) -> dict[str, list[Run]]:
    """Return {setting: its runs} of a row's choices and, with `search`, of its grid."""
    if row.recipe is None:
        return {}
    chosen = list(row.choices)
    if project.config.search and row.grid:
        chosen += [dict(zip(row.grid, values, strict=True)) for values in product(*row.grid.values())]
    runs = {}
    for settings in chosen:
        name = ",".join(f"{key}={value}" for key, value in settings.items())
        runs[name] = trainings(project, _with(row, settings).model_copy(update={"choices": []}))
    return runs


def every_training(project: Plan, row: Row) -> Iterator[Run]:
    """Yield the runs behind a row, then those of all settings that are searched."""
    for group in (trainings(project, row), *searched(project, row).values()):
        yield from group


def released(project: Plan, row: Row) -> str | None:
    """Return the run id of a pretrained encoder; None for a training, or if this catalog lacks it."""
    if row.encoder is None or project.lacking(row):
        return None
    pooling = project.encoder(row.encoder).pooling if row.pooling == "auto" else row.pooling
    project.runs.check_pooling(row.encoder, pooling)
    return Released(row.encoder, pooling).id


def pooled_anew(project: Plan, row: Row) -> Released | None:
    """Return a row's encoder without training, pooled as the recipe of the row pools it.

    None without a recipe, and if its folder, as far as it is on this machine, declares to pool alike.
    """
    if not (runs := trainings(project, row)):
        return None
    recipe: Any = project.recipe(runs[0].recipe)
    role, pooling = recipe.encoder, recipe.trained(project).pooling
    if pooling == "own" or project.encoder(role).pooling != "auto":
        return None
    form = declared_by(project, role)
    # SimCSE's dense layer on [CLS] is for training alone.
    evaluated = "cls_before_pooler" if pooling == "cls" else pooling
    return Released(role, evaluated) if form is None or form.differs(pooling) else None


def with_poolings(project: Plan, rows: Sequence[Row]) -> Sequence[Row]:
    """Return rows, after each pretrained encoder the same pooled as the recipes of other rows pool it.

    They show what the change of the pooling alone does.  An encoder whose row names a pooling has no
    further ones.
    """
    own = [row for row in rows if row.encoder and row.pooling == "auto"]
    anew = dict.fromkeys(run for row in rows if (run := pooled_anew(project, row))) if own else {}
    added = []
    for row in rows:
        added.append(row)
        for run in anew if row in own else ():
            shown = {other.pooling for other in rows if (other.group, other.encoder) == (row.group, run.role)}
            if run.role == row.encoder and run.pooling not in shown:
                label = {"model": f"{row.model}, {WORDS[run.pooling]} pooling", "pooling": run.pooling}
                added.append(row.model_copy(update={**label, "published": None, "fair_for": None}))
    return added


def role_of(project: Plan, row: Row) -> str | None:
    """Return the encoder that a row starts from, or is; None if this catalog does not have it."""
    if runs := trainings(project, row):
        return project.recipe(runs[0].recipe).encoder
    return row.encoder if released(project, row) else None


def _with(row: Row, settings: Mapping[str, object]) -> Row:
    """Return a row with changed settings of its recipe and, with the prefix `pairs.`, of its pair set."""
    of_pairs: dict[str, Any] = {}
    others: dict[str, Any] = {}
    for name, value in settings.items():
        (of_pairs if name.startswith(OF_PAIRS) else others)[name.removeprefix(OF_PAIRS)] = value
    changed = {"pairs": changed_id(str(row.pairs), of_pairs), "recipe": changed_id(str(row.recipe), others)}
    return row.model_copy(update=changed)
