"""Learning rates and the optimiser."""

import math
from collections.abc import Callable

import torch
from torch import nn

from contrapose.settings.recipes import EncoderRecipe

BETAS = (0.9, 0.999)  # transformers' Trainer, which SimCSE uses
EPSILON = 1e-8  # the same


def learning_rate(step: int, steps: int, recipe: EncoderRecipe) -> float:
    """Return the learning rate of one optimiser step.

    Steps count from 0, and the decay ends with the last of them.  `warmup_ratio` is a share of the
    steps, rounded up; linear and cosine end at 0 after the last step.
    """
    rising = math.ceil(recipe.warmup_ratio * steps)
    if step < rising:
        return recipe.learning_rate * step / rising
    done = (step - rising) / max(1, steps - rising)  # in [0, 1)
    return recipe.learning_rate * SCHEDULES[recipe.lr_scheduler_type](done)


SCHEDULES: dict[str, Callable[[float], float]] = {
    "linear": lambda done: 1 - done,
    "cosine": lambda done: (1 + math.cos(math.pi * done)) / 2,
    "constant": lambda done: 1.0,
}


def adamw(model: nn.Module, recipe: EncoderRecipe) -> torch.optim.AdamW:
    """Return AdamW with weight decay on everything but biases and layer norms, as transformers' Trainer.

    Frozen parameters are left out.  PyTorch adds epsilon after the bias correction of the second moment; the
    Trainer at the time of SimCSE did before it.  With epsilon 1e-8 that changes only the first few steps.
    """
    norms = {
        id(each) for part in model.modules() if isinstance(part, nn.LayerNorm) for each in part.parameters()
    }
    decayed: list[nn.Parameter] = []
    plain: list[nn.Parameter] = []
    for name, parameter in model.named_parameters():
        if parameter.requires_grad:
            exempt = name.endswith("bias") or id(parameter) in norms
            (plain if exempt else decayed).append(parameter)
    groups = [
        {"params": decayed, "weight_decay": recipe.weight_decay},
        {"params": plain, "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups, lr=recipe.learning_rate, betas=BETAS, eps=EPSILON, fused=True)
