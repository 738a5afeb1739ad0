"""All curves, and their points in processes of their own."""

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from benchmarks.curves import generation, matching, planning, sampling, stages, training
from benchmarks.curves.measure import Curve, Taken, measured

FIGURES: dict[str, dict[str, Curve]] = {
    "training": training.CURVES,
    "sampling": sampling.CURVES,
    "matching": matching.CURVES,
    "generation": generation.CURVES,
    "planning": planning.CURVES,
    "stages": stages.CURVES,
}
CURVES = {name: curve for curves in FIGURES.values() for name, curve in curves.items()}

# Its imports are done once; each process is a fork that has seen no work.
FORKS = get_context("forkserver")
FORKS.set_forkserver_preload([__name__])


def taken_alone(name: str, x: int, folder: Path) -> Taken:
    """Measure one size of a curve in a process of its own."""
    with ProcessPoolExecutor(1, mp_context=FORKS) as process:
        return process.submit(_taken, name, x, folder).result()


def _taken(name: str, x: int, folder: Path) -> Taken:
    return measured(CURVES[name], x, folder)
