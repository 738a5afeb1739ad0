"""The timer of the benchmarks: its arithmetic, with a clock that only the work moves."""

from dataclasses import replace
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode
from transformers import AutoModel, BertConfig, DistilBertConfig, MPNetConfig

import benchmarks
from benchmarks import compare, limit, report
from benchmarks.compare import Item, Seconds, UnequalError, Way, agreed, compared
from benchmarks.report import as_markdown


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


@pytest.mark.parametrize(
    "path", sorted(Path(benchmarks.__file__).parent.rglob("*.py")), ids=lambda path: path.stem
)
def test_every_module_can_be_imported_with_the_names_of_today(path):
    if path.stem != "__main__":
        import_module(".".join(path.relative_to(Path(benchmarks.__file__).parents[1]).with_suffix("").parts))


def item(ours, theirs, check=lambda: "equal") -> Item:
    return Item("nothing", ours, {"peer": theirs}, check, "nothing.")


def test_both_clocks_give_the_spread_of_the_rounds_and_of_their_ratios():
    clock = Clock()
    cpu, wall = compared("x", item(clock.way("a", 1, 2, 4), clock.way("b", 3, 2, 8)), 3, clock)
    assert (cpu.clock, cpu.ours, cpu.theirs) == ("cpu", (2, 1, 4), (3, 2, 8))
    assert (wall.clock, wall.ours, wall.theirs) == ("wall", (4, 2, 8), (6, 4, 16))
    assert cpu.ratio == wall.ratio == (2, 1, 3)  # of 3/1, 2/2, 8/4


def test_what_is_not_equal_is_not_timed():
    clock = Clock()

    def check():
        return agreed(0.1, 1e-5, "vectors")

    with pytest.raises(UnequalError, match=r"vectors differ by .* allowed are 1e-05"):
        compared("x", item(clock.way("a", 1), clock.way("b", 1), check), 1, clock)
    assert clock.done == []


@pytest.mark.parametrize(
    ("precision", "amx", "theirs", "verdict"),
    [
        ("float32", False, 2, "75% | 60% | met"),  # 300 operations at 100 a second in 4 seconds
        ("float32", False, 1, "75% | 60% | BELOW"),  # the peer is faster
        ("bf16", False, 2, "38% | 60% | BELOW"),
        ("bf16", True, 2, "38% |  | met"),
    ],
)
def test_products_have_to_be_near_the_limit_and_no_peer_faster(monkeypatch, precision, amx, theirs, verdict):
    monkeypatch.setattr(compare, "product_rate", {"float32": 100.0, "bf16": 200.0}.get)
    monkeypatch.setattr(report, "product_rate", {"float32": 100.0, "bf16": 200.0}.get)
    monkeypatch.setattr(limit.torch.cpu, "get_capabilities", lambda: {"amx_bf16": amx})
    clock = Clock()
    work = item(clock.way("a", 4), clock.way("b", 4 * theirs / 2 + theirs - 1))
    work = replace(work, flops=300.0, precision=precision, least_share=limit.floor("encoding", precision))
    cpu, wall = compared("x", work, 1, clock)
    assert f"| {verdict} |" in as_markdown([cpu], {})
    assert cpu.below == ("BELOW" in verdict)
    assert (wall.share, wall.below) == (None, False)  # other work on the machine counts there


CONFIGS = {
    "bert": BertConfig(hidden_size=24, num_hidden_layers=3, num_attention_heads=4, intermediate_size=40),
    "distilbert": DistilBertConfig(dim=24, n_layers=3, n_heads=4, hidden_dim=40),
    "mpnet": MPNetConfig(hidden_size=24, num_hidden_layers=3, num_attention_heads=4, intermediate_size=40),
}


@pytest.mark.parametrize("kind", CONFIGS)
def test_operations_are_those_that_pytorch_counts(kind):
    model = AutoModel.from_config(CONFIGS[kind], attn_implementation="eager").eval()
    model.pooler = None
    with FlopCounterMode(display=False) as counted:
        model(torch.ones(2, 7, dtype=torch.int64))
    found = limit.forward_flops(model, np.array([7, 7]))
    assert found == counted.get_total_flops()
    if kind == "bert":  # of the last layer, all but keys and values is for 2 of 14 tokens
        layer, others = found / 3, 2 * 14 * 2 * 24**2
        rest = (layer - others) / 7
        assert limit.forward_flops(model, np.array([7, 7]), only_first=True) == pytest.approx(
            2 * layer + others + rest
        )
