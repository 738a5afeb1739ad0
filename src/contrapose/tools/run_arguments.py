"""The arguments of `contrapose run`: options of Snakemake, and the targets behind `--`."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple


class RunArguments(NamedTuple):
    """Arguments, split at the first `--`."""

    options: list[str]
    targets: list[str]

    @classmethod
    def of(cls, arguments: Sequence[str]) -> "RunArguments":
        end = arguments.index("--") if "--" in arguments else len(arguments)
        return cls([*arguments[:end]], [*arguments[end + 1 :]])

    def values(self, *names: str) -> list[str]:
        """Return the value of each option that has one of some names: `--name=value`, or what follows it."""
        pairs = ((word.partition("="), after) for word, after in pairwise([*self.options, ""]))
        return [value if equals else after for (name, equals, value), after in pairs if name in names]

    def without(self, name: str) -> list[str]:
        """Return all arguments but an option and its values, as one list again."""
        left = [
            word
            for before, word in pairwise(["", *self.options])
            if name not in (before, word) and not word.startswith(f"{name}=")
        ]
        return [*left, *(["--", *self.targets] if self.targets else [])]

    def words(self, *names: str) -> list[str]:
        """Return all words behind options with one of some names, up to the next option."""
        found, inside = list[str](), False
        for word in self.options:
            inside = word in names or (inside and not word.startswith("-"))
            found += [word] if inside and word not in names else []
        return found

    @property
    def config(self) -> list[str]:
        """The `key=value` of `--config`."""
        return [word for word in self.words("--config", "-C") if "=" in word]

    def with_config(self, config: Sequence[str]) -> list[str]:
        """Return all arguments as one list again, whose `key=value` are others, of which the last is new."""
        first, *others = [word for word in self.config if word not in config] or [""]
        options = [config[-1] if word == first else word for word in self.options if word not in others]
        return [*options, *(["--", *self.targets] if self.targets else [])]
