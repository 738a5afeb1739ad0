"""One batch over several processes: who encodes what, and how the parts become one loss and one gradient.

Every process computes the whole loss from the vectors of all, which costs next to nothing, and sends back
the gradient of its own vectors alone: so the sum of the processes' gradients is that of one process with
the whole batch.
"""

import logging
from functools import cache
from typing import Any, cast

import torch
from accelerate import Accelerator
from accelerate.state import AcceleratorState
from torch import Tensor, distributed, nn

from contrapose.errors import ConfigError
from contrapose.settings.spec import Precision
from contrapose.train.devices import USED, chosen_device, chosen_precision

logger = logging.getLogger(__name__)


def _many() -> bool:
    return ranks() > 1


def ranks() -> int:
    """Return the number of processes of this training."""
    there = distributed.is_available() and distributed.is_initialized()
    return distributed.get_world_size() if there else 1


def is_first() -> bool:
    """Whether this process is the one that selects and writes."""
    return not _many() or distributed.get_rank() == 0


def share(rows: int) -> slice:
    """Return the rows of a batch that this process encodes: all of them, if it is the only one."""
    if not _many():
        return slice(0, rows)
    rank, ranks = distributed.get_rank(), distributed.get_world_size()
    return slice(rows * rank // ranks, rows * (rank + 1) // ranks)


class _Gathered(torch.autograd.Function):
    """The rows of all processes; backward, the gradient of the own ones."""

    @staticmethod
    def forward(context: Any, own: Tensor, at: slice, rows: int) -> Tensor:
        """Add up what is 0 but for the own rows: (n, ...) to (rows, ...)."""
        context.at = at
        whole = own.new_zeros(rows, *own.shape[1:])
        whole[at] = own
        distributed.all_reduce(whole)
        return whole

    @staticmethod
    def backward(context: Any, *gradients: Tensor) -> tuple[Tensor, None, None]:
        """Every process has the gradient of the whole loss."""
        return gradients[0][context.at], None, None


def gathered(own: Tensor, at: slice, rows: int) -> Tensor:
    """Return the vectors of the whole batch in its order, on every process.

    `own` are the vectors of this process, (n, ...), and `at` is where they belong in the `rows` of the batch.
    """
    return _Gathered.apply(own, at, rows) if _many() else own


def sum_gradients(module: nn.Module) -> None:
    """Replace each gradient by its sum over all processes.  All of them must have the same ones."""
    if not _many():
        return
    gradients = [each.grad for each in module.parameters() if each.grad is not None]
    flat = torch.cat([each.flatten() for each in gradients])  # one message
    distributed.all_reduce(flat)
    for each, total in zip(gradients, flat.split([each.numel() for each in gradients]), strict=True):
        each.copy_(total.view_as(each))


def of_first(answer: bool, device: torch.device) -> bool:
    """Return the answer of the first process, on every process."""
    if not _many():
        return answer
    told = torch.tensor(int(answer), device=device)
    distributed.broadcast(told, 0)
    return bool(told.item())


@cache
def _talk() -> Any:
    """Return the group in which processes talk without their devices, which may have a lot to do."""
    return distributed.new_group(backend="gloo")


def any_of(answer: bool) -> bool:
    """Return whether the answer of any process is yes, on every process.  Takes 0.2 ms, and no device."""
    if not _many():
        return answer
    told = torch.tensor(int(answer))
    distributed.all_reduce(told, distributed.ReduceOp.MAX, group=_talk())
    return bool(told)


def give_all(module: nn.Module) -> None:
    """Give every process the weights of the first."""
    if _many():
        for each in module.state_dict().values():
            distributed.broadcast(each, 0)


def accelerator_on(device: str, precision: str) -> Accelerator:
    """Return what brings a training to a device, in a precision: that of a recipe, or `auto`.

    Raises ConfigError if the device is not there, or cannot do that.
    """
    where = chosen_device(device)
    if precision == "fp16" and where.type == "cpu":
        raise ConfigError(
            "recipe: precision fp16 needs a GPU and the device is cpu. Use precision float32 or bf16."
        )
    if precision == "fp16":
        USED.add(precision)
    else:
        precision = "bf16" if chosen_precision(cast(Precision, precision), where) == torch.bfloat16 else "no"
    # Accelerate keeps the precision of the first training of a process and refuses another one.
    AcceleratorState._reset_state(reset_partial_state=True)
    accelerator = Accelerator(cpu=where.type == "cpu", mixed_precision=precision)
    if ranks() > 1:
        logger.info("process %d of %d, on %s", accelerator.process_index, ranks(), accelerator.device)
    return accelerator
