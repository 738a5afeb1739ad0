"""Check the folders of the encoders that jobs train, score or search with, and recipes against them."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from contrapose.base.errors import ContraposeError
from contrapose.models.declared import Declared
from contrapose.models.pooling import WORDS
from contrapose.project import Project
from contrapose.settings.catalogs import Model
from contrapose.settings.ids import Released, is_trained
from contrapose.tools.dry_run import Job
from contrapose.tools.finding import Finding
from contrapose.tools.needs import model_of

FOLDER = "folder of "  # begins what a finding is about: all files of an encoder together
LARGE_RATE = 0.01  # ours: a hundred times the largest usual one
OF_CROSS_ENCODERS = ("cross_encoding", "reranking")  # which have no vectors


def check_encoders(project: Project, jobs: Sequence[Job]) -> Iterator[Finding]:
    """Hold the parts of each encoder's folder against each other, and its pooling against that of recipes.

    Only folders that are on this machine are looked at; weights are not read.
    """
    from contrapose.models.sentence_encoder import check_encoder  # loads PyTorch

    for role, source in project.catalog.encoders.items():
        link = source and source.disk_path(project)
        if link and link.is_symlink() and not link.exists():
            what = f"'{link}' is a link to '{os.readlink(link)}', which does not exist"
            yield Finding(
                "warning",
                f"encoders.{role}",
                f"{what}. Existing results can be read, but no new ones can be built.",
            )
    forms: dict[str, Declared] = {}
    for role in sorted({model_of(project, job).name for job in jobs if _has_vectors(project, job)}):
        try:
            if folder := _folder(project.encoder(role)):
                forms[role] = check_encoder(folder)
                yield Finding("fine", f"{FOLDER}encoders.{role}", forms[role].sentence)
        except ContraposeError as error:
            yield Finding("missing", f"{FOLDER}encoders.{role}", str(error))
    runs = {job.wildcards.get("run", "") for job in jobs}  # of rows of tables
    trainings = [job for job in jobs if project.rules.of(job.rule).work == "training"]
    for name in sorted({job.wildcards["recipe"] for job in trainings}):
        recipe = project.recipe(name)
        form, pooling = forms.get(recipe.encoder), recipe.pooling
        rate = getattr(recipe, "learning_rate", 0)
        if rate > LARGE_RATE:
            yield Finding(
                "warning",
                f"recipes.{name}",
                f"learning_rate is {rate:g}, which is far above the usual 1e-5 to 1e-4. The loss will "
                "probably become nan.",
            )
        length = getattr(recipe, "max_length", 0)
        if form and form.max_length and length > form.max_length:
            yield Finding(
                "warning",
                f"recipes.{name}",
                f"max_length is {length}, but the folder of encoders.{recipe.encoder} declares at "
                f"most {form.max_length} tokens. Lower max_length.",
            )
        if form and Released(recipe.encoder, "auto").id in runs and form.differs(pooling):
            yield Finding(
                "warning",
                f"recipes.{name}",
                f"the recipe pools {recipe.encoder} by {WORDS[pooling]}, but its folder declares "
                f"{form.described}. Tables show the effect of this change as a separate method. To "
                "train the encoder as its folder declares, set pooling: own.",
            )


def _has_vectors(project: Project, job: Job) -> bool:
    run, rule = job.wildcards.get("run", ""), project.rules.of(job.rule)
    if not is_trained(run):
        return rule.work != "fine_tuning"
    scores = rule.uses == "encoders.{scorer}" and rule.work not in OF_CROSS_ENCODERS
    return scores or rule.work == "training"


def _folder(model: Model) -> Path | None:
    """Return the folder of a model, or of the hub's cache; None if it is not on this machine yet."""
    from huggingface_hub import snapshot_download

    if model.folder:
        return Path(model.folder)
    if model.hub is None:
        return None
    try:
        return Path(snapshot_download(model.hub.model, revision=model.hub.revision, local_files_only=True))
    except (OSError, ValueError):  # not in the cache, as the library says it
        return None
