"""The end of a run: the table that was asked for, what it says, the encoder to load, and what to do next."""

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import chdir
from pathlib import Path

from contrapose.base.directory import call, settings
from contrapose.base.markdown import padded
from contrapose.jobs.status import read_status
from contrapose.project import Project, pages
from contrapose.report.files import with_html, without_html
from contrapose.report.recommendation import RUN, VERDICT
from contrapose.tools.command_line import RunArguments
from contrapose.tools.fetchable import fetch_command, fetchable
from contrapose.tools.needs import sets_left_out, without_numbers

SHOWN = re.compile(r"^\|.*?(?=^!\[|^- |^## |\Z)", re.DOTALL | re.MULTILINE)  # of a page: first table, legend
MOST = 6  # files in one line


def lines_of_run(project: Project, folder: str, arguments: Sequence[str]) -> list[str]:
    """Return what the targets of a finished run say, from their files; nothing if it built no table.

    `arguments` are those of `contrapose run`, which ran in `folder`.
    """
    parsed, start = RunArguments.of(arguments), Path.cwd()
    targets = _targets(parsed)
    with chdir(folder):
        return [
            *ending(project, targets, parsed.config, start),
            *_without_numbers(project, targets, parsed.config),
        ]


def _targets(parsed: RunArguments) -> list[str]:
    """Return the targets; files may stand before `--`.  Without any all are meant."""
    folders = parsed.values("-d", "--directory", "--profile")
    files = [word for word in parsed.options if "/" in word and word[0] != "-" and word not in folders]
    return parsed.targets or files or ["all"]


def ending(project: Project, targets: Sequence[str], config: Sequence[str], start: Path) -> list[str]:
    """Return the last lines of a run: the table that recommends something whole, of others their places.

    A single table is shown in any case, and of several that recommend something none.  Paths are relative to
    `start`; `config` are the settings of the call, which `contrapose report` needs.
    """
    files = {name: Path(file) for name, file in _pages(project, targets) if Path(file).is_file()}
    if not files:
        return []
    facts = {name: read_status(file.with_suffix(".parquet")).facts for name, file in files.items()}
    main = [name for name in files if VERDICT in facts[name]] if len(files) > 1 else [*files]
    lines = []
    if len(main) == 1:
        file = files.pop(main[0])
        caption = without_html(project.tables[main[0]][1].caption)
        said = facts[main[0]]
        lines = ["", *table_of_page(file, caption), "", *([said[VERDICT], ""] if VERDICT in said else [])]
        lines += [
            f"The whole page: {os.path.relpath(file, start)}",
            *_encoder(project, said.get(RUN, ""), start),
        ]
    if files:
        places = [os.path.relpath(file, start) for file in files.values()]
        more = f" and {len(files) - MOST} more" if len(files) > MOST else ""
        lines += [f"{'Other tables' if lines else 'Tables'}: {', '.join(places[:MOST])}{more}"]
    return [*lines, f"Write a report of everything as one HTML file: {call('report', settings(config))}"]


def _without_numbers(project: Project, targets: Sequence[str], config: Sequence[str]) -> Iterator[str]:
    """Yield a line on the tables of the targets that lack numbers, and why, if some do."""
    if not [*_pages(project, targets)]:
        return
    lacking = without_numbers(project, targets) | sets_left_out(project, targets)
    if not lacking:
        return
    tables = list(dict.fromkeys(name for names in lacking.values() for name in names))
    more = f" and {len(tables) - MOST} more" if len(tables) > MOST else ""
    reason = next(iter(lacking))
    others = f" and {len(lacking) - 1} more" if len(lacking) > 1 else ""
    wanted = fetchable(project, targets)
    fetch = f" To download what is missing: {fetch_command(config, targets)}" if wanted else ""
    yield (
        f"Some methods have no numbers in {', '.join(tables[:MOST])}{more}: {reason}{others}. All "
        f"reasons: {call('check', settings(config), '--', *targets)}.{fetch}"
    )


def _pages(project: Project, targets: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the tables that targets name, by study or file, with their Markdown."""
    studies = project.studies if "all" in targets else [name for name in project.studies if name in targets]
    named = {Path(target).stem for target in targets if Path(target).parent.name == "tables"}
    for study in studies:
        named |= {name for kind, name in pages.results_of(project, study) if kind == "tables"}
    return ((name, f"{project.results}/tables/{name}.md") for name in project.tables if name in named)


def table_of_page(page: Path, caption: str) -> list[str]:
    """Return the first table of a page with what its marks mean, after what stands before the caption."""
    text = page.read_text(encoding="utf-8")
    first = text.partition(caption)[0].splitlines()[2:]  # after the title
    shown = SHOWN.search(text)
    return [*map(with_html, first), *(padded(with_html(shown[0]).rstrip()).splitlines() if shown else [])]


def _encoder(project: Project, run: str, start: Path) -> list[str]:
    folder = Path(project.paths.history(run).replace("<results>", project.results)).with_name("encoder")
    if not run or not folder.is_dir():  # an encoder that is not trained
        return []
    return [f'Load one of the trained encoders: SentenceTransformer("{os.path.relpath(folder, start)}")']
