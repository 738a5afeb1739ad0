"""The timer of the benchmarks: its arithmetic, with a clock that only the work moves."""

import pytest

from benchmarks import floors
from benchmarks.__main__ import ITEMS
from benchmarks.compare import Item, Seconds, UnequalError, Way, agreed, compared, spread, timed
from benchmarks.report import BENCHMARKS, as_markdown, write_report
from contrapose.tables import read_provenance, read_table


class Clock:
    """Stands still but for work: CPU time by what the work says, wall time twice as fast."""

    def __init__(self):
        self.cpu = 0.0
        self.done = []

    def __call__(self) -> Seconds:
        return Seconds(self.cpu, 2 * self.cpu)

    def way(self, name, *seconds, prepare=lambda: None) -> Way:
        left = iter(seconds)

        def work(_):
            self.done.append(name)
            self.cpu += next(left)

        return Way(work, prepare)


def item(ours, theirs, check=lambda: "equal") -> Item:
    return Item("nothing", ours, {"peer": theirs}, check, "nothing.")


def test_the_ways_take_turns_and_every_second_round_is_the_other_way_round():
    clock = Clock()
    timed({"a": clock.way("a", 1, 1, 1), "b": clock.way("b", 1, 1, 1)}, 3, clock)
    assert clock.done == ["a", "b", "b", "a", "a", "b"]


def test_both_clocks_give_the_spread_of_the_rounds_and_of_their_ratios():
    clock = Clock()
    cpu, wall = compared("x", item(clock.way("a", 1, 2, 4), clock.way("b", 3, 2, 8)), 3, clock)
    assert (cpu.clock, cpu.ours, cpu.theirs) == ("cpu", (2, 1, 4), (3, 2, 8))
    assert (wall.clock, wall.ours, wall.theirs) == ("wall", (4, 2, 8), (6, 4, 16))
    assert cpu.ratio == wall.ratio == (2, 1, 3)  # of 3/1, 2/2, 8/4


def test_the_preparation_is_not_timed():
    clock = Clock()

    def prepare():
        clock.cpu += 100

    assert timed({"a": clock.way("a", 1, prepare=prepare)}, 1, clock) == {"a": [(1, 2)]}


def test_what_is_not_equal_is_not_timed():
    clock = Clock()

    def check():
        return agreed(0.1, 1e-5, "vectors")

    with pytest.raises(UnequalError, match=r"vectors differ by .* allowed are 1e-05"):
        compared("x", item(clock.way("a", 1), clock.way("b", 1), check), 1, clock)
    assert clock.done == []


def test_a_difference_that_is_no_number_is_no_agreement():
    assert agreed(0.0, 1e-5, "vectors")
    with pytest.raises(UnequalError):
        agreed(float("nan"), 1e-5, "vectors")


def test_the_median_of_two_is_their_mean():
    assert spread([4.0, 1.0]) == (2.5, 1.0, 4.0)


def test_the_report_holds_figures_and_machine(tmp_path):
    clock = Clock()
    comparisons = compared("x", item(clock.way("a", 2), clock.way("b", 3)), 1, clock)
    write_report(comparisons, {"cores": 2}, tmp_path)
    rows = read_table(tmp_path / "results.parquet", BENCHMARKS)
    assert list(rows.clock) == ["cpu", "wall"]
    assert list(rows.ratio_median) == [1.5, 1.5]
    assert read_provenance(tmp_path / "results.parquet")["cores"] == 2
    text = (tmp_path / "results.md").read_text()
    assert text == as_markdown(comparisons, {"cores": 2})
    assert (
        "| x | peer | cpu | 1 | 2.00 (2.00 to 2.00) | 3.00 (3.00 to 3.00) | 1.50 (1.50 to 1.50) |  |  |"
        in text
    )


def test_a_ratio_is_held_against_the_floor_of_the_machines_column(monkeypatch):
    monkeypatch.setattr(floors, "FLOORS", {("x", "peer"): {"AVX2": 1.5, "AVX-512": 3.0}})
    clock = Clock()
    cpu, wall = compared("x", item(clock.way("a", 2), clock.way("b", 3)), 1, clock)
    assert [floors.verdict(cpu, column) for column in ("AVX2", "AVX-512")] == ["1.50 | met", "3.00 | BELOW"]
    assert floors.verdict(wall, "AVX-512") == " | "  # other work on the machine counts there
    assert [floors.below(each, "AVX-512") for each in (cpu, wall)] == [True, False]
    assert "1.50 (1.50 to 1.50) | 3.00 | BELOW |" in as_markdown([cpu], {"column": "AVX-512"})


def test_floors_are_of_items_that_there_are():
    assert {name for name, _ in floors.FLOORS} <= ITEMS.keys()


@pytest.mark.parametrize(
    ("used", "flags", "expected"),
    [
        ("AVX512", ["avx2", "avx512f"], {"column": "AVX-512"}),
        ("AVX2", ["avx2"], {"column": "AVX2"}),
        ("AVX2", ["avx2", "avx512f"], {"column": "AVX2", "stand-in": "a processor with AVX-512"}),
    ],
)
def test_the_column_is_what_pytorch_uses_of_the_processor(used, flags, expected, monkeypatch):
    monkeypatch.setattr("torch.backends.cpu.get_cpu_capability", lambda: used)
    assert floors.column(flags) == expected
