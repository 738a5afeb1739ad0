"""The rules of the workflow: for each its settings, its script, and the module of its kind.

A rule is named `<stage>_<script>` and runs `workflow/scripts/<stage>/<script>.py`, unless stated otherwise
here.  Its settings are only what it uses itself and what can change its result: they become one of the two
params of the rule.
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from contrapose.errors import ConfigError, unknown
from contrapose.fingerprint import canonical, code_digest, digest
from contrapose.generate.endpoint import serving_module
from contrapose.generate.jobs import EstimateJob
from contrapose.generate.llm import ASKING
from contrapose.home import source_of
from contrapose.pairs.kinds import STRATEGIES
from contrapose.project.pages import claims_job, score_table_job
from contrapose.refs import resolved
from contrapose.report.kinds.union import FIGURES, TABLES
from contrapose.settings.spec import Spec
from contrapose.settings.worlds import MiniWorld
from contrapose.steps import settings_class, step_module

if TYPE_CHECKING:
    from contrapose.project import Project

F = TypeVar("F", bound=Callable[..., object])
S = TypeVar("S", bound=Spec)


class Step(NamedTuple):
    """A rule of the workflow."""

    settings: Callable[..., object]  # function of the project and the wildcards: settings, or JSON
    script: str  # below workflow/scripts
    module: str = ""  # module of its kind, which the script imports by name
    asks: bool = False  # whether it asks a language model


STEPS: dict[str, Step] = {}
STAGES = tuple(
    f"{stage}_" for stage in ["retrieve", "corpus", "generate", "score", "train", "evaluate", "report"]
)


def step(*rules: str, script: str = "", asks: bool = False) -> Callable[[F], F]:
    """Register a function as the settings of rules."""

    def register(function: F) -> F:
        for rule in rules:
            STEPS[rule] = Step(function, script or f"{rule.replace('_', '/', 1)}.py", asks=asks)
        return function

    return register


def settings(project: "Project", rule: str, wildcards: Mapping[str, str]) -> str:
    """Return the canonical settings of a job.

    `<` is written as a JSON escape: Snakemake's report holds the params of jobs inside a script element,
    which a text with `</script>` would end.
    """
    shard, shards = (int(wildcards.get(name, default)) for name, default in (("shard", "0"), ("shards", "1")))
    if shard >= shards:
        raise ConfigError(f"'{shard}-of-{shards}' is not a shard: shards count from 0 to {shards - 1}.")
    return canonical(step_of(rule).settings(project, **wildcards)).replace("<", r"\u003c")


def code(project: "Project", rule: str, wildcards: Mapping[str, str]) -> str:
    """Return the digest of a job's script and of all code of ours that it reaches."""
    found = step_of(rule)
    modules = [found.module] if found.module else []
    if found.asks:
        modules += filter(None, [serving_module(project.llm(asked_llm(project, wildcards)).endpoint)])
    script = project.home / "workflow" / "scripts" / found.script
    return code_digest(script, source_of(project.home), tuple(modules))


def asked_llm(project: "Project", wildcards: Mapping[str, str]) -> str:
    """Return the role of the language model that a job asks."""
    if "translator" in wildcards:
        return project.entry("back_translators", wildcards["translator"]).llm
    return wildcards["llm"] if "llm" in wildcards else project.entry("synthetic", wildcards["texts"]).llm


def fingerprint(project: "Project", rule: str, wildcards: Mapping[str, str]) -> str:
    """Return one digest of a job's settings and code, to name files that belong to exactly this job."""
    return digest(settings(project, rule, wildcards), code(project, rule, wildcards))


def step_of(rule: str) -> Step:
    """Return the step of a rule; raise a ConfigError if there is none."""
    if rule in STEPS:
        return STEPS[rule]
    module = step_module(rule) if rule.startswith(STAGES) else ""
    if not module or not find_spec(module):
        raise unknown("rules of the workflow", rule, STEPS)
    return Step(settings_class(import_module(module)).of, "run.py", module, rule in ASKING)


def _without_note(source: S) -> S:
    """Return a source without its note, which changes no result."""
    return source.model_copy(update={"note": ""})


@step("mini_world", script="mini/world.py")
def _mini_world(project: "Project") -> MiniWorld:
    mini, scale = project.world.mini, project.world.scale
    assert mini is not None  # otherwise the rule does not exist
    sizes = {name: max(1, round(getattr(mini, name) * scale)) for name in ("articles", "pairs")}
    return mini.model_copy(update=sizes)


@step("mini_encoder", "mini_language_model")
def _mini_model(project: "Project", name: str) -> dict:
    """Return which model is made; its settings are beside the code that makes it."""
    names = ("sentences", "questions") if name == "gpt2" else ()  # its training texts, in order
    instructions = [(each, project.files.instructions(each).model_dump(mode="json")) for each in names]
    return {"name": name, "instructions": instructions}


@step("generate_estimate")
def _estimate(project: "Project") -> EstimateJob:
    from contrapose.generate.cost import CostSettings

    return EstimateJob(questions=project.asking.all_questions(), codes=CostSettings.of(project).codes)


def _pairs(project: "Project", pairs: str) -> dict:
    return {"spec": resolved(project.pairs(pairs), project).model_dump(mode="json")}


# Rules whose settings are defined elsewhere.
_FUNCTIONS: dict[str, Callable[..., object]] = {
    "report_score_table": score_table_job,
    "report_claims": claims_job,
}
for _rule, _function in _FUNCTIONS.items():
    step(_rule)(_function)
for _kind, _module in STRATEGIES.items():
    STEPS[f"pairs_{_kind}"] = Step(_pairs, "pairs/pairs.py", _module.__name__)
for _kind, _module in TABLES.items():
    job = Step(lambda project, table: project.reports.job(table), "report/table.py", _module.__name__)
    STEPS[f"report_{_kind}_table"] = job
for _kind, _module in FIGURES.items():
    job = Step(lambda project, figure: project.reports.job(figure), "report/figure.py", _module.__name__)
    STEPS[f"report_{_kind}"] = job
