"""Where an encoder or a language model is, what every source of one answers, and those in folders or hub."""

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple

from pydantic import Field

from contrapose.base.errors import AGAIN, ConfigError
from contrapose.settings.catalogs.model_folders import (
    CONFIG,
    checked_folder,
    encoder_files,
    folder_of_package,
)
from contrapose.settings.hub import HubRepository
from contrapose.settings.ids import Run
from contrapose.settings.plan import Plan
from contrapose.settings.spec import Commit, Noted, PathText, PoolingName, Spec

# Left out of the settings of jobs: they read the folder, and the model itself decides.
RELEASED = Field(
    None,
    exclude=True,
    description="This is the name of the model on the hub. `contrapose download` fills the folder with it.",
)
SHAPE = Field(
    None,
    exclude=True,
    description="These are the sizes of the model, from its `config.json`. `contrapose plan` computes "
    "hours from them and downloads nothing. With null, the hours of a model on the hub may be unknown.",
)
# What gives vectors of texts. Only an encoder has vectors of tokens: it alone can be trained and pooled.
VectorForm = Literal["encoder", "words", "endpoint"]
HASH = 40  # digits of a whole commit
TOLD = ("pooling", "prompts", "note")  # settings that a `Model` has as well


class Prompts(Spec):
    """Texts stand before every sentence, by its side, as E5 and instruction-tuned encoders need it."""

    query: str = Field(
        "", description="This text stands before anchors, and before both sides of scored pairs."
    )
    document: str = Field("", description="This text stands before positives and negatives.")


class Release(NamedTuple):
    """A model of the hub that fills a folder."""

    model: str
    folder: Path
    commit: str | None


class ModelSource(Spec):
    """What a kind of encoder or language model answers when jobs are planned."""

    section: ClassVar[str] = "encoders"  # of the catalog
    made: ClassVar[str] = ""  # where a job writes the model of a role
    form: ClassVar[VectorForm] = "encoder"
    cached: ClassVar[bool] = False  # whether it is in the cache of the hub

    def located(self, plan: Plan, role: str) -> "Model":
        """Return where the model is; raise a ConfigError if its folder or file has to be there and is not."""
        return self._at(role, made=self.made.format(role=role))

    def _at(self, role: str, **where: Any) -> "Model":
        told = {name: value for name, value in self if name in TOLD}
        return Model(f"{self.section}.{role}", **{**told, **where})

    def lacking(self, plan: Plan, role: str) -> str:
        """Return that the catalog does not have the model; empty if it has."""
        if self.is_here(plan) and not self.shortened:
            return ""
        until = f" until contrapose download looks up {self.shortened}" if self.shortened else ""
        # An entry of the same name under `llms` is another thing.
        what = f"encoder '{role}'" if self.section == "encoders" else f"model at {self.section}.{role}"
        return f"this catalog has no {what}{until}"

    def is_here(self, plan: Plan) -> bool:
        """Whether an optional folder or file exists."""
        return True

    def disk_path(self, plan: Plan) -> Path | None:
        """Return the folder or file that the entry names."""
        return None

    def shown_name(self, plan: Plan, role: str) -> str:
        """Return the name by which a report calls the model."""
        path = self.disk_path(plan)
        return self.hub_name or (path.name if path else role)

    def read_by_jobs(self, plan: Plan, role: str) -> list[str] | str:
        """Return the files on this machine that jobs read, or what a job makes."""
        return self.located(plan, role).files

    def release(self, plan: Plan) -> Release | None:
        """Return what `contrapose download` fills the folder with, if the entry says so."""
        return None

    def declaring(self, plan: Plan, role: str) -> str:
        """Return the role of the encoder whose folder declares what this one is: its own, or of its start."""
        return role

    def first_run(self, plan: Plan) -> Run | None:
        """Return the training of ours, with the first seed, whose encoder plays the role."""
        return None

    def configs(self, plan: Plan) -> Iterator[Mapping[str, Any]]:
        """Yield what may hold the sizes of the model: its `shape`, else the entry, or each config.json."""
        yield dict(dict(self).get("shape") or self)

    @property
    def hub_repository(self) -> HubRepository | None:
        """What jobs fetch from the hub; None for a model that is on this machine, or that a job makes."""
        return None

    @property
    def shortened(self) -> str:
        """The commit of a model of the hub if it is not a whole one."""
        return ""

    @property
    def hub_name(self) -> str | None:
        """Its name on the hub, if it was released there."""
        return None


