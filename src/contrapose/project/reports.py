"""What jobs of tables and figures read: their input files, and their settings."""

from contrapose.base.errors import ConfigError, instead_of
from contrapose.jobs.step import InputFiles
from contrapose.project.lookups import Lookups
from contrapose.report.row_runs import trainings
from contrapose.settings.ids import is_trained
from contrapose.settings.refs import resolved


def inputs(project: Lookups, name: str) -> dict[str, InputFiles]:
    """Return the input files of a table or figure: those of its kind, logs, and the paper's table."""
    spec, about = project.shown(name).spec, project.about(name)
    histories = [project.paths.history(run) for run in filter(is_trained, about.runs)]
    logs = {"histories": histories} if spec.reads_logs else {}
    papers = {"published": published(project, name)} if name in project.tables else {}
    return {**spec.inputs(project, about), **logs, **papers}


def published(project: Lookups, name: str) -> list[str]:
    """Return the file with the paper's numbers of a table, if it has one."""
    study, spec = project.tables[name]
    return [project.files.published(study, spec.published)] if spec.published else []


def report_job(project: Lookups, name: str) -> dict[str, object]:
    """Return the settings of the job of a table or figure: those of its kind, and `About` it."""
    spec = resolved(project.shown(name).spec, project)
    searched = project.config.search or not spec.encoder_rows(project, name)
    unused = None if searched else {"rows": {"__all__": {"grid"}}}  # values that only a search tries
    about = project.about(name).model_dump(mode="json")
    return {"spec": spec.model_dump(mode="json", exclude=unused), "about": about}


def trained_runs(project: Lookups) -> list[str]:
    """Return the ids of all trainings behind the rows of the tables, each once."""
    ids = (
        run.id
        for name, (_, spec) in project.tables.items()
        for row in spec.encoder_rows(project, name)
        for run in trainings(project, row)
    )
    return list(dict.fromkeys(ids))


def no_files(project: Lookups, what: str, name: str) -> list[str]:
    """Return no file if `tables` or `figures` have the name, else raise a ConfigError that lists them."""
    known = project.tables if what == "tables" else project.figures
    if name not in known:
        raise ConfigError(f"There is no {what.removesuffix('s')} '{name}'.{instead_of(name, known)}")
    return []
