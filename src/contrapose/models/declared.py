"""How an encoder makes a vector of a text, as the files of its folder declare it.

No PyTorch is loaded, so that planning, `new` and `check` can read a folder.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any

from contrapose.base.errors import ConfigError, shown
from contrapose.models.folder_files import (
    AGAIN,
    FIRST,
    HEAD_MODULES,
    LAYERS,
    MODULES,
    POOLING,
    TRANSFORMER,
    WEIGHTS,
    WHOLE,
    HeadFile,
    LayersFile,
    ModuleEntry,
    ModuleList,
    PoolingFile,
    TransformerFile,
    WholeFile,
    read_file,
    read_json,
)
from contrapose.models.pooling import LAST_LAYER, POOLINGS, WORDS, Pooling
from contrapose.settings.catalogs import Prompts
from contrapose.settings.catalogs.model_folders import CONFIG, checked_folder
from contrapose.settings.plan import Plan


@dataclass(frozen=True)
class HeadModule:
    """A module after the pooling."""

    kind: str  # a key of HEAD_MODULES
    path: Path
    settings: HeadFile


@dataclass(frozen=True)
class Declared:
    """How a folder makes a vector of a text."""

    folder: Path
    transformer: Path  # folder of the transformer, its weights and tokenizer
    of_transformer: TransformerFile
    pooling: Pooling
    whole: WholeFile
    content: Mapping[str, Any]  # of config_sentence_transformers.json, which is saved again as it is
    head: tuple[HeadModule, ...] = ()

    @property
    def prompts(self) -> Prompts:
        """The texts before sentences: of a folder with a default prompt, as sentence-transformers has it.

        Documents get the prompt that is named document or passage, if there is one, else the default one.  An
        empty prompt for documents, which sentence-transformers saves with every folder, counts if the default
        one is for queries.
        """
        default, known = self.whole.default_prompt_name, self.whole.prompts or {}
        if default is None:
            return Prompts()
        query = known.get(default) or ""
        of_documents = [known[name] for name in ("document", "passage") if known.get(name)]
        usual = "" if default == "query" and "document" in known else query
        return Prompts(query=query, document=[*of_documents, usual][0] or "")

    def pooled_by(self, pooling: Pooling, own_head: bool = True) -> "Declared":
        """Return the same with another pooling, after which only normalisation stays.

        With the folder's own pooling nothing changes, unless `own_head` is False.
        """
        if pooling == self.pooling and own_head:
            return self
        pooling = replace(pooling, include_prompt=self.pooling.include_prompt)
        kept = tuple(module for module in self.head if module.kind == "Normalize")
        return replace(self, pooling=pooling, head=kept)

    def differs(self, pooling: str) -> bool:
        """Whether a recipe's `pooling` makes other vectors than the folder; `own` never does."""
        if pooling == "own":
            return False
        # SimCSE's head on [CLS] is for training alone, so what is evaluated is [CLS] itself.
        other = self.pooled_by(POOLINGS[pooling], own_head=pooling != "cls")
        return (other.pooling, other.head) != (self.pooling, self.head)

    @property
    def similarity(self) -> str:
        """The name of what compares its vectors if that is not the cosine, else empty."""
        name = self.whole.similarity_fn_name
        return "" if name in (None, "cosine") else name

    @property
    def max_length(self) -> int | None:
        """The most tokens of a text that are read; None leaves it to tokenizer and configuration."""
        of_tokenizer = self.of_transformer.tokenizer_args.get("model_max_length")
        return self.of_transformer.max_seq_length or of_tokenizer

    @property
    def described(self) -> str:
        """Pooling and what comes after it, in words."""
        name = self.pooling.name
        parts = [WORDS.get(name, name), *(module.kind for module in self.head)]
        if self.whole.truncate_dim is not None:
            parts.append(f"cut to {self.whole.truncate_dim} dimensions")
        return ", then ".join(parts)

    @property
    def sentence(self) -> str:
        """All that it does to a text, in a sentence."""
        parts = [
            f"{'' if (self.folder / MODULES).is_file() else 'no modules, so '}pooling by {self.described}",
            f"at most {self.max_length} tokens" if self.max_length else "",
            *self.further,
        ]
        return f"The encoder's folder declares {', '.join(filter(None, parts))}."

    @property
    def further(self) -> list[str]:
        """What it does to a text besides pooling, in words."""
        prompts = self.prompts
        unused = [name for name, text in (self.whole.prompts or {}).items() if text and prompts == Prompts()]
        parts = [
            "texts in lower case" if self.of_transformer.do_lower_case else "",
            f"the prompt {prompts.query!r}" if prompts.query else "",
            f"{prompts.document!r} before documents" if prompts.document != prompts.query else "",
            f"no default among its prompts {', '.join(unused)}, so none is used" if unused else "",
            f"similarity {self.similarity}, but tables of Contrapose show cosines" if self.similarity else "",
        ]
        return [*filter(None, parts)]


def declared_by(plan: Plan, role: str) -> Declared | None:
    """Return what the folder of an encoder declares; None if it is not on this machine, or a job makes it.

    An encoder that is trained further keeps what that of its start declares.
    """
    start = plan.source("encoders", role).declaring(plan, role)
    folder = plan.encoder(start).folder
    key = f"encoders.{start}"
    return declared(Path(checked_folder(Path(folder), key, plan.catalog_name))) if folder else None


