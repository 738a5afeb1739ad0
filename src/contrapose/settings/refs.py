"""Names of other entries in settings: the type of a field says what it names."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, NamedTuple, Protocol, TypeVar, get_args

from pydantic import BaseModel, BeforeValidator

from contrapose.base.tasks import Task
from contrapose.settings.plan import Plan
from contrapose.settings.spec import Language, PathText, Spec

S = TypeVar("S", bound=Spec)
N = TypeVar("N", bound=int | None)


@dataclass(frozen=True)
class Ref:
    """Marks a field that holds the name of an entry, perhaps of one `kind`, of a registry in REGISTRIES."""

    registry: str
    kind: str | None = None


class Reference(NamedTuple):
    """A name in settings."""

    key: str  # the field that it stands in
    ref: Ref
    name: str


class Numbers(Protocol):
    """What names of sizes and ids of pair sets mean; a project knows it."""

    def size(self, name: int | str) -> int: ...

    def pairs_id(self, identifier: str) -> str: ...


def _number(value: object) -> object:
    """Return a size that is written as a number as one, also where it stands in an id."""
    return int(value) if isinstance(value, str) and value.isdecimal() else value


CorpusName = Annotated[str, Ref("corpora")]
DocumentCorpusName = Annotated[str, Ref("document_corpora")]
# A name in what a person writes, or a number; in the settings of a job always a number.
Size = Annotated[int | str, BeforeValidator(_number), Ref("sizes")]
EncoderName = Annotated[str, Ref("encoders")]
TrainableName = Annotated[str, Ref("trainable_encoders")]  # one with tokens, not word vectors
LLMName = Annotated[str, Ref("llms")]
LanguageModelName = Annotated[str, Ref("language_models")]
BackTranslatorName = Annotated[str, Ref("back_translators")]
PromptName = Annotated[PathText, Ref("prompts")]
InstructionsName = Annotated[PathText, Ref("instructions")]
DetectorName = Annotated[str, Ref("identifiers")]
GrammarName = Annotated[str, Ref("grammars")]
RewritesName = Annotated[str, Ref("rewrites")]
PairsId = Annotated[str, Ref("pairs")]
DinoPairsId = Annotated[str, Ref("pairs", kind="dino")]
TripletPairsId = Annotated[str, Ref("pairs", kind="triplets")]
RecipeId = Annotated[str, Ref("recipes")]
TaskName = Annotated[Task, Ref("tasks")]


def references(spec: BaseModel) -> Iterator[Reference]:
    """Yield every name of another entry that some settings hold, also within their parts, each once."""
    unused = getattr(spec, "unused", ())
    names = (
        one
        for key, refs in _fields(type(spec))
        if key not in unused
        for one in _within(key, getattr(spec, key), refs)
    )
    yield from dict.fromkeys(names)


def _within(key: str, value: object, refs: tuple[Ref, ...]) -> Iterator[Reference]:
    """Yield the names in a value, by the types that it is declared as."""
    if isinstance(value, BaseModel):
        yield from references(value)
    elif isinstance(value, str):
        yield from (Reference(key, ref, value) for ref in refs)
    elif isinstance(value, dict | list | tuple):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _within(key, each, refs)


@cache
def _fields(kind: type[BaseModel]) -> list[tuple[str, tuple[Ref, ...]]]:
    """Return the fields of a settings class that may hold names, each with what strings in it name."""
    kinds = {key: (field.annotation, *field.metadata) for key, field in kind.model_fields.items()}
    return [(key, tuple(_refs(some))) for key, some in kinds.items() if any(map(_may_hold_names, some))]


def _may_hold_names(kind: Any) -> bool:
    """Return whether a value of a type, or of one that is marked, may be a name or settings with names."""
    if isinstance(kind, type):
        return issubclass(kind, BaseModel)
    return kind is Any or isinstance(kind, Ref) or any(map(_may_hold_names, get_args(kind)))


def _refs(kinds: tuple[Any, ...]) -> Iterator[Ref]:
    for kind in kinds:
        if isinstance(kind, Ref):
            yield kind
        else:
            yield from _refs(get_args(kind))


def language_of(project: Plan, spec: Spec) -> Language:
    """Return the language of a corpus or pair set: its own, or that of the first entry that it names."""
    return next(languages(project, spec), "english")


def languages(project: Plan, spec: Spec) -> Iterator[Language]:
    """Yield the languages that settings state, and then the entries that they name, also indirectly."""
    yield from filter(None, [getattr(spec, "language", None)])
    entries = (project.entry(ref.registry, name) for _, ref, name in references(spec))
    for entry in entries:
        if isinstance(entry, Spec):
            yield from languages(project, entry)


def resolved(spec: S, project: Numbers) -> S:
    """Return settings as a job reads them: sizes as numbers and ids in canonical form, also within parts."""
    fields = {key: _resolved(getattr(spec, key), refs, project) for key, refs in _fields(type(spec))}
    changed = {key: value for key, value in fields.items() if value is not getattr(spec, key)}
    return spec.model_copy(update=changed) if changed else spec


def _resolved(value: object, refs: tuple[Ref, ...], project: Numbers) -> object:
    if isinstance(value, Spec):
        return resolved(value, project)
    if isinstance(value, str):
        registries = {ref.registry for ref in refs}
        if "sizes" in registries:
            return project.size(value)
        return project.pairs_id(value) if "pairs" in registries else value
    if isinstance(value, dict):
        return {key: _resolved(each, refs, project) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_resolved(each, refs, project) for each in value)
    return value


def as_number(size: N | str) -> N:
    """Return a size in the settings of a job, where names of sizes have become numbers; None stays None."""
    assert not isinstance(size, str), f"size {size} is a name"
    return size
