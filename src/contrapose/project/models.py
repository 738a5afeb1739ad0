"""Locations of the encoders and causal language models of a catalog."""

import importlib.util
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from contrapose.base.errors import ConfigError
from contrapose.models.declared import Declared, declared
from contrapose.project import data
from contrapose.project.lookups import Lookups
from contrapose.settings.catalogs import (
    ContinuedEncoder,
    EmbeddingEndpoint,
    EncoderHub,
    LanguageModelHub,
    PretrainedEncoder,
    PretrainedLanguageModel,
    Prompts,
    RinnaEncoder,
    RinnaLanguageModel,
    TrainedVectors,
)
from contrapose.settings.hub import SAVE_AGAIN
from contrapose.settings.spec import PoolingName


@dataclass(frozen=True)
class Model:
    """Where a model is: a folder on disk, word vectors, what a job makes, or a pinned model of the hub.

    A folder need not be there to read results of it: the jobs that need it ask for its `files`.
    """

    key: str  # in the catalog's file
    folder: str = ""  # on disk
    made: str = ""  # made by a job, or word vectors: an input that is one path
    hub: EncoderHub | LanguageModelHub | None = None
    pooling: PoolingName = "auto"  # of an encoder as a scorer
    prompts: Prompts | None = None
    note: str = ""  # note for readers of a table, e.g. on a stand-in

    @property
    def files(self) -> list[str] | str:
        """What a job that reads the model depends on: every file of its folder; nothing for the hub."""
        return self.made or (
            encoder_files(checked_folder(Path(self.folder), self.key)) if self.folder else []
        )

    @property
    def place(self) -> str:
        """Where a job finds the model; empty for one of the hub."""
        return self.folder or self.made

    @property
    def name(self) -> str:
        """Name of the model that does not depend on the machine."""
        return self.note.removeprefix(f"{self.key.partition('.')[2]}: ") or (
            self.hub.model if self.hub else Path(self.folder).name
        )


# Where jobs write the models of some kinds.
MADE_BY_JOBS: dict[type, str] = {
    RinnaEncoder: "<results>/retrieve/encoders/{role}",
    PretrainedEncoder: "<results>/train/pretrained/{role}",
    ContinuedEncoder: "<results>/train/continued/{role}",
    TrainedVectors: "<results>/train/glove/{role}.txt",
    EmbeddingEndpoint: "<results>/evaluate/text_vectors/{role}.parquet",
    RinnaLanguageModel: "<results>/retrieve/language_models/{role}",
    PretrainedLanguageModel: "<results>/train/language_model/{role}",
}


def model(project: Lookups, section: str, role: str) -> Model:
    """Return the encoder or language model that plays a role; raise a ConfigError if there is none."""
    source = data.source(project, section, role)
    how = {name: getattr(source, name) for name in ("pooling", "prompts", "note") if hasattr(source, name)}
    key = f"{section}.{role}"
    if source.kind == "hub":
        kind = EncoderHub if section == "encoders" else LanguageModelHub
        return Model(key, hub=kind(model=source.model, revision=source.revision), **how)
    if source.kind == "run":
        return Model(key, made=f"<results>/train/{project.first_run_of(source).id}/encoder", **how)
    if type(source) in MADE_BY_JOBS:
        return Model(key, made=MADE_BY_JOBS[type(source)].format(role=role), **how)
    path = data.model_path(project, source.path)
    if source.kind == "vectors":
        if not path.is_file():
            raise ConfigError(
                f"{key}: '{source.path}' is not a file. Put the vectors there, or change "
                f"config/catalogs/{project.catalog_name}.yaml."
            )
        return Model(key, made=str(path), **how)
    package = getattr(source, "otherwise", None)
    if path.is_dir() or package is None:
        return Model(key, str(path), **how)
    note = f"{role}: {package} stands in, {source.path} is missing"
    return Model(key, checked_folder(folder_of_package(package, key), key), note=note)  # its own pooling


def declared_by(project: Lookups, role: str) -> Declared | None:
    """Return what the folder of an encoder declares; None if it is not on this machine, or a job makes it.

    An encoder that is trained further keeps what that of its start declares.
    """
    source = data.source(project, "encoders", role)
    if source.kind == "continued":
        return declared_by(project, source.of)
    folder = model(project, "encoders", role).folder
    return declared(Path(checked_folder(Path(folder), f"encoders.{role}"))) if folder else None


