"""What the folder of an encoder declares: every file of it that says how a text becomes a vector.

The files are read as sentence-transformers 6 reads them, in their former and present forms.  What it obeys
and this package cannot is refused, never ignored.  No PyTorch is loaded, so that planning, `new` and `check`
can read a folder.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, model_validator

from contrapose.base.errors import ConfigError, shown
from contrapose.models.pooling import LAST_LAYER, MODES, POOLINGS, WORDS, Pooling
from contrapose.settings.catalogs import Prompts
from contrapose.settings.catalogs.model_folders import CONFIG, checked_folder
from contrapose.settings.plan import Plan
from contrapose.settings.spec import PathText, validated

ADAPTER = "adapter_config.json"  # marks a folder of `peft`
WEIGHTS = "model.safetensors"
MODULES = "modules.json"  # marks a folder of sentence-transformers
# Vocabularies of the tokenizers of transformers: fast ones, word pieces, BPE, sentencepiece.
VOCABULARIES = ("tokenizer.json", "vocab.txt", "vocab.json", "*.model")
WHOLE = "config_sentence_transformers.json"  # about the encoder as a whole
# Of the transformer, in the order in which sentence-transformers looks for them.
TRANSFORMER = tuple(
    f"sentence_{kind}_config.json"
    for kind in ("bert", "roberta", "distilbert", "camembert", "albert", "xlm-roberta", "xlnet")
)
FIRST, LAYERS, POOLING = "Transformer", "WeightedLayerPooling", "Pooling"
OURS = "contrapose.models.export.FlowModule"  # the one class of a module that is none of theirs
AGAIN = "Save the folder again with sentence-transformers."
FORMER_MODES = {  # keys of a former Pooling configuration
    "pooling_mode_cls_token": "cls",
    "pooling_mode_max_tokens": "max",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_mean_sqrt_len_tokens": "mean_sqrt_len_tokens",
    "pooling_mode_weightedmean_tokens": "weightedmean",
    "pooling_mode_lasttoken": "lasttoken",
}
# Of `model_args`: memory and speed, not vectors, as all weights are read as float32 from safetensors here.
WITHOUT_EFFECT = {
    "add_pooling_layer", "attn_implementation", "device_map", "dtype", "low_cpu_mem_usage", "torch_dtype",
    "trust_remote_code", "use_safetensors",
}  # fmt: skip
OF_TOKENIZER = {  # of `tokenizer_args`, which the tokenizer gets
    "add_prefix_space", "do_lower_case", "fix_mistral_regex", "model_max_length", "padding_side",
    "truncation_side", "use_fast",
}  # fmt: skip
# Of TransformerFile: present names of what is passed on, and former ones.
RENAMED = {"model_kwargs": "model_args", "processor_kwargs": "tokenizer_args", "config_kwargs": "config_args"}
MOST_MODULES = 100  # encoders of the hub have up to 5
WIDEST = 2**16  # dimensions; the hidden states of Llama 3.1 405B, the widest public model, have 16,384
BY_FORWARD = {"method": "forward", "method_output_name": "last_hidden_state"}


class FolderFile(BaseModel):
    """A JSON file of an encoder's folder; keys that change no vector are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class ModuleEntry(FolderFile):
    """An entry of modules.json."""

    type: str
    path: PathText = ""

    @property
    def kind(self) -> str:
        """The name of its class if that is one of sentence-transformers or of this package."""
        known = self.type.startswith("sentence_transformers.") or self.type == OURS
        return self.type.rsplit(".", 1)[-1] if known else self.type


class ModuleList(FolderFile):
    """The content of modules.json."""

    modules: list[ModuleEntry] = Field(min_length=1, max_length=MOST_MODULES)


class PoolingFile(FolderFile):
    """config.json of a Pooling module."""

    pooling_mode: list[Literal[MODES]] = ["mean"]  # type: ignore[valid-type]
    include_prompt: bool = True

    @model_validator(mode="before")
    @classmethod
    def _former_keys(cls, data: object) -> object:
        if not isinstance(data, dict):
            return data
        modes = data.get("pooling_mode") or [mode for key, mode in FORMER_MODES.items() if data.get(key)]
        modes = [modes] if isinstance(modes, str) else modes
        return {**data, "pooling_mode": modes or ["mean"]}


class LayersFile(FolderFile):
    """config.json of a WeightedLayerPooling module."""

    layer_start: int = Field(4, ge=0)


class HeadFile(FolderFile):
    """config.json of a module after the pooling, which maps vectors of texts to vectors."""

    module_input_name: Literal["sentence_embedding"] = "sentence_embedding"
    module_output_name: Literal["sentence_embedding"] | None = None


class DenseFile(HeadFile):
    """config.json of a linear layer with an activation."""

    in_features: int = Field(ge=1, le=WIDEST)
    out_features: int = Field(ge=1, le=WIDEST)
    bias: bool = True
    activation_function: str = Field(
        "torch.nn.modules.activation.Tanh",
        pattern=r"^torch\.nn\.modules\.(activation\.\w+|linear\.Identity)$",
    )
    use_residual: bool = False


