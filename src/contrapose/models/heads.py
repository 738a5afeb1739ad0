"""What may stand after the pooling of an encoder: modules that map vectors of texts, (B, D), to vectors.

Each loads from the folder of such a module of sentence-transformers; `contrapose.models.export` saves them.
"""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

import safetensors
import torch
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.nn import functional

from contrapose.base.errors import ConfigError
from contrapose.base.seeds import derived_seed
from contrapose.models.declared import Declared, HeadModule
from contrapose.models.folder_files import AGAIN, WEIGHTS, DenseFile, DropoutFile, FlowFile, LayerNormFile
from contrapose.models.folders import tensor_names
from contrapose.models.glow import Glow

M = TypeVar("M", bound=nn.Module)

# The key of a module's settings that says how long the vectors are that it takes.
TAKES = {"Dense": "in_features", "LayerNorm": "dimension", "FlowModule": "size"}
MLP_STD = 0.02  # for a fresh dense layer, if the encoder's config has no initializer_range; BERT
# Names of a dense layer on [CLS]: of a BERT or RoBERTa pooler, and of SimCSE's MLP before its converter
# renames it.
MLP_KEYS = ("pooler.dense", "mlp.dense")
MLP_PARTS = ("weight", "bias")


class Dense(nn.Module):
    """A linear layer and an activation.  SimCSE's MLP head is one with tanh and as many outputs as inputs.

    `activation`: the name of a class of torch.nn.
    `residual`: add the vectors that go in, through a further linear layer if there are fewer or more outputs.
    """

    def __init__(
        self, inputs: int, outputs: int, activation: str = "Tanh", bias: bool = True, residual: bool = False
    ) -> None:
        super().__init__()
        self.linear = nn.Linear(inputs, outputs, bias=bias)
        self.activation = getattr(nn, activation)()
        self.adds = residual
        if residual and inputs != outputs:
            self.residual = nn.Linear(inputs, outputs, bias=False)

    def forward(self, vectors: Tensor) -> Tensor:
        out = self.activation(self.linear(vectors))
        if not self.adds:
            return out
        return out + (self.residual(vectors) if hasattr(self, "residual") else vectors)


class Normalize(nn.Module):
    """Scale vectors to length 1."""

    def forward(self, vectors: Tensor) -> Tensor:
        return functional.normalize(vectors, dim=-1)


