"""Us and the peers side by side in one run: `python -m benchmarks [ITEM ...] [--rounds N]`.

An item is a module with a function `item(folder)`; a new one goes into `ITEMS`.  It is timed only if its
check finds that all ways to do its work agree.  The last run is in `results.parquet` and `results.md`.
"""

import argparse
import sys
import tempfile
from datetime import date
from importlib import import_module
from pathlib import Path

from benchmarks.compare import Comparison, UnequalError, compared
from benchmarks.report import as_markdown, machine, write_report
from benchmarks.surroundings import start_in_them
from contrapose.errors import unknown

ITEMS = {
    "encode": "benchmarks.encode",
    "sts": "benchmarks.sts",
    "geometry": "benchmarks.geometry",
    "bootstrap": "benchmarks.bootstrap",
    "sample": "benchmarks.sample",
    "bleu": "benchmarks.bleu",
    "train_step": "benchmarks.train_step",
    "train_uncut": "benchmarks.train_uncut",
    "generate": "benchmarks.generate",
    "perplexity": "benchmarks.perplexity",
    "matching": "benchmarks.matching",
    "many_runs": "benchmarks.many_runs",
}
HERE = Path(__file__).parent


def main() -> int:
    """Run the items, write what they took, and return 1 if the ways of an item do not agree."""
    items, rounds = _arguments()
    start_in_them("benchmarks")
    where = machine() | {"date": date.today().isoformat()}
    comparisons: list[Comparison] = []
    failed = False
    for name in items:
        print(f"{name}: check, then {rounds} rounds ...", file=sys.stderr, flush=True)
        with tempfile.TemporaryDirectory() as folder:
            try:
                comparisons += compared(name, import_module(ITEMS[name]).item(Path(folder)), rounds)
            except UnequalError as error:
                print(f"{name}: not timed, {error}", file=sys.stderr)
                failed = True
    if comparisons:
        write_report(comparisons, where, HERE)
        print(as_markdown(comparisons, where))
    return int(failed)


def _arguments() -> tuple[list[str], int]:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Time us and the peers.")
    parser.add_argument(
        "items", nargs="*", metavar="ITEM", help=f"of {', '.join(ITEMS)}; all if none is named"
    )
    parser.add_argument("--rounds", type=int, default=3, help="times that each way does the work (default 3)")
    given = parser.parse_args()
    for name in given.items:
        if name not in ITEMS:
            parser.error(str(unknown("benchmarks", name, ITEMS)))
    if given.rounds < 1:
        parser.error(f"--rounds is {given.rounds}, expected 1 or more.")
    return given.items or list(ITEMS), given.rounds


if __name__ == "__main__":
    sys.exit(main())
