"""The pages of each configuration file, from the settings classes."""

import json
import re
import types
import typing
from collections.abc import Iterable, Iterator, Mapping

from pydantic import BaseModel, JsonValue
from pydantic.fields import FieldInfo

from contrapose.base.tasks import Task
from contrapose.project.documents import Catalog, Recipes, Study
from contrapose.settings.main import Config
from contrapose.settings.spec import ByKind, Language
from contrapose.train.recipe import SETTINGS, Recipe

Model = type[BaseModel]
FILES: dict[str, Model] = {
    "config.yaml": Config,
    "catalogs/<catalog>.yaml": Catalog,
    "recipes.yaml": Recipes,
    "studies/<paper>/study.yaml": Study,
}
PAGES = {"config.yaml": "config", "catalogs/<catalog>.yaml": "catalogs", "recipes.yaml": "recipes"}
STUDY = "study"
LIMITS = {"ge": "≥", "gt": ">", "le": "≤", "lt": "<"}
# Long lists of values that many keys have: they stand once, on the first page.
LISTED = {"task": typing.get_args(Task), "language": typing.get_args(Language)}

INTRODUCTION = """# Configuration

A project has four kinds of configuration files in its folder `config/`.

| file | content |
|---|---|
| [`config.yaml`](config.md) | What to build: the catalog, the studies, the number of seeds |
| [`catalogs/<catalog>.yaml`](catalogs.md) | Where texts and models come from, and how large corpora are |
| [`recipes.yaml`](recipes.md) | Corpora, pair sets and recipes that studies share by name |
| [`studies/<paper>/study.yaml`](study.md) | The tables and figures of a study, with their rows |

Contrapose refuses unknown keys, and checks all settings before the first job. An editor that supports JSON
schemas checks them while you type: the file `config/schema.json` has one definition for each kind of file.

## How to read these pages

Each key is listed with its type, its allowed values and its default. A key without a default is required.
The type `mapping` stands for a group of keys, which has a section of its own.

*Reruns* names the stages that run again when the key changes. It holds for one call that builds all tables
of a study. A test proves each of these lines on a finished project. A new catalog, study or data folder
reruns everything that it changes, which can be all stages.

## Switch the catalog

Add `--config catalog=files data=FOLDER` to a command to use another catalog for this call. To keep the
results of two catalogs, give each a folder of its own:

```
contrapose run --config catalog=files data=FOLDER pathvars="{results: results-files}" -- thesis
```
"""
FILE_TEXTS = {
    "config.yaml": "The file `config/config.yaml` says what to build. Each key can be given for one call, as "
    "in `--config seeds=5`.",
    "catalogs/<catalog>.yaml": "A file in `config/catalogs/` says where texts and models come from, and how "
    "large corpora are.",
    "recipes.yaml": "The file `config/recipes.yaml` holds entries that studies share by name. A study can "
    "change a setting of an entry, as in `paraphrase+llm=vicuna`.",
    "studies/<paper>/study.yaml": "A file `config/studies/<paper>/study.yaml` describes the tables and "
    "figures of a paper, or of a comparison of your own.",
}
MOST_LINKS = 3  # of a key that has a section with all of them
STAGES = "retrieve, corpus, generate, score, pairs, train, evaluate, report"


class Section(typing.NamedTuple):
    """Where the keys of a settings class are described."""

    page: str
    heading: str  # with backticks, as Markdown
    level: int

    @property
    def anchor(self) -> str:
        """The id that MkDocs and GitHub make of the heading."""
        kept = "".join(each for each in self.heading.lower() if each.isalnum() or each in " _-")
        return kept.strip().replace(" ", "-")


