"""Checks at the start of the work, for problems that would stop a job later and that no setting shows."""

import difflib
import os
import shlex
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq

from contrapose.base.directory import call, settings
from contrapose.base.errors import BackendError, ConfigError
from contrapose.generate.client_options import secret
from contrapose.jobs.queue import check_none_left_behind, comments_of
from contrapose.project import Project
from contrapose.project.staleness import is_current
from contrapose.settings.catalogs import Connection, serving_module
from contrapose.tables import read_provenance
from contrapose.tools.command_line import RunArguments
from snakemake_logger_plugin_contrapose.running import name_of

if TYPE_CHECKING:
    from snakemake.workflow import Workflow

# Options whose words are rules or files; Snakemake ignores those of the first that are neither.
OMIT = ("-O", "--omit-from")
OF_RULES = (*OMIT, "-R", "--forcerun", "-U", "--until")
MEANT = 5  # rules that a message names
BLOCK = bytes(4096)  # one block of a usual file system: a full disk accepts empty files, but no content


def check_working_directory() -> None:
    """Raise BackendError for a working directory where Snakemake cannot keep its records."""
    records = Path(".snakemake")
    if not os.access(records if records.is_dir() else ".", os.W_OK):
        raise BackendError(
            f"The folder '{Path.cwd()}' cannot be written, but Snakemake keeps its records there. "
            "Copy the project to a folder that you can write, and run the same command there."
        )


def check_cores(cores: int | None) -> None:
    """Raise ConfigError for no cores, with which Snakemake waits forever; None: of jobs elsewhere."""
    if cores == 0:
        raise ConfigError("--cores is 0, so no job would ever start. Give at least 1, or omit the option.")


def check_rules(rules: Iterable[str]) -> None:
    """Raise ConfigError for a word behind an option of this call that names no rule but is near one.

    A word of `--omit-from` may be near none.  What has a slash is a file.
    """
    given, known = RunArguments.of(sys.argv[1:]), sorted(rules)
    for option in OF_RULES:
        for name in (*given.words(option), *given.values(option)):
            if not name or name in known or "/" in name or name.startswith("-"):
                continue
            called = [each for each in known if name_of(each, {}) == name]  # as `run -n` has it
            begun = [each for each in known if each.startswith(name)]
            close = called or difflib.get_close_matches(name, begun or known, MEANT, 0.0 if begun else 0.6)
            near = " or ".join(f"'{each}'" for each in close)
            hint = f" Did you mean {near}?" if near else ""
            if hint or option in OMIT:
                raise ConfigError(
                    f"{option} {name}: there is no rule of this name.{hint} "
                    f"`{call('run', '--list-rules')}` shows all rules."
                )


def check_version(pyproject: Path) -> None:
    """Raise ConfigError if the rules beside a pyproject.toml have another version than this package."""
    rules = tomllib.loads(pyproject.read_text(encoding="utf-8"))["project"]["version"]
    if rules != version("contrapose"):
        raise ConfigError(
            f"The workflow has version {rules} of contrapose, but the installed package has version "
            f"{version('contrapose')}. Install the package from the tag that workflow/Snakefile "
            "names: pip install git+URL@TAG"
        )


def check_no_file_in_the_way(folder: str | Path, name: str) -> None:
    """Raise ConfigError if a folder's path leads through a file; `name` is the pathvar that moves it."""
    for place in (Path(folder), *Path(folder).parents):
        if place.exists() and not place.is_dir():
            raise ConfigError(
                f"{name}: '{place}' is a file, but a folder is expected. Move the file, or choose "
                f"another folder: --config pathvars='{{{name}: FOLDER}}'"
            )


def check_writable(folder: str | Path, name: str) -> None:
    """Make a folder and write into it, as the jobs will, or raise BackendError."""
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as draft:
            draft.write(BLOCK)
    except OSError as error:
        raise BackendError(
            f"{name}: the folder '{folder}' cannot be written ({error.strerror}). No job was started, "
            "and all results are kept. Free disk space, or change the permissions. Another folder "
            "inside the project is also possible, which may be a link to another disk: --config "
            f"pathvars='{{{name}: FOLDER}}'"
        ) from error


def check_temporary_folder() -> None:
    """Raise BackendError if TMPDIR cannot be written: Snakemake's scheduler ends in a traceback there."""
    folder = os.environ.get("TMPDIR") or tempfile.gettempdir()
    try:
        with tempfile.TemporaryFile(dir=folder) as draft:
            draft.write(BLOCK)
            draft.flush()
    except OSError as error:
        raise BackendError(
            f"The folder for temporary files, '{folder}', cannot be written ({error.strerror}). No "
            "job was started. Free disk space there, or name another folder in the environment "
            "variable TMPDIR."
        ) from error


def check_key(connection: Connection, journal: str | Path) -> None:
    """Raise ConfigError if the API key of a language model that will be asked is not set.

    With answers in the folder of its journals it may not be needed; if it is, the job says so itself.
    """
    if not _has_answers(journal):
        secret(connection)


def _has_answers(journal: str | Path) -> bool:
    return any(path.stat().st_size for path in Path(journal).rglob("*.jsonl"))


