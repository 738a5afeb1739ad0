import os
import sys
from contextlib import contextmanager
from pathlib import Path

from snakemake.logging import logger
from snakemake_interface_executor_plugins.settings import DeploymentMethod

# True if loaded from a repository at a tag, as `snakedeploy deploy-workflow` writes it.
FETCHED = not isinstance(workflow.current_basedir, os.PathLike)
if FETCHED:
    try:
        from contrapose.base.home import HOME
    except ImportError:
        logger.error(
            "This workflow needs the package contrapose beside Snakemake: pip install git+URL@TAG, "
            "of the repository and tag that workflow/Snakefile names."
        )
        sys.exit(1)
else:
    HOME = Path(workflow.current_basedir).parent.parent
# The code beside this workflow is what runs: here, and in scripts, where it precedes an installed package.
SOURCE = str(HOME / "src")
sys.path.insert(0, SOURCE)
ENVIRONMENT = {
    "PYTHONPATH": os.pathsep.join([SOURCE, os.environ.get("PYTHONPATH", "")]).strip(os.pathsep),
    # No job imports a file of the working directory, such as a person's own queue.py.
    "PYTHONSAFEPATH": "1",
    # Arrow's own allocator keeps freed memory: 40 MB in every job.
    "ARROW_DEFAULT_MEMORY_POOL": os.environ.get("ARROW_DEFAULT_MEMORY_POOL", "system"),
    # Looking for a GPU does not start CUDA, so a job can still choose which it sees.
    "PYTORCH_NVML_BASED_CUDA_CHECK": "1",
    # Environments of `--sdm conda` also get the tested versions. A URL may contain spaces.
    "PIP_CONSTRAINT": os.environ.get("PIP_CONSTRAINT", (HOME / "constraints.txt").resolve().as_uri()),
}
os.environ.update(ENVIRONMENT)

from contrapose.base.errors import ContraposeError


@contextmanager
def errors_as_messages():
    """End the call with the message alone: around a WorkflowError Snakemake puts lines of this file."""
    try:
        yield
    except ContraposeError as error:
        logger.error(str(error))
        sys.exit(1)


with errors_as_messages():  # a strategy or loss of a person's own may be wrong
    from contrapose.pairs.kinds import STRATEGIES, inputs_of
    import contrapose.train.recipe
from contrapose.base.tasks import FINE_TUNED_SUITES, SUITES, TASKS, UNTRANSLATED
from contrapose.jobs.fingerprint import canonical
from contrapose.settings.ids import names_of_kind, of_kind, unlike
from contrapose.jobs.step import settings_class, step_module
from contrapose.generate import merge
from contrapose.project import cards, costs, pages, reports, steps
from contrapose.project.at_hand import at_hand, project_of_workflow
from contrapose.settings.cli_config import given_config
from contrapose.retrieve import data_files, suites
from contrapose.evaluate import mteb_files
from contrapose.project.copied import recognize_copies
from contrapose.project.methods import said_of_lost_encoders, said_of_skipped
from contrapose.report.kinds.union import FIGURES, TABLES
from contrapose.models.gpus import gpus_here
from contrapose.settings.main import ON_GPU
from contrapose.tools.resources import SIGNAL, minutes_of, requested_resources
from contrapose.tools.start import (
    check_before_jobs,
    check_container,
    check_no_file_in_the_way,
    check_rules,
    check_version,
    check_working_directory,
)

# Kept for when another workflow imports this as a module: later, `workflow.pathvars` are those of the other.
PATHVARS = workflow.pathvars
FOLDERS = {name: PATHVARS.apply(f"<{name}>") for name in ("results", "logs", "state")}

with errors_as_messages():
    check_working_directory()
    if FETCHED:
        check_version(Path(workflow.source_path("../../pyproject.toml")))
    given_config([])  # Snakemake takes the last of two equal keys, and names no file


configfile: "config/config.yaml"


with errors_as_messages():
    planned_for = at_hand()  # a command that says itself what is skipped
    project = project_of_workflow(config, HOME, FOLDERS["results"])
    if workflow.is_main_process and planned_for is None:
        if skipped := said_of_skipped(project):
            logger.warning(skipped)
        for key, lost in said_of_lost_encoders(project, Path(FOLDERS["results"])):
            logger.warning(f"{key}: {lost}")
    if DeploymentMethod.APPTAINER in workflow.deployment_settings.deployment_method:
        check_container(project.config.container)
    RULES = project.rules
    for name, folder in FOLDERS.items():
        check_no_file_in_the_way(folder, name)
    if workflow.is_main_process:
        recognize_copies(project, Path(FOLDERS["results"]))


