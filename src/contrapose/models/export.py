"""An encoder as a folder that `transformers` and sentence-transformers load."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from safetensors.torch import save_file
from torch import Tensor, nn

from contrapose.models.folder_files import (
    FORMER_MODES,
    MODULES,
    TRANSFORMER,
    WEIGHTS,
    WHOLE,
    FlowFile,
    read_json,
)
from contrapose.models.folders import NO_LIMIT
from contrapose.models.glow import Glow
from contrapose.models.heads import Cut, Dense, LayerNorm, flow_of
from contrapose.models.pooling import LAST_LAYER, MODES
from contrapose.settings.catalogs.model_folders import CONFIG
from contrapose.settings.spec import validated
from contrapose.tables import written

if TYPE_CHECKING:
    from transformers import PreTrainedModel

    from contrapose.models.sentence_encoder import SentenceEncoder


def save_encoder(
    encoder: "SentenceEncoder",
    folder: str | Path,
    card: str = "",
    with_head: "PreTrainedModel | None" = None,
) -> None:
    """Write a folder that transformers and sentence-transformers load, for the vectors of evaluation.

    It declares what the encoder's own folder declared, with the pooling and head that it has here, and
    holds the same files: float32 weights as safetensors, `unused` ones, too.  Equal encoders give equal
    bytes.  An adapter is merged into the weights, or saved alone with the name of its base.  `card` is
    the text of README.md; if empty, none is written.  `with_head` is saved in place of the encoder's model:
    one with the same weights and a layer on top of them that predicts words.
    """
    if encoder.adapter and encoder.adapter.merge:
        encoder.model = encoder.adapter.layers.merge_and_unload()
        encoder.adapter = None
    tokenizer = encoder.tokenizer
    if tokenizer.is_fast:  # else the padding and truncation of its last call are saved
        tokenizer.backend_tokenizer.no_padding()
        tokenizer.backend_tokenizer.no_truncation()
    with written(folder) as draft, _as_loaded(encoder):
        draft.mkdir()
        model = encoder.adapter.layers if encoder.adapter else with_head or encoder.model
        model.save_pretrained(str(draft))
        tokenizer.save_pretrained(draft)
        _save_modules(draft, encoder)
        if card:
            (draft / "README.md").write_text(card, encoding="utf-8")


@contextmanager
def _as_loaded(encoder: "SentenceEncoder") -> Iterator[None]:
    """Give model and tokenizer back what they had in their folder, meanwhile."""
    for name, part in encoder.unused.items() if encoder.adapter is None else ():
        setattr(encoder.model, name, part)
    encoder.tokenizer.padding_side = encoder.padding_side
    try:
        yield
    finally:
        for name in encoder.unused:
            setattr(encoder.model, name, None)
        encoder.tokenizer.padding_side = "right"


def _save_modules(folder: Path, encoder: "SentenceEncoder") -> None:
    """Turn a folder that holds a transformer into one of sentence-transformers, for evaluation.

    The files have the format of version 2, which all later versions can read, wherever that has a place for
    what they say.  sentence-transformers has no flow module: a flow is saved as a `FlowModule`, and loading
    it needs this package and, since version 6, `trust_remote_code=True`.  The encoder's prompt for queries,
    if it has prompts, is the default one: `encode` gives the vectors of our evaluation.
    """
    modules: list[dict[str, Any]] = []

    def add(kind: str, package: str = "sentence_transformers.models") -> Path:
        at = len(modules)
        path = f"{at}_{kind}" if at else ""
        modules.append({"idx": at, "name": str(at), "path": path, "type": f"{package}.{kind}"})
        (folder / path).mkdir(exist_ok=True)
        return folder / path

    _write(add("Transformer") / TRANSFORMER[0], _of_transformer(encoder))
    pooling, width = encoder.form.pooling, encoder.model.config.hidden_size
    if pooling.layers != LAST_LAYER:
        _save_layers(folder, add("WeightedLayerPooling"), encoder)
    _write(add("Pooling") / CONFIG, {"word_embedding_dimension": width, **_modes(encoder)})
    for module in encoder.head:
        match module:
            case Glow():
                _save_module(add(FlowModule.__name__, FlowModule.__module__), module, module.sizes)
            case Dense():
                _save_module(add("Dense"), module, _dense_settings(module))
            case LayerNorm():
                _save_module(add("LayerNorm"), module, {"dimension": module.norm.normalized_shape[0]})
            case nn.Dropout():
                _write(add("Dropout") / CONFIG, {"dropout": module.p})
            case Cut():  # said in the file about the whole encoder
                pass
            case _:
                add(type(module).__name__)
    _write(folder / MODULES, modules)
    if whole := _whole(encoder):
        _write(folder / WHOLE, whole)


def _of_transformer(encoder: "SentenceEncoder") -> dict[str, Any]:
    declared = encoder.form.of_transformer
    limit = encoder.max_length if encoder.max_length < NO_LIMIT else None
    settings: dict[str, Any] = {"max_seq_length": limit, "do_lower_case": declared.do_lower_case}
    # Without its weights, transformers would make up a pooling layer, and warn that it is to be trained.
    if not encoder.unused and "add_pooling_layer" in signature(type(encoder.model).__init__).parameters:
        settings["model_args"] = {"add_pooling_layer": False}
    if declared.tokenizer_args:
        settings["tokenizer_args"] = declared.tokenizer_args
    if declared.config_args:
        settings["config_args"] = declared.config_args
    return settings


def _modes(encoder: "SentenceEncoder") -> dict[str, Any]:
    pooling = encoder.form.pooling
    settings: dict[str, Any] = {"include_prompt": False} if not pooling.include_prompt else {}
    former = {mode: key for key, mode in FORMER_MODES.items()}
    if sorted(pooling.modes, key=MODES.index) != [*pooling.modes]:  # an order that the former keys cannot say
        return {"pooling_mode": [*pooling.modes], **settings}
    always = ("cls", "mean")  # which version 2 needs: its default is the mean
    named = {former[mode]: mode in pooling.modes for mode in MODES if mode in (*always, *pooling.modes)}
    return {**named, **settings}


def _save_layers(folder: Path, path: Path, encoder: "SentenceEncoder") -> None:
    """Save the weights of all layers; transformers is told to return all layers."""
    config = encoder.model.config
    count = config.num_hidden_layers + 1
    weights = torch.zeros(count)
    for layer, weight in encoder.form.pooling.layers:
        weights[layer % count] += weight
    save_file({"layer_weights": weights}, path / WEIGHTS)
    sizes = {"word_embedding_dimension": config.hidden_size, "num_hidden_layers": count - 1}
    _write(path / CONFIG, {**sizes, "layer_start": 0})
    if (folder / CONFIG).is_file():
        _write(folder / CONFIG, {**read_json(folder / CONFIG), "output_hidden_states": True})


def _dense_settings(module: Dense) -> dict[str, Any]:
    kind = type(module.activation)
    settings = {
        "in_features": module.linear.in_features,
        "out_features": module.linear.out_features,
        "bias": module.linear.bias is not None,
        "activation_function": f"{kind.__module__}.{kind.__name__}",
    }
    return settings | ({"use_residual": True} if module.adds else {})


def _whole(encoder: "SentenceEncoder") -> Mapping[str, Any]:
    """Return what the file about the whole encoder says: what its folder said, and what is different here."""
    content = {**encoder.form.content}
    cut = [module.dimensions for module in encoder.head if isinstance(module, Cut)]
    content.pop("truncate_dim", None)
    content |= {"truncate_dim": cut[0]} if cut else {}
    if encoder.prompts != encoder.form.prompts:
        content |= {"prompts": dict(encoder.prompts), "default_prompt_name": "query"}
    return content


class FlowModule(nn.Module):
    """A flow as a module of sentence-transformers, which finds this class by its name in modules.json."""

    def __init__(self, flow: Glow) -> None:
        super().__init__()
        self.flow = flow

    def forward(self, features: dict[str, Tensor]) -> dict[str, Tensor]:
        """Transform `sentence_embedding`, of shape (B, D)."""
        features["sentence_embedding"] = self.flow(features["sentence_embedding"])
        return features

    @staticmethod
    def load(path: str) -> "FlowModule":
        settings = validated(FlowFile, read_json(Path(path) / CONFIG), path)
        return FlowModule(flow_of(Path(path), settings))


def _save_module(path: Path, module: nn.Module, config: dict[str, Any]) -> None:
    _write(path / CONFIG, config)
    weights = {name: tensor.cpu().contiguous() for name, tensor in module.state_dict().items()}
    save_file(weights, path / WEIGHTS)


def _write(path: Path, content: object) -> None:
    path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