def pages(reruns: Mapping[str, str]) -> dict[str, str]:
    """Return {path below docs/reference/configuration: page}.

    `reruns` is {`Class.key`: the stages that run again}, as read from `config/reruns.csv`.
    """
    places: dict[Model, Section] = {}
    order: dict[str, list[Model]] = {}
    for file, model in FILES.items():
        page = PAGES.get(file, STUDY)
        found = dict(_places(model, page, places))
        places |= found
        order[file] = list(found)
    lists = [f"\n## {name.capitalize()}s\n\n{_listing(values)}\n" for name, values in LISTED.items()]
    made = {"index.md": INTRODUCTION + "".join(lists)}
    for file, model in FILES.items():
        page = PAGES.get(file, STUDY)
        parts = [f"# `{file}`\n\n{FILE_TEXTS[file]}\n", *_keys(model, page, places, reruns)]
        for section, field in model.model_fields.items():
            inner = [each for each in order[file] if places[each].heading.startswith(f"{section}: ")]
            if inner:
                parts.append(f"\n## `{section}`\n\n{field.description}\n")
            inner += [each for each in order[file] if places[each].heading == f"`{section}`"]
            for each in inner:
                default = len(inner) == 1 or kind_of(each) in _defaults(field.annotation, *field.metadata)
                parts += _section(each, page, places, reruns, default)
        made[f"{page}.md"] = "\n".join(parts).rstrip() + "\n"
    return made


def described(model: Model) -> Iterator[tuple[str, FieldInfo]]:
    """Yield the keys of a settings class that need a description: all but a `kind` of one value."""
    for name, field in model.model_fields.items():
        if not (name == "kind" and len(typing.get_args(field.annotation)) == 1):
            yield name, field


def models(model: Model, done: set[Model] | None = None) -> Iterator[Model]:
    """Yield a settings class and those that its fields hold, each once."""
    done = set() if done is None else done
    if model not in done:
        done.add(model)
        yield model
        for field in model.model_fields.values():
            for inner in inside(field.annotation):
                yield from models(inner, done)


