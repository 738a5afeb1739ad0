"""`contrapose report`: write what is built as one HTML file."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from contrapose.project import Project, pages
from contrapose.report.files import write_text
from contrapose.report.overview import report
from contrapose.report.page import figure_markdown
from contrapose.report.results import Result, ResultKind, StudyResults, WorldFacts
from contrapose.report.runs import RunRow, run_row
from contrapose.report.web import data_uri
from contrapose.stage import run_of
from contrapose.tables import COST, HISTORY, read_provenance, read_table
from contrapose.tools.command_line import check_is_project, command_parser, project_of

WORKFLOW = "workflow.html"  # Snakemake's own report, where `make report` puts it
IN_COMMANDS = ("world", "seeds", "search", "bootstrap", "folds")  # keys of the config that change results


def main(arguments: list[str]) -> None:
    """Write the report on the existing results; nothing is built or rebuilt for it."""
    parser = command_parser("report", __doc__)
    parser.add_argument("--to", type=Path, metavar="FILE", help="default: results/report.html")
    options = parser.parse_args(arguments)
    check_is_project("report", [])
    project = project_of(options.config)
    to = options.to or Path(project.results) / "report.html"
    studies = [study_results(project, name, options.config) for name in project.studies]
    cost = Path(project.results) / "generate/cost.parquet"
    world = WorldFacts(project.world_name, project.world.description, project.world.mini is not None)
    costs = read_table(cost, COST) if cost.is_file() else None
    workflow = WORKFLOW if to.with_name(WORKFLOW).is_file() else ""
    write_text(report(studies, trained(project), costs, world, workflow), to)
    built = sum(len(study.results) for study in studies)
    everything = built + sum(len(study.missing) for study in studies)
    print(f"{to}: {built} of {everything} tables, figures and claims of {', '.join(project.studies)}")
    for other in sorted({world for study in studies for world in study.missing.values() if world}):
        print(f"Left out: results of world {other}, for --config world={other}")


def study_results(project: Project, study: str, config: Sequence[str]) -> StudyResults:
    """Read the built results of a study in the world of the project; `given` is `--config` of the call."""
    claims = Counter(name for claim in project.files.claims(study) for name in claim.needs)
    about = project.studies[study]
    built, missing = [], dict[str, str]()
    for kind, name in pages.results_of(project, study):
        file = Path(project.results, kind, f"{name}.parquet")
        what = f"claims of {name}" if kind == "claims" else name
        world = world_of(file) if file.is_file() else ""
        if world != project.world_name:
            missing[what] = world
        else:
            target = f"results/{kind}/{name}.{pages.TARGETS[kind]}"
            about_it = claims[name.removeprefix(about.prefix)]
            caption = "" if kind == "claims" else project.reports.settings(name)[1].caption
            built.append(result(kind, file, caption, command(config, target), about_it))
    every = command(config, study)
    return StudyResults(study, about.title, about.source, every, about.deviations, built, missing)


def world_of(file: Path) -> str:
    """Return the world that a table, figure or verdict belongs to."""
    settings = read_provenance(file)["settings"]
    return settings.get("about", settings)["world"]


def result(kind: ResultKind, file: Path, caption: str, command: str, claims: int) -> Result:
    """Read a table, a figure or verdicts from the Parquet file and the files beside it."""
    made, beside = read_provenance(file), {end: file.with_suffix(f".{end}") for end in ("md", "csv", "png")}
    files = {end: path for end, path in beside.items() if path.is_file()}
    return Result(
        *(kind, file.stem, caption, command),
        tidy=pd.read_parquet(file),
        made=made,
        text=files["md"].read_text(encoding="utf-8") if "md" in files else figure_markdown(made),
        images={files["png"].name: data_uri(files["png"])} if "png" in files else {},
        csv=data_uri(files["csv"]) if "csv" in files else None,
        claims=claims,
    )


def command(config: Sequence[str], target: str) -> str:
    """Return the command that builds a target, without folders of this machine."""
    keys = {each: each.split("=")[0] for each in config}
    kept = [each for each, key in keys.items() if key in IN_COMMANDS]
    kept += ["data=FOLDER"] * ("data" in keys.values())
    return " ".join(["contrapose run", *(["--config", *kept] if kept else []), "--", target])


def trained(project: Project) -> list[RunRow]:
    """Return what the logs say about the encoders that are trained for the tables."""
    places = map(project.places.history, project.reports.every_trained_run())
    files = (Path(place.replace("<results>", project.results)) for place in places)
    logs = ((file, read_provenance(file)) for file in files if file.is_file())
    return [run_row(run_of(made), read_table(file, HISTORY), made) for file, made in logs]
