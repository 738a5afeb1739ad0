"""Change finished results by hand, one at a time and with the time of the file kept: who finds it?

python -m benchmarks.drills.corruptions FOLDER [--seed N]

FOLDER is a project whose run is complete; each change is made in a copy of its results, and printed as a row.
"""

import argparse
import os
import shutil
from collections.abc import Callable
from contextlib import chdir
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from contrapose.base.errors import TableError
from contrapose.jobs.manifest import manifest_file
from contrapose.tables.parquet import change_provenance
from contrapose.tools.command_line import RunArguments, project_of
from contrapose.tools.unchanged import check_unchanged
from contrapose.tools.verify import findings

Change = Callable[[Path, list[Path]], None]  # of a file, with others that its pattern fits
COPY = "results-drill"
TABLES, SCORES, PAIRS = "tables/*.parquet", "evaluate/**/seed*.parquet", "pairs/*.parquet"
WEIGHTS, CONFIG = "train/**/encoder/*.safetensors", "train/**/encoder/config.json"


def _copy(path: Path, others: list[Path]) -> None:
    content = path.read_bytes()
    path.write_bytes(next(each for other in others if (each := other.read_bytes()) != content))


def _copy_with_manifest(path: Path, others: list[Path]) -> None:
    other = next(each for each in others if each.name == path.name)
    for each in (other, manifest_file(other)):
        shutil.copyfile(each, path.with_name(each.name))


def _cut(path: Path, others: list[Path]) -> None:
    os.truncate(path, path.stat().st_size // 2)


def _flip(path: Path, at: int) -> None:
    content = bytearray(path.read_bytes())
    content[at] ^= 1
    path.write_bytes(content)


def _flip_middle(path: Path, others: list[Path]) -> None:
    _flip(path, path.stat().st_size // 2)


def _flip_in_page(path: Path, others: list[Path]) -> None:
    group = pq.read_metadata(path).row_group(0)
    columns = [group.column(number) for number in range(group.num_columns)]
    largest = max(columns, key=lambda each: each.total_compressed_size)
    begin = largest.dictionary_page_offset or largest.data_page_offset
    _flip(path, begin + largest.total_compressed_size // 2)


def _flip_in_footer(path: Path, others: list[Path]) -> None:
    _flip(path, path.stat().st_size - 40)


def _rewrite(path: Path, others: list[Path]) -> None:
    table = pq.read_table(path)
    pq.write_table(table.slice(0, max(0, len(table) - 1)), path, compression="zstd")


def _digit(path: Path, others: list[Path]) -> None:
    text = path.read_text()
    at = max(text.rfind(digit) for digit in "0123456789")
    path.write_text(text[:at] + ("2" if text[at] == "1" else "1") + text[at + 1 :])


def _write(content: bytes, path: Path, others: list[Path]) -> None:
    path.write_bytes(content)


def _remove(path: Path, others: list[Path]) -> None:
    path.unlink()


def _folder(path: Path, others: list[Path]) -> None:
    path.unlink()
    path.mkdir()


def _add(path: Path, others: list[Path]) -> None:
    shutil.copy2(path, path.with_name("other.json"))


def _provenance(path: Path, others: list[Path]) -> None:
    change_provenance(path, code="0" * 16)


# What is done to which files.
CORRUPTIONS: dict[str, tuple[Change, str]] = {
    "scores of another seed or row": (_copy, SCORES),
    "scores of another row, with their manifest": (_copy_with_manifest, "evaluate/**/seed*[0-9].parquet"),
    "scores without their last row": (_rewrite, SCORES),
    "scores cut": (_cut, SCORES),
    "pairs of another kind": (_copy, PAIRS),
    "a bit inside a page of pairs": (_flip_in_page, PAIRS),
    "a bit in the footer of pairs": (_flip_in_footer, PAIRS),
    "a folder in place of pairs": (_folder, PAIRS),
    "pairs emptied": (partial(_write, b""), PAIRS),
    "provenance of pairs": (_provenance, PAIRS),
    "weights of another seed": (_copy, WEIGHTS),
    "weights cut": (_cut, WEIGHTS),
    "weights removed": (_remove, WEIGHTS),
    "a bit in the middle of weights": (_flip_middle, WEIGHTS),
    "an encoder's config.json removed": (_remove, CONFIG),
    "an encoder's config.json as garbage": (partial(_write, b"garbage"), CONFIG),
    "a file added to an encoder": (_add, CONFIG),
    "a training log of another seed": (_copy, "train/**/history.parquet"),
    "a digit of a CSV file": (_digit, "tables/*.csv"),
    "another CSV file": (_copy, "tables/*.csv"),
    "a CSV file removed": (_remove, "tables/*.csv"),
    "a digit of a Markdown file": (_digit, "tables/*.md"),
    "a digit of a LaTeX file": (_digit, "tables/*.tex"),
    "a bit of a picture": (_flip_middle, "tables/*.png"),
    "a digit of an SVG file": (_digit, "tables/*.svg"),
    "a tidy table without its last row": (_rewrite, TABLES),
    "a tidy table of another table": (_copy, TABLES),
}


def corrupt(results: Path, name: str, random: np.random.Generator) -> Path:
    """Make one of the `CORRUPTIONS` in a folder of results; return the output that is no longer as it was."""
    change, pattern = CORRUPTIONS[name]
    files = sorted(results.glob(pattern))
    path = files[random.integers(len(files))]
    times = path.stat()
    change(path, [each for each in files if each != path])
    if path.exists():
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    return path.parent if path.parent.name == "encoder" else path


def main() -> None:
    """Print for each corruption which file it was, and whether `verify` and `run` name it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    random, copy, config = np.random.default_rng(options.seed), Path(COPY), f"pathvars={{results: {COPY}}}"
    with chdir(options.folder):
        project = project_of([])
        before = [str(finding.path) for finding in findings(Path(project.results), project)]
        print(f"before: {len(before)} findings")
        print("| change | file | `verify` | `run` |\n|---|---|---|---|")
        for name, (_, pattern) in CORRUPTIONS.items():
            if not any(Path(project.results).glob(pattern)):
                print(f"| {name} | none here | | |")
                continue
            shutil.copytree(project.results, copy, symlinks=True)
            try:
                path = corrupt(copy, name, random)
                verified = _held(str(path) in {str(finding.path) for finding in findings(copy, project)})
                print(f"| {name} | {path.relative_to(copy)} | {verified} | {_run(path, config)} |")
            finally:
                shutil.rmtree(copy)


def _run(path: Path, config: str) -> str:
    if not path.exists():
        return "Snakemake makes it again"
    try:
        check_unchanged(".", RunArguments.of(["-n", "--config", config]))
    except TableError as error:
        return _held(str(path) in str(error))
    return _held(False)


def _held(found: bool) -> str:
    return "found" if found else "**missed**"


if __name__ == "__main__":
    main()
