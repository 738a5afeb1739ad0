"""Registries resolve names in settings to entries, and say what this catalog lacks for them.

Three functions follow the names in settings, also indirectly: `check` that they exist, `lacking` for what a
catalog lacks, so that a row is left out, and `reached` for what is used at all.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import chain
from typing import Any, NamedTuple

from contrapose.base.errors import ConfigError
from contrapose.project.lookups import Lookups
from contrapose.retrieve.data_files import missing_file
from contrapose.retrieve.suites import EvaluationSet, has_task
from contrapose.settings.catalogs.model_sources import ModelSource
from contrapose.settings.corpora import CorpusKind
from contrapose.settings.ids import named, names_of_kind
from contrapose.settings.refs import Ref, Reference, references
from contrapose.settings.spec import Spec


class Registry(NamedTuple):
    """What names of one kind stand for."""

    entry: Callable[[Lookups, str], Any]  # raises a ConfigError that lists the existing names
    # Says what this catalog lacks for the entry itself, not for what it names; empty if nothing.
    lacking: Callable[[Lookups, str], str] = lambda project, name: ""


def _recipes(section: str) -> Registry:
    what = f"{section} of config/recipes.yaml"
    return Registry(lambda project, name: named(project.recipes.entries(section), name, what))


def _scaled(section: str) -> Registry:
    """Return the registry of entries whose learning rate this catalog scales."""
    return Registry(lambda project, name: _recipes(section).entry(project, name).scaled(project, name))


def _catalog(section: str, lacking: Callable[[Lookups, str], str]) -> Registry:
    """Return the registry of a section of the catalog, in which null means that it lacks the entry."""

    def entry(project: Lookups, name: str) -> Any:
        return named(project.catalog.entries(section), name, f"{section} of {project.files.catalog_path}")

    return Registry(entry, lacking)


def _sources(section: str, what: str = "") -> Registry:
    """Return the registry of a section whose entries say what is lacking for them."""

    def lacking(project: Lookups, name: str) -> str:
        source = project.catalog.entries(section)[name]
        return f"this catalog has no {what.format(name)}" if source is None else source.lacking(project, name)

    return _catalog(section, lacking)


def _unrecorded(project: Lookups, name: str) -> str:
    return missing_file(project, project.catalog.llms[name].files)


def _made_pairs(project: Lookups, name: str) -> EvaluationSet:
    made = {key: each for key, each in project.catalog.benchmarks.items() if each.made}
    return named(made, name, f"benchmarks made of sentences of {project.files.catalog_path}")


def _mteb_tasks(project: Lookups, name: str) -> list:
    return named(project.catalog.mteb, name, f"mteb of {project.files.catalog_path}")


def _document_corpus(project: Lookups, name: str) -> CorpusKind:
    corpus = project.entry("corpora", name)
    corpus.check_documents(project, name)
    return corpus


def _trainable(project: Lookups, name: str) -> ModelSource | None:
    source = REGISTRIES["encoders"].entry(project, name)
    if source is not None and source.form != "encoder":
        raise ConfigError(
            f"encoders.{name} is a file of word vectors or an endpoint. It can be evaluated, but not "
            "trained or used to score paraphrases. Name a transformer encoder."
        )
    return source


_ENCODERS = _sources("encoders", "encoder '{}'")
REGISTRIES: dict[str, Registry] = {
    "sizes": Registry(lambda project, name: project.size(name)),
    "corpora": _recipes("corpora"),
    "document_corpora": Registry(
        _document_corpus, lambda project, name: project.corpus(name).lacking_documents(project)
    ),
    "synthetic": _recipes("synthetic"),
    "rewrites": _recipes("rewrites"),
    "identifiers": _scaled("identifiers"),
    "fine_tunings": _scaled("fine_tunings"),
    "probes": _recipes("probes"),
    "pairs": Registry(lambda project, name: project.pairs(project.pairs_id(name))),
    "recipes": Registry(lambda project, name: project.recipe(project.recipe_id(name))),
    "prompts": Registry(lambda project, name: project.files.prompt(name)),
    "instructions": Registry(lambda project, name: project.files.instructions(name)),
    "llms": Registry(lambda project, name: project.llm(name), _unrecorded),
    "triplet_files": _sources("triplet_files"),
    "sentence_files": _sources("sentence_files"),
    "collections": _sources("collections", "collection '{}'"),
    "dictionaries": _sources("dictionaries", "dictionary '{}'"),
    "grammars": _sources("grammars"),
    "language_models": _sources("language_models", "model at language_models.{}"),
    "back_translators": _sources("back_translators", "back-translator '{}'"),
    "encoders": _ENCODERS,
    "trainable_encoders": Registry(_trainable, _ENCODERS.lacking),
    "tasks": Registry(lambda project, name: name),
    "made_pairs": Registry(_made_pairs),
    "mteb": Registry(_mteb_tasks),
}


def _entries(project: Lookups, spec: Spec) -> Iterator[tuple[Reference, Any]]:
    for reference in references(spec):
        yield reference, project.entry(reference.ref.registry, reference.name)


@contextmanager
def in_place(place: str) -> Iterator[None]:
    """Begin the message of a ConfigError with the file and key where a person wrote the wrong setting.

    What begins with `pairs: ` is about the pair set that `place` names.
    """
    try:
        yield
    except ConfigError as error:
        raise ConfigError(f"{place}: {str(error).removeprefix('pairs: ')}") from error


def check(project: Lookups, spec: Spec, at: str, within: tuple[str, ...] = ()) -> None:
    """Raise a ConfigError if settings name what does not exist or fit, or refer back to themselves.

    `at` is their file and key.  `within` names the entries that led here, such as `encoders.bert-base`.
    """
    for reference in references(spec):
        key, ref, name = reference
        try:
            entry = _entry_of_kind(project, ref, name)
        except ConfigError:
            with in_place(f"{at}, {_row_with(spec, reference)}{key}"):
                raise
        place = f"{_section(ref.registry)}.{name}"
        if place in within:
            raise ConfigError(
                f"{place}: this entry refers back to itself through {' > '.join([*within, place])}. "
                "Name another entry."
            )
        if isinstance(entry, Spec):
            check_entry(project, ref.registry, name, (*within, place))
    if check_further := getattr(spec, "check", None):
        with in_place(at):
            check_further(project)


def _entry_of_kind(project: Lookups, ref: Ref, name: str) -> Any:
    entry = project.entry(ref.registry, name)
    if ref.kind is not None and ref.kind != entry.kind:
        known = ", ".join(names_of_kind(ref.kind, dict(project.recipes).get(ref.registry, {})))
        raise ConfigError(
            f"{ref.registry}.{name} is of kind {entry.kind}. Name one of kind {ref.kind}: {known or 'none'}."
        )
    return entry


def _row_with(spec: Spec, reference: Reference) -> str:
    """Return how a message names the first method of a table that refers to an entry; empty elsewhere."""
    rows = getattr(spec, "rows", None)
    rows = [row for row in rows if hasattr(row, "model")] if isinstance(rows, list) else []
    return next((f"'{row.model}', " for row in rows if reference in references(row)), "")


def check_entry(project: Lookups, registry: str, name: str, within: tuple[str, ...] = ()) -> None:
    """Check the settings that a name stands for, unless they are known to be right."""
    if (registry, name) not in project.checked:
        section = _section(registry)
        file = "config/recipes.yaml" if section in dict(project.recipes) else project.files.catalog_path
        check(project, project.entry(registry, name), f"{file}, {section}.{name}", within)
        project.checked.add((registry, name))


def _section(registry: str) -> str:
    """Return the section with a registry's entries, which may be only some of that section."""
    return registry.removeprefix("trainable_").removeprefix("document_")


