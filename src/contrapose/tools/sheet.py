"""Write a sheet of pairs of held-out sentences to grade by hand, or make it the test pairs of the folder."""

import argparse
import re
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from contrapose.base.directory import call, seen
from contrapose.base.errors import ConfigError, TableError, cut
from contrapose.base.tasks import FEWEST_PAIRS
from contrapose.jobs.status import read_status
from contrapose.project import Project
from contrapose.report.files import with_formula, write_csv
from contrapose.retrieve.lines import Line, number_in
from contrapose.retrieve.user_pairs import USER_HEADER, user_pairs
from contrapose.tables import PAIRS, read_table
from contrapose.tools.arguments import parser_of
from contrapose.tools.check_input import GivenTable
from contrapose.tools.child import followed
from contrapose.tools.command_line import project_of

PAIR_SET = "to_grade"  # as `contrapose init` writes it
LOWEST, HIGHEST = 0, 5
# In our words, the steps of SemEval's scale (Agirre et al. 2012, table 1).
SCALE = (
    "0: nothing in common; 1: only the topic; 2: also some details; 3: roughly the same, except for "
    "something important; 4: the same except for details; 5: the same. Steps between, such as 2.5, "
    "are allowed."
)
MOST_NAMED = 20  # lines in an error


def main(arguments: list[str]) -> None:
    """Write or read a sheet in the working directory."""
    options = parser_of("annotate").parse_args(arguments)
    if options.make is not None and options.make < FEWEST_PAIRS:
        raise ConfigError(
            f"--make {options.make}: a sheet needs at least {FEWEST_PAIRS} pairs, better hundreds. "
            "Write, for example, --make 200."
        )
    if options.to.suffix != ".csv":
        raise ConfigError(f"--to {options.to}: a sheet is a CSV file. Name a file that ends in .csv.")
    project = project_of(options.config)
    beside = Path(getattr(options, "called_in", "."), options.read or "")
    if options.read and not options.read.is_file() and beside.is_file():
        options.read = beside  # in the folder of the call, instead of that of the project
    print(read(options.read, project, options.graded_only) if options.read else make(options, project))


def make(options: argparse.Namespace, project: Project) -> str:
    """Draw pairs, with the workflow, and write them without grades; return what to do with them.

    Every stratum of the untrained encoder's cosine has the same number of pairs and no sentence is in two, so
    that a given number of grades tells rows apart best: see `score.stratified`.  The order is random and the
    cosine is not shown: it would be copied.  Raises a ConfigError if the sheet exists.
    """
    if options.to.exists():
        raise ConfigError(
            f"{seen(options.to)} exists already, and may contain grades. Name another file: --to FILE."
        )
    if PAIR_SET not in project.recipes.pairs:
        source = _test_set(project)[1]
        if source is not None and not source.is_graded:
            raise ConfigError(
                "This project has test pairs already, so there is nothing to grade. To grade pairs by hand, "
                "create another project without --test: "
                "contrapose init OTHER --sentences FILE --encoder MODEL"
            )
        raise ConfigError(
            f"config/recipes.yaml has no pair set {PAIR_SET}. Write one of sentences that nothing is trained "
            "on, as `contrapose init` does without --test: a corpus of kind split, and under pairs "
            f"{PAIR_SET}: {{kind: stratified, corpus: test_sentences, encoder: mine, size: 200}}."
        )
    drawn = project.paths.pairs(project.pairs_id(PAIR_SET, size=str(options.make)))
    path = Path(drawn.replace("<results>", project.results))
    config = ["--config", *options.config] if options.config else []
    if code := followed([sys.executable, "-m", "contrapose", "run", *config, "--", str(path)]):
        sys.exit(code)
    pairs = read_table(path, PAIRS)
    if pairs.empty:
        raise TableError(f"{path}: {read_status(path).unavailable}.")
    first = pairs[pairs.slot == 0]
    columns = {"anchor": "sentence1", "positive": "sentence2"}
    sheet = first[list(columns)].rename(columns=columns).assign(score="")
    write_csv(sheet, options.to)
    fewer = f" ({options.make} were requested, which needs {2 * options.make} held-out sentences)"
    return (
        f"{seen(options.to)}: {len(sheet)} pairs{fewer * (len(sheet) < options.make)}. Grade each pair in "
        f"the column score, from 0 to 5. {SCALE} When you have finished:\n    "
        f"{call('annotate', '--read', shlex.quote(str(options.to)))}"
    )


