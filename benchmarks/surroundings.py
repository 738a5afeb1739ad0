"""What every benchmark runs in: one thread, no GPU, no network."""

import os
import sys

from contrapose.jobs.allocator import NEVER

# Read when NumPy, PyTorch and tokenizers are first imported.
SURROUNDINGS = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "RAYON_NUM_THREADS": "1",  # of Rust tokenizers
    "TOKENIZERS_PARALLELISM": "false",
    "CUDA_VISIBLE_DEVICES": "",  # everything is measured on the CPU
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_VERBOSITY": "error",
    "TQDM_DISABLE": "1",  # nobody's time holds progress bars
    "ARROW_DEFAULT_MEMORY_POOL": "system",  # as in the jobs of the workflow
    "MALLOC_MMAP_MAX_": "0",  # as in the jobs of the workflow, see keep_freed_memory; peers have it, too
    "MALLOC_TRIM_THRESHOLD_": str(NEVER),
}


def start_in_them(module: str) -> None:
    """Start `python -m module` again if this process has other surroundings: NumPy is imported by now."""
    if os.environ | SURROUNDINGS != os.environ:
        command = [sys.executable, "-m", module, *sys.argv[1:]]
        os.execve(sys.executable, command, os.environ | SURROUNDINGS)
