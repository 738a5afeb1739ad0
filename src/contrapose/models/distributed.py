"""One batch over several processes: each encodes a share, and together they get one loss and one gradient.

Every process computes the whole loss from the gathered vectors, which costs next to nothing, and
backpropagates through its own vectors only.  So the sum of the processes' gradients equals the gradient of
one process with the whole batch.
"""

import logging
from collections.abc import Callable
from functools import cache
from typing import Any

import torch
from accelerate import Accelerator
from accelerate.state import AcceleratorState
from torch import Tensor, distributed, nn

from contrapose.models.devices import chosen_device, chosen_precision
from contrapose.settings.spec import Precision

logger = logging.getLogger(__name__)

MIXED = {torch.float32: "no", torch.bfloat16: "bf16", torch.float16: "fp16"}  # accelerate's names


def ranks() -> int:
    """Return the number of processes of this training run."""
    started = distributed.is_available() and distributed.is_initialized()
    return distributed.get_world_size() if started else 1


def is_first() -> bool:
    """Whether this process is the one that selects checkpoints and writes files."""
    return ranks() == 1 or distributed.get_rank() == 0


class _Gathered(torch.autograd.Function):
    """Gather the rows of all processes; backward, each has the gradient of the whole loss for its own."""

    @staticmethod
    def forward(context: Any, rows_here: Tensor, at: slice, rows: int) -> Tensor:
        context.at = at
        whole = rows_here.new_zeros(rows, *rows_here.shape[1:])
        whole[at] = rows_here
        distributed.all_reduce(whole)
        return whole

    @staticmethod
    def backward(context: Any, *gradients: Tensor) -> tuple[Tensor, None, None]:
        return gradients[0][context.at], None, None


def encoded_by_shares(rows: int, encode: Callable[[slice], Tensor]) -> Tensor:
    """Return the vectors of a batch of rows, (rows, ...), on every process; each encodes its share of them.

    `encode` gives the vectors of consecutive rows.
    """
    if ranks() == 1:
        return encode(slice(0, rows))
    rank = distributed.get_rank()
    first, end = rows * rank // ranks(), rows * (rank + 1) // ranks()
    # A process without rows encodes one all the same, so that it has zero gradients for the sum.
    vectors = encode(slice(first, end) if first < end else slice(0, 1))
    return _Gathered.apply(vectors[: end - first], slice(first, end), rows)


def sum_gradients(module: nn.Module) -> None:
    """Replace each gradient by its sum over all processes.  The same parameters must have one on each."""
    if ranks() == 1:
        return
    gradients = [each.grad for each in module.parameters() if each.grad is not None]
    joined = torch.cat([each.flatten() for each in gradients])  # one message
    distributed.all_reduce(joined)
    for each, total in zip(gradients, joined.split([each.numel() for each in gradients]), strict=True):
        each.copy_(total.view_as(each))


@cache
def _talk() -> distributed.ProcessGroup:
    """Return a process group that communicates without the devices, which may be busy."""
    return distributed.new_group(backend="gloo")


def any_of(answer: bool) -> bool:
    """Return, on every process, whether any process answered yes.  Takes 0.2 ms and uses no device."""
    if ranks() == 1:
        return answer
    message = torch.tensor(int(answer))
    distributed.all_reduce(message, distributed.ReduceOp.MAX, group=_talk())
    return bool(message)


def give_all(module: nn.Module) -> None:
    """Copy the weights of the first process to all others."""
    if ranks() > 1:
        for each in module.state_dict().values():
            distributed.broadcast(each, 0)


def accelerator_on(device: str, precision: Precision) -> Accelerator:
    """Return the Accelerator for training on a device in a precision: that of a recipe, or of the config.

    Raises ConfigError if the device is not available, or does not support the precision.
    """
    where = chosen_device(device)
    mixed = MIXED[chosen_precision(precision, where, of_encoder=True)]
    # Accelerate keeps the precision of a process's first training run and refuses another one.
    AcceleratorState._reset_state(reset_partial_state=True)
    accelerator = Accelerator(cpu=where.type == "cpu", mixed_precision=mixed)
    if ranks() > 1:
        logger.info("process %d of %d, on %s", accelerator.process_index, ranks(), accelerator.device)
    return accelerator
