"""Locations of the encoders and causal language models of a world."""

import importlib.util
from dataclasses import dataclass
from functools import singledispatch
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from contrapose.errors import ConfigError
from contrapose.project import data
from contrapose.settings.spec import Pooling
from contrapose.settings.worlds import (
    EncoderFolder,
    EncoderHub,
    LanguageModelFolder,
    LanguageModelHub,
    PretrainedEncoder,
    PretrainedLanguageModel,
    Prompts,
    RinnaEncoder,
    RinnaLanguageModel,
    TrainedRun,
    TrainedVectors,
    VectorsFile,
)

if TYPE_CHECKING:
    from contrapose.project import Project


@dataclass(frozen=True)
class Model:
    """Where a model is: a folder on disk, word vectors, what a job makes, or a pinned model of the hub."""

    role: str
    folder: str = ""  # on disk
    made: str = ""  # made by a job, or word vectors: an input that is one path
    hub: EncoderHub | LanguageModelHub | None = None
    pooling: Pooling = "auto"  # of an encoder as a scorer
    prompts: Prompts | None = None
    note: str = ""  # note for readers of a table, e.g. on a stand-in

    @property
    def files(self) -> list[str] | str:
        """What a job that reads the model depends on: every file of its folder; nothing for the hub."""
        return self.made or (encoder_files(self.folder) if self.folder else [])

    @property
    def place(self) -> str:
        """Where a job finds the model; empty for one of the hub."""
        return self.folder or self.made

    @property
    def name(self) -> str:
        """Name of the model that does not depend on the machine."""
        return self.note.removeprefix(f"{self.role}: ") or (
            self.hub.model if self.hub else Path(self.folder).name
        )


def model(project: "Project", section: str, role: str) -> Model:
    """Return the encoder or language model that plays a role; raise a ConfigError if this world has none."""
    return located(data.source(project, section, role), role, project)


# Where jobs write the models of some kinds.
MADE_BY_JOBS: dict[type, str] = {
    RinnaEncoder: "<results>/retrieve/encoders/{role}",
    PretrainedEncoder: "<results>/train/pretrained/{role}",
    TrainedVectors: "<results>/train/glove/{role}.txt",
    RinnaLanguageModel: "<results>/retrieve/language_models/{role}",
    PretrainedLanguageModel: "<results>/train/language_model/{role}",
}


@singledispatch
def located(source: Any, role: str, project: "Project") -> Model:
    """Return the location of a model by the kind of its source in the world."""
    made = MADE_BY_JOBS[type(source)].format(role=role)
    return Model(role, made=made, pooling=getattr(source, "pooling", "auto"), note=source.note)


@located.register(EncoderFolder)
def _(source: EncoderFolder, role: str, project: "Project") -> Model:
    folder = data.model_path(project, source.path)
    if folder.is_dir():
        checked = checked_folder(folder, f"encoders.{role}")
        return Model(role, checked, pooling=source.pooling, prompts=source.prompts, note=source.note)
    if source.otherwise is None:
        raise ConfigError(
            f"encoders.{role}: '{source.path}' is not a folder. Put the encoder there, or change "
            f"config/worlds/{project.world_name}.yaml; for an encoder of the hub write "
            f"{{kind: hub, model: ORG/NAME, revision: COMMIT}}."
        )
    package = folder_of_package(source.otherwise, f"encoders.{role}")
    note = f"{role}: {source.otherwise} stands in, {source.path} is missing"
    return Model(role, checked_folder(package, f"encoders.{role}"), note=note)  # its own folder's pooling


@located.register(EncoderHub)
def _(source: EncoderHub, role: str, project: "Project") -> Model:
    hub = EncoderHub(model=source.model, revision=source.revision)
    return Model(role, hub=hub, pooling=source.pooling, prompts=source.prompts)


@located.register(TrainedRun)
def _(source: TrainedRun, role: str, project: "Project") -> Model:
    made = f"<results>/train/{project.first_run_of(source).id}/encoder"
    return Model(role, made=made, note=source.note)


@located.register(VectorsFile)
def _(source: VectorsFile, role: str, project: "Project") -> Model:
    file = data.model_path(project, source.path)
    if not file.is_file():
        raise ConfigError(
            f"encoders.{role}: '{source.path}' is not a file. Put the vectors there, or change "
            f"config/worlds/{project.world_name}.yaml."
        )
    return Model(role, made=str(file), note=source.note)


