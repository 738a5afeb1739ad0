"""The entries of the catalog that the jobs of a call use: one row per rule, for `check` and for `plan`."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any, NamedTuple

from contrapose.base.tasks import TASKS
from contrapose.generate.llm import ASKING
from contrapose.project import Project, steps
from contrapose.project.registries import reached
from contrapose.project.runs import RELEASED
from contrapose.project.steps import EMBEDDING
from contrapose.retrieve.suites import missing_sets
from contrapose.settings.refs import references
from contrapose.tools.dry_run import Job


class Need(NamedTuple):
    """An entry of the catalog."""

    section: str  # `suites`: the evaluation sets of one
    name: str = ""  # empty: the section is one entry

    @property
    def key(self) -> str:
        return f"{self.section}.{self.name}" if self.name else self.section

    def source(self, project: Project) -> Any:
        section = getattr(project.catalog, self.section)
        return section[self.name] if self.name else section


TRAININGS = ("train_encoder", "train_contrastive_tension", "train_whitening", "train_flow")
SCORINGS = (
    *("score_paraphrase_similarities", "score_paraphrase_similarities_of_pairs", "score_parascores"),
    *("score_parascores_of_pairs", "score_neighbours", "score_reranked", "score_relevance"),
    *("score_pair_cosines", "score_pair_samples", "score_stratified"),
)
PRETRAININGS = {  # and the section of their models
    **dict.fromkeys(("train_continued", "train_pretrained"), "encoders"),
    "train_language_model": "language_models",
}
WRITINGS = ("generate_queries", "generate_entailments")
# A section of the catalog, and its entry: a name with wildcards in braces, or a function of the wildcards.
USED: Mapping[str, tuple[str, str | Callable[[Project, Mapping[str, str]], str]]] = {
    "retrieve_archive": ("archive", ""),
    "retrieve_articles": ("articles", ""),
    "retrieve_transfer": ("transfer", ""),
    "retrieve_naive": ("suites", "english"),
    "retrieve_benchmarks": ("suites", "{suite}"),
    "retrieve_dev": ("suites", lambda project, job: TASKS[job["task"]].suite),  # type: ignore[index]
    "retrieve_collection": ("collections", "{collection}"),
    "retrieve_triple_files": ("triple_files", "{source}"),
    "retrieve_recorded": ("llms", "{llm}"),
    "retrieve_dictionary": ("dictionaries", "{dictionary}"),
    "corpus_punkt": ("punkt", ""),
    "retrieve_rinna": ("{section}", "{role}"),
    "corpus_published_lines": ("sentence_files", lambda project, job: project.corpus(job["corpus"]).file),
    **dict.fromkeys(ASKING, ("llms", steps.asked_llm)),
    "generate_seq2seq": ("translator", ""),
    "generate_backtranslation": ("back_translators", "{translator}"),
    **dict.fromkeys(WRITINGS, ("language_models", "{writer}")),
    "generate_masked_words": ("encoders", "{filler}"),
    "generate_dino": ("language_models", lambda project, job: project.entry("synthetic", job["texts"]).lm),
    "score_grammar": ("grammars", "{grammar}"),
    "score_rewrite_perplexities": (
        "language_models",
        lambda project, job: project.entry("rewrites", job["rewrites"]).lm,
    ),
    EMBEDDING: ("encoders", "{role}"),
    **{rule: (section, "{role}") for rule, section in PRETRAININGS.items()},
    "score_detection": (
        "encoders",
        lambda project, job: project.entry("identifiers", job["detector"]).encoder,
    ),
    **dict.fromkeys(SCORINGS, ("encoders", "{scorer}")),
    **dict.fromkeys(
        (*TRAININGS, "train_averaged"),
        ("encoders", lambda project, job: project.recipe(job["recipe"]).encoder),
    ),
}
MODELS = ("encoders", "language_models", "back_translators")
SECTIONS = (*MODELS, "collections", "dictionaries", "grammars", "sentence_files", "triple_files")


def needs_of(project: Project, jobs: Iterable[Job]) -> list[Need]:
    """Return the entries that some jobs use, sorted."""
    return sorted({need for job in jobs for need in _of_job(project, job)})


def _of_job(project: Project, job: Job) -> Iterator[Need]:
    if job.rule in USED:
        yield _used(project, job)
    recipe = project.recipe(job.wildcards["recipe"]) if job.rule in TRAININGS else None
    yield from (Need("encoders", role) for role in (recipe.frozen_encoders if recipe else ()))
    if job.wildcards.get("run", "").startswith(f"{RELEASED}/"):
        yield model_of(project, job)


def _used(project: Project, job: Job) -> Need:
    (section, name), known = USED[job.rule], job.wildcards
    entry = name.format(**known) if isinstance(name, str) else name(project, known)
    return Need(section.format(**known), entry)


def model_of(project: Project, job: Job) -> Need:
    """Return the model that a job works with; of an evaluation, what its run starts from, or is."""
    if "run" not in job.wildcards:
        return _used(project, job)
    first, second, _ = job.wildcards["run"].split("/")
    return Need("encoders", second if first == RELEASED else project.recipe(second).encoder)


def tables_of(project: Project, targets: Sequence[str]) -> list[str]:
    """Return the tables that targets name, by study or file; all of the chosen studies if they name none."""
    names = {PurePath(target).stem for target in targets}
    tables = [name for name, (study, _) in project.tables.items() if name in names or study in targets]
    return tables or list(project.tables)


def without_numbers(project: Project, targets: Sequence[str]) -> dict[str, list[str]]:
    """Return {what this catalog lacks: tables of some targets whose rows have no numbers without it}."""
    tables: dict[str, list[str]] = defaultdict(list)
    for name in tables_of(project, targets):
        reasons = {project.runs.missing(row) for row in project.reports.encoder_rows(name)}
        for reason in sorted(reasons - {""}):
            tables[reason].append(name)
    return tables


def sets_left_out(project: Project, targets: Sequence[str]) -> dict[str, list[str]]:
    """Return {evaluation set that is not here, and its folder: tables of some targets that score it}."""
    tables: dict[str, list[str]] = defaultdict(list)
    for name in tables_of(project, targets):
        tasks = {each.name for each in references(project.tables[name][1]) if each.ref.registry == "tasks"}
        sources = {key: each for key, each in project.catalog.benchmarks.items() if each.task in tasks}
        for key, folder in missing_sets(project, sources).items():
            tables[f"{folder} is missing, which has the set {key}"].append(name)
    return tables


def every_need(project: Project) -> list[Need]:
    """Return all entries that the catalog names, without those that it marks as optional and lacks."""
    catalog = project.catalog
    needs = [Need(section) for section in ("archive", "articles", "transfer") if getattr(catalog, section)]
    suites = {TASKS[each.task].suite for each in catalog.benchmarks.values()}
    needs += [Need("suites", suite) for suite in suites]
    needs += [Need("llms", role) for role in project.llm_requests.llm_roles]
    for section in SECTIONS:
        names = getattr(catalog, section)
        needs += [Need(section, name) for name in names if not project.lacking_entry(section, name)]
    return sorted(needs)


def used_entries(project: Project, targets: Sequence[str]) -> list[Any]:
    """Return the entries of the catalog that rows of the targets need, also those that are left out."""
    tables = tables_of(project, targets)
    rows = (row for name in tables for row in project.reports.encoder_rows(name))
    used = {entry for row in rows for entry in reached(project, row)}
    suites = {suite for name in tables for suite in project.tables[name][1].suites(project, name)}
    suites |= {TASKS[task].suite for section, task in used if section == "tasks"}  # type: ignore[index]
    sources: list[Any] = [
        each for each in project.catalog.benchmarks.values() if TASKS[each.task].suite in suites
    ]
    for section in SECTIONS:
        entries = getattr(project.catalog, section).items()
        sources += [each for name, each in entries if (section, name) in used and each is not None]
    return sources
