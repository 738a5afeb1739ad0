import os
import re
import sys
from pathlib import Path

from snakemake.dag import DAG
from snakemake.exceptions import WorkflowError
from snakemake_interface_executor_plugins.settings import DeploymentMethod
from snakemake_interface_executor_plugins.utils import TargetSpec

HOME = Path(workflow.current_basedir).parent.parent
# The code beside this workflow is the code that runs: here, and in front of what is installed in scripts.
SOURCE = str(HOME / "src")
sys.path.insert(0, SOURCE)
ENVIRONMENT = {
    "PYTHONPATH": os.pathsep.join([SOURCE, os.environ.get("PYTHONPATH", "")]).strip(
        os.pathsep
    ),
    # Arrow's own allocator keeps what it has freed: 40 MB in every job.
    "ARROW_DEFAULT_MEMORY_POOL": os.environ.get("ARROW_DEFAULT_MEMORY_POOL", "system"),
    # Looking for a GPU does not start CUDA, so a job can still choose which it sees.
    "PYTORCH_NVML_BASED_CUDA_CHECK": "1",
    # What an environment of `--sdm conda` brings along gets the tested versions too. A URL may hold spaces.
    "PIP_CONSTRAINT": os.environ.get(
        "PIP_CONSTRAINT", (HOME / "constraints.txt").resolve().as_uri()
    ),
}
os.environ.update(ENVIRONMENT)

from contrapose.errors import ContraposeError
from contrapose.tasks import FINE_TUNED_SUITES, SUITES, UNTRANSLATED
from contrapose.fingerprint import canonical
from contrapose.forecast.needs import needs
from contrapose.plan import Plan
from contrapose.plan.pages import TARGETS
from contrapose.preflight import (
    check_container,
    check_key,
    check_no_file_in_the_way,
    check_working_directory,
    check_writable,
)
from contrapose.queue import check_none_left_behind, comment_of
from contrapose.targets import target_jobs


def with_whole_targets(init):
    """Make the start of a DAG that takes its target jobs from the command line (see contrapose.targets)."""

    async def started(dag, *arguments, **options):
        dag.workflow.dag_settings.target_jobs = [
            TargetSpec(*job) for job in target_jobs(sys.argv)
        ]
        await init(dag, *arguments, **options)

    return started


if any(target_jobs(sys.argv)):
    DAG.init = with_whole_targets(DAG.init)

# Those of this workflow, also where another one imports it as a module: `workflow.pathvars` are its own later on.
PATHVARS = workflow.pathvars
FOLDERS = {name: PATHVARS.apply(f"<{name}>") for name in ("results", "logs", "state")}

try:
    check_working_directory()
    project = Plan(config, HOME)
    if DeploymentMethod.APPTAINER in workflow.deployment_settings.deployment_method:
        check_container(project.config.container)
    for name, folder in FOLDERS.items():
        check_no_file_in_the_way(folder, name)
except ContraposeError as error:
    raise WorkflowError(str(error)) from None


wildcard_constraints:
    collection=r"[^/]+",
    corpus=r"[^/]+",
    dictionary=r"[^/]+",
    fine_tuning=r"[^/]+",
    llm=r"[^/]+",
    probe=r"[^/]+",
    prompt=r"[^/]+",
    pairs=r"[^/]+",
    pooling=r"[a-z0-9_]+",
    recipe=r"[^/]+",
    rewrites=r"[^/]+",
    role=r"[^/]+",
    scorer=r"[^/]+",
    seed=r"\d+",
    shard=r"\d+",
    shards=r"\d+",
    suite="|".join(SUITES),
    task=r"[^/]+",
    texts=r"[^/]+",


def settings_of(rule):
    """Make the `settings` of a rule: one canonical text of what this rule alone uses."""
    return input_from(lambda **wildcards: project.settings(rule, wildcards))


def code_of(rule):
    """Digest of a rule's script and of all package code that it reaches, once a job wants it."""
    return input_from(lambda **wildcards: project.code(rule, wildcards))


def input_from(function):
    """Make a function for `input:` or `params:`, of wildcards alone, whose errors are shown as messages."""

    def value(wildcards):
        try:
            return function(**dict(wildcards.items()))
        except ContraposeError as error:
            raise error.with_traceback(
                None
            ) from None  # where it was raised helps nobody who reads it

    return value


def needs_of(rule):
    """What a job of a rule asks a cluster for, as resources; a further attempt asks for more."""

    def resource(name):
        return lambda wildcards, attempt: getattr(
            needs(project, rule, dict(wildcards.items())).of_attempt(attempt), name
        )

    return {
        "mem_mb": resource("mem_mb"),
        "runtime": resource("runtime"),
        "disk_mb": resource("disk_mb"),
        "gpu": resource("gpus"),
    }


