"""The end of a run: the table that was asked for, what it says, the encoder to load, and what to do next."""

import os
import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

from contrapose.markdown import padded
from contrapose.project import Project, pages
from contrapose.report.files import with_html
from contrapose.report.recommendation import RUN, VERDICT
from contrapose.status import read_status
from contrapose.tools.command_line import project_of

# Options with which Snakemake builds nothing, or from settings that are not read here.
OTHER = (
    "-n",
    "--dry-run",
    "--dryrun",
    "--unlock",
    "--configfile",
    "--configfiles",
    "--report",
    "--touch",
    "-t",
)
OTHER += ("--lint", "--summary", "-S", "-D", "--dag", "--rulegraph", "--filegraph", "--list-rules", "-l")
SHOWN = re.compile(r"^\|.*?(?=^!\[|^- |^## |\Z)", re.DOTALL | re.MULTILINE)  # of a page: first table, legend
MOST = 6  # files in one line


def say_ending(folder: str, arguments: Sequence[str]) -> None:
    """Print what the targets of a finished run say, from their files; nothing if it built no table.

    `arguments` are those of Snakemake, which ran in `folder`.
    """
    if any(word.partition("=")[0] in OTHER for word in arguments):
        return
    start = Path.cwd()
    os.chdir(folder)
    end = arguments.index("--") if "--" in arguments else len(arguments)
    config = [word for word in arguments[:end] if "=" in word and not word.startswith("-")]
    lines = ending(project_of(config), _targets(arguments, end), config, start)
    print("\n".join(lines), end="\n" * bool(lines))


def _targets(arguments: Sequence[str], end: int) -> list[str]:
    """Return the words that may be targets; none stand for all of them."""
    words = arguments[end + 1 :] or [word for word in arguments if not word.startswith("-")]
    return ["all"] if len(arguments) <= end + 1 and not any("/" in word for word in words) else [*words]


def ending(project: Project, targets: Sequence[str], config: Sequence[str], start: Path) -> list[str]:
    """Return the last lines of a run: one table whole, of several their places.

    Paths are relative to `start`; `config` are the settings of the call, which `contrapose report` needs.
    """
    files = [Path(file) for file in dict.fromkeys(_pages(project, targets)) if Path(file).is_file()]
    if not files:
        return []
    places = [os.path.relpath(file, start) for file in files]
    folder = os.path.relpath(".", start)
    where = "" if folder == "." else f"cd {shlex.quote(folder)} && "
    given = " ".join(["", "--config", *map(shlex.quote, config)]) if config else ""
    report = f"Report, one file for a browser: {where}contrapose report{given}"
    if files[1:]:
        more = f" and {len(files) - MOST} more" if len(files) > MOST else ""
        return [f"Tables: {', '.join(places[:MOST])}{more}", report]
    return ["", *_table(files[0]), "", f"All of it: {places[0]}", *_encoder(project, files[0], start), report]


def _pages(project: Project, targets: Sequence[str]) -> Iterator[str]:
    """Yield the Markdown of the tables that targets name, by study or file."""
    studies = project.studies if "all" in targets else [name for name in project.studies if name in targets]
    named = {Path(target).stem for target in targets if Path(target).parent.name == "tables"}
    for study in studies:
        named |= {name for kind, name in pages.results_of(project, study) if kind == "tables"}
    return (f"{project.results}/tables/{name}.md" for name in project.tables if name in named)


def _table(page: Path) -> list[str]:
    """Return the first table of a page with what its marks mean, and then what the table says."""
    shown = SHOWN.search(page.read_text(encoding="utf-8"))
    facts = read_status(page.with_suffix(".parquet")).facts
    lines = padded(with_html(shown[0]).rstrip()).splitlines() if shown else []
    return [*lines, *(["", facts[VERDICT]] if VERDICT in facts else [])]


def _encoder(project: Project, page: Path, start: Path) -> list[str]:
    run = read_status(page.with_suffix(".parquet")).facts.get(RUN, "")
    folder = Path(project.places.history(run).replace("<results>", project.results)).with_name("encoder")
    if not run or not folder.is_dir():  # an encoder that is not trained
        return []
    return [f"Encoder to load, of one of its trainings: {os.path.relpath(folder, start)}"]