class LayerNormFile(HeadFile):
    """config.json of a normalisation over the dimensions."""

    dimension: int = Field(ge=1, le=WIDEST)


class DropoutFile(HeadFile):
    """config.json of a dropout."""

    dropout: float = Field(0.2, ge=0, lt=1)


class FlowFile(HeadFile):
    """config.json of a normalising flow of ours."""

    size: int = Field(ge=2, le=WIDEST)
    levels: int = Field(ge=1)
    depth: int = Field(ge=1)
    width: int = Field(ge=1)


# The modules that may stand after the pooling.
HEAD_MODULES: dict[str, type[HeadFile]] = {
    "Dense": DenseFile,
    "Normalize": HeadFile,
    "LayerNorm": LayerNormFile,
    "Dropout": DropoutFile,
    "FlowModule": FlowFile,
}


class TransformerFile(FolderFile):
    """The file of the transformer module, such as sentence_bert_config.json."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    max_seq_length: int | None = Field(None, ge=1)
    do_lower_case: bool = False
    model_args: dict[str, Any] = {}
    tokenizer_args: dict[str, Any] = {}
    config_args: dict[str, Any] = {}
    tokenizer_name_or_path: None = None
    transformer_task: Literal["feature-extraction"] = "feature-extraction"
    modality_config: dict[Literal["text"], dict[str, Any]] = {"text": BY_FORWARD}
    module_output_name: Literal["token_embeddings"] = "token_embeddings"
    processing_kwargs: dict[str, Any] = Field({}, max_length=0)
    unpad_inputs: bool | None = None  # of the same vectors
    query_length: None = None
    document_length: None = None
    query_expansion: None = None

    @model_validator(mode="before")
    @classmethod
    def _present_names(cls, data: object) -> object:
        if not isinstance(data, dict):
            return data
        return {RENAMED.get(key, key): value for key, value in data.items()}

    @model_validator(mode="after")
    def _obeyed(self) -> "TransformerFile":
        checked = [("model_args", self.model_args, WITHOUT_EFFECT)]
        checked += [("tokenizer_args", self.tokenizer_args, OF_TOKENIZER)]
        for name, arguments, allowed in checked:
            for key in arguments:
                if key not in allowed:
                    raise ValueError(f"{name}.{key} is not supported, only {', '.join(sorted(allowed))}")
        if (of_text := self.modality_config.get("text")) != BY_FORWARD:
            raise ValueError(f"modality_config.text is {shown(of_text)}, only {BY_FORWARD} is supported")
        return self


class WholeFile(FolderFile):
    """config_sentence_transformers.json."""

    model_type: Literal["SentenceTransformer"] = "SentenceTransformer"
    prompts: dict[str, str | None] | None = {}
    default_prompt_name: str | None = None
    truncate_dim: int | None = Field(None, ge=1)
    similarity_fn_name: str | None = None

    @model_validator(mode="after")
    def _known_prompt(self) -> "WholeFile":
        name, known = self.default_prompt_name, self.prompts or {}
        if name is not None and name not in (*known, "query", "document"):  # the last two always exist
            raise ValueError(f"default_prompt_name is '{name}', prompts are {sorted(known)}: name one")
        return self


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

    def differs(self, pooler: str) -> bool:
        """Whether a recipe's `pooler` makes other vectors than the folder; `own` never does."""
        if pooler == "own":
            return False
        # SimCSE's head on [CLS] is for training alone, so what is evaluated is [CLS] itself.
        other = self.pooled_by(POOLINGS[pooler], own_head=pooler != "cls")
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
        prompts = self.prompts
        unused = [name for name, text in (self.whole.prompts or {}).items() if text and prompts == Prompts()]
        parts = [
            f"{'' if (self.folder / MODULES).is_file() else 'no modules, so '}pooling by {self.described}",
            f"at most {self.max_length} tokens" if self.max_length else "",
            "texts in lower case" if self.of_transformer.do_lower_case else "",
            f"the prompt {prompts.query!r}" if prompts.query else "",
            f"{prompts.document!r} before documents" if prompts.document != prompts.query else "",
            f"no default among its prompts {', '.join(unused)}, so none is used" if unused else "",
            f"similarity {self.similarity}, where tables here have cosines" if self.similarity else "",
        ]
        return f"The encoder's folder declares {', '.join(filter(None, parts))}."


F = TypeVar("F", bound=FolderFile)


def read_json(path: Path) -> Any:
    """Read a JSON file; a ConfigError if it is missing, no regular file or not JSON."""
    if not path.is_file():
        raise ConfigError(f"{path} is missing, or is not a file. {AGAIN}")
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ConfigError(f"{path} cannot be read as JSON: {error}") from error


def _read(kind: type[F], path: Path, content: object = None) -> F:
    try:
        return validated(kind, read_json(path) if content is None else content, str(path))
    except ConfigError as error:
        raise ConfigError(f"{error} {AGAIN}" if "Save" not in str(error) else str(error)) from error


