"""Read the tensors of an untrusted pickle, and write them as safetensors.

A pickle can call any function.  PyTorch's reader with `weights_only` allows only those for tensors and
refuses all others before a call.  `contrapose.tools.convert` runs this module in a separate process.
"""

import sys
from pathlib import Path
from pickle import UnpicklingError

import torch
from safetensors.torch import save_file
from torch import Tensor

# Names of LayerNorm's parameters until version 0.4 of pytorch-pretrained-bert, which old checkpoints have.
OLD_NAMES = {"gamma": "weight", "beta": "bias"}


def tensors_of(path: Path) -> dict[str, Tensor]:
    """Return the tensors of a state dict by name, each with its own memory, LayerNorm's by today's names.

    Raises ValueError if the file is no pickle of PyTorch, is refused, or is no mapping of names to tensors.
    """
    try:
        state = torch.load(path, map_location="cpu", weights_only=True)
    except (UnpicklingError, RuntimeError, EOFError, KeyError) as error:
        raise ValueError(
            f"the file is refused, and none of its code was run: {str(error).splitlines()[0]}"
        ) from error
    if not isinstance(state, dict) or not all(isinstance(each, Tensor) for each in state.values()):
        raise ValueError("the file contains more than named tensors, so it is not a state dict")
    return {today(name): each.detach().clone().contiguous() for name, each in state.items()}


def today(name: str) -> str:
    """Return the name of a weight of LayerNorm in today's versions of transformers."""
    before, _, last = name.rpartition(".")
    return f"{before}.{OLD_NAMES[last]}" if before.endswith("LayerNorm") and last in OLD_NAMES else name


if __name__ == "__main__":
    try:
        save_file(tensors_of(Path(sys.argv[1])), sys.argv[2], metadata={"format": "pt"})
    except ValueError as error:
        sys.exit(str(error))
