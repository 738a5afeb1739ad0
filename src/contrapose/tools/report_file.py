"""`contrapose report`: write what is built as one HTML file."""

import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from itertools import chain
from pathlib import Path

import pandas as pd

from contrapose.base.directory import call, seen, settings
from contrapose.jobs.stage import run_of
from contrapose.jobs.status import read_status
from contrapose.project import Project, pages
from contrapose.project.reports import trained_runs
from contrapose.report.about import About
from contrapose.report.files import write_text
from contrapose.report.findings import ranked
from contrapose.report.overview import report
from contrapose.report.page import figure_markdown
from contrapose.report.pair_cosines import CosinePicture, compared_runs, cosine_picture
from contrapose.report.planned_rows import available_suites, scored_sets
from contrapose.report.recommendation import RUN
from contrapose.report.results import CatalogFacts, Result, ResultKind, StudyResults
from contrapose.report.training_logs import RunRow, run_row
from contrapose.report.web import data_uri, picture
from contrapose.settings.cli_config import given_config
from contrapose.settings.config_folder import SUFFIXES
from contrapose.settings.ids import Run, run_from
from contrapose.settings.main import Config
from contrapose.tables import (
    BENCHMARK,
    COSINES,
    COST,
    HISTORY,
    SENTENCES,
    count_rows,
    read_provenance,
    read_table,
    read_tables,
)
from contrapose.tools.arguments import parser_of
from contrapose.tools.command_line import check_is_project, nothing_built, project_of

WORKFLOW = "workflow.html"  # Snakemake's own report, where `make report` puts it
# Keys of the config that change results.
IN_COMMANDS = ("catalog", "methods", "seeds", "steps", "sentences", "search", "bootstrap", "folds")


def main(arguments: list[str]) -> None:
    """Write the report on the existing results; nothing is built or rebuilt for it."""
    options = parser_of("report").parse_args(arguments)
    check_is_project("report", [])
    project = project_of(options.config)
    to = options.to or Path(project.results) / "report.html"
    studies = [study_results(project, name, options.config) for name in project.studies]
    cost = Path(project.results) / "generate/cost.parquet"
    catalog = CatalogFacts(project.catalog_name, project.catalog.description, project.catalog.generated)
    costs = read_table(cost, COST) if cost.is_file() else None
    workflow = WORKFLOW if to.with_name(WORKFLOW).is_file() else ""
    runs, elsewhere = trained(project), [name for study in studies for name in study.missing.values() if name]
    if not (runs or elsewhere or costs is not None or any(study.results for study in studies)):
        raise nothing_built(project.results, options.config, next(iter(project.studies)))
    write_text(report(studies, runs, costs, catalog, workflow, date.today().isoformat()), to)
    built = sum(len(study.results) for study in studies)
    everything = built + sum(len(study.missing) for study in studies)
    shown = f"{built} of {everything} tables, figures and claims of {', '.join(project.studies)}"
    print(f"Wrote {seen(to)} with {shown}.")
    if built < everything:
        lacking = [study.name for study in studies if study.missing]
        builds = call("run", settings(options.config), "--", *lacking)
        print(f"The others are not built. To build them: {builds}")
    for other in sorted({*elsewhere}):
        print(f"Skipped: results of catalog {other}, for --config catalog={other}")


def study_results(project: Project, study: str, config: Sequence[str]) -> StudyResults:
    """Read the built results of a study in the catalog of the project; `config` is `--config` of the call."""
    claims = Counter(name for claim in project.files.claims(study) for name in claim.needs)
    about = project.studies[study]
    built, missing = [], dict[str, str]()
    for kind, name in pages.results_of(project, study):
        file = Path(project.results, kind, f"{name}.parquet")
        what = f"claims of {name}" if kind == "claims" else name
        catalog = catalog_of(file) if file.is_file() else ""
        if catalog != project.catalog_name:
            missing[what] = catalog
        else:
            target = f"results/{kind}/{name}.{SUFFIXES[kind]}"
            claim_count = claims[name.removeprefix(about.prefix)]
            caption = "" if kind == "claims" else project.shown(name).spec.caption
            one = result(kind, file, caption, command(config, target, read_provenance(file)), claim_count)
            named = with_encoders(project, one._replace(compared=compared(project, one)))
            built.append(named._replace(cosines=cosines_of(project, named)))
    every = command(config, study)
    facts = (about.title, about.source, every, about.deviations, built, missing, about.prefix)
    return StudyResults(study, *facts)


def catalog_of(file: Path) -> str:
    """Return the catalog that a table, figure or verdict belongs to."""
    settings = read_provenance(file)["settings"]
    return settings.get("about", settings)["catalog"]


def result(kind: ResultKind, file: Path, caption: str, command: str, claims: int) -> Result:
    """Read a table, a figure or verdicts from the Parquet file and the files beside it."""
    made, ends = read_provenance(file), ("md", "csv", "tex", "png")
    files = {end: path for end in ends if (path := file.with_suffix(f".{end}")).is_file()}
    return Result(
        *(kind, file.stem, caption, command),
        tidy=pd.read_parquet(file),
        made=made,
        text=files["md"].read_text(encoding="utf-8") if "md" in files else figure_markdown(made),
        images={files["png"].name: picture(files["png"])} if "png" in files else {},
        files={files[end].name: data_uri(files[end]) for end in ("csv", "tex") if end in files},
        claims=claims,
    )


def command(config: Sequence[str], target: str, made: Mapping | None = None) -> str:
    """Return the command that builds a target, without folders of this machine.

    With the provenance of a result its number of seeds, and so on, are those that it was built with.
    """
    keys = {each: each.split("=")[0] for each in config}
    built = built_with(made["settings"].get("about", {}) if made else {})
    kept = [each for each, key in keys.items() if key in IN_COMMANDS and key not in built]
    kept += [f"{key}={value}" for key, value in built.items() if value != _usual(key)]
    kept += ["data=FOLDER"] * ("data" in keys.values())
    return shlex.join(["contrapose", "run", *(["--config", *kept] if kept else []), "--", target])


