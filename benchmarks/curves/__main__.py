"""How time and memory grow: `python -m benchmarks.curves [CURVE ...] [--rounds N]`.

A curve is work in geometric steps of its size, each in a process of its own, and the law it should follow.
The last run is in `curves.parquet` and `curves.md`, with a figure for each group of curves.
"""

import sys
from datetime import date
from functools import partial
from pathlib import Path

from benchmarks.arguments import chosen
from benchmarks.curves.measure import curve_points, spreads
from benchmarks.curves.report import as_markdown, write_report
from benchmarks.report import machine
from benchmarks.surroundings import start_in_them

HERE = Path(__file__).parent


def main() -> None:
    """Measure the curves and write what they are."""
    start_in_them("benchmarks.curves")
    from benchmarks.curves.registry import CURVES, FIGURES, taken_alone  # imports PyTorch

    names, rounds = chosen("benchmarks.curves", "curve", CURVES, rounds=2)
    where = machine() | {"date": date.today().isoformat()}
    points = {}
    for name in names:
        print(f"{name}: {rounds} rounds ...", file=sys.stderr, flush=True)
        taken = curve_points(CURVES[name].steps, rounds, partial(taken_alone, name))
        points[name] = spreads(taken)
    write_report(FIGURES, points, where, rounds, HERE)
    print(as_markdown(CURVES, points, where, rounds))


if __name__ == "__main__":
    main()