def rinna_folder(project: Lookups, section: str, role: str) -> str:
    """Return the folder of a model of kind rinna; empty for one of the hub."""
    path = data.source(project, section, role, "rinna").path
    return checked_folder(data.model_path(project, path), f"{section}.{role}") if path else ""


def rinna_files(project: Lookups, section: str, role: str) -> list[str]:
    """Return the files of a model of kind rinna; none for one of the hub."""
    folder = rinna_folder(project, section, role)
    return encoder_files(folder) if folder else []


def translator_folder(project: Lookups) -> str:
    """Return the folder of the local translation model; empty if there is none."""
    path = getattr(project.catalog.translator, "path", None)
    return str(data.model_path(project, path)) if path else ""


def translator_files(project: Lookups) -> list[str]:
    """Return the files of the local translation model."""
    folder = translator_folder(project)
    if not folder:
        raise ConfigError(
            f"translator of the catalog '{project.catalog_name}' is not a local model. Name one: "
            "translator: {kind: seq2seq, path: FOLDER}."
        )
    return encoder_files(checked_folder(Path(folder), "translator.path"))


def back_translator_folder(project: Lookups, name: str, way: Literal["there", "back"]) -> str:
    """Return the folder of one of the two translation models of a back-translator."""
    source = data.source(project, "back_translators", name)
    return checked_folder(data.model_path(project, getattr(source, way)), f"back_translators.{name}.{way}")


def back_translator_files(project: Lookups, name: str) -> dict[str, list[str]]:
    """Return the files of both translation models of a back-translator."""
    return {way: encoder_files(back_translator_folder(project, name, way)) for way in ("there", "back")}


def made_by_mini_world(project: Lookups, section: str) -> list[str]:
    """Return the names of the folders of encoders or language models that the mini world makes.

    For encoders these are the roles with a folder of their own name.
    """
    paths = {role: getattr(each, "path", None) for role, each in getattr(project.catalog, section).items()}
    names = {role: Path(path).name for role, path in paths.items() if path}
    made = [name for role, name in names.items() if section != "encoders" or name == role]
    return sorted(made) if project.catalog.mini else []


def checked_folder(folder: Path, where: str) -> str:
    """Return the folder if it holds a model: a configuration and safetensors weights."""
    if folder.is_symlink() and not folder.exists():
        raise ConfigError(
            f"{where}: '{folder}' is a link to '{os.readlink(folder)}', which is not there. Put the "
            "model there, or write its folder in place of the link. Results can be read without it."
        )
    if not folder.is_dir():
        raise ConfigError(
            f"{where}: '{folder}' is not a folder. Give a transformers or sentence-transformers one; for an "
            "encoder of the hub write {kind: hub, model: ORG/NAME, revision: COMMIT}."
        )
    files = [path.name for path in (*folder.glob("*"), *folder.glob("*/*")) if path.is_file()]
    if not {"config.json", "adapter_config.json"} & {*files}:
        raise ConfigError(f"{where}: '{folder}' has no config.json. Give a transformers folder.")
    if not any(name.endswith(".safetensors") for name in files):
        raise ConfigError(
            f"{where}: '{folder}' has no *.safetensors weights (pickled .bin files are not read). "
            f"{SAVE_AGAIN}"
        )
    return str(folder)


def encoder_files(folder: str) -> list[str]:
    """Return every file of a model's folder, on which steps that read it depend."""
    paths = Path(folder).rglob("*")
    return sorted(str(path) for path in paths if path.is_file() and not path.name.startswith("."))


def folder_of_package(name: str, where: str) -> Path:
    """Return the encoder folder inside an installed Python package."""
    spec = importlib.util.find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        raise ConfigError(f"{where}: the package '{name}' is not installed. Install it: pip install {name}")
    package = Path(next(iter(spec.submodule_search_locations)))
    folders = sorted(
        path.parent for path in package.rglob("config.json") if any(path.parent.glob("*.safetensors"))
    )
    if not folders:
        raise ConfigError(f"{where}: the package '{name}' contains no encoder folder.")
    return folders[0]
