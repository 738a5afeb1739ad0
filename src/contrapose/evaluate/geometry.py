"""How vectors lie on the sphere: alignment and uniformity.  Wang and Isola, 2020."""

from typing import Annotated

import numpy as np
import pandas as pd

from contrapose.base.errors import TableError
from contrapose.base.tasks import Task
from contrapose.evaluate.evaluation import RunSettings, Source, plan, sentence_vectors
from contrapose.jobs.step import Device, Rows
from contrapose.models.cosines import paired_cosines
from contrapose.tables import BENCHMARK, GEOMETRY

__all__ = ["build", "plan"]  # planned as every evaluation

TASK: Task = "stsb"  # the set on which SimCSE and the thesis measure both
NEAR = 4.0  # pairs with a gold score above it, strictly, are positive (SimCSE, issue 52)
CELLS = 1_000_000  # numbers per temporary array: 8 MB, and two of them at a time


def alignment(first: np.ndarray, second: np.ndarray) -> float:
    """Return the mean of d^2 over positive pairs, where d is the distance of their normalised vectors.

    In [0, 4], lower is better; also 0 if all vectors are the same: never interpret it without the uniformity.
    The vectors have shape (n, D), n > 0, else a TableError, and any length; one of zeros counts as at a right
    angle to every other.
    """
    if not len(first):
        raise TableError("alignment needs at least one positive pair. Give one.")
    return float(np.mean(2 - 2 * paired_cosines(first, second)))  # d^2 = 2 - 2 cos


def uniformity(vectors: np.ndarray) -> float:
    """Return the log of the mean of exp(-2 d^2) over all pairs of vectors, d their normalised distance.

    In [-8, 0], lower is better.  The vectors have shape (n, D), n > 1, else a TableError, and any length; one
    of zeros counts as at a right angle to every other.

    Exact, in float64: each block of rows is compared with itself and later rows, so each pair counts once.
    Memory: 16 D bytes per vector, and two arrays of `CELLS` numbers (of n, if that is more).
    """
    n = len(vectors)
    if n < 2:
        raise TableError(f"uniformity needs at least two vectors, but there are {n}. Give more.")
    unit = vectors.astype(np.float64)
    unit /= np.maximum(np.linalg.norm(unit, axis=1, keepdims=True), np.finfo(float).tiny)
    rows, total = max(1, CELLS // n), 0.0
    for start in range(0, n, rows):
        strip = unit[start : start + rows] @ unit[start:].T  # (rows, n - start), cosines
        strip -= 1
        strip *= 4  # -2 d^2 = 4 cos - 4
        np.exp(strip, out=strip)
        total += float(np.triu(strip, 1).sum())  # row i: the vectors after its own
    return float(np.log(total / (n * (n - 1) / 2)))


def geometry_pairs(benchmarks: pd.DataFrame) -> pd.DataFrame:
    """Return the rows that both are measured on: STS-B, all splits."""
    return benchmarks[benchmarks.task == TASK].reset_index(drop=True)


def geometry(pairs: pd.DataFrame, vectors: np.ndarray, run: str) -> pd.DataFrame:
    """Measure one encoder on every text form and split, and on all splits together.

    Alignment is over the pairs with a gold score above 4, uniformity over the sentences of both sides of all
    pairs, each text once (our choice).  A measure without any pairs has no value.

    `pairs` are numbered from 0; `vectors`, of shape (2n, D), are those of their first sentences, then of the
    second ones.
    """
    rows = []
    for (task, form), of_form in pairs.groupby(["task", "form"], sort=True):
        for split, group in [*of_form.groupby("split", sort=True), ("all", of_form)]:
            at = group.index.to_numpy()
            sides = np.concatenate([at, at + len(pairs)])
            once = pd.Series([*group.sentence1, *group.sentence2]).drop_duplicates().index
            near = at[group.score > NEAR]
            positive, texts = (vectors[near], vectors[near + len(pairs)]), vectors[sides[once]]
            about = {"run": run, "task": task, "form": form, "split": split}
            cells = {
                "alignment": (alignment(*positive) if len(near) else None, len(near)),
                "uniformity": (uniformity(texts) if len(texts) > 1 else None, len(texts)),
            }
            rows += [{**about, "measure": name, "value": value, "n": n} for name, (value, n) in cells.items()]
    return pd.DataFrame(rows, columns=GEOMETRY.columns).astype({"value": float})


def build(
    spec: RunSettings, benchmarks: Annotated[pd.DataFrame, Rows(BENCHMARK)], source: Source, device: Device
) -> Annotated[pd.DataFrame, Rows(GEOMETRY)]:
    """Measure alignment and uniformity of one encoder: one of a run, or a pretrained one."""
    pairs = geometry_pairs(benchmarks)
    vectors, _ = sentence_vectors(spec, source, [*pairs.sentence1, *pairs.sentence2], device)
    return geometry(pairs, vectors, spec.run)
