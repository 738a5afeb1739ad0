"""Learning rates against transformers."""

import pytest
import torch
from torch import nn
from transformers import get_scheduler

from contrapose.models.schedule import learning_rate
from contrapose.train.recipe import Recipe

NAMES = {"linear": "linear", "cosine": "cosine", "constant": "constant_with_warmup"}


@pytest.mark.parametrize("schedule", NAMES)
@pytest.mark.parametrize(("warmup", "warm_steps"), [(0.0, 0), (0.05, 3), (0.1, 5), (0.25, 12)])
def test_the_rates_are_those_of_transformers(schedule, warmup, warm_steps):
    recipe = Recipe(learning_rate=3e-5, schedule=schedule, warmup_ratio=warmup)
    optimiser = torch.optim.SGD([nn.Parameter(torch.zeros(1))], lr=3e-5)
    theirs = get_scheduler(NAMES[schedule], optimiser, num_warmup_steps=warm_steps, num_training_steps=47)
    for step in range(47):
        assert learning_rate(step, 47, recipe) == pytest.approx(theirs.get_last_lr()[0], rel=1e-12)
        optimiser.step()
        theirs.step()
