"""What the commands around the workflow have in common: arguments, and the project that they are about."""

import json
import shlex
from collections.abc import Container, Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from contrapose.base.directory import call, seen, settings
from contrapose.base.errors import ConfigError, nearest
from contrapose.base.home import HOME
from contrapose.settings.cli_config import CONFIG, given_config, without_value
from contrapose.settings.main import Config

if TYPE_CHECKING:
    from contrapose.project import Project

# Options with which Snakemake builds nothing, or from settings that are not read here.
OTHER = {
    *("-n", "--dry-run", "--dryrun", "--unlock", "--configfile", "--configfiles", "--report", "--lint"),
    *("-t", "--touch", "-S", "--summary", "-D", "--dag", "--rulegraph", "--filegraph", "-l", "--list-rules"),
}

CONFIG_NAMES = ("--config", "-C")  # Snakemake's names of the option
METHODS = "--methods"
WITHOUT_TARGET = ("clean", "explain", "list", "report", "status")  # verbs that take no target
RESULTS = "results"  # where results are by default
STUDIES = "config/studies"
# Options of `contrapose run` without a value, which a target without `--` may follow.
FLAGS = ("-n", "--dry-run", "-k", "--keep-going", "--verbose")


def methods_setting(names: Sequence[str]) -> str:
    """Return the `key=value` of `--config` for the names behind `--methods`; a ConfigError without any."""
    if not names:
        raise ConfigError(
            f"{METHODS}: the name of a method is missing. Write {METHODS} NAME ..., with names that "
            f"`{call('list')}` shows."
        )
    return f"methods={json.dumps(names, ensure_ascii=False)}"


def project_of(config: Iterable[str]) -> "Project":
    """Return the project of the working directory, with the `key=value` of a call."""
    from contrapose.project import Project  # with all kinds of settings it takes more than a second
    from contrapose.project.checks import check_names

    project = Project(given_config(config), HOME)
    check_names(project)
    return project


def check_is_project(verb: str, targets: Sequence[str], folder: str = ".") -> None:
    """Raise ConfigError for a folder without settings, unless targets name what to build without them."""
    if (Path(folder) / CONFIG).is_file() or (
        targets and (verb == "run" or not any(map(_is_of_a_project, targets)))
    ):
        return
    raise ConfigError(
        (
            f"{Path(folder).absolute()}: this folder is not a project, because it has no {CONFIG}. Name "
            f"the folder of a project (contrapose {verb} --directory FOLDER), or create one (contrapose init "
            "FOLDER)."
        )
        + (verb not in WITHOUT_TARGET)
        * f" To rebuild a paper that comes with Contrapose, name its study: contrapose {verb} -- thesis"
    )


def _is_of_a_project(target: str) -> bool:
    """Whether a target is no file, no rule, and not like a study that comes with Contrapose."""
    studies = [each.name for each in (HOME / STUDIES).iterdir()] if (HOME / STUDIES).is_dir() else []
    return target.isalpha() and target != "all" and not nearest(target, studies)


def check_has_work(verb: str) -> None:
    """Raise ConfigError for a folder that is no project, and where no built-in study has results either."""
    if not Path(RESULTS).is_dir():
        check_is_project(verb, [])


def nothing_built(results: str | Path, config: Sequence[str], study: str) -> ConfigError:
    """Build the error for a project without finished results, which names what builds a study."""
    builds = call("run", settings(config), "--", study)
    return ConfigError(f"{seen(results)} has no finished table or figure yet. Build one first: {builds}")


def connect(role: str, catalog: str) -> str:
    """Return the sentence that says how to call a language model in place of a recording."""
    return (
        f"To connect a model, replace the entry `{role}` under `llms` in config/catalogs/{catalog}.yaml, as "
        "docs/how-to/connect-a-model.md describes."
    )


def check_are_no_projects(words: Iterable[str]) -> None:
    """Raise ConfigError for a target or another word that is the folder of a project, and no study.

    Also for an option among them, which would be taken for a target.
    """
    for word in words:
        if word.startswith("-"):
            raise ConfigError(f"{word} is an option, but stands after `--`. Write options before `--`.")
        study = "/" not in word and any((place / STUDIES / word).is_dir() for place in (Path(), HOME))
        if word and (Path(word) / CONFIG).is_file() and not study:
            raise ConfigError(f"{word} is a project. Name it with --directory {shlex.quote(word)}.")


def with_first(arguments: Sequence[str], names: Container[str]) -> list[str]:
    """Return arguments with one of some names before all others; none if no name is among them.

    It is the last one: an earlier one may be the folder of `--directory`.
    """
    end = arguments.index("--") if "--" in arguments else len(arguments)
    places = [at for at, word in enumerate(arguments[:end]) if word in names]
    return (
        [arguments[at], *arguments[:at], *arguments[at + 1 :]] if (at := max(places, default=-1)) >= 0 else []
    )


class RunArguments(NamedTuple):
    """Arguments of `contrapose run`, split at the first `--`: options of Snakemake, and targets."""

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

    def check_config(self) -> None:
        """Raise ConfigError for a `--config` without a setting, and for a key behind it without a value."""
        for option, word in pairwise([*self.options, ""]):
            if option not in CONFIG_NAMES:
                continue
            if not word or word.startswith("-"):
                raise ConfigError(
                    f"{option}: a setting is missing. Write {option} KEY=VALUE, such as seeds=3."
                )
            if "=" not in word:
                raise without_value(word)
        for word in self.words(*CONFIG_NAMES):
            if word in Config.model_fields:
                raise without_value(word)

    def with_methods(self) -> list[str]:
        """Return all arguments as one list again, with `--methods NAME ...` as a setting of `--config`."""
        spelled = [word.split("=", 1) if word.startswith(f"{METHODS}=") else [word] for word in self.options]
        call = RunArguments([part for word in spelled for part in word], self.targets)
        if METHODS not in call.options:
            return self.with_config(self.config)
        names = call.words(METHODS)
        left = call._replace(options=[word for word in call.options if word not in (METHODS, *names)])
        return left.with_config([*left.config, methods_setting(names)])

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
        words, inside = list[str](), False
        for word in self.options:
            inside = word in names or (inside and not word.startswith("-"))
            words += [word] if inside and word not in names else []
        return words

    @property
    def stray(self) -> list[str]:
        """The words that are no value of an option, but targets or a project without what comes before."""
        pairs = pairwise(["", *self.options])
        values = [word for before, word in pairs if not before.startswith("-") or before in FLAGS]
        return [word for word in values if not word.startswith("-") and "=" not in word]

    @property
    def builds(self) -> bool:
        """Whether Snakemake builds something, from settings that are read here."""
        return OTHER.isdisjoint(word.partition("=")[0] for word in [*self.options, *self.targets])

    @property
    def config(self) -> list[str]:
        """The `key=value` of `--config`."""
        return [word for word in self.words(*CONFIG_NAMES) if "=" in word]

    def with_config(self, config: Sequence[str]) -> list[str]:
        """Return all arguments as one list again, whose `key=value` are others."""
        options = [word for word in self.options if word not in (*CONFIG_NAMES, *self.config)]
        settings = ["--config", *config] if config else []
        return [*options, *settings, *(["--", *self.targets] if self.targets else [])]