def cpus_of(rule):
    """Cores that a job of a rule can use, more than one only beside a GPU or for hours without."""
    return lambda wildcards: needs(project, rule, dict(wildcards.items())).cpus


def state(path):
    """A folder for what must survive a failed job, out of reach of Snakemake's cleaning."""
    return PATHVARS.apply(f"<state>/{path}")


def state_of(rule, place):
    """Folder of what a job keeps; with other settings or other code of its rule it is another one."""
    return lambda wildcards: state(
        f"{place.format(**wildcards)}/{project.fingerprint(rule, dict(wildcards.items()))}"
    )


def journals_of_llms():
    """Folder of the journals of every language model that the studies ask, as one text."""
    return canonical(
        {llm: state(f"generate/{project.journal_of(llm)}") for llm in project.llm_roles}
    )


def connections_of_llms():
    """How each of them is reached, as one text."""
    return canonical(
        {
            llm: project.connection(llm).model_dump(mode="json")
            for llm in project.llm_roles
        }
    )


def benchmarks_of(suite):
    """File of the evaluation sets of a suite."""
    return f"<results>/retrieve/benchmarks/{suite}.parquet"


def place_of(role):
    """Where the encoder of a role is, a folder or a file; empty for a model of the hub."""
    encoder = project.encoder(role)
    return encoder.folder or PATHVARS.apply(encoder.made or "")


def place_of_teacher(recipe):
    """The same of the teacher of a recipe; empty without one."""
    teacher = project.teacher(project.recipe(recipe))
    return place_of(teacher) if teacher else ""


def place_of_language_model(role):
    """Folder of the language model of a role; empty for a model of the hub."""
    source = project.language_model(role)
    return source.folder or PATHVARS.apply(source.made or "")


def data_folder(wildcards, input):
    """Where the files of the world are: its data folder, or the one that it makes; empty without any."""
    return str(project.data or (input.files[0] if input.files else ""))


def shards_of(stage):
    """Name the shards of a stage: `0-of-2`, `1-of-2`."""
    count = getattr(project.config.shards, stage)
    return [f"{shard}-of-{count}" for shard in range(count)]


def rewrites_files(stage, rewrites):
    """Every shard of rewrites: `generate`, the candidates; `score`, their perplexities."""
    folder = f"<results>/{stage}/rewrites/{rewrites}"
    return [f"{folder}/{shard}.parquet" for shard in shards_of("rewrites")]


def of_kind(kind, entries=project.recipes.pairs):
    """Match the ids of pair sets, or other entries, of one kind: a name, and overrides behind it."""
    names = [name for name, entry in entries.items() if entry.kind == kind]
    return f"({'|'.join(map(re.escape, names)) or 'none'})(,[^/]+)?"


def unlike(names):
    """Match every name or id but these: what the rules that know them leave over."""
    return rf"(?!({'|'.join(map(re.escape, names))})[,./])[^/]+"


# Encoders are scored on the others as they are.
SCORED_SUITES = "|".join(suite for suite in SUITES if suite not in FINE_TUNED_SUITES)


def reports_of(study):
    """Every table of a study and the verdicts on its claims, as the files that a person asks for."""
    return [
        f"<results>/{kind}/{name}.{TARGETS[kind]}"
        for kind, name in project.results_of(study)
    ]


def built(paths):
    """Keep those of some results that are there already."""
    return [path for path in paths if Path(workflow.pathvars.apply(path)).is_file()]


def built_pages():
    """Name a page for each result of the studies that is there already."""
    return [
        f"<results>/pages/{kind}/{name}.html"
        for study in project.studies
        for kind, name in project.results_of(study)
        if built([f"<results>/{kind}/{name}.parquet"])
    ]


def asked_llms():
    """Name the language models that jobs of this call will ask."""
    jobs = workflow.dag.needrun_jobs()
    rules = ("generate_paraphrase", "generate_translate")
    of_texts = (job for job in jobs if job.rule.name == "generate_asked")
    return {job.wildcards.llm for job in jobs if job.rule.name in rules} | {
        project.asked_llm(job.wildcards.texts) for job in of_texts
    }


def comments_of_submitted_jobs():
    """Comments that the jobs of this call would have in SLURM's queue."""
    return {
        comment_of(job.rule.name, list(job.wildcards))
        for job in workflow.dag.needrun_jobs()
        if not job.is_local
    }


onstart:
    try:
        if workflow.executor_plugin.name == "slurm":
            check_none_left_behind(comments_of_submitted_jobs(), Path.cwd())
        for name, folder in FOLDERS.items():
            check_writable(folder, name)
        for llm in sorted(asked_llms()):
            check_key(
                project.connection(llm),
                state(f"generate/{project.journal_of(llm)}"),
            )
    except ContraposeError as error:
        raise WorkflowError(str(error)) from None
