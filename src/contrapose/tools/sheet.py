"""Write a sheet of pairs of held-out sentences to grade by hand, or make it the test pairs of the folder."""

import argparse
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd

from contrapose.errors import ConfigError, TableError
from contrapose.project import Project
from contrapose.retrieve.formats import OWN_HEADER
from contrapose.retrieve.lines import number_in, table_rows
from contrapose.status import read_status
from contrapose.tables import PAIRS, read_table
from contrapose.tools.command_line import command_parser, project_of

PAIR_SET = "to_grade"  # as `contrapose new` writes it
LOWEST, HIGHEST = 0, 5
# In our words, the steps of SemEval's scale (Agirre et al. 2012, table 1).
SCALE = (
    "0 nothing in common; 1 only the topic; 2 some details too; 3 roughly the same, but for something that "
    "matters; 4 the same, but for details; 5 the same. Steps between, such as 2.5, are allowed."
)
MOST_NAMED = 20  # lines in an error
FEWEST = 3  # pairs: two have a correlation of 1 or -1, whatever the encoder


def main(arguments: list[str]) -> None:
    """Write or read a sheet in the working directory."""
    parser = command_parser("pairs", __doc__)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument(
        "--make", type=int, metavar="N", help="draw N pairs, as `to_grade` of recipes.yaml says"
    )
    what.add_argument("--read", type=Path, metavar="FILE", help="check its grades and make it the test pairs")
    parser.add_argument("--out", type=Path, default=Path("sheet.csv"), help="sheet to write, sheet.csv")
    options = parser.parse_args(arguments)
    project = project_of(options.config)
    print(read(options.read, project) if options.read else make(options, project))


def make(options: argparse.Namespace, project: Project) -> str:
    """Draw pairs, with the workflow, and write them without grades; return what to do with them.

    Every stratum of the untrained encoder's cosine has the same number of pairs and no sentence is in two, so
    that a given number of grades tells rows apart best: see `score.stratified`.  The order is random and the
    cosine is not shown: it would be copied.  Raises a ConfigError if the sheet exists.
    """
    if options.out.exists():
        raise ConfigError(f"{options.out} exists, and may hold grades. Name another file: --out FILE.")
    if PAIR_SET not in project.recipes.pairs:
        raise ConfigError(
            f"config/recipes.yaml has no pair set {PAIR_SET}. Write one of sentences that nothing is trained "
            "on, as `contrapose new` does without --test: a corpus of kind divided, and under pairs "
            f"{PAIR_SET}: {{kind: stratified, corpus: test_sentences, encoder: mine, size: 200}}."
        )
    drawn = project.paths.pairs(project.pairs_id(PAIR_SET, size=str(options.make)))
    path = Path(drawn.replace("<results>", project.results))
    config = ["--config", *options.config] if options.config else []
    if code := subprocess.call([sys.executable, "-m", "contrapose", "run", *config, "--", str(path)]):
        sys.exit(code)
    pairs = read_table(path, PAIRS)
    if pairs.empty:
        raise TableError(f"{path}: {read_status(path).unavailable}.")
    first = pairs[pairs.slot == 0]
    columns = {"anchor": "sentence1", "positive": "sentence2"}
    sheet = first[list(columns)].rename(columns=columns).assign(score="")
    sheet.to_csv(options.out, index=False, lineterminator="\n")
    fewer = f" ({options.make} wanted, which takes {2 * options.make} held-out sentences)"
    return (
        f"{options.out}: {len(sheet)} pairs{fewer * (len(sheet) < options.make)}. Grade each in the column "
        f"score: {SCALE} Then:\n    contrapose pairs --read {options.out}"
    )


def read(file: Path, project: Project) -> str:
    """Make a graded sheet the test pairs of the folder; return what to do next.

    Raises a TableError that names the lines without a grade or with one that is not from 0 to 5, and a
    ConfigError if the folder has other test pairs in the place of the sheet.
    """
    grades = checked(file)
    name, source = _test_set(project)
    graded = getattr(source, "kind", "") == "graded"
    place = Path(project.data or "data") / (source.path if graded else "test_pairs") / "test.csv"
    if not graded:
        if place.exists():
            raise ConfigError(
                f"{place} exists, and was not graded here. Move it away, and read the sheet again."
            )
        _set_kind(project, name, getattr(source, "splits", None) or ["test"])
    place.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(file, place)
    return (
        f"{place}: {len(grades)} test pairs, graded {grades.min():g} to {grades.max():g}, mean "
        f"{grades.mean():.2f}. Next:\n    contrapose run -- compare"
    )


def checked(file: Path) -> pd.Series:
    """Return the grades of a sheet; errors as of `read`, and for fewer than three or only equal grades."""
    if not file.is_file():
        raise ConfigError(f"{file} is not a file. `contrapose pairs --make 200` writes one.")
    lines = list(table_rows(file, OWN_HEADER))
    empty = [line.where for line in lines if not line.fields[2].strip()]
    grades = pd.Series([number_in(line.fields[2]) for line in lines], dtype=float)
    wrong = [
        f"{line.where} ({line.fields[2].strip()})"
        for line, grade in zip(lines, grades, strict=True)
        if line.fields[2].strip() and not LOWEST <= grade <= HIGHEST
    ]
    for places, what in ((empty, "without a grade"), (wrong, f"not from {LOWEST} to {HIGHEST}")):
        if places:
            shown = ", ".join(each.removeprefix(f"{file}, ") for each in places[:MOST_NAMED])
            more = f" and {len(places) - MOST_NAMED} more" if len(places) > MOST_NAMED else ""
            raise TableError(
                f"{file}: {len(places)} of {len(lines)} pairs {what}: {shown}{more}. Grade them, or delete "
                "the lines."
            )
    if len(grades) < FEWEST or grades.nunique() < 2:
        raise TableError(
            f"{file}: {len(grades)} pairs with {grades.nunique()} different grades; a correlation needs "
            f"{FEWEST} pairs and two grades. Grade more of them."
        )
    return grades


def _test_set(project: Project) -> tuple[str, Any]:
    """Return the evaluation set of task own that has the test split; a name for it where there is none."""
    sets = project.world.benchmarks.items()
    tests = [(name, one) for name, one in sets if one.task == "own" and "test" in (one.splits or ["test"])]
    return tests[0] if tests else ("similarity", None)


def _set_kind(project: Project, name: str, splits: list[str]) -> None:
    """Replace the entry of an evaluation set in the world, which is a line of it, by that of a sheet."""
    world = Path(f"config/worlds/{project.world_name}.yaml")
    entry = f"{name}: {{kind: graded, task: own, path: test_pairs, splits: [{', '.join(splits)}]}}"
    text = world.read_text(encoding="utf-8") if world.is_file() else ""
    changed, count = re.subn(
        rf"^( +){re.escape(name)}: \{{.*\}}[^\n]*$", rf"\g<1>{entry}", text, flags=re.MULTILINE
    )
    if count != 1:
        raise ConfigError(
            f"{world}: write this line under benchmarks, in place of other test pairs:\n  {entry}"
        )
    world.write_text(changed, encoding="utf-8")
