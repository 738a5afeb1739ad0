import os
import re
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError
from snakemake_interface_executor_plugins.settings import DeploymentMethod

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
from contrapose.plan import Plan
from contrapose.plan.pages import TARGETS
from contrapose.preflight import (
    check_container,
    check_key,
    check_no_file_in_the_way,
    check_working_directory,
    check_writable,
)
from contrapose.resources import JobResources, read_resources
from contrapose.queue import check_none_left_behind, comment_of

IN_PROCESSES = (
    "train_encoder",
    "train_contrastive_tension",
)  # trainings that may run in several processes

# Those of this workflow, also where another one imports it as a module: `workflow.pathvars` are its own later on.
PATHVARS = workflow.pathvars
FOLDERS = {name: PATHVARS.apply(f"<{name}>") for name in ("results", "logs", "state")}

try:
    check_working_directory()
    project = Plan(config, HOME)
    if DeploymentMethod.APPTAINER in workflow.deployment_settings.deployment_method:
        check_container(project.config.container)
    RESOURCES = read_resources(HOME / "workflow" / "resources.yaml")
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
    recipe=r"[^/]+",
    run=r"[^/]+/[^/]+/seed\d+|released/[^/]+/[a-z0-9_]+|folder",
    rewrites=r"[^/]+",
    role=r"[^/]+",
    scorer=r"[^/]+",
    seed=r"\d+",
    shard=r"\d+",
    shards=r"\d+",
    suite="|".join(SUITES),
    task=r"[^/]+",
    texts=r"[^/]+",


def params_of(rule):
    """What makes a job of a rule run again: its settings, as one canonical text, and the digest of its code."""
    return {
        "settings": input_from(lambda **wildcards: project.settings(rule, wildcards)),
        "code": input_from(lambda **wildcards: project.code(rule, wildcards)),
    }


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


def asked_by(rule):
    """What jobs of a rule ask for, from `workflow/resources.yaml`."""
    processes = project.config.processes if rule in IN_PROCESSES else 1
    return JobResources(RESOURCES[rule], project.config.device, processes)


def resources_of(rule):
    """What a job of a rule asks a cluster for; a further attempt asks for more."""
    asked = asked_by(rule)
    return {
        "mem_mb": lambda wildcards, input, attempt: asked.mem_mb(input, attempt),
        "runtime": lambda wildcards, input, attempt: asked.runtime(input, attempt),
        "gpu": asked.gpus,
    }


def threads_of(rule):
    """Cores that a job of a rule can use: several for a large model."""
    return lambda wildcards, input: asked_by(rule).cpus(input)


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


encoder_of_run = input_from(
    lambda run, **others: project.scored(run).files
)  # what evaluation reads


def encoding_of(rule):
    """What a job asks for that runs the encoder of a run, and where that is if no job of ours makes it."""
    return {
        **resources_of(rule),
        "device": project.config.device,
        "batch_size": project.config.batch_size,
        "folder": lambda wildcards: PATHVARS.apply(
            project.scored(wildcards.run).folder
        ),
    }


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
    return f"({'|'.join(map(re.escape, names)) or 'none'})(\\+[^/]+)?"


def unlike(names):
    """Match every name or id but these: what the rules that know them leave over."""
    return rf"(?!({'|'.join(map(re.escape, names))})[+./])[^/]+"


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
