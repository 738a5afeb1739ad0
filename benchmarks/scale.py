"""What 100 million sentences would take: `python -m benchmarks.scale [MOST]`, most sentences (1,000,000).

Each stage works on 10,000 sentences and ten and a hundred times as many, from files to files, in a process of
its own; what it took is multiplied up to 100 million.  docs/dev/scale.md has the last run.
"""

import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import TypeVar

from benchmarks.curves import stages
from benchmarks.curves.laws import LINEAR
from benchmarks.curves.measure import Curve, Taken, Work, measured
from contrapose.jobs.step import settings_class
from contrapose.pairs import deletion, dropout, punctuation
from contrapose.tables import PAIRS, SENTENCES, TableWriter, read_table, write_table

FEWEST, MOST, WANTED = 10_000, 1_000_000, 100_000_000
SLOTS = {deletion: 5, punctuation: 5, dropout: 1}
DONE = "{}.parquet"
T = TypeVar("T")


def pairs_of(module, x: int, folder: Path) -> Work:  # type: ignore[no-untyped-def]
    """Return the making of pairs by a strategy, written as its job writes them."""
    path, kind = folder / f"sentences{x}.parquet", module.__name__.rpartition(".")[2]
    if not path.exists():
        write_table(stages.sentences(x, folder), path, SENTENCES)
    slots = {"slots": SLOTS[module]} if SLOTS[module] > 1 else {}
    spec = settings_class(module)(kind=kind, corpus="own", **slots)

    def work() -> None:
        made = module.build(spec, read_table(path, SENTENCES))
        with TableWriter(folder / DONE.format(kind), PAIRS) as writer:
            for piece in [made] if hasattr(made, "columns") else made:
                writer.write(piece)

    return work


def _dropout(x: int, folder: Path) -> Work:
    return pairs_of(dropout, x, folder)


def _deletion(x: int, folder: Path) -> Work:
    return pairs_of(deletion, x, folder)


def _punctuation(x: int, folder: Path) -> Work:
    return pairs_of(punctuation, x, folder)


# Stage, and the share of MOST that is measured: the last stages take minutes for each 100,000.
STAGES = {
    "corpus_sample": (stages.sample, 1.0),
    "pairs: dropout": (_dropout, 1.0),
    "pairs: punctuation, 5 slots of 2 views": (_punctuation, 0.1),
    "pairs: deletion, 5 slots": (_deletion, 0.1),
    "pairs: paraphrases, 5 slots": (stages.pair, 0.1),
    "training data of these, in memory": (stages.tokenise, 0.01),
}
FORKS = get_context("forkserver")
FORKS.set_forkserver_preload([__name__])


def taken(stage: str, x: int, folder: Path) -> Taken:
    """Measure one size of a stage in this process."""
    prepare, _ = STAGES[stage]
    return measured(Curve(stage, "sentences", (FEWEST // 10,), prepare, {"cpu": LINEAR}), x, folder)


def prepared(stage: str, x: int, folder: Path) -> None:
    """Make the files that a stage reads, elsewhere: what this frees would hide what the stage takes."""
    STAGES[stage][0](x, folder)


def alone(work: Callable[[str, int, Path], T], stage: str, x: int, folder: Path) -> T:
    """Call a function in a process of its own."""
    with ProcessPoolExecutor(1, mp_context=FORKS) as process:
        return process.submit(work, stage, x, folder).result()


def main() -> None:
    """Print a row for each stage and size."""
    most = int(sys.argv[1]) if len(sys.argv) > 1 else MOST
    print("| stage | sentences | CPU s | MB | file MB | at 100 million: CPU h | GB |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for stage, (_, share) in STAGES.items():
            sizes = [x for x in (FEWEST, 10 * FEWEST, 100 * FEWEST) if x <= max(FEWEST, share * most)]
            for x in sizes:
                alone(prepared, stage, x, folder)
                found = alone(taken, stage, x, folder)
                newest = max(folder.glob("*.parquet"), key=lambda file: file.stat().st_mtime)
                size = newest.stat().st_size / 1e6
                hours, gigabytes = found.cpu * WANTED / x / 3600, found.megabytes * WANTED / x / 1024
                row = (f"{x:,}", f"{found.cpu:.2f}", f"{found.megabytes:.0f}", f"{size:.1f}")
                print("|", " | ".join([stage, *row, f"{hours:.1f}", f"{gigabytes:.0f}"]), "|", flush=True)


if __name__ == "__main__":
    main()
