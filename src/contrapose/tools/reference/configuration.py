"""The pages of each configuration file, from the settings classes."""

import json
import re
import types
import typing
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import yaml
from pydantic import BaseModel, JsonValue
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from contrapose.base.tasks import SUITES, TASKS, Task
from contrapose.project.documents import Catalog, Recipes, Study
from contrapose.retrieve.benchmarks import BenchmarkFiles
from contrapose.retrieve.formats import FORMATS
from contrapose.settings.main import Config
from contrapose.settings.spec import ByKind, Language
from contrapose.tools.reference.markdown import glossary, rows
from contrapose.train.recipe import SETTINGS, Recipe

Model = type[BaseModel]
FILES: dict[str, Model] = {
    "config.yaml": Config,
    "catalogs/<catalog>.yaml": Catalog,
    "recipes.yaml": Recipes,
    "studies/<paper>/study.yaml": Study,
}
LAYOUT = Path(__file__).with_name("configuration.yaml")
LIMITS = {"ge": "≥", "gt": ">", "le": "≤", "lt": "<"}
# Long lists of values that many keys have: they stand once, on the first page.
LISTED = {"task": typing.get_args(Task), "language": typing.get_args(Language)}
LOSSES = (
    "The key `loss` of a contrastive recipe chooses one of these losses. The default is `info_nce`. The keys "
    "of a loss stand next to the other keys of the recipe: the file has no section for losses."
)

INTRODUCTION = """# Configuration

A project has four kinds of configuration files in its folder `config/`.

| file | content |
|---|---|
| [`config.yaml`](config.md) | What to build: the catalog, the studies, the number of seeds |
| [`catalogs/<catalog>.yaml`](catalogs.md) | Where texts and models come from, and how large corpora are |
| [`recipes.yaml`](recipes.md) | Corpora, pair sets and recipes that studies share by name |
| [`studies/<paper>/study.yaml`](study.md) | The tables and figures of a study, with their methods |

Contrapose refuses unknown keys, and checks all settings before the first job. An editor that supports JSON
schemas checks them while you type: the file `config/schema.json` has one definition for each kind of file.

## How to read these pages

Each key is listed with its type, its allowed values and its default. A key without a default is required.
The type `mapping` stands for a group of keys, which has a section of its own.

## Reruns

*Reruns* after a key names the [stages](../../explanation/how-it-works.md#the-stages) that run again when this
key changes in a finished project. The chain of stages is retrieve, corpus, generate, score, pairs, train,
evaluate, report. "All later stages" are those that follow in it.
[How it works](../../explanation/how-it-works.md#what-runs-again-after-a-change) explains why.

A test changes each of these keys in a finished project, and builds all tables of a study again. It checks
that exactly the listed stages run. A stage counts as run if at least one of its jobs runs. So the note of
`seeds` lists the stages that work for the new seeds, although the finished trainings of old seeds stay.

*Reruns with `dropout`: ...* is the note of a key that several kinds share. It was tested with the kinds that
it names, here pair sets of kind `dropout`. Contrapose works out the reruns of other kinds in the same way.

A key without a note is not in this test. The project of the test is small: it has only some kinds of pair
sets, corpora, models and tables, and each further key would build it once more. The reruns of such a key
follow the same rule. All jobs run again whose own settings or inputs the change reaches. A new catalog, study
or data folder reruns everything that it changes, which can be all stages.

## Switch the catalog

Add `--config catalog=files data=FOLDER` to a command to use another catalog for this call. To keep the
results of two catalogs, give each a folder of its own:

```
contrapose run --config catalog=files data=FOLDER pathvars="{results: results-files}" -- thesis
```
"""
ABOUT_SUITES = """A suite is a group of tasks whose test sets are read together. One job scores an encoder on
a whole suite. Own test sets are in the suite `own`. A table of kind `sts` can have columns of several suites.
"""
NOTE = """*Reruns* after a key names the stages that run again when you change it:
[reruns](index.md#reruns) explains the note.
"""
PARTS = ": parts"  # of a section whose entries have a page of their own
LONGEST_CELL = 22  # words
MOST_LINKS = 3  # of a key that has a section with all of them
STAGES = ("retrieve", "corpus", "generate", "score", "pairs", "train", "evaluate", "report")


class Section(typing.NamedTuple):
    """Where the keys of a settings class are described."""

    page: str
    name: str  # of the section of the file
    heading: str  # with backticks, as Markdown
    level: int
    is_entry: bool  # or else a part of one

    @property
    def anchor(self) -> str:
        """The id that MkDocs and GitHub make of the heading."""
        kept = "".join(each for each in self.heading.lower() if each.isalnum() or each in " _-")
        return kept.strip().replace(" ", "-")


