"""The files of an encoder's folder that say how a text becomes a vector.

They are read as sentence-transformers 6 reads them, in their former and present forms.  What it obeys and
this package cannot is refused, never ignored.
"""

import json
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, model_validator

from contrapose.base.errors import ConfigError, said, shown
from contrapose.models.pooling import MODES
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
AGAIN = "Save the model again with sentence-transformers."
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


def damaged(path: Path, error: Exception) -> ConfigError:
    """Build the error for a file of a model that was cut off or is not in its format."""
    why = said(error).removeprefix("Error while deserializing header: ").rstrip(".")
    return ConfigError(f"{path} is damaged or incomplete ({why}). Copy or download it again.")


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
                    raise ValueError(
                        f"{name}.{key} is not supported. Supported keys: {', '.join(sorted(allowed))}"
                    )
        if (of_text := self.modality_config.get("text")) != BY_FORWARD:
            raise ValueError(f"modality_config.text is {shown(of_text)}, but only {BY_FORWARD} is supported")
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
            raise ValueError(
                f"default_prompt_name is '{name}', but the prompts are {sorted(known)}. Name one of them"
            )
        return self


F = TypeVar("F", bound=FolderFile)


def read_json(path: Path) -> Any:
    """Read a JSON file; a ConfigError if it is missing, no regular file or not JSON."""
    if not path.is_file():
        raise ConfigError(f"{path} does not exist, or is not a file. {AGAIN}")
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ConfigError(f"{path} cannot be read as JSON: {error}") from error


def read_file(kind: type[F], path: Path, content: object = None) -> F:
    """Read a file of an encoder's folder, or check what it holds; raise a ConfigError that names it."""
    try:
        return validated(kind, read_json(path) if content is None else content, str(path))
    except ConfigError as error:
        said = str(error)
        raise ConfigError(said if "Save" in said else f"{said.rstrip('.')}. {AGAIN}") from error
