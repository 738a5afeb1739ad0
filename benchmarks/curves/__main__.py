"""How time and memory grow: `python -m benchmarks.curves [CURVE ...] [--rounds N]`.

A curve is work in geometric steps of its size, each in a process of its own, and the law it should follow.
The last run is in `curves.parquet` and `curves.md`, with a figure for each group of curves.
"""

import argparse
import sys
from datetime import date
from functools import partial
from pathlib import Path

from benchmarks.curves.measure import curve_points, spreads
from benchmarks.curves.report import as_markdown, write_report
from benchmarks.report import machine
from benchmarks.surroundings import start_in_them
from contrapose.errors import unknown

HERE = Path(__file__).parent


def main() -> None:
    """Measure the curves and write what they are."""
    start_in_them("benchmarks.curves")
    from benchmarks.curves.registry import CURVES, FIGURES, taken_alone  # imports PyTorch

    parser = argparse.ArgumentParser(prog="python -m benchmarks.curves", description="Measure growth.")
    parser.add_argument("curves", nargs="*", metavar="CURVE", help=f"of {', '.join(CURVES)}; all if none")
    parser.add_argument("--rounds", type=int, default=2, help="times that each point is measured (default 2)")
    given = parser.parse_args()
    for name in given.curves:
        if name not in CURVES:
            parser.error(str(unknown("curves", name, CURVES)))
    if given.rounds < 1:
        parser.error(f"--rounds is {given.rounds}, expected 1 or more.")
    where = machine() | {"date": date.today().isoformat()}
    points = {}
    for name in given.curves or CURVES:
        print(f"{name}: {given.rounds} rounds ...", file=sys.stderr, flush=True)
        taken = curve_points(CURVES[name].steps, given.rounds, partial(taken_alone, name))
        points[name] = spreads(taken)
    write_report(FIGURES, points, where, given.rounds, HERE)
    print(as_markdown(CURVES, points, where, given.rounds))


if __name__ == "__main__":
    main()