@located.register(LanguageModelFolder)
def _(source: LanguageModelFolder, role: str, project: "Project") -> Model:
    folder = checked_folder(data.model_path(project, source.path), f"language_models.{role}")
    return Model(role, folder, note=source.note)


@located.register(LanguageModelHub)
def _(source: LanguageModelHub, role: str, project: "Project") -> Model:
    return Model(role, hub=source)


def source_of_kind(project: "Project", section: str, role: str, kind: str) -> Any:
    """Return the source of a model that a job makes; raise a ConfigError if its kind is another one."""
    source = project.entry(section, role)
    if getattr(source, "kind", None) != kind:
        raise ConfigError(
            f"{section}.{role} of the world '{project.world_name}' is not of kind {kind}: no job makes it. "
            "Ask for its scores or texts instead."
        )
    return source


def rinna_folder(project: "Project", section: str, role: str) -> str:
    """Return the folder of a model of kind rinna; empty for one of the hub."""
    source = source_of_kind(project, section, role, "rinna")
    return checked_folder(data.model_path(project, source.path), f"{section}.{role}") if source.path else ""


def rinna_files(project: "Project", section: str, role: str) -> list[str]:
    """Return the files of a model of kind rinna; none for one of the hub."""
    folder = rinna_folder(project, section, role)
    return encoder_files(folder) if folder else []


def translator_folder(project: "Project") -> str:
    """Return the folder of the local translation model; empty if there is none."""
    path = getattr(project.world.translator, "path", None)
    return str(data.model_path(project, path)) if path else ""


def translator_files(project: "Project") -> list[str]:
    """Return the files of the local translation model."""
    folder = translator_folder(project)
    if not folder:
        raise ConfigError(
            f"translator of the world '{project.world_name}' is not a local model. Name one: "
            "translator: {kind: seq2seq, path: FOLDER}."
        )
    return encoder_files(checked_folder(Path(folder), "translator.path"))


def back_translator_folder(project: "Project", name: str, way: Literal["there", "back"]) -> str:
    """Return the folder of one of the two translation models of a back-translator."""
    source = data.source(project, "back_translators", name)
    return checked_folder(data.model_path(project, getattr(source, way)), f"back_translators.{name}.{way}")


def back_translator_files(project: "Project", name: str) -> dict[str, list[str]]:
    """Return the files of both translation models of a back-translator."""
    return {way: encoder_files(back_translator_folder(project, name, way)) for way in ("there", "back")}


def made_by_mini_world(project: "Project", section: str) -> list[str]:
    """Return the names of the folders of encoders or language models that the mini world makes.

    For encoders these are the roles with a folder of their own name.
    """
    paths = {role: getattr(each, "path", None) for role, each in getattr(project.world, section).items()}
    names = {role: Path(path).name for role, path in paths.items() if path}
    found = [name for role, name in names.items() if section != "encoders" or name == role]
    return sorted(found) if project.world.mini else []


def checked_folder(folder: Path, where: str) -> str:
    """Return the folder if it holds a model: a configuration and safetensors weights."""
    if not folder.is_dir():
        raise ConfigError(
            f"{where}: '{folder}' is not a folder. Give a transformers or sentence-transformers one."
        )
    inner = [folder, *sorted(path for path in folder.iterdir() if path.is_dir())]
    if not any(
        (place / name).is_file() for place in inner for name in ("config.json", "adapter_config.json")
    ):
        raise ConfigError(f"{where}: '{folder}' has no config.json. Give a transformers folder.")
    if not any(any(place.glob("*.safetensors")) for place in inner):
        raise ConfigError(
            f"{where}: '{folder}' has no *.safetensors weights (pickled .bin files are not read). "
            "Make such a folder of it: contrapose convert -- MODEL FOLDER"
        )
    return str(folder)


def encoder_files(folder: str) -> list[str]:
    """Return every file of a model's folder, on which steps that read it depend."""
    found = Path(folder).rglob("*")
    return sorted(str(path) for path in found if path.is_file() and not path.name.startswith("."))


def folder_of_package(name: str, where: str) -> Path:
    """Return the encoder folder inside an installed Python package."""
    found = importlib.util.find_spec(name)
    if found is None or not found.submodule_search_locations:
        raise ConfigError(f"{where}: the package '{name}' is not installed. Install it: pip install {name}")
    package = Path(next(iter(found.submodule_search_locations)))
    folders = sorted(
        path.parent for path in package.rglob("config.json") if any(path.parent.glob("*.safetensors"))
    )
    if not folders:
        raise ConfigError(f"{where}: the package '{name}' contains no encoder folder.")
    return folders[0]