def declared_by(plan: Plan, role: str) -> Declared | None:
    """Return what the folder of an encoder declares; None if it is not on this machine, or a job makes it.

    An encoder that is trained further keeps what that of its start declares.
    """
    start = plan.source("encoders", role).declaring(plan, role)
    folder = plan.encoder(start).folder
    return declared(Path(checked_folder(Path(folder), f"encoders.{start}"))) if folder else None


def declared(folder: Path, base: Path | None = None) -> Declared:
    """Read what the folder of an encoder declares; `base` is the transformer's of an adapter's model.

    A folder without modules.json declares no pooling.  It has that of sentence-transformers for such folders:
    the mean of the tokens, or the last token of a model that was trained to predict the next one.

    Raises a ConfigError, which names the file, for what is malformed or cannot be obeyed.
    """
    content = read_json(folder / WHOLE) if (folder / WHOLE).is_file() else {}
    whole = _read(WholeFile, folder / WHOLE, content)
    if not (folder / MODULES).is_file():
        return Declared(folder, folder, TransformerFile(), _usual_pooling(base or folder), whole, content)
    first, *others = _modules(folder)
    if first.kind != FIRST:
        raise ConfigError(
            f"{folder / MODULES}: the first module is {first.type}, which is not a transformer of "
            "sentence-transformers. Choose an encoder that begins with one."
        )
    transformer = _inside(folder, first)
    pooling, modules = _pooling(folder, others, base or transformer)
    head = tuple(_head_module(folder, each) for each in modules)
    return Declared(folder, transformer, _of_transformer(transformer), pooling, whole, content, head)


def first_folder(folder: Path) -> Path:
    """Return the folder of the first module of an encoder of sentence-transformers."""
    return _inside(folder, _modules(folder)[0])


def _modules(folder: Path) -> list[ModuleEntry]:
    return _read(ModuleList, folder / MODULES, {"modules": read_json(folder / MODULES)}).modules


def _pooling(
    folder: Path, modules: list[ModuleEntry], transformer: Path
) -> tuple[Pooling, list[ModuleEntry]]:
    """Return the pooling that the modules after the transformer begin with, and those after it."""
    layers, rest = (modules[:1], modules[1:]) if modules[:1] and modules[0].kind == LAYERS else ([], modules)
    if not rest or rest[0].kind != POOLING:
        found = rest[0].type if rest else "nothing"
        raise ConfigError(f"{folder / MODULES}: {found} follows the transformer, expected {POOLING}. {AGAIN}")
    settings = _read(PoolingFile, _inside(folder, rest[0]) / CONFIG)
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
            f"{folder / MODULES}: module {entry.kind} is not supported after a pooling, only {known}."
        )
    settings = read_json(path / CONFIG) if (path / CONFIG).is_file() else {}
    return HeadModule(entry.kind, path, _read(HEAD_MODULES[entry.kind], path / CONFIG, settings))


def _inside(folder: Path, entry: ModuleEntry) -> Path:
    path = PurePosixPath(entry.path)
    if path.is_absolute() or ".." in path.parts:
        raise ConfigError(f"{folder / MODULES}: path {shown(entry.path)} leaves the folder. {AGAIN}")
    return folder / path


def _of_transformer(folder: Path) -> TransformerFile:
    path = next((folder / name for name in TRANSFORMER if (folder / name).is_file()), None)
    content = read_json(path) if path else {}
    return _read(TransformerFile, path or folder, content)


def _config(folder: Path) -> dict[str, Any]:
    """Return config.json of a transformer; of an adapter that has none, nothing."""
    content = read_json(folder / CONFIG) if (folder / CONFIG).is_file() else {}
    if not isinstance(content, dict):
        raise ConfigError(f"{folder / CONFIG} is a {type(content).__name__}, expected an object. {AGAIN}")
    return content


def _usual_pooling(folder: Path) -> Pooling:
    config = _config(folder)
    architectures = config.get("architectures") or [""]
    predicts_next = str(architectures[0]).endswith("ForCausalLM") and config.get("is_causal", True)
    return POOLINGS["last" if predicts_next else "avg"]


def _layer_weights(path: Path, layers: Any) -> tuple[tuple[int, float], ...]:
    """Return the layers with their weights, as a pooling with a name has them if there is one."""
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    start = _read(LayersFile, path / CONFIG).layer_start
    try:
        weights = load_file(path / WEIGHTS)["layer_weights"].astype(float)
    except (OSError, KeyError, SafetensorError) as error:
        raise ConfigError(f"{path / WEIGHTS} holds no layer_weights ({error}). {AGAIN}") from error
    if not weights.sum():
        raise ConfigError(f"{path / WEIGHTS}: the layer_weights sum to 0. {AGAIN}")
    shares = enumerate((weights / weights.sum()).tolist(), start)
    found = tuple((layer, share) for layer, share in shares if share)
    for each in POOLINGS.values() if isinstance(layers, int) else []:
        if {(layer % (layers + 1), share) for layer, share in each.layers} == {*found}:
            return each.layers
    return found