def asked_llms(project: Project, jobs: Iterable[Any]) -> set[str]:
    """Return the roles of the language models that Snakemake's jobs will ask."""
    return {role for _, role in _asking(project, jobs)}


def _asking(project: Project, jobs: Iterable[Any]) -> Iterator[tuple[Any, str]]:
    """Yield the jobs that ask a language model, whatever other answers say, and its role."""
    for job in jobs:
        rule = project.rules.of(job.rule.name)
        if rule.asks not in (None, "replacements", "vectors"):
            yield job, rule.used(project, dict(job.wildcards.items())).name


def check_before_jobs(
    project: Project, workflow: "Workflow", folders: Mapping[str, str], journal: Callable[[str], str]
) -> None:
    """Look at all that would stop the jobs of a call later; raise the error of the first thing found.

    `workflow` is that of Snakemake, `folders` are those of outputs by the name of their pathvar, and
    `journal` returns the folder of the journals of a role.
    """
    jobs = list(workflow.dag.needrun_jobs())
    if workflow.executor_plugin.name == "slurm":
        check_none_left_behind(comments_of(jobs), Path.cwd())
    check_cores(workflow.resource_settings.cores)
    if not workflow.execution_settings.keep_going:
        check_nothing_will_fail(project, jobs, workflow.executor_plugin.name == "local")
    check_temporary_folder()
    for name, folder in folders.items():
        check_writable(folder, name)
    check_llms(project, jobs, journal)
    check_not_asked_again(project, jobs, lambda job: workflow.dag.reason(job).forced, journal)


def check_nothing_will_fail(project: Project, jobs: Iterable[Any], here: bool) -> None:
    """Raise ConfigError for what is certain to stop jobs; `here`: they run on this machine."""
    from contrapose.tools.check import check_will_fail  # takes half a second to import
    from contrapose.tools.dry_run import Job

    planned = [
        Job(job.rule.name, dict(job.wildcards.items()), outputs=[*map(str, job.output)]) for job in jobs
    ]
    if failing := check_will_fail(project, planned, here):
        said = "\n".join(f"{one.what}: {one.text}" for one in failing)
        raise ConfigError(f"{said} No job was started.")


def check_not_asked_again(
    project: Project, jobs: Iterable[Any], is_forced: Callable[[Any], bool], journal: Callable[[str], str]
) -> None:
    """Raise ConfigError if answers of a server are there but would be asked for once more, unless forced.

    They are made with today's settings and code, so only the content of their inputs or a lost manifest can
    be the reason.  With a journal a job asks for what is new alone.
    """
    again: dict[str, int] = {}
    for job, role in _asking(project, jobs):
        served = project.llm(role).paid and not serving_module(project.llm_requests.connection(role).endpoint)
        made = [path for path in map(str, job.output) if Path(path).is_file()]
        if not served or not made or is_forced(job) or _has_answers(journal(role)):
            continue
        if is_current(project, read_provenance(made[0])):
            again[made[0]] = pq.read_metadata(made[0]).num_rows
    if again:
        files = "".join(f"\n  {path} ({rows} answers)" for path, rows in again.items())
        given = settings(RunArguments.of(sys.argv[1:]).config)
        command = call("run", given, shlex.join(["--forcerun", *again, "--", "TARGET"]))
        raise ConfigError(
            "A run would send requests for existing answers of a language model again, and perhaps "
            f"pay twice:{files}\nThe answers were made with the current settings. Either their "
            "sentences have changed, or their hidden manifest (.NAME.manifest.json) was not copied "
            "with them. The stored answers are not in the folder 'state' either. Nothing was "
            "started. Copy 'state' and the hidden files from the place where the answers were made. "
            f"To send the requests again: {command}"
        )


def check_llms(project: Project, jobs: Iterable[Any], journal: Callable[[str], str]) -> None:
    """Raise ConfigError if a key is missing, or roles share a server that serves another model, see both.

    `journal` returns the folder of the journals of a role.
    """
    roles = sorted(asked_llms(project, jobs))
    for role in roles:
        check_key(project.llm_requests.connection(role), journal(role))
    if project.config.endpoint and len(roles) > 1:
        from contrapose.tools.check_services import check_not_shared  # takes a second to import

        check_not_shared(project, roles)


def check_container(image: str | None) -> None:
    """Raise ConfigError if no image, a file or a URL, is named: Snakemake would run the jobs without one.

    Snakemake writes the image and the folder of the call into a command of a shell without quoting them.
    """
    example = "Build one (docs/dev/environments.md) and name it: --config container=contrapose.sif"
    if image is None:
        raise ConfigError(
            f"container: with --sdm apptainer, jobs need a container image, but none is named. {example}"
        )
    for what, text, allowed in (
        ("image", image, "@%+=:,./-"),
        ("working directory", str(Path.cwd()), "@%+=:,./- "),
    ):
        if odd := {each for each in text if not each.isalnum() and each not in f"_{allowed}"}:
            raise ConfigError(
                f"container: the name of the {what}, '{text}', contains {' '.join(sorted(odd))}, "
                "which a shell could run as code. With --sdm apptainer, use a name of letters, "
                "digits and _ . -"
            )
    if "://" not in image and not Path(image).exists():
        raise ConfigError(f"container: '{image}' does not exist. {example}")