def declared(folder: Path, base: Path | None = None) -> Declared:
    """Read what the folder of an encoder declares; `base` is the transformer's of an adapter's model.

    A folder without modules.json declares no pooling.  It has that of sentence-transformers for such folders:
    the mean of the tokens, or the last token of a model that was trained to predict the next one.

    Raises a ConfigError, which names the file, for what is malformed or cannot be obeyed.
    """
    content = read_json(folder / WHOLE) if (folder / WHOLE).is_file() else {}
    whole = read_file(WholeFile, folder / WHOLE, content)
    if not (folder / MODULES).is_file():
        return Declared(folder, folder, TransformerFile(), _usual_pooling(base or folder), whole, content)
    first, *others = _modules(folder)
    if first.kind != FIRST:
        raise ConfigError(
            f"{folder / MODULES}: the first module is {first.type}, which is not a transformer of "
            "sentence-transformers. Choose an encoder whose first module is one."
        )
    transformer = _inside(folder, first)
    pooling, modules = _pooling(folder, others, base or transformer)
    head = tuple(_head_module(folder, each) for each in modules)
    return Declared(folder, transformer, _of_transformer(transformer), pooling, whole, content, head)


def first_folder(folder: Path) -> Path:
    """Return the folder of the first module of an encoder of sentence-transformers."""
    return _inside(folder, _modules(folder)[0])


def _modules(folder: Path) -> list[ModuleEntry]:
    return read_file(ModuleList, folder / MODULES, {"modules": read_json(folder / MODULES)}).modules


def _pooling(
    folder: Path, modules: list[ModuleEntry], transformer: Path
) -> tuple[Pooling, list[ModuleEntry]]:
    """Return the pooling that the modules after the transformer begin with, and those after it."""
    layers, rest = (modules[:1], modules[1:]) if modules[:1] and modules[0].kind == LAYERS else ([], modules)
    if not rest or rest[0].kind != POOLING:
        found = rest[0].type if rest else "nothing"
        raise ConfigError(
            f"{folder / MODULES}: the transformer is followed by {found}, but {POOLING} is expected. Add a "
            f"module Pooling after it. {AGAIN}"
        )
    settings = read_file(PoolingFile, _inside(folder, rest[0]) / CONFIG)
    weights, config = LAST_LAYER, _config(transformer)
    # Without the states of all layers sentence-transformers leaves the layer weights out, too.
    if layers and config.get("output_hidden_states"):
        weights = _layer_weights(_inside(folder, layers[0]), config.get("num_hidden_layers"))
    return Pooling(tuple(settings.pooling_mode), weights, settings.include_prompt), rest[1:]


def _head_module(folder: Path, entry: ModuleEntry) -> HeadModule:
    path = _inside(folder, entry)
    if entry.kind not in HEAD_MODULES:
        known = ", ".join(HEAD_MODULES)
        raise ConfigError(
            f"{folder / MODULES}: module {entry.kind} is not supported after a pooling. Supported "
            f"modules: {known}."
        )
    settings = read_json(path / CONFIG) if (path / CONFIG).is_file() else {}
    return HeadModule(entry.kind, path, read_file(HEAD_MODULES[entry.kind], path / CONFIG, settings))


def _inside(folder: Path, entry: ModuleEntry) -> Path:
    path = PurePosixPath(entry.path)
    if path.is_absolute() or ".." in path.parts:
        raise ConfigError(
            f"{folder / MODULES}: the path {shown(entry.path)} leads out of the folder. {AGAIN}"
        )
    return folder / path


def _of_transformer(folder: Path) -> TransformerFile:
    path = next((folder / name for name in TRANSFORMER if (folder / name).is_file()), None)
    content = read_json(path) if path else {}
    return read_file(TransformerFile, path or folder, content)


def _config(folder: Path) -> dict[str, Any]:
    """Return config.json of a transformer; of an adapter that has none, nothing."""
    content = read_json(folder / CONFIG) if (folder / CONFIG).is_file() else {}
    if not isinstance(content, dict):
        kind = type(content).__name__
        raise ConfigError(f"{folder / CONFIG} is a {kind}, but an object is expected. {AGAIN}")
    return content


def _usual_pooling(folder: Path) -> Pooling:
    config = _config(folder)
    architectures = config.get("architectures") or [""]
    predicts_next = str(architectures[0]).endswith("ForCausalLM") and config.get("is_causal", True)
    return POOLINGS["lasttoken" if predicts_next else "mean"]


def _layer_weights(path: Path, layers: Any) -> tuple[tuple[int, float], ...]:
    """Return the layers with their weights, as a pooling with a name has them if there is one."""
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    start = read_file(LayersFile, path / CONFIG).layer_start
    try:
        weights = load_file(path / WEIGHTS)["layer_weights"].astype(float)
    except (OSError, KeyError, SafetensorError) as error:
        raise ConfigError(f"{path / WEIGHTS} contains no layer_weights ({error}). {AGAIN}") from error
    if not weights.sum():
        raise ConfigError(f"{path / WEIGHTS}: the layer_weights sum to 0. {AGAIN}")
    shares = enumerate((weights / weights.sum()).tolist(), start)
    found = tuple((layer, share) for layer, share in shares if share)
    for each in POOLINGS.values() if isinstance(layers, int) else []:
        if {(layer % (layers + 1), share) for layer, share in each.layers} == {*found}:
            return each.layers
    return found
