"""List what can be built: each study, its tables and figures, and the claims that it checks."""

import difflib
import textwrap
from collections.abc import Iterator, Mapping

from contrapose.base.directory import call
from contrapose.project import Project, pages
from contrapose.tools.command_line import command_parser, project_of

WIDTH = 110  # characters of a line


def main(arguments: list[str]) -> None:
    """Print a line for each target of `contrapose run`."""
    options = command_parser("list", __doc__).parse_args(arguments)
    project = project_of(options.config)
    print(f"Catalog {project.catalog_name}: {project.catalog.description}\n")
    print("\n".join(_lines(targets(project))))
    print(f"\nBuild one: {call('run', '-- TARGET')}")


def targets(project: Project) -> dict[str, str]:
    """Return {what `contrapose run` takes: what it is} of each study, its tables, figures and claims."""
    texts = {}
    for study, about in project.studies.items():
        texts[study] = about.title
        for kind, name in pages.results_of(project, study):
            file = f"{project.results}/{kind}/{name}.{pages.TARGETS[kind]}"
            texts[file] = "claims, checked" if kind == "claims" else project.reports.settings(name)[1].caption
    return texts


def near_target(target: str) -> str:
    """Return the target of this folder that a person may have meant; empty if none is near."""
    known = targets(project_of([]))
    by_name = {each.rpartition("/")[2].partition(".")[0]: each for each in reversed(known)}
    near = difflib.get_close_matches(target.rpartition("/")[2].partition(".")[0], by_name, n=1)
    return by_name[near[0]] if near else ""


def _lines(known: Mapping[str, str]) -> Iterator[str]:
    files = max((len(each) for each in known if "/" in each), default=0)
    for target, about in known.items():
        said = f"  {target:{files}}  " if "/" in target else f"{target}: "
        yield said + textwrap.shorten(about, max(WIDTH - len(said), 20), placeholder=" ...")
