import math
from functools import partial

import numpy as np
import pandas as pd
import pytest

from contrapose.base.errors import TableError
from contrapose.evaluate import geometry as module
from contrapose.evaluate.geometry import alignment, geometry, geometry_pairs, uniformity
from contrapose.tables import BENCHMARK, GEOMETRY, write_table

RIGHT, UP, BETWEEN = [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]


def brute_force(vectors: np.ndarray) -> float:
    """Take the definition word for word, pair by pair."""
    unit = vectors.astype(float) / np.linalg.norm(vectors.astype(float), axis=1, keepdims=True)
    pairs = [(one, other) for at, one in enumerate(unit) for other in unit[:at]]
    return math.log(math.fsum(math.exp(-2 * np.sum((a - b) ** 2)) for a, b in pairs) / len(pairs))


def test_values_worked_out_by_hand():
    # d^2 = 2 - sqrt 2 between neighbours, 2 between the outer ones.
    assert alignment(np.array([RIGHT]), np.array([BETWEEN])) == pytest.approx(0.585786, abs=1e-6)
    assert uniformity(np.array([RIGHT, UP, BETWEEN])) == pytest.approx(-1.547913, abs=1e-6)
    assert alignment(np.array([RIGHT, RIGHT]), np.array([RIGHT, UP])) == pytest.approx(1)
    assert uniformity(np.array([RIGHT, [-1.0, 0.0]])) == pytest.approx(-8)
    with pytest.raises(TableError, match="alignment needs at least one positive pair"):
        alignment(np.empty((0, 2)), np.empty((0, 2)))
    with pytest.raises(TableError, match="uniformity needs at least two vectors, but there are 1"):
        uniformity(np.array([RIGHT]))


@pytest.mark.parametrize("n", [2, 7, 23])
@pytest.mark.parametrize("cells", [1, 64, 1_000_000])
def test_strips_of_any_height_give_what_every_pair_by_itself_gives(monkeypatch, n, cells):
    monkeypatch.setattr(module, "CELLS", cells)
    vectors = np.random.default_rng(n).normal(size=(n, 5)).astype(np.float32)
    assert uniformity(vectors) == pytest.approx(brute_force(vectors), abs=1e-12)


def test_vectors_that_nearly_coincide_keep_their_digits():
    # Base encoders: the thesis prints a uniformity of -0.0079 for roberta-base.
    rng = np.random.default_rng(0)
    vectors = (rng.normal(size=64) + 1e-3 * rng.normal(size=(40, 64))).astype(np.float32)
    assert -1e-4 < uniformity(vectors) < 0
    assert uniformity(vectors) == pytest.approx(brute_force(vectors), rel=1e-9)


VECTORS = {"a": RIGHT, "b": UP, "c": BETWEEN, "d": [-1.0, 0.0]}


def pairs(*rows) -> pd.DataFrame:
    names = ["task", "form", "split", "sentence1", "sentence2", "score"]
    table = pd.DataFrame(rows, columns=names).assign(subset="stsb", row=range(len(rows)))
    return geometry_pairs(table[BENCHMARK.columns])


ROWS = pairs(
    ("sts12", "senteval", "test", "d", "d", 5.0),
    ("stsb", "senteval", "dev", "a", "c", 4.2),
    ("stsb", "senteval", "dev", "a", "b", 4.0),  # not above 4
    ("stsb", "senteval", "test", "b", "b", 5.0),
    ("stsb", "raw", "dev", "d", "a", 1.0),
)


approx = partial(pytest.approx, abs=1e-6, nan_ok=True)


def test_positives_are_above_four_each_text_counts_once_and_what_cannot_be_measured_has_no_value(tmp_path):
    table = geometry(ROWS, np.array([VECTORS[text] for text in [*ROWS.sentence1, *ROWS.sentence2]]), "r")
    write_table(table, tmp_path / "t.parquet", GEOMETRY)
    found = {(r["form"], r["split"], r["measure"]): (r["value"], r["n"]) for r in table.to_dict("records")}
    assert found == {
        ("senteval", "dev", "alignment"): (approx(2 - math.sqrt(2)), 1),
        ("senteval", "dev", "uniformity"): (approx(-1.547913), 3),
        ("senteval", "test", "alignment"): (approx(0), 1),
        ("senteval", "test", "uniformity"): (approx(math.nan), 1),
        ("senteval", "all", "alignment"): (approx((2 - math.sqrt(2)) / 2), 2),
        ("senteval", "all", "uniformity"): (approx(-1.547913), 3),
        ("raw", "dev", "alignment"): (approx(math.nan), 0),
        ("raw", "dev", "uniformity"): (approx(-8), 2),
        ("raw", "all", "alignment"): (approx(math.nan), 0),
        ("raw", "all", "uniformity"): (approx(-8), 2),
    }
    assert geometry(ROWS[:0], np.empty((0, 2)), "r").empty
