"""What each rule runs: the module of its step, and the settings of its jobs.

A rule runs `build` of the module that `step_module` names.  `plan` of the module returns the settings of a
job: only what it uses itself and what can change its result.  They become one of the two params of the rule;
the other is the digest of its code, with what `further_modules` names, if the module has it.
"""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from contrapose.base.errors import ConfigError, unknown
from contrapose.base.home import source_of
from contrapose.jobs.fingerprint import canonical, code_digest, digest
from contrapose.jobs.step import step_module
from contrapose.pairs.kinds import STRATEGIES
from contrapose.project.lookups import Lookups
from contrapose.project.pages import claims_job
from contrapose.project.reports import report_job
from contrapose.project.rules import Need
from contrapose.report import claims_table
from contrapose.report.kinds.union import FIGURES, TABLES
from contrapose.settings.catalogs import serving_module
from contrapose.settings.refs import resolved

STAGES = ("mini_", "retrieve_", "corpus_", "generate_", "score_", "train_", "evaluate_", "report_")
RUNNER = Path("workflow/scripts/run.py")  # what all rules run


class Step(NamedTuple):
    """What a rule runs."""

    settings: Callable[..., object]  # function of the project and the wildcards: settings, or JSON
    module: str  # that the script imports by name


def _pairs(project: Lookups, pairs: str) -> dict:
    return {"spec": resolved(project.pairs(pairs), project).model_dump(mode="json")}


def _report(project: Lookups, table: str = "", figure: str = "") -> object:
    return report_job(project, table or figure)


# Rules in loops over kinds: a kind may have a name or a package that its rule does not tell.
STEPS: dict[str, Step] = {
    **{f"pairs_{kind}": Step(_pairs, module.__name__) for kind, module in STRATEGIES.items()},
    **{f"report_{kind}_table": Step(_report, module.__name__) for kind, module in TABLES.items()},
    **{f"report_{kind}": Step(_report, module.__name__) for kind, module in FIGURES.items()},
}
PLANNED = {claims_table: claims_job}  # modules whose settings are made from files of the whole project


def step_of(rule: str) -> Step:
    """Return what a rule runs; raise a ConfigError if there is no such rule."""
    if rule in STEPS:
        return STEPS[rule]
    name = step_module(rule) if rule.startswith(STAGES) else ""
    if not name or not find_spec(name):
        raise unknown("the workflow", rule, STEPS)
    module = import_module(name)
    return Step(PLANNED.get(module) or module.plan, name)


def settings(project: Lookups, rule: str, wildcards: Mapping[str, str]) -> str:
    """Return the canonical settings of a job, as the param of its rule."""
    shard, shards = (int(wildcards.get(name, default)) for name, default in (("shard", "0"), ("shards", "1")))
    if shard >= shards:
        raise ConfigError(f"The target names part {shard} of {shards}. Name a part from 0 to {shards - 1}.")
    return as_param(step_of(rule).settings(project, **wildcards))


def as_param(settings: object) -> str:
    """Write the settings of a job as Snakemake is given them.

    `<` is written as a JSON escape: Snakemake's report holds the params of jobs inside a script element,
    which a text with `</script>` would end.
    """
    return canonical(settings).replace("<", r"\u003c")


def request_codes(project: Lookups) -> list[str]:
    """Return the code digests of today's requests: of `python:` endpoints only their journals count."""
    encoders = [Need("encoders", role) for role in project.llm_requests.embedders]
    llms = [Need("llms", role) for role in project.llm_requests.llm_roles]
    rules = {rule: row.asks for rule, row in project.rules.items() if row.asks}
    asking = [(step_of(rule), encoders if asks == "vectors" else llms) for rule, asks in rules.items()]
    return sorted({_code(project, step, model) for step, models in asking for model in models})


def code(project: Lookups, rule: str, wildcards: Mapping[str, str]) -> str:
    """Return the digest of a job's script and of all code of ours that it reaches."""
    step, row = step_of(rule), project.rules.of(rule)
    further = getattr(import_module(step.module), "further_modules", None)
    asked = row.used(project, wildcards) if row.asks else None
    return _code(project, step, asked, further(project, **wildcards) if further else [])


def _code(project: Lookups, step: Step, asked: Need | None, further: Sequence[str] = ()) -> str:
    """Return the digest of a step with further modules, and with the module that serves what is `asked`."""
    served = serving_module(project.entry(*asked).endpoint) if asked else None
    modules = filter(None, (step.module, *further, served))
    return code_digest(project.home / RUNNER, source_of(project.home), tuple(modules))


def fingerprint(project: Lookups, rule: str, wildcards: Mapping[str, str]) -> str:
    """Return one digest of a job's settings and code, to name files that belong to exactly this job."""
    return digest(settings(project, rule, wildcards), code(project, rule, wildcards))
