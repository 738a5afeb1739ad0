"""Ids: a name plus scalar overrides, `paraphrase+llm=vicuna+prompt=1`.

The canonical form leaves out what equals the named entry and sorts the rest, so two studies that mean the
same run share it.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from contrapose.base.errors import ConfigError, unknown
from contrapose.settings.spec import Spec, current, validated

NULL = "null"  # how an id writes a setting without a value, as YAML does
# Between the parts of an id.  Not a comma: there Snakemake cuts wildcards of submitted jobs (snakemake#2366).
SEPARATOR = "+"
SEED = re.compile(r"seed\d+")  # at the end of the id of a trained or fine-tuned run
FIRST_SEED = 42  # SimCSE's default seed; further seeds count up from it

S = TypeVar("S", bound=Spec)
T = TypeVar("T")


@dataclass(frozen=True)
class Run:
    """One trained encoder: pairs x recipe x seed, by canonical ids."""

    pairs: str
    recipe: str
    seed: int

    @property
    def id(self) -> str:
        return f"{self.pairs}/{self.recipe}/seed{self.seed}"


@dataclass(frozen=True)
class Released:
    """A pretrained encoder: pooled in one way, or fine-tuned with one seed."""

    role: str
    how: str  # a pooling, or `seed42`

    @property
    def id(self) -> str:
        return f"released/{self.role}/{self.how}"

    @property
    def pooling(self) -> str:
        """The pooling; `auto`, which is its own, if it is fine-tuned."""
        return "auto" if SEED.fullmatch(self.how) else self.how


def is_trained(run: str) -> bool:
    """Return whether a run, by its id, is a training of ours, and not a pretrained encoder."""
    return not run.startswith("released/")


def run_from(identifier: str) -> Run | Released:
    """Return the run that has an id: PAIRS/RECIPE/seedN, or released/ROLE/POOLING or /seedN.

    Raises ConfigError if a training's seed is not in its shortest form.
    """
    first, second, last = identifier.split("/")
    return Run(first, second, seed_of(last)) if is_trained(identifier) else Released(second, last)


def training_from(identifier: str) -> Run:
    """Return the training that has an id, PAIRS/RECIPE/seedN."""
    run = run_from(identifier)
    assert isinstance(run, Run), identifier
    return run


def named(entries: Mapping[str, T], name: str, what: str) -> T:
    """Return an entry by name, or say which names there are."""
    if name not in entries:
        raise unknown(what, name, entries)
    return entries[name]


def parsed_id(identifier: str) -> tuple[str, dict[str, str]]:
    """Split `name+key=value+...` into the name and its overrides, values as written."""
    name, *parts = identifier.split(SEPARATOR)
    if "," in name:
        raise ConfigError(
            f"id '{identifier}': a changed setting follows a plus sign. Write "
            f"'{identifier.replace(',', SEPARATOR)}'."
        )
    overrides = {}
    for part in parts:
        key, equals, value = part.partition("=")
        if not equals or not key or not value:
            raise ConfigError(
                f"id '{identifier}': '{part}' does not have the form key=value. Example: "
                "paraphrase+llm=vicuna"
            )
        overrides[key] = value
    return name, overrides


def changed_id(identifier: str, overrides: Mapping[str, object], without: str = "") -> str:
    """Return an id with more overrides, which replace its own of the same name, or without one of its own."""
    name, parts = parsed_id(identifier)
    parts.pop(without, None)
    return SEPARATOR.join([name, *(f"{key}={value}" for key, value in {**parts, **overrides}.items())])


def resolved(identifier: str, entries: Mapping[str, S]) -> S:
    """Return the entry that an id names, with its overrides applied and checked.

    Raises ConfigError for an unknown name or key, a value of the wrong kind, or an id that is not canonical.
    """
    result, canonical = _changed(identifier, entries)
    if canonical != identifier:
        raise ConfigError(
            f"id '{identifier}': an id has one spelling, with sorted keys, the shortest numbers, and no key "
            f"that changes nothing. Write '{canonical}'."
        )
    return result


def canonical_id(identifier: str, entries: Mapping[str, S]) -> str:
    """Return the one way to write an id: overrides that change something, sorted by key."""
    return _changed(identifier, entries)[1]


def _changed(identifier: str, entries: Mapping[str, S]) -> tuple[S, str]:
    """Return the entry that an id names, with its overrides, and the one way to write the id."""
    name, overrides = parsed_id(identifier)
    base = named(entries, name, "config/recipes.yaml")
    if not overrides:
        return base, name
    # `kind` says what the entry is, so an override would make it another entry: keep it.
    values = current(
        {key: None if value == NULL else value for key, value in overrides.items()}, type(base).model_fields
    )
    changed = validated(type(base), dict(base) | values, f"id '{identifier}'")
    before, after = dict(base), dict(changed)
    parts = []
    for key in sorted(values):
        value = after[key]
        if value != before[key]:
            parts.append(f"{key}={NULL if value is None else value}")
    return changed, SEPARATOR.join([name, *parts])


def seed_of(run: str) -> int:
    """Return the seed at the end of a run's id, `.../seed42`, which has only one valid spelling."""
    text = run.rpartition("seed")[2]
    if text != str(int(text)):
        raise ConfigError(f"seed '{text}': leading zeros and signs are not allowed. Write '{int(text)}'.")
    return int(text)


def names_of_kind(kind: str, entries: Mapping[str, Any]) -> list[str]:
    """Return the names of the entries of one kind; those that a catalog does not have are null."""
    return [name for name, entry in entries.items() if entry is not None and entry.kind == kind]


def of_kind(kind: str, entries: Mapping[str, Any]) -> str:
    """Return a regular expression of the ids of entries of one kind: a name, and overrides after it."""
    names = names_of_kind(kind, entries)
    return rf"({'|'.join(map(re.escape, names)) or 'none'})(\{SEPARATOR}[^/]+)?"


def unlike(names: Iterable[str]) -> str:
    """Return one of all names and ids but these: what the rules that know them leave over."""
    return rf"(?!({'|'.join(map(re.escape, names))})[{SEPARATOR}./])[^/]+"
