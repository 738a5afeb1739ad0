"""Us and the peers side by side in one run: `python -m benchmarks [ITEM ...] [--rounds N]`.

An item is a module with a function `item(folder)`, or `items(folder)` for several with their names; a new
one goes into `ITEMS`.  It is timed only if its check finds that all ways to do its work agree.  Work of
matrix products has floors (`limit.py`).
The last run is in `results.parquet` and `results.md`.
"""

import sys
import tempfile
import traceback
from collections.abc import Iterator
from datetime import date
from importlib import import_module
from pathlib import Path

from benchmarks.arguments import chosen
from benchmarks.compare import Comparison, Item, UnequalError, compared
from benchmarks.report import as_markdown, machine, write_report
from benchmarks.surroundings import start_in_them
from contrapose.models.matmul import matmul_backend

ITEMS = {
    "types": "benchmarks.types",
    "sts": "benchmarks.sts",
    "geometry": "benchmarks.geometry",
    "sample": "benchmarks.sample",
    "bleu": "benchmarks.bleu",
    "train_step": "benchmarks.train_step",
    "train_step_bf16": "benchmarks.train_step_bf16",
    "train_uncut": "benchmarks.train_uncut",
    "generate": "benchmarks.generate",
    "perplexity": "benchmarks.perplexity",
    "dino": "benchmarks.dino",
    "matching": "benchmarks.matching",
    "many_runs": "benchmarks.many_runs",
}
HERE = Path(__file__).parent


def items_of(name: str, folder: Path) -> Iterator[tuple[str, Item]]:
    """Return the items of a module, with their names."""
    module = import_module(ITEMS[name])
    if hasattr(module, "items"):
        yield from module.items(folder)
    else:
        yield name, module.item(folder)


def main() -> int:
    """Run the items, write what they took, and return 1 if ways do not agree or one is below its floor."""
    items, rounds = chosen("benchmarks", "item", ITEMS, rounds=3)
    start_in_them("benchmarks")
    where = machine() | {"date": date.today().isoformat()}
    comparisons: list[Comparison] = []
    failed = False
    for name in items:
        if name.endswith("bf16") and not matmul_backend().bf16:
            print(f"{name}: not timed, this processor is not faster in bf16", file=sys.stderr)
            continue
        try:
            with tempfile.TemporaryDirectory() as folder:
                for each, item in items_of(name, Path(folder)):
                    print(f"{each}: check, then {rounds} rounds ...", file=sys.stderr, flush=True)
                    try:
                        comparisons += compared(each, item, rounds)
                    except UnequalError as error:
                        print(f"{each}: not timed, {error}", file=sys.stderr)
                        failed = True
        except Exception:  # one broken item must not lose what the others took
            print(f"{name}: stopped by an error", file=sys.stderr)
            traceback.print_exc()
            failed = True
    if comparisons:
        write_report(comparisons, where, HERE)
        print(as_markdown(comparisons, where))
    slow = [each for each in comparisons if each.below]
    for each in slow:
        print(f"{each.name} is below its floor, next to {each.peer}", file=sys.stderr)
    return int(failed or bool(slow))


if __name__ == "__main__":
    sys.exit(main())