def lacking(project: Lookups, *specs: Spec) -> str:
    """Return what this catalog lacks for settings, also indirectly; empty if nothing.

    Evaluation sets count as lacking only if none of those that settings name exists.
    """
    for spec in specs:
        named_in = list(references(spec))
        tasks: list[Any] = [name for _, ref, name in named_in if ref.registry == "tasks"]
        if tasks and not any(has_task(project, task) for task in tasks):
            return f"this catalog has no set {', '.join(tasks)}"
        for _, ref, name in named_in:
            if reason := project.lacking_entry(ref.registry, name):
                return reason
        questions = [ask(project) for name in ("questions", "judged") if (ask := getattr(spec, name, None))]
        for _, llm, prompt in chain(*questions):
            if reason := project.llm(llm).unanswered(llm, prompt):
                return reason
    return ""


def lacking_entry(project: Lookups, registry: str, name: str) -> str:
    """Return what this catalog lacks for an entry, and for what its settings name; empty if nothing."""
    entry = project.entry(registry, name)
    reason = REGISTRIES[registry].lacking(project, name)
    return reason or (lacking(project, entry) if isinstance(entry, Spec) else "")


def reached(project: Lookups, spec: Spec) -> Iterator[tuple[str, str]]:
    """Yield (registry, name) of everything that settings name, also indirectly: direct names first."""
    for (_, ref, name), entry in _entries(project, spec):
        yield _section(ref.registry), name
        if isinstance(entry, Spec):
            yield from reached(project, entry)
