"""Whole commits of models of the hub for shortened ones, once their files have the expected sizes."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from huggingface_hub import HfApi, constants
from safetensors import safe_open
from transformers import AutoConfig, AutoModel

from contrapose.base.errors import ConfigError
from contrapose.models.folders import CONFIG, model_folder
from contrapose.project.lock import write_lock
from contrapose.settings.hub import unavailable
from contrapose.settings.spec import Spec
from contrapose.tools.unpickle import today

OTHER_MODEL = "The weights belong to another model. Choose another commit in the catalog."


def pinned(source: Any, lock: Path) -> str:
    """Fetch a model of the hub at the one commit that its shortened one means, and add that to a lock file.

    Raises ContraposeError if there is no such commit, it cannot be fetched, or it has another model's sizes.
    """
    commit = whole_commit(source.model, source.revision)
    check_shapes(model_folder(source.model, commit, "model"), source.shape)
    write_lock(lock, {source.model: commit})
    return f"{source.revision} is commit {commit}, which is now in {lock}"


def whole_commit(model: str, start: str) -> str:
    """Return the commit that begins so: the newest of a branch, tag or pull request, else one of `main`.

    Raises BackendError if the hub does not answer, and ConfigError unless it has exactly one such commit.
    """
    hub = HfApi(constants.ENDPOINT)
    try:
        refs = hub.list_repo_refs(model, include_pull_requests=True)
        every = (*refs.branches, *refs.tags, *refs.converts, *(refs.pull_requests or []))
        hashes = {each.target_commit for each in every if each.target_commit.startswith(start)}
        if not hashes:
            commits = hub.list_repo_commits(model)
            hashes = {each.commit_id for each in commits if each.commit_id.startswith(start)}
    except Exception as error:  # a lost connection raises an error of the HTTP library
        raise unavailable(f"commits of '{model}' could not be listed", error, "Check the network.") from error
    if len(hashes) != 1:
        raise ConfigError(
            f"revision {start}: {len(hashes)} commits begin like this, but one is expected. Give a "
            "longer hash."
        )
    return hashes.pop()


def check_shapes(folder: Path, shape: Spec | None) -> None:
    """Raise a ConfigError unless config.json has the catalog's sizes, and the weights its own."""
    config = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
    for name, size in shape.model_dump(exclude_unset=True).items() if shape else ():
        if config.get(name, size) != size:  # a T5 has other names
            raise ConfigError(
                f"{name} is {config[name]} in its {CONFIG}, but {size} in the catalog. {OTHER_MODEL}"
            )
    with torch.device("meta"):  # without memory for weights
        model = AutoModel.from_config(AutoConfig.from_pretrained(folder, local_files_only=True))
    held = {today(name): size for name, size in _sizes(folder)}
    for name, weight in model.named_parameters():
        size = next((held[each] for each in held if f".{each}".endswith(f".{name}")), None)
        if size != list(weight.shape) and not name.startswith("pooler."):  # which not all were released with
            raise ConfigError(
                f"{name} is {size} according to its {CONFIG}, but its weights have "
                f"{list(weight.shape)}. {OTHER_MODEL}"
            )


def _sizes(folder: Path) -> Iterator[tuple[str, list[int]]]:
    for path in folder.glob("*.safetensors"):
        with safe_open(path, framework="numpy") as file:
            for name in file.keys():  # noqa: SIM118 (no dict)
                yield name, file.get_slice(name).get_shape()
