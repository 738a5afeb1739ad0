"""A normalising flow: an invertible map to a space where vectors are standard normal.

Kingma and Dhariwal, "Glow" (2018), for vectors instead of images, as in BERT-flow.  FL stands for BERT-flow's
code, bohanli/BERT-flow: `flow/glow_ops_1x1.py`, `flow/config/config_l3_d3_w32.json`.
"""

import math

import torch
from torch import Tensor, nn

from contrapose.base.errors import ConfigError

LOG_SCALE_FACTOR = 3.0  # a scale is exp(factor x parameter), so the parameter learns faster; FL
SMALLEST_DEVIATION = 1e-6  # added to a standard deviation before dividing by it; FL
FIRST_WEIGHTS = 0.05  # standard deviation of the initial weights of hidden layers; FL


class Affine(nn.Module):
    """Shift and scale every dimension; initially the identity."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.shift = nn.Parameter(torch.zeros(size))
        self.log_scale = nn.Parameter(torch.zeros(size))

    def forward(self, vectors: Tensor) -> Tensor:
        return (vectors + self.shift) * torch.exp(LOG_SCALE_FACTOR * self.log_scale)

    def inverse(self, vectors: Tensor) -> Tensor:
        return vectors * torch.exp(-LOG_SCALE_FACTOR * self.log_scale) - self.shift


class ActNorm(Affine):
    """An affine map, initialised to standardise a first batch."""

    def standardise(self, vectors: Tensor) -> None:
        """Make `forward` give these vectors, of shape (B, D), mean 0 and variance 1 in every dimension."""
        deviation = vectors.std(dim=0, correction=0) + SMALLEST_DEVIATION
        self.shift.copy_(-vectors.mean(dim=0))
        self.log_scale.copy_(-deviation.log() / LOG_SCALE_FACTOR)


class GlowStep(nn.Module):
    """Standardise, reverse the order of the dimensions, shift their second half by a network of the first.

    Glow has a learned rotation where this reverses (`permutation` in FL's configuration), and scales where
    this shifts only (`coupling: additive`).

    `size`, the number of dimensions, is even; `width` is the number of hidden units of the network, whose
    initial weights are drawn from `draws`, or from PyTorch's global generator.
    """

    def __init__(self, size: int, width: int, draws: torch.Generator | None) -> None:
        super().__init__()
        half = size // 2
        sizes = ((half, width), (width, width), (width, half))
        one, two, last = (nn.Linear(*each, bias=False) for each in sizes)
        for hidden in (one, two):
            nn.init.normal_(hidden.weight, std=FIRST_WEIGHTS, generator=draws)
        nn.init.zeros_(last.weight)  # initially no shift
        self.norm = ActNorm(size)
        self.network = nn.Sequential(
            one, ActNorm(width), nn.ReLU(), two, ActNorm(width), nn.ReLU(), last, Affine(half)
        )

    def forward(self, vectors: Tensor) -> Tensor:
        first, second = self.norm(vectors).flip(-1).chunk(2, dim=-1)
        return torch.cat([first, second + self.network(first)], dim=-1)

    def inverse(self, vectors: Tensor) -> Tensor:
        first, second = vectors.chunk(2, dim=-1)
        return self.norm.inverse(torch.cat([first, second - self.network(first)], dim=-1).flip(-1))


class Glow(nn.Module):
    """A flow of several levels; after each level but the last, half of the dimensions are final.

    Each level has `depth` steps; `size`, the number of dimensions, is a multiple of 2^levels, else a
    ConfigError.  `width` and `draws` are as for `GlowStep`.
    """

    def __init__(
        self, size: int, levels: int, depth: int, width: int, draws: torch.Generator | None = None
    ) -> None:
        super().__init__()
        if size % 2**levels:
            raise ConfigError(
                f"recipe: levels is {levels}, but vectors of {size} dimensions cannot be halved so "
                "often. Lower levels."
            )
        self.sizes = {"size": size, "levels": levels, "depth": depth, "width": width}
        self.steps = nn.ModuleList(
            GlowStep(size // 2**level, width, draws) for level in range(levels) for _ in range(depth)
        )

    def forward(self, vectors: Tensor) -> Tensor:
        """Map vectors to the latent space, (B, D) to (B, D).  Dimensions that are final first come first."""
        done = []
        for number, step in enumerate(self.steps):
            if self._opens_level(number):
                vectors, latents = vectors.chunk(2, dim=-1)
                done.append(latents)
            vectors = step(vectors)
        return torch.cat([*done, vectors], dim=-1)

    def inverse(self, latents: Tensor) -> Tensor:
        done = []
        for _ in range(self.sizes["levels"] - 1):
            half, latents = latents.chunk(2, dim=-1)
            done.append(half)
        vectors = latents
        for number, step in reversed(list(enumerate(self.steps))):
            vectors = step.inverse(vectors)  # type: ignore[operator]
            if self._opens_level(number):
                vectors = torch.cat([vectors, done.pop()], dim=-1)
        return vectors

    def _opens_level(self, number: int) -> bool:
        return number > 0 and number % self.sizes["depth"] == 0

    def log_determinant(self) -> Tensor:
        """Return log |det| of the Jacobian of `forward`: constant, as only the norms change volumes."""
        norms = [step.norm.log_scale.sum() for step in self.steps]  # type: ignore[union-attr, operator]
        return LOG_SCALE_FACTOR * torch.stack(norms).sum()

    def log_likelihood(self, vectors: Tensor) -> Tensor:
        """Return the log densities of vectors, (B, D) to (B,), in nats, for standard normal latents."""
        normal = -0.5 * (self(vectors).square() + math.log(2 * math.pi)).sum(dim=-1)
        return normal + self.log_determinant()

    @torch.no_grad()
    def standardise(self, vectors: Tensor) -> None:
        """Initialise every ActNorm from a first batch, of shape (B, D), to standardise its inputs."""
        norms = [each for each in self.modules() if isinstance(each, ActNorm)]
        hooks = [
            norm.register_forward_pre_hook(lambda norm, inputs: norm.standardise(*inputs)) for norm in norms
        ]
        self(vectors)
        for hook in hooks:
            hook.remove()
