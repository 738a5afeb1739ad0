"""What each rule runs: its script, the module of its step, and the settings of its jobs.

A rule runs `build` of the module that `step_module` names, whose `plan` returns the settings of a job; only
`generate_estimate` has a script of its own.  Settings are only what a job uses itself and what can change its
result: they become one of the two params of the rule.
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import NamedTuple

from contrapose.base.errors import ConfigError, unknown
from contrapose.base.home import source_of
from contrapose.generate.endpoint import serving_module
from contrapose.generate.llm import ASKING
from contrapose.jobs.fingerprint import canonical, code_digest, digest
from contrapose.jobs.step import step_module
from contrapose.pairs.kinds import STRATEGIES
from contrapose.project.lookups import Lookups
from contrapose.project.pages import claims_job, score_table_job
from contrapose.report.kinds.union import FIGURES, TABLES
from contrapose.settings.refs import resolved
from contrapose.train.recipe import LOSSES, Recipe

EMBEDDING = "evaluate_text_vectors"
STAGES = ("mini_", "retrieve_", "corpus_", "generate_", "score_", "train_", "evaluate_")


class Step(NamedTuple):
    """What a rule runs."""

    settings: Callable[..., object]  # function of the project and the wildcards: settings, or JSON
    script: str  # below workflow/scripts
    module: str = ""  # that the script imports by name


def _pairs(project: Lookups, pairs: str) -> dict:
    return {"spec": resolved(project.pairs(pairs), project).model_dump(mode="json")}


def _report(project: Lookups, table: str = "", figure: str = "") -> object:
    return project.reports.job(table or figure)


def request_codes(project: Lookups) -> list[str]:
    """Return the code digests of today's requests: of `python:` endpoints only their journals count."""
    requests = project.llm_requests
    codes = {code(project, rule, {"llm": llm}) for rule in ASKING for llm in requests.llm_roles}
    codes |= {code(project, EMBEDDING, {"role": role}) for role in requests.embedders}
    return sorted(codes)


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
    step = step_of(rule)
    modules = [step.module] if step.module else []
    if rule == "train_encoder" and isinstance(recipe := project.recipe(wildcards["recipe"]), Recipe):
        modules.append(LOSSES[recipe.loss].__name__)
    if rule in ASKING:
        modules += filter(None, [serving_module(project.llm(asked_llm(project, wildcards)).endpoint)])
    if rule == EMBEDDING:
        modules += filter(None, [serving_module(project.entry("encoders", wildcards["role"]).endpoint)])
    script = project.home / "workflow" / "scripts" / step.script
    return code_digest(script, source_of(project.home), tuple(modules))


def asked_llm(project: Lookups, wildcards: Mapping[str, str]) -> str:
    """Return the role of the language model that a job asks."""
    if "translator" in wildcards:
        return project.entry("back_translators", wildcards["translator"]).llm
    if "llm" in wildcards:
        return wildcards["llm"]
    if "texts" in wildcards:
        return project.entry("synthetic", wildcards["texts"]).llm
    return project.corpus(wildcards["corpus"]).llm


def fingerprint(project: Lookups, rule: str, wildcards: Mapping[str, str]) -> str:
    """Return one digest of a job's settings and code, to name files that belong to exactly this job."""
    return digest(settings(project, rule, wildcards), code(project, rule, wildcards))
