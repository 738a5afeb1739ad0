"""List what can be built: each study, its tables and figures, and the claims that it checks."""

import difflib
import os
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from contrapose.base.directory import GIVEN, call, settings
from contrapose.base.errors import ConfigError, ContraposeError
from contrapose.base.home import HOME
from contrapose.settings.cli_config import CONFIG, given_config
from contrapose.settings.config_folder import SUFFIXES, ConfigFolder, grouped
from contrapose.tools.arguments import parser_of
from contrapose.tools.command_line import check_is_project, project_of

WIDTH, LEAST = 110, 40  # characters of a line, and of its caption
FIRST_SENTENCE = re.compile(r".*?[.?!](?= |$)", re.DOTALL)


def main(arguments: list[str]) -> None:
    """Print a line for each target of `contrapose run`."""
    options = parser_of("list").parse_args(arguments)
    if GIVEN in os.environ:
        check_is_project("list", [])
    files = ConfigFolder(given_config(options.config), HOME)
    if not Path(CONFIG).is_file():
        print(f"{Path.cwd()} is not a project, because it has no {CONFIG}. These are the built-in studies.\n")
    description, known = targets(files)
    print(f"Catalog {files.catalog_name}: {description}\n")
    files.check_methods()
    print("\n".join(_lines(known)))
    for line in _methods(files, options.config):
        print(line)
    print(f"\nBuild one: {call('run', settings(options.config), '-- TARGET')}")


def targets(files: ConfigFolder) -> tuple[str, dict[str, str]]:
    """Return what the catalog is, and {what `contrapose run` takes: what it is} of each study's results.

    Settings that a list does not show are not checked.
    """
    description, studies = files.outlines()
    texts, results = {}, files.config.pathvars.get("results", "results")
    for study, about in studies.items():
        texts[study] = about.title
        for folder, shown in (("tables", about.tables), ("figures", about.figures)):
            for name, entry in shown.items():
                texts[f"{results}/{folder}/{about.prefix}{name}.{SUFFIXES[folder]}"] = entry.caption
        if files.claim_rows(study):
            texts[f"{results}/claims/{study}.{SUFFIXES['claims']}"] = "the claims of the paper, checked"
    return description, texts


def _methods(files: ConfigFolder, config: Sequence[str]) -> Iterator[str]:
    """Yield the labels that `--methods` takes, of each comparison of the chosen studies, a line each."""
    named, marked = files.config.methods, False
    for about in files.outlines()[1].values():
        for name, table in about.tables.items():
            rows = [row for row in table.rows if "recipe" in row] if table.costs else []
            rows = [row for row in rows if not named or not {row["model"], grouped(row)}.isdisjoint(named)]
            if not rows:
                continue
            lost = _skipped(config, f"{about.prefix}{name}")
            yield from ("", f"Methods of {about.prefix}{name}, for --methods (quote names with blanks):")
            for label in dict.fromkeys(row["model"] for row in rows):
                yield f"  {'*' if label in lost else ' '} {label}"
                marked = marked or label in lost
    if marked:
        yield "\n* is skipped, because optional input is missing. This command says how to add it:"
        yield f"    {call('check', settings(config))}"


def _skipped(config: Sequence[str], table: str) -> set[str]:
    """Return the methods of a comparison that lack input; a ConfigError where a setting is wrong."""
    from contrapose.tools.needs import why_skipped  # with all settings it takes more than a second

    try:
        return {method for method, why in why_skipped(project_of(config), [table]).items() if why}
    except ContraposeError as error:
        raise ConfigError(
            f"{error}\nBecause of this error, the list does not show which methods lack optional input."
        ) from error


def near_target(target: str) -> str:
    """Return the target of this folder that a person may have meant; empty if none is near."""
    _, known = targets(ConfigFolder(given_config([]), HOME))
    by_name = {each.rpartition("/")[2].partition(".")[0]: each for each in reversed(known)}
    near = difflib.get_close_matches(target.rpartition("/")[2].partition(".")[0], by_name, n=1)
    return by_name[near[0]] if near else ""


def _lines(known: Mapping[str, str]) -> Iterator[str]:
    files = max((len(each) for each in known if "/" in each), default=0)
    for target, about in known.items():
        said = f"  {target:{files}}  " if "/" in target else f"{target}: "
        begun = FIRST_SENTENCE.match(about)
        yield from textwrap.wrap(
            begun[0] if begun else about,
            max(WIDTH, len(said) + LEAST),
            initial_indent=said,
            subsequent_indent=" " * len(said),
        ) or [said.rstrip()]
