"""The entries of the world that the jobs of a call use."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from contrapose.generate.llm import ASKING
from contrapose.project import Project, steps
from contrapose.project.runs import RELEASED
from contrapose.tasks import TASKS
from contrapose.tools.jobs import Job


class Need(NamedTuple):
    """An entry of the world."""

    section: str  # `suites`: the evaluation sets of one
    name: str = ""  # empty: the section is one entry

    @property
    def key(self) -> str:
        """Its key in the settings."""
        return f"{self.section}.{self.name}" if self.name else self.section


# What rules use: a section of the world and, in braces, the wildcard that names an entry.
USED = {
    "retrieve_archive": ("archive", ""),
    "retrieve_articles": ("articles", ""),
    "retrieve_transfer": ("transfer", ""),
    "retrieve_naive": ("suites", "english"),
    "retrieve_benchmarks": ("suites", "{suite}"),
    "retrieve_collection": ("collections", "{collection}"),
    "retrieve_triples": ("triple_files", "{source}"),
    "retrieve_recorded": ("llms", "{llm}"),
    "retrieve_dictionary": ("dictionaries", "{dictionary}"),
    "retrieve_rinna_encoder": ("encoders", "{role}"),
    "retrieve_rinna_language_model": ("language_models", "{role}"),
    "generate_seq2seq": ("translator", ""),
    "generate_backtranslation": ("back_translators", "{translator}"),
    "generate_queries": ("language_models", "{writer}"),
    "score_similarities": ("encoders", "{scorer}"),
    "score_parascores": ("encoders", "{scorer}"),
    "score_neighbours": ("encoders", "{scorer}"),
    "score_relevance": ("encoders", "{scorer}"),
}
SECTIONS = (
    "encoders",
    "language_models",
    "back_translators",
    "collections",
    "dictionaries",
    "sentence_files",
    "triple_files",
)


def needs_of(project: Project, jobs: Iterable[Job]) -> list[Need]:
    """Return the entries that some jobs use, sorted."""
    return sorted({need for job in jobs for need in _of_job(project, job.rule, job.wildcards)})


def _of_job(project: Project, rule: str, job: dict[str, str]) -> Iterator[Need]:
    if rule in USED:
        section, name = USED[rule]
        yield Need(section, name.format(**job))
    elif rule in ASKING:
        yield Need("llms", steps.asked_llm(project, job))
    elif rule == "corpus_published":
        yield Need("sentence_files", project.corpus(job["corpus"]).file)
    elif rule.startswith("train_") and "recipe" in job:
        recipe: Any = project.recipe(job["recipe"])
        roles = filter(None, (recipe.encoder, getattr(recipe, "teacher", None)))
        yield from (Need("encoders", role) for role in roles)
    elif job.get("run", "").startswith(f"{RELEASED}/"):
        yield Need("encoders", job["run"].split("/")[1])
    elif rule == "score_identification":
        yield Need("encoders", project.identifier(job["identifier"]).encoder)
    elif rule == "generate_dino":
        yield Need("language_models", project.entry("synthetic", job["texts"]).lm)
    elif rule == "score_rewrites":
        yield Need("language_models", project.entry("rewrites", job["rewrites"]).lm)


def every_need(project: Project) -> list[Need]:
    """Return all entries that the world names, without those that it marks as optional and lacks."""
    world = project.world
    found = [Need(section) for section in ("archive", "articles", "transfer") if getattr(world, section)]
    found += [
        Need("suites", suite) for suite in {TASKS[each.task].suite for each in world.benchmarks.values()}
    ]
    found += [Need("llms", role) for role in project.asking.llm_roles]
    for section in SECTIONS:
        names = getattr(world, section)
        found += [Need(section, name) for name in names if not project.lacking_entry(section, name)]
    return sorted(found)