def built_with(about: Mapping) -> dict[str, object]:
    """Return the settings of a call that show in what a table knows about itself."""
    if not about:
        return {}
    searched = any(row.get("selected_for") for row in about["rows"])
    return {"seeds": len(about["seeds"]), "bootstrap": about["bootstrap"], "search": str(searched).lower()}


def _usual(key: str) -> object:
    """Return what a call without `--config` has for a setting, as in a command."""
    value = given_config([]).get(key, Config.model_fields[key].default)
    return str(value).lower() if isinstance(value, bool) else value


def compared(project: Project, result: Result) -> str:
    """Describe what a table of scores compared: encoders, sentences, test pairs, seeds, budget."""
    if "average" not in result.made["settings"].get("spec", {}):
        return ""
    about, tidy = About.model_validate(result.made["settings"]["about"]), result.tidy
    columns = dict(result.made["settings"]["spec"]["columns"])  # without retention test sets
    runs = [run for row in about.rows if row.trained for run in row.every_run]
    logs = _made(project, map(project.paths.history, runs))
    pairs = (run.pairs for run in map(run_from, runs) if isinstance(run, Run))  # others are fine-tuned
    sets = _made(project, dict.fromkeys(map(project.paths.pairs, pairs)))
    corpora = dict.fromkeys(made["settings"].get("spec", {}).get("corpus") for made in sets)
    files = [_file(project, project.paths.corpus(name)) for name in filter(None, corpora)]
    sentences = [count_rows(file, SENTENCES) for file in files if file.is_file()]
    batches = [made["settings"]["recipe"].get("batch_size") for made in logs]
    facts: dict[str, list] = {
        "encoder": [_encoder_name(project, row.encoder) for row in about.rows if row.runs],
        "sentences": sentences,
        "test pairs": [tidy.n[tidy.column.isin(columns)].max()],
        "trainings of each method": [len(about.seeds)] if logs else [],
        "steps": list(tidy.steps.dropna()),
        "pairs per step": list(filter(None, batches)),
    }
    return "; ".join(f"{name}: {_ends(values)}" for name, values in facts.items() if values)


def with_encoders(project: Project, result: Result) -> Result:
    """Add the names of the encoders of a table, and how the one that it recommends is loaded."""
    rows = result.made["settings"].get("about", {}).get("rows", [])
    names = {row["encoder"]: _encoder_name(project, row["encoder"]) for row in rows if row["encoder"]}
    run = read_status(result.made).facts.get(RUN, "")
    if run and (folder := _file(project, project.paths.history(run)).with_name("encoder")).is_dir():
        return result._replace(encoders=names, load=str(folder))
    kept = [row["encoder"] for row in rows if run in row["runs"] and not row["trained"]]
    source = project.catalog.encoders.get(kept[0]) if kept else None
    return result._replace(encoders=names, load=(source and source.hub_name) or "")


def cosines_of(project: Project, result: Result) -> CosinePicture | None:
    """Draw the cosines of the test pairs of a comparison by an encoder before and after training.

    That after training is what the table recommends, or else the first training of the method with the
    highest score.  None for other tables, and if a file is not there.
    """
    spec, (column, ranking) = result.made["settings"].get("spec", {}), ranked(result)
    if spec.get("kind") != "sts" or not column:
        return None
    order = ranking.sort_values("value", ascending=False, kind="stable")["row"].astype(int)
    rows = About.model_validate(result.made["settings"]["about"]).rows
    runs = compared_runs(rows, order, read_status(result.made).facts.get(RUN, ""))
    if runs is None:
        return None
    suites = available_suites(project, result.name)
    files = [
        [_file(project, project.paths.evaluated(suite, run, "-cosines")) for suite in suites]
        for run in (runs.before, runs.after)
    ]
    sets = [_file(project, place) for place in scored_sets(project, result.name)]
    if not sets or not all(file.is_file() for file in chain(sets, *files)):
        return None
    tasks = [dict(each)["task"] for each in dict(spec["columns"]).values()]
    gold = read_tables(map(str, sets), BENCHMARK)
    shown = gold.task.isin(tasks) & (gold.form == spec["form"]) & (gold.split == spec["split"])
    pretrained, trained = (read_tables(map(str, of), COSINES) for of in files)
    return cosine_picture(gold[shown], pretrained, trained, runs.method)


def _ends(values: Sequence) -> str:
    """Write names, or the least and the largest number."""
    texts = list(dict.fromkeys(each if isinstance(each, str) else f"{int(each):,}" for each in values))
    return (
        ", ".join(texts) if isinstance(values[0], str) else " to ".join(dict.fromkeys([texts[0], texts[-1]]))
    )


def _encoder_name(project: Project, role: str) -> str:
    source = project.catalog.encoders.get(role)
    return source.shown_name(project, role) if source else role


def _made(project: Project, places: Iterable[str]) -> list[Mapping]:
    """Return the provenance of files that are there."""
    files = (_file(project, place) for place in places)
    return [read_provenance(file) for file in files if file.is_file()]


def _file(project: Project, place: str) -> Path:
    return Path(place.replace("<results>", project.results))


def trained(project: Project) -> list[RunRow]:
    """Return what the logs say about the encoders that are trained for the tables."""
    files = (_file(project, project.paths.history(run)) for run in trained_runs(project))
    logs = ((file, read_provenance(file)) for file in files if file.is_file())
    return [run_row(run_of(made), read_table(file, HISTORY), made) for file, made in logs]