class ModelOnDisk(ModelSource, Noted):
    """A model in a folder, or a file of word vectors."""

    path: PathText = Field(
        description="This is the folder or file of the model. `{data}` stands for the data folder; "
        "other paths are below the project."
    )
    optional: bool = Field(
        False,
        description="If true, methods that need the model are skipped while its path does not exist. "
        "If false, Contrapose reports an error.",
    )

    def located(self, plan: Plan, role: str) -> "Model":
        return self._at(role, folder=str(plan.model_path(self.path)), catalog=plan.catalog_name)

    def is_here(self, plan: Plan) -> bool:
        return not self.optional or plan.model_path(self.path).exists()

    def disk_path(self, plan: Plan) -> Path | None:
        return plan.model_path(self.path)

    def configs(self, plan: Plan) -> Iterator[Mapping[str, Any]]:
        return _configs(plan.model_path(self.path))


def _configs(folder: Path) -> Iterator[Mapping[str, Any]]:
    for path in folder.rglob(CONFIG):
        try:
            yield json.loads(path.read_text(encoding="utf-8"))
        except ValueError as error:  # also of bytes that are not UTF-8
            raise ConfigError(f"{path}: the file is not valid JSON ({error}). {AGAIN}") from error


class Pooled(Spec):
    """An encoder whose token vectors are pooled."""

    pooling: PoolingName = Field(
        "auto",
        description="This says how the token vectors of the encoder become the vector of a text when it "
        "scores texts. In training, the recipe decides. With `auto`, the encoder's folder "
        "decides. With `cls`, the vector of [CLS] passes the encoder's dense layer. With "
        "`cls_before_pooler`, it is the vector of [CLS] in the last layer. With `mean`, it is "
        "the mean over the tokens of the last layer. With `avg_top2`, it is the mean over the "
        "tokens of the last two layers. With `avg_first_last`, it is that of the first and the "
        "last layer. With `lasttoken`, it is the vector of the last token, as in decoders.",
    )


class Prompted(Pooled):
    """An encoder that may need text in front of sentences."""

    prompts: Prompts | None = Field(
        None,
        description="These texts are put before every sentence, as E5 and other encoders with "
        "instructions need it. With null, they are the defaults that the encoder's folder declares.",
    )


class EncoderFolder(Prompted, ModelOnDisk):
    """The encoder is a folder on disk, as transformers or sentence-transformers save it."""

    kind: Literal["folder"] = "folder"
    fallback: str | None = Field(
        None,
        description="This is the name of a Python package with an encoder. While the folder at "
        "`path` is missing, that encoder is used.",
    )
    released: str | None = RELEASED
    commit: Commit | None = Field(
        None, exclude=True, description="This is the commit of `released`. With null, it is the newest."
    )

    def located(self, plan: Plan, role: str) -> "Model":
        """Return the folder, or that of the package that stands in, which has its own pooling."""
        if not (package := self._package(plan)):
            return super().located(plan, role)
        key = f"encoders.{role}"
        note = f"{role}: the package {package} is used, because {self.path} is missing"
        return Model(key, checked_folder(folder_of_package(package, key), key), note=note)

    def _package(self, plan: Plan) -> str | None:
        return None if plan.model_path(self.path).is_dir() else self.fallback

    def shown_name(self, plan: Plan, role: str) -> str:
        return self._package(plan) or super().shown_name(plan, role)

    def configs(self, plan: Plan) -> Iterator[Mapping[str, Any]]:
        yield from super().configs(plan)
        if package := self._package(plan):
            with suppress(ConfigError):  # the package is not installed
                yield from _configs(folder_of_package(package, "encoders"))

    def release(self, plan: Plan) -> Release | None:
        return Release(self.released, plan.model_path(self.path), self.commit) if self.released else None

    @property
    def hub_name(self) -> str | None:
        return self.released