def pages(home: Path, reruns: Mapping[str, str]) -> dict[str, str]:
    """Return {path below docs/reference/configuration: page}; `home` is the root of the repository.

    `reruns` is {`Class.key`: the stages that run again}, as read from `config/reruns.csv`.
    """
    layout = yaml.safe_load(LAYOUT.read_text(encoding="utf-8"))
    lists = [f"\n## {name.capitalize()}s\n\n{_listing(values)}\n" for name, values in LISTED.items()]
    listed = [
        [f"[{page['title']}]({name}.md)", _sections(page["sections"]) or "keys of the file"]
        for name, page in layout.items()
    ]
    contents = f"\n## Where each section is described\n\n{rows(['page', 'sections'], listed)}\n"
    made = {"index.md": "".join([INTRODUCTION, contents, *lists, _suites()])}
    places: dict[Model, Section] = {}
    for file, model in FILES.items():
        own = {page: one["sections"] for page, one in layout.items() if one["file"] == file}
        where = {section: page for page, sections in own.items() for section in sections}
        places |= dict(_places(model, where, places))
    losses: dict[Model, Section] = {
        loss: Section("training", "losses", f"losses: `{name}`", 3, is_entry=True)
        for name, loss in SETTINGS.items()
    }
    begun: set[str] = set()
    for name, page in layout.items():
        describe = _Pages(name, {**places, **losses}, reruns, page.get("groups", {}))
        root = FILES[page["file"]]
        opening = f"# {page['title']}\n\n{page['text']}\n"
        example, further = _example(home, *page["example"]), page.get("further", "")
        if "kinds" in page:
            further += f"\n{page['before_kinds']}\n{_formats(page['kinds'])}\n"
        sections = list[str]()
        if page["file"] not in begun:
            first = [f"\n{page['before_keys']}"] if "before_keys" in page else []
            sections += [*first, "\n## Keys of the file\n", *describe.keys(root)]
        begun.add(page["file"])
        for section in page["sections"]:
            field = root.model_fields.get(section.removesuffix(PARTS))
            sections += describe.section(section.removesuffix(PARTS), field)
        note = NOTE + glossary("\n".join([opening, further, *sections]))
        if describe.groups:  # so many kinds that their list is first
            list_first, *rest = sections
            parts = [opening, list_first, f"{note}{example}", *rest, f"\n{further}"]
        else:
            parts = [f"{opening}\n{note}", example, f"\n{further}", *sections]
        made[f"{name}.md"] = "\n".join(parts).rstrip() + "\n"
    return made


def _sections(names: Sequence[str]) -> str:
    """Return the sections of a page; parts of entries, and the keys of losses, are no sections of a file."""
    words = {"losses": "the losses of recipes", f"tables{PARTS}": "rows and columns of `tables`"}
    return ", ".join(words.get(name, f"`{name}`") for name in names)


def _formats(about: Mapping[str, str]) -> str:
    """Return a table of the formats of test sets: what each one is, and its files."""
    known = typing.get_args(BenchmarkFiles.model_fields["kind"].annotation)
    assert {*about} == {*known}, f"kinds differ: {sorted({*about} ^ {*known})}"
    listed = []
    for kind in known:
        files = ["STS.input.SUBSET.txt", "STS.gs.SUBSET.txt"]  # of sts, which has no splits
        if kind in FORMATS:
            pattern, _, parts, *_ = FORMATS[kind]
            files = list(dict.fromkeys(pattern.format(part, "FOLDER") for part in parts.values()))
        listed.append([f"`{kind}`", about[kind], _listing(files)])
    return rows(["kind", "content", "files"], listed)


def _suites() -> str:
    """Return the section with the tasks of each suite."""
    of_suites = {suite: [task for task, about in TASKS.items() if about.suite == suite] for suite in SUITES}
    listed = [[f"`{suite}`", _listing(tasks)] for suite, tasks in of_suites.items()]
    return f"\n## Suites\n\n{ABOUT_SUITES}\n{rows(['suite', 'tasks'], listed)}\n"


def _example(home: Path, file: str, *entries: str) -> str:
    """Return some entries of a file: `a.b` is one of a section, and `a:3` are the first three of a list."""
    text = (home / file).read_text(encoding="utf-8")
    shown: dict[str, typing.Any] = {}
    for entry in entries:
        path, _, first = entry.partition(":")
        source, target = yaml.safe_load(text), shown
        *sections, last = path.split(".")
        for section in sections:
            source = source[section]
            others = {} if "tables" not in sections or section == "tables" else source
            target = target.setdefault(section, {key: each for key, each in others.items() if key != last})
        target[last] = source[last][: int(first)] if first else source[last]
    lines = yaml.safe_dump(shown, sort_keys=False, allow_unicode=True, width=100, default_flow_style=None)
    return f"\nFor example, from [`{file}`](../../../{file}):\n\n```yaml\n{lines}```\n"


