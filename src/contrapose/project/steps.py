"""What each rule runs: its script, the module of its step, and the settings of its jobs.

A rule runs `build` of the module that `step_module` names.  `plan` of the module returns the settings of a
job: only what it uses itself and what can change its result.  They become one of the two params of the rule;
the other is the digest of its code, with what `further_modules` names, if the module has it.
"""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import NamedTuple

from contrapose.base.errors import ConfigError, unknown
from contrapose.base.home import source_of
from contrapose.jobs.fingerprint import canonical, code_digest, digest
from contrapose.jobs.step import step_module
from contrapose.pairs.kinds import STRATEGIES
from contrapose.project import reports
from contrapose.project.lookups import Lookups
from contrapose.project.pages import claims_job, score_table_job
from contrapose.project.rules import Need
from contrapose.report.kinds.union import FIGURES, TABLES
from contrapose.settings.catalogs import serving_module
from contrapose.settings.refs import resolved

STAGES = ("mini_", "retrieve_", "corpus_", "generate_", "score_", "train_", "evaluate_")


class Step(NamedTuple):
    """What a rule runs."""

    settings: Callable[..., object]  # function of the project and the wildcards: settings, or JSON
    script: str  # below workflow/scripts
    module: str = ""  # that the script imports by name


def _pairs(project: Lookups, pairs: str) -> dict:
    return {"spec": resolved(project.pairs(pairs), project).model_dump(mode="json")}


def _report(project: Lookups, table: str = "", figure: str = "") -> object:
    return reports.job(project, table or figure)


def request_codes(project: Lookups) -> list[str]:
    """Return the code digests of today's requests: of `python:` endpoints only their journals count."""
    encoders = [Need("encoders", role) for role in project.llm_requests.embedders]
    llms = [Need("llms", role) for role in project.llm_requests.llm_roles]
    rules = {rule: row.asks for rule, row in project.rules.items() if row.asks}
    asking = [(step_of(rule), encoders if asks == "vectors" else llms) for rule, asks in rules.items()]
    return sorted({_code(project, step, model) for step, models in asking for model in models})


def _estimate(project: Lookups) -> object:
    from contrapose.generate.estimate import EstimateSettings

    requests = [*project.llm_requests.all(), *project.llm_requests.scores()]
    return EstimateSettings(requests=requests, codes=request_codes(project))


def _cost(project: Lookups) -> dict:
    return {"codes": request_codes(project)}


# Rules whose settings or script differ from those of their stage.
STEPS: dict[str, Step] = {
    "generate_estimate": Step(_estimate, "generate/estimate.py", "contrapose.generate.estimate"),
    "generate_cost": Step(_cost, "run.py", "contrapose.generate.cost"),
    "report_score_table": Step(score_table_job, "run.py", "contrapose.report.score_table"),
    "report_claims": Step(claims_job, "run.py", "contrapose.report.claims_table"),
    **{f"pairs_{kind}": Step(_pairs, "run.py", each.__name__) for kind, each in STRATEGIES.items()},
    **{f"report_{kind}_table": Step(_report, "run.py", each.__name__) for kind, each in TABLES.items()},
    **{f"report_{kind}": Step(_report, "run.py", each.__name__) for kind, each in FIGURES.items()},
}


def step_of(rule: str) -> Step:
    """Return what a rule runs; raise a ConfigError if there is no such rule."""
    if rule in STEPS:
        return STEPS[rule]
    module = step_module(rule) if rule.startswith(STAGES) else ""
    if not module or not find_spec(module):
        raise unknown("rules of the workflow", rule, STEPS)
    return Step(import_module(module).plan, "run.py", module)


def settings(project: Lookups, rule: str, wildcards: Mapping[str, str]) -> str:
    """Return the canonical settings of a job, as the param of its rule."""
    shard, shards = (int(wildcards.get(name, default)) for name, default in (("shard", "0"), ("shards", "1")))
    if shard >= shards:
        raise ConfigError(f"'{shard}-of-{shards}' is not a shard: shards count from 0 to {shards - 1}.")
    return as_param(step_of(rule).settings(project, **wildcards))


def as_param(settings: object) -> str:
    """Write the settings of a job as Snakemake is given them.

    `<` is written as a JSON escape: Snakemake's report holds the params of jobs inside a script element,
    which a text with `</script>` would end.
    """
    return canonical(settings).replace("<", r"\u003c")


def code(project: Lookups, rule: str, wildcards: Mapping[str, str]) -> str:
    """Return the digest of a job's script and of all code of ours that it reaches."""
    step, row = step_of(rule), project.rules.of(rule)
    further = getattr(import_module(step.module), "further_modules", None)
    asked = row.used(project, wildcards) if row.asks else None
    return _code(project, step, asked, further(project, **wildcards) if further else [])


def _code(project: Lookups, step: Step, asked: Need | None, further: Sequence[str] = ()) -> str:
    """Return it for a model that is asked, which may be a module of ours, and for further modules."""
    served = serving_module(project.entry(*asked).endpoint) if asked else None
    modules = filter(None, (step.module, *further, served))
    script = project.home / "workflow" / "scripts" / step.script
    return code_digest(script, source_of(project.home), tuple(modules))


def fingerprint(project: Lookups, rule: str, wildcards: Mapping[str, str]) -> str:
    """Return one digest of a job's settings and code, to name files that belong to exactly this job."""
    return digest(settings(project, rule, wildcards), code(project, rule, wildcards))