NAMES = (
    "collection corpus dictionary filler fine_tuning grammar llm pairs probe prompt recipe retriever rewrites role "
    "scorer table task tasks texts writer"
)


wildcard_constraints:
    **dict.fromkeys(NAMES.split(), r"[^/]+"),
    **dict.fromkeys(("draw", "nearest", "number", "seed", "shard", "shards", "slots"), r"\d+"),
    choice="likeliest|drawn",
    queries=r"\d+|auto",
    rate=r"[0-9.e-]+",
    run=r"[^/]+/[^/]+/seed\d+|released/[^/]+/[a-z0-9_]+|folder",
    within=r"(-[^/]+)?",
    detector="|".join(project.recipes.identifiers) or "none",
    suite="|".join(SUITES),
    threshold=r"[0-9.]+",


def input_from(function):
    """Turn a function of the project and named wildcards into one of wildcards; errors have no traceback."""

    def value(wildcards):
        try:
            return function(project, **dict(wildcards.items()))
        except ContraposeError as error:
            raise error.with_traceback(None) from None

    return value


def params_of(rule):
    """What makes a job run again, by rule: its settings as one canonical text and the digest of its code."""
    return {
        "settings": input_from(lambda project, **wildcards: steps.settings(project, rule, wildcards)),
        "code": input_from(lambda project, **wildcards: steps.code(project, rule, wildcards)),
    }


def requested_by(rule):
    """What gives the resources that a job of a rule requests, from its wildcards."""
    return lambda wildcards: requested_resources(rule, RULES, project.config, wildcards.get("recipe", ""))


def resources_of(rule):
    """Resources that a job of a rule requests from a cluster; a further attempt requests more."""
    requested = requested_by(rule)
    # As functions: which executor there is, is known when jobs are submitted, not when rules are read.
    extra = {"slurm_extra": lambda wildcards: "" if workflow.local_exec else SIGNAL}
    return (extra if RULES.of(rule).resumes else {}) | {
        "mem_mb": lambda wildcards, input, attempt: requested(wildcards).mem_mb(input, attempt),
        "runtime": lambda wildcards, input, attempt: requested(wildcards).runtime(
            input, attempt, 0 if workflow.local_exec else minutes_of(project, rule, wildcards)
        ),
        "gpu": lambda wildcards: requested(wildcards).gpus,
        "step": step_module(rule),
    }


def threads_of(rule):
    """Cores that a job should use: several for a large model, fewer where many jobs share this machine."""
    here = workflow.local_exec and not workflow.remote_exec
    cores = workflow.resource_settings.cores if here else None
    requested = requested_by(rule)
    return lambda wildcards, input: requested(wildcards).cpus(input, cores, project.trainings)


# At most as many jobs with a GPU run at once as this machine has GPUs: further ones would hold cores while they
# wait. A limit that a person gives (--resources gpu=4) stays, and a scheduler has its own.
if workflow.is_main_process and workflow.local_exec and not workflow.remote_exec and not workflow.dryrun:
    if project.config.device in ON_GPU and "gpu" not in workflow.global_resources and (gpus := gpus_here()):
        workflow.register_resource("gpu", gpus)


def kept(encoder):
    """An encoder's folder; with `save_models: false` Snakemake deletes it after its last use."""
    return encoder if project.config.save_models else temp(encoder)


def state(path):
    """A folder for what must survive a failed job, out of reach of Snakemake's cleaning."""
    return PATHVARS.apply(f"<state>/{path}")


def state_of(rule, place):
    """Folder of what a job keeps; it differs for other settings or other code of its rule."""
    return lambda wildcards: state(
        f"{place.format(**wildcards)}/{steps.fingerprint(project, rule, dict(wildcards.items()))}"
    )


def checkpoints_of(rule, place):
    """Where a training saves checkpoints, and how many seconds pass between them at least."""
    return {"state": state_of(rule, place), "checkpoint_seconds": 60}


def journal(llm):
    """Folder of the journal of a language model."""
    return state(f"generate/{project.llm_requests.journal(llm)}")


onstart:
    with errors_as_messages():
        check_before_jobs(project, workflow, FOLDERS, journal)
