"""Curves of growth: fitting, measuring and reporting, on work whose growth is known."""

from pathlib import Path

import numpy as np
import pytest

from benchmarks.curves.laws import INVERSE, LINEAR, SQUARE, fitted
from benchmarks.curves.measure import Curve, Taken, curve_points, measured, spreads
from benchmarks.curves.report import TABLE, amount, as_markdown, write_report
from benchmarks.memory import forget_peak, peak_megabytes
from contrapose.tables import read_table

X = [1, 10, 100, 1000]


@pytest.mark.parametrize(
    ("law", "constants"), [(LINEAR, [3, 0.5]), (SQUARE, [3, 0.5, 0.01]), (INVERSE, [0.1, 2])]
)
def test_points_on_a_law_give_its_constants(law, constants):
    x = np.array(X, float)
    y = sum(constant * term(x) for constant, term in zip(constants, law.terms, strict=True))
    fit = fitted(law, X, y)
    np.testing.assert_allclose(fit.constants, constants, rtol=1e-6)
    assert abs(fit.furthest) < 1e-6


def test_where_points_leave_a_law_is_told():
    fit = fitted(LINEAR, [1, 2, 4, 8, 16], [1, 2, 4, 8, 64])  # x, and four times as much at the end
    assert fit.furthest_x == 16
    assert fit.furthest > 0
    assert fit.last_power == pytest.approx(3)  # 8 times as much for twice the size


def test_a_small_size_weighs_as_much_as_a_large_one():
    y = [5.0, 1000.0, 2100.0]
    absolute = np.polyval(np.polyfit([1, 1000, 2000], y, 1), 1)
    assert abs(absolute / y[0] - 1) > 1  # misses it by more than itself
    assert fitted(LINEAR, [1, 1000, 2000], y).at[0] == pytest.approx(y[0], rel=0.01)


def test_the_memory_of_work_is_counted_and_that_of_what_was_before_is_not():
    def prepare(x: int, folder: Path):
        held = np.ones(x * 2**17)
        return lambda: np.add(held, held)  # as much again, and a megabyte is 2^17 numbers

    taken = measured(Curve("sums", "MB", (1, 64), prepare, {"megabytes": LINEAR}), 64, Path())
    assert taken.megabytes == pytest.approx(64, abs=3)


def test_a_peak_can_be_forgotten():
    forget_peak()
    before = peak_megabytes()
    np.ones(2**24).sum()  # 128 MB
    assert peak_megabytes() > before + 100
    forget_peak()
    assert peak_megabytes() < before + 30


def test_every_second_round_begins_with_the_largest_size():
    order = []

    def take(x: int, folder: Path) -> Taken:
        order.append(x)
        return Taken(x, 2 * x, 1)

    points = spreads(curve_points((1, 2, 4), 2, take))
    assert order == [1, 2, 4, 4, 2, 1]
    assert points[4]["wall"] == (8, 8, 8)


def test_time_is_told_per_unit_of_work():
    def prepare(x: int, folder: Path):
        return lambda: sum(range(200_000 * x))

    whole, parts = (
        measured(Curve("sums", "n", (1,), prepare, {"cpu": LINEAR}, per), 20, Path()).cpu
        for per in (lambda x: 1, lambda x: 1000)
    )
    assert parts < whole / 100


def test_the_report_holds_the_points_the_law_and_a_figure_that_is_always_the_same(tmp_path):
    curve = Curve("counting", "things", (10, 100), lambda x, folder: lambda: None, {"cpu": LINEAR})
    points = {"count": spreads({10: [Taken(0.02, 1, 1)], 100: [Taken(0.2, 1, 1)]})}
    for folder in (tmp_path / "a", tmp_path / "b"):
        write_report({"group": {"count": curve, "other": curve}}, points, {"cores": 2}, 1, folder)
    assert list(read_table(tmp_path / "a" / "curves.parquet", TABLE).cpu_median) == [0.02, 0.2]
    text = (tmp_path / "a" / "curves.md").read_text()
    assert text == as_markdown({"count": curve}, points, {"cores": 2}, 1)
    assert "| count | things, 10 to 100 | 20 ms to 200 ms CPU | 0 ns + 2 ms x |" in text
    assert (tmp_path / "a" / "group.svg").read_bytes() == (tmp_path / "b" / "group.svg").read_bytes()


def test_amounts_have_the_prefix_that_suits_them():
    assert amount(1.5, "s") == "1.5 s"
    assert amount(0.00042, "s") == "420 µs"
    assert amount(3 / 1024, "MB") == "3 kB"
