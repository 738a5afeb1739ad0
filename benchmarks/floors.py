"""What the ratio to a peer has to be at least, for the two kinds of machines of docs/performance.md."""

from collections.abc import Sequence

import torch

from benchmarks.compare import Comparison

AVX2, AVX512 = "AVX2", "AVX-512"  # columns of the table in docs/performance.md

# Item and peer -> column -> theirs / ours, CPU time, median of the rounds.  Set beforehand as what the work
# should reach, not from what it did.
FLOORS = {
    ("encode", "sentence-transformers encode"): {AVX2: 1.6, AVX512: 2.3},
    ("train_step", "SimCSE's loop on the Trainer"): {AVX2: 1.7, AVX512: 3.0},
    ("train_step", "sentence-transformers trainer"): {AVX2: 1.65, AVX512: 3.0},
}


def column(flags: Sequence[str]) -> dict[str, str]:
    """Return the machine's column, and whether it stands in for such a machine, for the report.

    Parameters
    ----------
    flags : sequence of str
        Of the processor.  If it has AVX-512 and PyTorch does not use it, the environment holds it to AVX2.
    """
    if torch.backends.cpu.get_cpu_capability().startswith("AVX512"):
        return {"column": AVX512}
    return {"column": AVX2} | ({"stand-in": "a processor with AVX-512"} if "avx512f" in flags else {})


def floor(comparison: Comparison, column: object) -> float | None:
    """Return the least ratio that is allowed; None if there is no floor."""
    if comparison.clock != "cpu":  # the steady one
        return None
    return FLOORS.get((comparison.name, comparison.peer), {}).get(str(column))


def below(comparison: Comparison, column: object) -> bool:
    """Whether the ratio is below its floor."""
    least = floor(comparison, column)
    return least is not None and comparison.ratio.median < least


def verdict(comparison: Comparison, column: object) -> str:
    """Return floor and verdict as two cells of a table."""
    least = floor(comparison, column)
    if least is None:
        return " | "
    return f"{least:.2f} | {'BELOW' if below(comparison, column) else 'met'}"