class LayerNorm(nn.Module):
    """Normalise each vector over its dimensions."""

    def __init__(self, dimension: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(dimension)

    def forward(self, vectors: Tensor) -> Tensor:
        return self.norm(vectors)


class Cut(nn.Module):
    """Keep the first dimensions: `truncate_dim` of sentence-transformers, which does not normalise again."""

    def __init__(self, dimensions: int) -> None:
        super().__init__()
        self.dimensions = dimensions

    def forward(self, vectors: Tensor) -> Tensor:
        return vectors[..., : self.dimensions]


def head_of(declared: Declared, inputs: int) -> list[nn.Module]:
    """Load what a folder declares after its pooling, which gives vectors of length `inputs`, as float32.

    Raises a ConfigError for a module that takes others, before its weights are looked at.
    """
    modules: list[nn.Module] = []
    for module in declared.head:
        takes = getattr(module.settings, TAKES.get(module.kind, ""), inputs)
        if takes != inputs:
            raise ConfigError(
                f"encoder '{declared.folder}': its module {module.kind} takes vectors of {takes} "
                f"dimensions, but gets {inputs}. {AGAIN}"
            )
        inputs = getattr(module.settings, "out_features", inputs)
        modules.append(LOADERS[module.kind](module))
    cut = declared.whole.truncate_dim
    return [*modules, Cut(cut)] if cut else modules


def output_size(inputs: int, head: Iterable[nn.Module]) -> int:
    """Return the dimensions of vectors after a head."""
    for module in head:
        if isinstance(module, Dense):
            inputs = module.linear.out_features
        elif isinstance(module, Cut):
            inputs = min(inputs, module.dimensions)
    return inputs


def fresh_mlp(width: int, std: float, seed: int) -> Dense:
    """Make SimCSE's MLP head: width -> width, tanh, weights normal with `std`, bias 0.

    It is never the checkpoint's own pooler.  Its weights are a function of `seed` alone.
    """
    head = Dense(width, width)
    draws = torch.Generator().manual_seed(derived_seed("mlp", seed))
    nn.init.normal_(head.linear.weight, std=std, generator=draws)
    nn.init.zeros_(head.linear.bias)
    return head


def trained_mlp(folder: Path) -> Dense:
    """Return a checkpoint's dense layer with tanh on [CLS], as float32; a ConfigError if it has none."""
    for path in sorted(folder.glob("*.safetensors")):
        with safetensors.safe_open(path, framework="pt") as file:
            for name in file.keys():  # noqa: SIM118 (no dict)
                if f".{name}".endswith(tuple(f".{key}.weight" for key in MLP_KEYS)):
                    weight, bias = (file.get_tensor(name.removesuffix("weight") + each) for each in MLP_PARTS)
                    dense = Dense(weight.shape[1], weight.shape[0])
                    dense.linear.load_state_dict({"weight": weight.float(), "bias": bias.float()})
                    return dense
    raise ConfigError(
        f"encoder '{folder}' has no dense layer for [CLS] ({' or '.join(MLP_KEYS)}). Set pooling to "
        "cls_before_pooler, which is also right for checkpoints of unsupervised SimCSE."
    )


def flow_of(path: Path, settings: FlowFile) -> Glow:
    """Return the flow that a module's folder holds."""
    steps, tensors = settings.levels * settings.depth, len(tensor_names(path))
    if steps > tensors:
        raise ConfigError(
            f"{path}: its config.json declares {steps} steps, but its {WEIGHTS} has {tensors} "
            f"tensors. {AGAIN}"
        )
    with torch.device("meta"):  # takes no memory until the weights are known to fit
        flow = Glow(**settings.model_dump(include={"size", "levels", "depth", "width"}))
    return _loaded(flow, path)


def _dense(module: HeadModule) -> Dense:
    settings = module.settings
    assert isinstance(settings, DenseFile)
    name = settings.activation_function.rsplit(".", 1)[-1]
    try:
        size = getattr(nn, name)()(torch.zeros(1, 2)).shape
    except (AttributeError, TypeError, NotImplementedError):  # of other arguments, or a base class
        size = None
    if size != (1, 2):
        raise ConfigError(
            f"{module.path}: PyTorch has no activation function {name} for single numbers without "
            f"settings. {AGAIN}"
        )
    _check_size(module.path, "linear.weight", [settings.out_features, settings.in_features])
    sizes = (settings.in_features, settings.out_features)
    return _loaded(Dense(*sizes, name, settings.bias, settings.use_residual), module.path)


def _layer_norm(module: HeadModule) -> LayerNorm:
    assert isinstance(module.settings, LayerNormFile)
    _check_size(module.path, "norm.weight", [module.settings.dimension])
    return _loaded(LayerNorm(module.settings.dimension), module.path)


def _dropout(module: HeadModule) -> nn.Dropout:
    assert isinstance(module.settings, DropoutFile)
    return nn.Dropout(module.settings.dropout)


def _flow(module: HeadModule) -> Glow:
    assert isinstance(module.settings, FlowFile)
    return flow_of(module.path, module.settings)


LOADERS: dict[str, Callable[[HeadModule], nn.Module]] = {
    "Dense": _dense,
    "Normalize": lambda module: Normalize(),
    "LayerNorm": _layer_norm,
    "Dropout": _dropout,
    "FlowModule": _flow,
}


def _check_size(path: Path, name: str, size: list[int]) -> None:
    """Refuse weights of another size before a module of the declared one takes memory."""
    try:
        if not (path / WEIGHTS).is_file():
            raise FileNotFoundError("the file does not exist")
        with safetensors.safe_open(path / WEIGHTS, framework="pt") as file:
            found = file.get_slice(name).get_shape()
    except (OSError, safetensors.SafetensorError) as error:
        raise ConfigError(
            f"{path}: its {WEIGHTS} with {name} cannot be read ({error}). Contrapose never reads "
            f"pickles. {AGAIN}"
        ) from error
    if found != size:
        raise ConfigError(
            f"{path}: the shape of {name} is {found} in its {WEIGHTS}, but {size} according to its "
            f"config.json. {AGAIN}"
        )


def _loaded(module: M, path: Path) -> M:
    try:
        weights = {name: each.float() for name, each in load_file(path / WEIGHTS).items()}
        module.load_state_dict(weights, assign=True)
    except (OSError, RuntimeError, safetensors.SafetensorError) as error:
        raise ConfigError(f"{path}: its {WEIGHTS} does not fit its config.json ({error}). {AGAIN}") from error
    return module
