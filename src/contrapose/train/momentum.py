"""ESimCSE's momentum contrast: anchors of earlier batches, by an averaged encoder, are further negatives.

Wu et al. (2022), section 3.2, and caskcsg/sentemb @5eeec55, `ESimCSE/esimcse/models.py` and `trainers.py`.
"""

import copy

import torch
from torch import Tensor, nn

from contrapose.encoders.encoder import SentenceEncoder


class MomentumQueue(nn.Module):
    """The last vectors of anchors, (Q, D), zeros where there are none yet, and the encoder that makes them.

    That encoder is a moving average of the trained one, without dropout.  Its head is the trained one itself,
    as in the authors' code.  All of it is in the state of the module, so checkpoints have it.
    """

    vectors: Tensor

    def __init__(self, encoder: SentenceEncoder, size: int, momentum: float) -> None:
        super().__init__()
        self.momentum = momentum
        self.encoder = copy.deepcopy(encoder)
        self.encoder.head = encoder.head
        self.encoder.model.requires_grad_(False).eval()
        some = next(encoder.parameters())
        zeros = torch.zeros(size, encoder.dimensions, dtype=some.dtype, device=some.device)
        self.register_buffer("vectors", zeros)

    @torch.no_grad()
    def follow(self, encoder: SentenceEncoder) -> None:
        """Average the weights: momentum x old + (1 - momentum) x those of the trained encoder."""
        own, theirs = (list(each.model.parameters()) for each in (self.encoder, encoder))
        torch._foreach_lerp_(own, theirs, 1 - self.momentum)

    def add(self, vectors: Tensor) -> None:
        """Put the vectors of a batch, (B, D), behind the others; the oldest leave."""
        self.vectors = torch.cat([self.vectors, vectors.to(self.vectors.dtype)])[-len(self.vectors) :]

    def clear(self) -> None:
        self.vectors = torch.zeros_like(self.vectors)