def read(file: Path, project: Project, graded_only: bool = False) -> str:
    """Make a graded sheet the test pairs of the folder; return what to do next.

    Raises a TableError that names the lines without a grade, unless these are left out as `graded_only` says,
    or with one that is not from 0 to 5, and a ConfigError if the folder has other test pairs in the place of
    the sheet.
    """
    pairs = checked(file, graded_only)
    grades = pd.Series([number_in(line.fields[2]) for line in pairs])
    name, source = _test_set(project)
    graded = source is not None and source.is_graded
    place = Path(project.data or "data") / (source.path if graded else "test_pairs") / "test.csv"
    if not graded:
        if place.exists():
            raise ConfigError(
                f"{place} exists, but does not come from a graded sheet. Move it to another folder, "
                "and read the sheet again."
            )
        _set_kind(project, name, (source and source.splits) or ["test"])
    place.parent.mkdir(parents=True, exist_ok=True)
    GivenTable(USER_HEADER, pairs).write(place)
    return (
        f"{seen(place)}: {len(grades)} test pairs, graded {grades.min():g} to {grades.max():g}, mean "
        f"{grades.mean():.2f}. Next:\n    {call('run', '-- compare')}"
    )


def checked(file: Path, graded_only: bool = False) -> list[Line]:
    """Return the graded pairs of a sheet; errors as of `read`, and for fewer than three or equal grades only.

    A comma is read as a decimal point, and the apostrophes are taken off that `make` puts before formulas.
    """
    if not file.is_file():
        raise ConfigError(f"{seen(file)} is not a file. `{call('annotate', '--make 200')}` writes one.")
    lines = [
        line._replace(fields=[*map(with_formula, line.fields[:2]), line.fields[2].strip()])
        for line in user_pairs(file, separator=None)
    ]
    graded = [line for line in lines if line.fields[2]]
    wrong = [line for line in graded if not LOWEST <= number_in(line.fields[2]) <= HIGHEST]
    empty = [] if graded_only else [line for line in lines if not line.fields[2]]
    advice = {  # a command comes last, on a line of its own
        f"not from {LOWEST} to {HIGHEST}": "Correct the grades, or delete the lines.",
        "without a grade": (
            "Grade them, or delete the lines. If you have graded the first pairs of the sheet, these "
            "are a random part of it and can be read without the others:\n    "
            f"{call('annotate', '--read', shlex.quote(str(file)), '--graded-only')}"
        ),
    }
    if faults := [
        f"{len(some)} of {len(lines)} pairs {what}: {_named(file, some)}. {says}"
        for (what, says), some in zip(advice.items(), (wrong, empty), strict=True)
        if some
    ]:
        raise TableError(f"{seen(file)}: {' '.join(faults)}")
    different = len({number_in(line.fields[2]) for line in graded})
    if len(graded) < FEWEST_PAIRS or different < 2:
        raise TableError(
            f"{seen(file)}: there are {len(graded)} graded pairs with {different} different grades, but a "
            f"correlation needs {FEWEST_PAIRS} pairs and two different grades. Grade more pairs."
        )
    return graded


def _named(file: Path, lines: Sequence[Line]) -> str:
    """Name the first of some lines, each with its grade if it has one."""
    named = [
        line.where.removeprefix(f"{file}, ") + f" ({cut(line.fields[2])})" * bool(line.fields[2])
        for line in lines[:MOST_NAMED]
    ]
    more = len(lines) - MOST_NAMED
    return ", ".join(named) + (f" and {more} more" if more > 0 else "")


def _test_set(project: Project) -> tuple[str, Any]:
    """Return the evaluation set of task own that has the test split; a name for it where there is none."""
    sets = project.catalog.benchmarks.items()
    tests = [(name, one) for name, one in sets if one.task == "own" and "test" in (one.splits or ["test"])]
    return tests[0] if tests else ("similarity", None)


def _set_kind(project: Project, name: str, splits: list[str]) -> None:
    """Replace the entry of an evaluation set in the catalog, which is a line of it, by that of a sheet."""
    catalog = Path(f"config/catalogs/{project.catalog_name}.yaml")
    entry = f"{name}: {{kind: graded, task: own, path: test_pairs, splits: [{', '.join(splits)}]}}"
    text = catalog.read_text(encoding="utf-8") if catalog.is_file() else ""
    changed, count = re.subn(
        rf"^( +){re.escape(name)}: \{{.*\}}[^\n]*$", rf"\g<1>{entry}", text, flags=re.MULTILINE
    )
    if count != 1:
        raise ConfigError(
            f"{catalog}: benchmarks has no entry '{name}' in one line, so Contrapose cannot replace it. "
            f"Write this line in its place, and run the same command again:\n  {entry}"
        )
    catalog.write_text(changed, encoding="utf-8")
