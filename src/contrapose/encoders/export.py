"""An encoder as a folder that `transformers` and sentence-transformers load."""

import json
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from torch import Tensor, nn

from contrapose.encoders.folders import CONFIG, LIMIT, MODULES, PROMPTS, WEIGHTS, flow_of
from contrapose.encoders.glow import Glow
from contrapose.encoders.poolers import ALL_LAYERS, AVERAGED, FIRST_TOKEN, Dense
from contrapose.settings.worlds import Prompts


def save_modules(
    folder: Path, pooler: str, head: list[nn.Module], config: Any, max_length: int, prompts: Prompts
) -> None:
    """Turn a folder that holds a transformer into one of sentence-transformers, for evaluation.

    The files have the format of version 2, which all later versions can read.  The head consists of Dense,
    Normalize and Glow modules.  sentence-transformers has no flow module: a flow is saved as a `FlowModule`,
    and loading it needs this package and, since version 6, `trust_remote_code=True`.  The prompt for queries,
    if there are prompts, is the default one: `encode` gives the vectors of our evaluation.
    """
    width, last = config.hidden_size, config.num_hidden_layers
    modules: list[dict[str, Any]] = []

    def add(kind: str, package: str = "sentence_transformers.models") -> Path:
        at = len(modules)
        path = f"{at}_{kind}" if at else ""
        modules.append({"idx": at, "name": str(at), "path": path, "type": f"{package}.{kind}"})
        (folder / path).mkdir(exist_ok=True)
        return folder / path

    _write(add("Transformer") / LIMIT, {"max_seq_length": max_length, "do_lower_case": False})
    if pooler in ALL_LAYERS:
        path = add("WeightedLayerPooling")
        used = {layer % (last + 1) for layer in AVERAGED[pooler]}
        weights = torch.tensor([float(layer in used) for layer in range(last + 1)])
        save_file({"layer_weights": weights}, path / WEIGHTS)
        sizes = {"word_embedding_dimension": width, "num_hidden_layers": last}
        _write(path / CONFIG, {**sizes, "layer_start": 0})
        _write(folder / CONFIG, {**json.loads((folder / CONFIG).read_text()), "output_hidden_states": True})
    first, last = pooler in FIRST_TOKEN, pooler == "last"
    modes = {"pooling_mode_cls_token": first, "pooling_mode_mean_tokens": not (first or last)}
    if last:
        modes["pooling_mode_lasttoken"] = True
    _write(add("Pooling") / CONFIG, {"word_embedding_dimension": width, **modes})
    for module in head:
        if isinstance(module, Glow):
            _save_module(add(FlowModule.__name__, FlowModule.__module__), module, module.sizes)
        elif isinstance(module, Dense):
            package = "linear" if module.activation == "Identity" else "activation"
            sizes = {
                "in_features": module.linear.in_features,
                "out_features": module.linear.out_features,
                "bias": module.linear.bias is not None,
                "activation_function": f"torch.nn.modules.{package}.{module.activation}",
            }
            _save_module(add("Dense"), module, sizes)
        else:
            add(type(module).__name__)
    _write(folder / MODULES, modules)
    if prompts != Prompts():
        _write(folder / PROMPTS, {"prompts": dict(prompts), "default_prompt_name": "query"})


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
        return FlowModule(flow_of(Path(path)))


def _save_module(path: Path, module: nn.Module, config: dict[str, Any]) -> None:
    _write(path / CONFIG, config)
    weights = {name: tensor.cpu().contiguous() for name, tensor in module.state_dict().items()}
    save_file(weights, path / WEIGHTS)


def _write(path: Path, content: object) -> None:
    path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