class Shape(Spec):
    """These are the sizes of an encoder, by their names in its `config.json`."""

    num_hidden_layers: int = Field(ge=1, description="The encoder has this many layers.")
    hidden_size: int = Field(ge=1, description="The hidden states have this many dimensions.")
    intermediate_size: int = Field(ge=1, description="The feed-forward layers have this many hidden units.")
    vocab_size: int = Field(ge=1, description="The vocabulary has this many entries.")
    max_position_embeddings: int = Field(ge=1, description="The longest input has this many tokens.")
    type_vocab_size: int = Field(
        ge=1, description="There are this many kinds of segments: two in BERT, one in RoBERTa."
    )


class LanguageModelShape(Spec):
    """These are the sizes of a model, by their names in GPT-2's `config.json`."""

    n_layer: int = Field(ge=1, description="The model has this many layers.")
    n_embd: int = Field(ge=1, description="The hidden states have this many dimensions.")
    vocab_size: int = Field(ge=1, description="The vocabulary has this many entries.")
    n_positions: int = Field(ge=1, description="The longest input has this many tokens.")
    is_encoder_decoder: bool = Field(
        False,
        description="If true, the model is an encoder-decoder like T5, with as many layers in its encoder.",
    )


class PinnedModel(Spec):
    """A model of the hub, as a job loads it."""

    kind: Literal["hub"] = "hub"
    model: str = Field(description="This is the name of the model on the hub.")
    revision: Commit = Field(description="This is the commit, so that the model cannot change.")


class PinnedEncoder(Prompted, PinnedModel):
    """An encoder of the hub, as a job loads it."""


class HubModel(PinnedModel, ModelSource):
    """What planning asks of a model of the hub."""

    cached: ClassVar[bool] = True
    pinned: ClassVar[type[PinnedModel]] = PinnedModel

    def located(self, plan: Plan, role: str) -> "Model":
        return self._at(role, hub=self.pinned(model=self.model, revision=self.revision))

    @property
    def hub_repository(self) -> HubRepository:
        return HubRepository("model", self.model, self.revision)

    @property
    def shortened(self) -> str:
        return self.revision if len(self.revision) < HASH else ""

    @property
    def hub_name(self) -> str | None:
        return self.model


class EncoderHub(PinnedEncoder, HubModel):
    """The encoder is on the Hugging Face hub, at a pinned commit."""

    pinned: ClassVar[type[PinnedModel]] = PinnedEncoder
    shape: Shape | None = SHAPE


class LanguageModelHub(HubModel):
    """The model is a causal language model, or an encoder-decoder, on the hub at a pinned commit."""

    section: ClassVar[str] = "language_models"
    shape: LanguageModelShape | None = SHAPE


class LanguageModelFolder(ModelOnDisk):
    """The model is a causal language model, or an encoder-decoder, in a `transformers` folder on disk."""

    section: ClassVar[str] = "language_models"
    kind: Literal["folder"] = "folder"


@dataclass(frozen=True)
class Model:
    """Where a model is: a folder on disk, word vectors, what a job makes, or a pinned model of the hub.

    A folder need not be there to read results of it: the jobs that need it ask for its `files`.
    """

    key: str  # in the catalog's file
    folder: str = ""  # on disk
    made: str = ""  # made by a job, or word vectors: an input that is one path
    hub: PinnedModel | None = None
    pooling: PoolingName = "auto"  # of an encoder as a scorer
    prompts: Prompts | None = None
    catalog: str = ""  # whose entry names the folder
    note: str = ""  # note for readers of a table, e.g. on a stand-in

    @property
    def files(self) -> list[str] | str:
        """What a job that reads the model depends on: every file of its folder; nothing for the hub."""
        return self.made or (
            encoder_files(checked_folder(Path(self.folder), self.key, self.catalog)) if self.folder else []
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
