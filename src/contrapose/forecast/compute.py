"""The arithmetic of encoders: parameters, floating point operations, and hours on a device."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from contrapose.errors import ConfigError
from contrapose.ids import canonical_id, named
from contrapose.plan import Plan
from contrapose.project import encoder_files
from contrapose.settings.spec import Spec, validated
from contrapose.settings.worlds import (
    EncoderHub,
    PretrainedEncoder,
    RinnaEncoder,
    Shape,
    TrainedRun,
    TrainedVectors,
    VectorsFile,
)

S = TypeVar("S", bound=Spec)

# Peak of a GPU in 10^12 operations a second: half precision with float32 sums, without sparsity, and
# float32, which PyTorch does not round to TF32 unless told to.  NVIDIA's data sheets of the SXM boards.
GPUS = {"a100": (312.0, 19.5), "h100": (989.0, 67.0), "h200": (989.0, 67.0)}
# Share of the peak that a training reaches: an assumption.  Chowdhery et al. 2022 (PaLM), Table 3, give 0.21
# to 0.46 for large language models; these encoders are smaller.
UTILISATION = 0.3
CONFIG = "config.json"
FEED_FORWARD = 4  # widths of a layer inside its feed-forward part, as in BERT and `train/pretraining.py`
BACKWARD = 2  # forward passes that a backward pass costs: gradients of weights and of inputs


@dataclass(frozen=True)
class Device:
    """How fast the encoders run."""

    name: str
    half: float  # peak in fp16 or bf16, 10^12 operations a second
    single: float  # peak in float32, likewise
    utilisation: float = UTILISATION  # share of the peak that is reached

    def hours(self, flops: float, precision: str = "no") -> float:
        """Return the hours that operations take in the `precision` of a recipe: no, fp16 or bf16."""
        peak = self.single if precision == "no" else self.half
        return flops / (peak * 1e12 * self.utilisation) / 3600

    def __str__(self) -> str:
        peaks = f"{self.half:g} TFLOPS in half precision, {self.single:g} in float32"
        return f"{self.name} ({peaks}), of which {self.utilisation:.0%} are reached"


def gpu(name: str = "a100", utilisation: float = UTILISATION) -> Device:
    """Return a GPU of GPUS."""
    return Device(name.upper(), *GPUS[name], utilisation)


def forward_flops(shape: Shape, tokens: float) -> float:
    """Return the operations of one forward pass of one sentence.

    Per token and layer, with width d and f inside the feed-forward layer: 2 (4 d^2 + 2 d f) for the weights
    (query, key, value, output; up, down) and 4 T d for the attention over T tokens.  A multiplication and an
    addition are two operations.  Embeddings, norms, activations and the head on one token are left out.
    """
    d, f = shape.hidden_size, shape.intermediate_size
    weights = 2 * (4 * d * d + 2 * d * f)
    return shape.num_hidden_layers * tokens * (weights + 4 * tokens * d)


def training_flops(shape: Shape, tokens: float) -> float:
    """Return the operations of one sentence in training: forward, and twice as much backward."""
    return (1 + BACKWARD) * forward_flops(shape, tokens)


def parameters(shape: Shape) -> int:
    """Return the parameters of a BERT or RoBERTa encoder without its pooling layer."""
    d, f = shape.hidden_size, shape.intermediate_size
    norm = 2 * d
    embeddings = (shape.vocab_size + shape.max_position_embeddings + shape.type_vocab_size) * d + norm
    attention, feed_forward = 4 * (d * d + d) + norm, (d * f + f) + (f * d + d) + norm
    return embeddings + shape.num_hidden_layers * (attention + feed_forward)


def shape_of(plan: Plan, role: str) -> Shape | None:
    """Return the shape of the encoder that plays a role, or None if nothing says it or it is word vectors.

    That of the folder's config.json; for a model of the hub that of the world file, against which the
    config.json is held if the model is in the hub's cache.  Nothing is fetched.

    Raises
    ------
    ConfigError
        The world file and the cached model differ.
    """
    source = named(plan.world.encoders, role, "encoders of the world")
    if isinstance(source, VectorsFile | TrainedVectors):
        return None
    if isinstance(source, PretrainedEncoder):
        return Shape(
            num_hidden_layers=source.layers,
            hidden_size=source.hidden,
            intermediate_size=FEED_FORWARD * source.hidden,
            vocab_size=source.vocabulary,
            max_position_embeddings=source.positions,
            type_vocab_size=2 if source.architecture == "bert" else 1,
        )
    if isinstance(source, TrainedRun):
        return shape_of(plan, plan.recipe(canonical_id(source.recipe, plan.recipes.recipes)).encoder)
    if isinstance(source, RinnaEncoder):
        folder = "" if source.shape else plan.rinna_encoder_folder(role)
        return read_shape(str(Path(folder) / CONFIG), Shape) if folder else source.shape
    if not isinstance(source, EncoderHub):
        files = (path for path in encoder_files(plan.encoder(role).folder or "") if Path(path).name == CONFIG)
        return next(filter(None, (read_shape(path, Shape) for path in files)), None)
    if plan.from_nothing and source.shape:
        return source.shape
    cached = _cached_shape(source.model, source.revision)
    if source.shape and cached and source.shape != cached:
        raise ConfigError(
            f"config/worlds/{plan.world_name}.yaml: encoders.{role}.shape is {source.shape}, but the "
            f"{CONFIG} of {source.model} says {cached}. Correct it, or leave it out."
        )
    return source.shape or cached


def _cached_shape(model: str, revision: str) -> Shape | None:
    from huggingface_hub import try_to_load_from_cache

    path = try_to_load_from_cache(model, CONFIG, revision=revision)
    return read_shape(path, Shape) if isinstance(path, str) else None


def read_shape(path: str, kind: type[S]) -> S | None:
    """Return the shape that a config.json tells in the words of a kind; None for one in other words."""
    config = json.loads(Path(path).read_text(encoding="utf-8"))
    known = {name: config[name] for name in kind.model_fields if name in config}
    return validated(kind, known, path) if len(known) == len(kind.model_fields) else None