def described(model: Model) -> Iterator[tuple[str, FieldInfo]]:
    """Yield the keys of a settings class that need a description.

    These are all but a required `kind` of one value, and keys that only Contrapose sets.
    """
    for name, field in model.model_fields.items():
        only = name == "kind" and len(typing.get_args(field.annotation)) == 1
        internal = isinstance(field.json_schema_extra, dict) and field.json_schema_extra.get("internal")
        if not internal and (not only or field.description):
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


def _places(
    root: Model, pages: Mapping[str, str], known: Mapping[Model, Section]
) -> Iterator[tuple[Model, Section]]:
    """Yield the settings classes below a file, section by section, each with its heading.

    `pages` is {section: its page}.
    """
    done = {root, *known}
    for section, field in root.model_fields.items():
        entries = [each for each in dict.fromkeys(inside(field.annotation)) if each not in done]
        done.update(entries)
        several = len(entries) > 1
        for entry in entries:
            heading = f"{section}: {kind_of(entry)}" if several else f"`{section}`"
            yield entry, Section(pages[section], section, heading, 2 + several, is_entry=True)
        parts = list(_parts(entries, done))
        for owner, key, part in parts:
            rivals = [other for _, name, other in parts if name == key]
            alone = part is max(rivals, key=lambda one: sum(one in models(entry) for entry in entries))
            name = f"`{key}`" if alone else f"{kind_of(owner)}, `{key}`"
            page = pages.get(f"{section}{PARTS}", pages[section])
            yield part, Section(page, section, f"{section}: {name}", 3, is_entry=False)


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