def inside(annotation: object) -> Iterator[Model]:
    """Yield the settings classes in a type."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in typing.get_args(annotation):
        yield from inside(argument)


def _places(root: Model, page: str, known: Mapping[Model, Section]) -> Iterator[tuple[Model, Section]]:
    """Yield the settings classes below a file, section by section, each with its heading."""
    done = {root, *known}
    for section, field in root.model_fields.items():
        entries = [each for each in dict.fromkeys(inside(field.annotation)) if each not in done]
        done.update(entries)
        for entry in entries:
            name = f"{section}: {kind_of(entry)}" if len(entries) > 1 else f"`{section}`"
            yield entry, Section(page, name, 3 if len(entries) > 1 else 2)
        parts = list(_parts(entries, done))
        for owner, key, part in parts:
            rivals = [other for _, name, other in parts if name == key]
            alone = part is max(rivals, key=lambda one: sum(one in models(entry) for entry in entries))
            name = f"`{key}`" if alone else f"{kind_of(owner)}, `{key}`"
            yield part, Section(page, f"{section}: {name}", 3)


def _parts(entries: Iterable[Model], done: set[Model]) -> Iterator[tuple[Model, str, Model]]:
    """Yield the classes within settings classes that are not `done`: owner, key and class."""
    for entry in entries:
        for key, field in entry.model_fields.items():
            for part in inside(field.annotation):
                if part not in done:
                    done.add(part)
                    yield entry, key, part
                    yield from _parts([part], done)


def kind_of(model: Model) -> str:
    """Return the value of `kind` that chooses a settings class, or else the words of its name."""
    values = typing.get_args(model.model_fields["kind"].annotation) if "kind" in model.model_fields else ()
    return (
        f"`{values[0]}`" if len(values) == 1 else re.sub(r"(?<=[a-z])(?=[A-Z])", " ", model.__name__).lower()
    )


def _section(
    model: Model, page: str, places: Mapping[Model, Section], reruns: Mapping[str, str], default: bool
) -> Iterator[str]:
    place = places[model]
    yield f"\n{'#' * place.level} {place.heading}\n"
    yield f"{summary(model)}\n"
    if "kind" in model.model_fields and "kind" not in dict(described(model)):
        left_out = " They are the default, so the key may be left out." if default else ""
        yield f"- `kind`: the value {kind_of(model)} selects these settings.{left_out}"
    yield from _keys(model, page, places, reruns)


def _defaults(*annotations: object) -> Iterator[str]:
    """Yield the kinds that entries of a type have by default."""
    for annotation in annotations:
        if isinstance(annotation, ByKind):
            yield f"`{annotation.default}`"
        else:
            yield from _defaults(*typing.get_args(annotation))


def summary(model: Model) -> str:
    """Return the first paragraph of a docstring on one line."""
    return " ".join((model.__doc__ or "").split("\n\n")[0].split())


def _keys(
    model: Model, page: str, places: Mapping[Model, Section], reruns: Mapping[str, str]
) -> Iterator[str]:
    # The note last: a base class may have it.
    for name, field in sorted(described(model), key=lambda one: one[0] == "note"):
        yield f"- `{name}`: {_line(model, name, field, page, places)}{_rerun(model, name, reruns)}"


def _line(model: Model, name: str, field: FieldInfo, page: str, places: Mapping[Model, Section]) -> str:
    kind = ", ".join([f"`{_type(field.annotation)}`", *_allowed(field)])
    default = "required" if field.is_required() else f"default `{_written(field.get_default())}`"
    entries = [inner for inner in inside(field.annotation) if inner in places]
    links = dict.fromkeys(_link(places[inner], page) for inner in entries)
    if len(links) > MOST_LINKS:
        links = dict.fromkeys([_link(Section(page, f"`{name}`", 2), page)])
    see = f" See {', '.join(links)}." if links else ""
    losses = [loss for loss, kind in SETTINGS.items() if name in kind.model_fields] if model is Recipe else []
    only = f" Losses with this key: {_listing(losses)}." if losses else ""
    return f"{kind}, {default}. {field.description or ''}{only}{see}"


def _rerun(model: Model, name: str, reruns: Mapping[str, str]) -> str:
    stages = reruns.get(f"{model.__name__}.{name}", "")
    return f" *Reruns: {({'-': 'nothing', STAGES: 'all stages'}).get(stages, stages)}.*" if stages else ""


def _link(place: Section, page: str) -> str:
    return f"[{place.heading}]({'' if place.page == page else f'{place.page}.md'}#{place.anchor})"


def _written(value: object) -> str:
    return json.dumps(value, default=BaseModel.model_dump, ensure_ascii=False)


def _allowed(field: FieldInfo) -> Iterator[str]:
    """Yield the limits of a number, or the values of a choice."""
    yield from (
        f"{sign} {getattr(limit, name)}"
        for limit in field.metadata
        for name, sign in LIMITS.items()
        if getattr(limit, name, None) is not None
    )
    values = tuple(dict.fromkeys(map(str, _values(field.annotation))))
    listed = [name for name, known in LISTED.items() if {*known} <= {*values}]
    for name in listed:
        yield f"a [{name}](index.md#{name}s)"
    others = [value for value in values if not any(value in LISTED[name] for name in listed)]
    if others:
        kinds = _type(field.annotation)
        alternatives = {*kinds.split(" | ")} - {"None"}
        if kinds.startswith("dict"):
            word = "with the keys"
        elif alternatives.isdisjoint(_types(field.annotation)):
            word = "of"
        else:
            word = "or" if listed or alternatives - {*_types(field.annotation)} else "one of"
        yield f"{word} {_listing(others)}"


def _values(annotation: object) -> Iterator[object]:
    """Yield the values of a choice, but for those within settings of their own."""
    if typing.get_origin(annotation) is typing.Literal:
        yield from typing.get_args(annotation)
    elif not (isinstance(annotation, type) and issubclass(annotation, BaseModel)):
        for argument in typing.get_args(annotation):
            yield from _values(argument)


def _types(annotation: object) -> Iterator[str]:
    """Yield the types of the values of a choice."""
    yield from (type(value).__name__ for value in _values(annotation))


def _type(annotation: object) -> str:
    """Return a type as Python writes it; choices are `str`, and settings of their own `mapping`."""
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Literal:
        return " | ".join(dict.fromkeys(type(value).__name__ for value in arguments))
    if origin is typing.Annotated:
        return _type(arguments[0])
    if origin in (typing.Union, types.UnionType):
        return " | ".join(dict.fromkeys(map(_type, arguments)))
    if origin in (list, dict, tuple):
        return f"{origin.__name__}[{', '.join(map(_type, arguments))}]"
    if annotation is type(None):
        return "None"
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return "mapping"
    if annotation is JsonValue or annotation is typing.Any:
        return "any"
    return getattr(annotation, "__name__", str(annotation))


def _listing(values: typing.Sequence[str]) -> str:
    return ", ".join(f"`{value}`" for value in values)
