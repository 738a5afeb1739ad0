"""What was measured: a table for people and one for programs."""

import os
import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path

import pandas as pd
import pyarrow as pa
import torch

from benchmarks.compare import Comparison, Spread
from benchmarks.limit import product_rate
from contrapose.models.matmul import matmul_backend
from contrapose.tables import Table, write_table, written

PACKAGES = (
    *("torch", "transformers", "sentence-transformers", "tokenizers"),
    *("numpy", "scipy", "nltk", "openai", "httpx"),
    *("pyarrow", "pyahocorasick"),
)

BENCHMARKS = Table(
    "benchmarks",
    pa.schema(
        [
            ("item", pa.string()),
            ("work", pa.string()),  # in words, with its size
            ("peer", pa.string()),
            ("clock", pa.string()),  # cpu (the process, all threads) | wall
            ("rounds", pa.int32()),
            *((f"ours_{name}", pa.float64()) for name in Spread._fields),  # seconds
            *((f"theirs_{name}", pa.float64()) for name in Spread._fields),  # seconds
            *((f"ratio_{name}", pa.float64()) for name in Spread._fields),  # theirs / ours, round by round
            ("share", pa.float64()),  # of the machine's limit that ours reaches, 0 to 1
            ("agreement", pa.string()),  # what the check before the timing found
            ("differs", pa.string()),  # what is not the same in both ways
        ]
    ),
    key=("item", "peer", "clock"),
    nullable=("share",),
)


def machine() -> dict[str, object]:
    """Return what the figures depend on beside the code: cores, their kind, the load before, versions."""
    return {
        "cpu": _of_cpu("model name") or platform.processor() or platform.machine(),
        "capability": torch.backends.cpu.get_cpu_capability(),  # what PyTorch uses of it
        "products": "oneDNN" if matmul_backend().onednn else "PyTorch",
        "cores": os.cpu_count(),
        "threads": 1,
        "load": round(os.getloadavg()[0], 1),  # of the last minute: above 0, somebody else was working
        "python": platform.python_version(),
        **{package: version(package) for package in PACKAGES},
    }


def _of_cpu(name: str) -> str:
    """Return what Linux says of the first core; nothing if it says nothing, or there is no Linux."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return ""
    return next((line.split(":", 1)[1].strip() for line in lines if line.partition("\t")[0] == name), "")


def as_markdown(comparisons: Sequence[Comparison], where: Mapping[str, object]) -> str:
    """Return the table for people, with what was done and what differs."""
    lines = [
        "; ".join(f"{name} {value}" for name, value in where.items()) + ".",
        "Seconds: median (least to greatest) of the rounds. Ratio: theirs / ours, round by round. Share: of "
        "our time, what the matrix products take at this machine's best rate. It may have a "
        "floor, and no peer may be faster.",
        *(
            f"Best rate of products in {precision}: {product_rate(precision) / 1e9:.0f} GFLOP/s."
            for precision in sorted({each.item.precision for each in comparisons if each.item.flops})
        ),
        "",
        "| item | peer | clock | rounds | ours, s | theirs, s | ratio | share | floor | verdict |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for each in comparisons:
        figures = " | ".join(_in_words(figure) for figure in (each.ours, each.theirs, each.ratio))
        lines.append(
            f"| {each.name} | {each.peer} | {each.clock} | {each.rounds} | {figures} | {_verdict(each)} |"
        )
    lines.append("")
    for name, each in {each.name: each for each in comparisons}.items():
        lines.append(
            f"- {name}: {each.item.work}. Equal: {each.agreement}. Not the same: {each.item.differs}"
        )
    return "\n".join(lines) + "\n"


def _verdict(each: Comparison) -> str:
    """Return share, floor and verdict as three cells of a table."""
    if each.share is None:
        return " |  | "
    least = each.item.least_share
    return f"{each.share:.0%} | {f'{least:.0%}' if least else ''} | {'BELOW' if each.below else 'met'}"


def _in_words(figures: Spread) -> str:
    return f"{figures.median:.2f} ({figures.low:.2f} to {figures.high:.2f})"


def write_report(comparisons: Sequence[Comparison], where: Mapping[str, object], folder: Path) -> None:
    """Write `results.parquet`, with the machine in its metadata, and `results.md`."""
    rows = [
        {
            "item": each.name,
            "work": each.item.work,
            "peer": each.peer,
            "clock": each.clock,
            "rounds": each.rounds,
            **{f"ours_{name}": value for name, value in each.ours._asdict().items()},
            **{f"theirs_{name}": value for name, value in each.theirs._asdict().items()},
            **{f"ratio_{name}": value for name, value in each.ratio._asdict().items()},
            "share": each.share,
            "agreement": each.agreement,
            "differs": each.item.differs,
        }
        for each in comparisons
    ]
    write_table(pd.DataFrame(rows), folder / "results.parquet", BENCHMARKS, where)
    with written(folder / "results.md") as draft:
        draft.write_text(as_markdown(comparisons, where), encoding="utf-8")