class _Pages(typing.NamedTuple):
    """Describes keys on a page."""

    page: str
    places: Mapping[Model, Section]
    reruns: Mapping[str, str]
    groups: Mapping[
        str, typing.Any
    ]  # of the kinds of a section, by heading: a text, and an example of each kind

    def section(self, name: str, field: FieldInfo | None) -> Iterator[str]:
        """Yield a section of a file: its kinds, the keys that they share, and the keys of each one."""
        places = self.places.items()
        own = {model: place for model, place in places if (place.page, place.name) == (self.page, name)}
        entries = [model for model, place in own.items() if place.is_entry]
        common: dict[str, str] = {}
        if not entries:
            yield f"\n## Parts of `{name}`\n\n{self._list(own)}\n"
        elif len(entries) > 1:
            default = field and next(_defaults(field.annotation, *field.metadata), None)
            without = f" The default is {default}." if default not in (None, "`None`") else ""
            choice = (
                f"{field.description} The key `kind` chooses one of these kinds.{without}"
                if field
                else LOSSES
            )
            opened = f"\n## {f'`{name}`' if field else name.capitalize()}\n\n{choice}\n"
            listed = self._list({model: own[model] for model in entries})
            yield f"{opened}\n{self._grouped(entries, own)}\n" if self.groups else f"{opened}\n{listed}"
            common = self._common(entries)
        if common:
            place = Section(self.page, name, f"{name}: common keys", 3, is_entry=False)
            yield f"\n### {place.heading}\n\nSeveral {'kinds' if field else 'losses'} have these keys.\n"
            for key, line in reversed(common.items()):
                yield f"- `{key}`: {line}{self._common_rerun(entries, key, line)}"
        begun = ""
        for model, place in self._in_groups(own).items():
            group, example = self._group(model)
            if group != begun:
                yield f"\n## {group}\n\n{self.groups[group]['text']}"
                begun = group
            yield f"\n{'#' * place.level} {place.heading}\n\n{summary(model)}\n{example}"
            lines = self._lines(model)
            shared = [key for key, line in lines.items() if place.is_entry and common.get(key) == line]
            if shared:
                yield f"- [Common keys](#{name}-common-keys): {_listing(shared)}."
            yield from self.keys(model, shared)
            if not lines:
                yield "There are no further keys."

    def _group(self, model: Model) -> tuple[str, str]:
        """Return the heading of the group of a kind, and its example; empty for sections without groups."""
        kind = kind_of(model).strip("`")
        for heading, group in self.groups.items():
            if kind in group["kinds"]:
                name, entry = next(iter(group["kinds"][kind].items()))
                flow = yaml.safe_dump(
                    entry, sort_keys=False, default_flow_style=True, width=1000, allow_unicode=True
                )
                return heading, f"\n```yaml\npairs:\n  {name}: {flow.strip()}\n```\n"
        return "", ""

    def _in_groups(self, own: Mapping[Model, Section]) -> dict[Model, Section]:
        """Return the places of settings classes, in the order of the groups of their kinds."""
        kinds = [kind for group in self.groups.values() for kind in group["kinds"]]
        found = {kind_of(model).strip("`"): model for model, place in own.items() if place.is_entry}
        assert not kinds or {*kinds} == {*found}, f"groups and kinds differ: {sorted({*kinds} ^ {*found})}"
        ordered = {found[kind]: own[found[kind]] for kind in kinds}
        return {**ordered, **own}

    def _grouped(self, entries: Sequence[Model], own: Mapping[Model, Section]) -> str:
        """Return a table of all kinds, in the order of their groups, with a link to each."""
        listed = [
            [f"[{kind_of(model)}](#{place.anchor})", _short(summary(model)), self._group(model)[0]]
            for model, place in self._in_groups({model: own[model] for model in entries}).items()
        ]
        return rows(["kind", "pairs", "group"], listed)

    def _list(self, places: Mapping[Model, Section]) -> str:
        listed = [
            [f"[{place.heading.split(': ')[-1]}](#{place.anchor})", _short(summary(model))]
            for model, place in places.items()
        ]
        return rows(["settings", "content"], listed)

    def keys(self, model: Model, without: Sequence[str] = ()) -> Iterator[str]:
        """Yield the keys of a settings class, each with its type, values, default and meaning."""
        for key, line in self._lines(model).items():
            if key not in without:
                yield f"- `{key}`: {line}{_rerun(self._stages(model, key))}"

    def _lines(self, model: Model) -> dict[str, str]:
        """Return {key: its line}; the note is last, since a base class may have it."""
        of_losses = (
            {key for loss in SETTINGS.values() for key in loss.model_fields} if model is Recipe else ()
        )
        keys = sorted(described(model), key=lambda one: one[0] == "note")
        return {key: self._line(key, field) for key, field in keys if key not in of_losses}

    def _common(self, entries: Sequence[Model]) -> dict[str, str]:
        """Return {key: line} of the keys that three entries, or both of two, have with the same line."""
        counts = Counter(each for model in entries for each in self._lines(model).items())
        frequent = [(each, count) for each, count in counts.most_common() if count >= min(3, len(entries))]
        return {key: line for (key, line), _ in reversed(frequent)}  # of two lines the more frequent

    def _stages(self, model: Model, key: str) -> str:
        is_loss = model in SETTINGS.values()
        return self.reruns.get(f"{'Recipe' if is_loss else model.__name__}.{key}", "")

    def _common_rerun(self, entries: Sequence[Model], key: str, line: str) -> str:
        """Return the notes of a common key; if not all kinds have the same one, with their names."""
        kinds: dict[str, list[str]] = {}
        for model in entries:
            if self._lines(model).get(key) == line:
                kinds.setdefault(self._stages(model, key), []).append(kind_of(model))
        if len(kinds) == 1:
            return _rerun(*kinds)
        return "".join(_rerun(stages, f" with {', '.join(names)}") for stages, names in kinds.items())

    def _line(self, name: str, field: FieldInfo) -> str:
        written = _type(_accepted(field.annotation, *field.metadata))
        kind = ", ".join([f"`{written}`", *_allowed(field)])
        default = "required" if field.is_required() else f"default `{_written(field.get_default())}`"
        entries = [inner for inner in inside(field.annotation) if inner in self.places]
        links = dict.fromkeys(_link(self.places[inner], self.page) for inner in entries)
        if len(links) > MOST_LINKS:
            place = self.places[entries[0]]
            links = dict.fromkeys([_link(place._replace(heading=f"`{place.name}`"), self.page)])
        see = f" See {', '.join(links)}." if links else ""
        return f"{kind}, {default}. {field.description or ''}{see}"


def _rerun(stages: str, which: str = "") -> str:
    """Return the note of the stages that run again, in short."""
    for place, stage in enumerate(STAGES[:-2]):
        stages = stages.replace(", ".join(STAGES[place:]), f"{stage} and all later stages")
    return f" *Reruns{which}: {'nothing' if stages == '-' else stages}.*" if stages else ""


def _short(text: str) -> str:
    """Return a text that fits into a cell, or else its first sentence."""
    return text if len(text.split()) <= LONGEST_CELL else re.split(r"(?<=\w\w[.)]) (?=[A-Z`])", text)[0]


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
    values = tuple(filter(None, dict.fromkeys(map(str, _values(field.annotation)))))
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
        return _type(_accepted(*arguments))
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


def _accepted(annotation: object, *marks: object) -> object:
    """Return the type that a person may write: that of a validator which reads a short form, if one does."""
    kinds = (getattr(mark, "json_schema_input_type", PydanticUndefined) for mark in marks)
    return next((kind for kind in kinds if kind is not PydanticUndefined), annotation)


def _listing(values: Sequence[str]) -> str:
    return ", ".join(f"`{value}`" for value in values)
