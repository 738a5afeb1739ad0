"""What was measured: a table for people and one for programs."""

import os
import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path

import pandas as pd
import pyarrow as pa

from benchmarks.compare import Comparison, Spread
from benchmarks.floors import column, verdict
from contrapose.tables import Table, write_table, written
from contrapose.train.products import KINDS, choice

PACKAGES = (
    *("torch", "transformers", "sentence-transformers", "tokenizers"),
    *("numpy", "scipy", "nltk", "openai", "httpx2"),
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
            ("agreement", pa.string()),  # what the check before the timing found
            ("differs", pa.string()),  # what is not the same in both ways
        ]
    ),
    key=("item", "peer", "clock"),
)


def machine() -> dict[str, object]:
    """Return what the figures depend on beside the code: cores, their kind, the load before, versions."""
    products = [f"{KINDS[kind]} {'oneDNN' if at else 'PyTorch'}" for kind, at in choice()._asdict().items()]
    return {
        "cpu": _of_cpu("model name") or platform.processor() or platform.machine(),
        **column(_of_cpu("flags").split()),
        "products": ", ".join(products),
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
        "Seconds: median (least to greatest) of the rounds. Ratio: theirs / ours, round by round. Floor: the "
        "least ratio for this column of docs/performance.md.",
        "",
        "| item | peer | clock | rounds | ours, s | theirs, s | ratio | floor | verdict |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for each in comparisons:
        figures = " | ".join(_in_words(figure) for figure in (each.ours, each.theirs, each.ratio))
        judged = verdict(each, where.get("column"))
        lines.append(f"| {each.name} | {each.peer} | {each.clock} | {each.rounds} | {figures} | {judged} |")
    lines.append("")
    for name, each in {each.name: each for each in comparisons}.items():
        lines.append(
            f"- {name}: {each.item.work}. Equal: {each.agreement}. Not the same: {each.item.differs}"
        )
    return "\n".join(lines) + "\n"


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
            "agreement": each.agreement,
            "differs": each.item.differs,
        }
        for each in comparisons
    ]
    write_table(pd.DataFrame(rows), folder / "results.parquet", BENCHMARKS, where)
    with written(folder / "results.md") as draft:
        draft.write_text(as_markdown(comparisons, where), encoding="utf-8")
