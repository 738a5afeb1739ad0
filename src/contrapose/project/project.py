"""Everything under `config/` for one call of the workflow, by name."""

import os
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property, wraps
from pathlib import Path
from typing import Any, TypeVar, cast

from contrapose.base.errors import ConfigError
from contrapose.generate.endpoint import base_url
from contrapose.pairs.kinds import PairSet
from contrapose.project.checks import check_project
from contrapose.project.data import catalog_source
from contrapose.project.llm_requests import StudyRequests
from contrapose.project.registries import REGISTRIES, lacking, lacking_entry, reached
from contrapose.project.rules import Rules, read_rules
from contrapose.project.runs import Runs
from contrapose.project.settings_files import SettingsFiles
from contrapose.project.shards import shard_names
from contrapose.report.about import About
from contrapose.report.kinds.union import AnyFigure, AnyTable
from contrapose.retrieve.data_files import data_folder
from contrapose.settings.catalogs import LLM, Model, serving_module
from contrapose.settings.ids import FIRST_SEED, canonical_id, changed_id, named, resolved
from contrapose.settings.plan import Paths, Shown
from contrapose.settings.spec import Spec
from contrapose.train.recipe import AnyRecipe

F = TypeVar("F", bound=Callable)


def remembered(method: F) -> F:
    """Cache a method's results by its arguments: the settings of a call do not change."""

    @wraps(method)
    def cached(self: "Project", *arguments: object, **named: object) -> object:
        key = (method.__name__, arguments, *named.items())
        if key not in self.found:
            self.found[key] = method(self, *arguments, **named)
        return self.found[key]

    return cast(F, cached)


class Project:
    """The settings of a call, checked.

    `config` is what Snakemake read from `config/config.yaml` and `--config`.  `home` is the repository,
    which has the catalogs, studies and recipes that the working directory lacks.  Raises ConfigError for any
    wrong key, name, id or file, before a job starts.  `results` is the folder of results, if not that of the
    config: another workflow that imports this one may move it.
    """

    def __init__(self, config: Mapping[str, object], home: Path, results: str | None = None) -> None:
        self.given, self.home = dict(config), home
        self.found, self.checked = dict[tuple, Any](), set[tuple[str, str]]()
        self.files: SettingsFiles = SettingsFiles(config, home)
        self.config, self.catalog_name = self.files.config, self.files.catalog_name
        self.results = results or self.config.pathvars.get("results", "results")
        self.catalog, self.recipes, self.studies = self.files.catalog, self.files.recipes, self.files.studies
        self.paths, self.runs, self.llm_requests = Paths(self), Runs(self), StudyRequests(self)
        try:
            check_project(self)
        except ConfigError as error:
            if not self.files.lacks_recipes:
                raise
            raise ConfigError(
                "config/recipes.yaml is missing, so that of Contrapose is read, which does not fit this "
                "project. Restore the file, or copy it from a new project, which `contrapose init FOLDER` "
                f"creates. What does not fit: {error}"
            ) from error

    @property
    def seeds(self) -> list[int]:
        return [FIRST_SEED + number for number in range(self.config.seeds)]

    @cached_property
    def trainings(self) -> int:
        """About how many encoders the tables need: rows times seeds."""
        rows = [getattr(table, "rows", None) for _, table in self.tables.values()]
        return max(1, sum(len(each) for each in rows if isinstance(each, list)) * self.config.seeds)

    @cached_property
    def tables(self) -> dict[str, tuple[str, AnyTable]]:
        """Table name: (study, table).  A prefix keeps the names of different studies apart."""
        return self._prefixed("tables")

    @cached_property
    def figures(self) -> dict[str, tuple[str, AnyFigure]]:
        """Figure name: (study, figure), named like tables."""
        return self._prefixed("figures")

    def _prefixed(self, what: str) -> dict[str, tuple[str, Any]]:
        entries: dict[str, tuple[str, Any]] = {}
        for study, settings in self.studies.items():
            for name, entry in dict(settings)[what].items():
                first, _ = entries.setdefault(settings.prefix + name, (study, entry))
                if first != study:
                    raise ConfigError(
                        f"{what} of the studies: '{settings.prefix + name}' is in both {first} and "
                        f"{study}. Set a different prefix in config/studies/{study}/study.yaml."
                    )
        return entries

    def shown(self, name: str, kind: str = "", at: str = "") -> Shown:
        """Return a table or figure; raise a ConfigError if there is none, or it is not of the given kind.

        `at` begins the message: the settings that name it.
        """
        study, spec = named({**self.tables, **self.figures}, name, f"{at}the list of tables and figures")
        if kind and spec.kind != kind:
            raise ConfigError(f"{at}{name} is of kind {spec.kind}. Name one of kind {kind}.")
        return Shown(self.studies[study], spec)

    @remembered
    def about(self, name: str) -> About:
        """Return what a table or figure knows about itself before its job runs."""
        return self.shown(name).spec.about(self, name)

    @remembered
    def entry(self, registry: str, name: str) -> Any:
        """Return what a name stands for; raise a ConfigError that lists the known names if it is unknown."""
        return REGISTRIES[registry].entry(self, name)

    def source(self, section: str, name: str = "", kind: str = "") -> Any:
        return catalog_source(self, section, name, kind)

    @remembered
    def shards(self, stage: str, *files: str) -> list[str]:
        """Name the shards of a set, `0-of-2`, `1-of-2`: see `shard_names`; fixed during a call."""
        return shard_names(self, stage, files)

    def lacking(self, spec: Spec) -> str:
        """Return what this catalog lacks for settings, also indirectly; empty if nothing."""
        return lacking(self, spec)

    def reached(self, spec: Spec) -> Iterator[tuple[str, str]]:
        """Yield (registry, name) of everything that settings name, also indirectly: direct names first."""
        return reached(self, spec)

    @remembered
    def lacking_entry(self, registry: str, name: str) -> str:
        return lacking_entry(self, registry, name)

    def null(self, name: str, section: str) -> ConfigError:
        return ConfigError(
            f"{section}.{name} is null, so the catalog '{self.catalog_name}' does not have this "
            f"entry, but it is needed. Name one in config/catalogs/{self.catalog_name}.yaml."
        )

    @cached_property
    def data(self) -> Path | None:
        """The folder of original files; None if the catalog makes it or takes everything from the hub."""
        return data_folder(self)

    @cached_property
    def rules(self) -> Rules:
        return read_rules(self.home / "workflow" / "resources.yaml")

    def size(self, name: int | str) -> int:
        """Return what a size means in this catalog; a number is itself."""
        if str(name).isdecimal() and name not in self.catalog.sizes:
            return int(name)
        size = named(self.catalog.sizes, str(name), f"sizes of {self.files.catalog_path}")
        return max(1, round(size * self.catalog.scale))

    def corpus(self, name: str) -> Any:
        spec = named(self.recipes.corpora, name, "corpora of config/recipes.yaml")
        most = self.config.sentences
        wholes = {each.whole(self) for each in self.recipes.corpora.values()}
        if most is None or name in wholes or not spec.shrinks(self):
            return spec
        if spec.size is not None and self.size(spec.size) <= most:
            return spec
        return spec.model_copy(update={"size": str(most)})

    def sentences(self, corpus: str) -> int | None:
        """Return the number of sentences of a corpus in this catalog; None: all lines of a published one."""
        size = self.corpus(corpus).size
        return None if size is None else self.size(size)

    @remembered
    def pairs(self, identifier: str) -> PairSet:
        return resolved(identifier, self.recipes.pairs)

    @remembered
    def pairs_id(self, identifier: str, without: str = "", **overrides: str) -> str:
        """Return the canonical id of a pair set, with further overrides, or without one of its own."""
        return canonical_id(changed_id(identifier, overrides, without), self.recipes.pairs)

    @remembered
    def recipe_id(self, identifier: str) -> str:
        return canonical_id(identifier, self.recipes.recipes)

    @remembered
    def recipe(self, identifier: str) -> AnyRecipe:
        """Return a recipe by its canonical id, with this catalog's changes to training."""
        return resolved(identifier, self.recipes.recipes).scaled(self, identifier)

    def model_path(self, path: str) -> Path:
        """Return the path of a model's folder or file: below the data folder, `{data}`, or the project."""
        model = Path(path.replace("{data}", str(self.data or "")))
        if model.is_absolute() or os.path.lexists(model) or not os.path.lexists(self.home / model):
            return model
        return self.files.below_home(model)

    def encoder(self, role: str) -> Model:
        return self.source("encoders", role).located(self, role)

    def language_model(self, role: str) -> Model:
        return self.source("language_models", role).located(self, role)

    def llm(self, role: str) -> Any:
        """Return the language model that plays a role, with what the settings of the call change.

        Raises ConfigError for an invalid URL, and for a budget that nothing can be counted against.
        """
        llm = named(self.catalog.llms, role, f"llms of {self.files.catalog_path}").in_call(self, role)
        if llm.paid and not serving_module(llm.endpoint):
            base_url(llm.connection(role))  # refuses an invalid URL
            if isinstance(llm, LLM) and llm.unpriced and llm.budget is not None:
                raise ConfigError(
                    f"llms.{role}.budget is {llm.budget:g} USD, but prompt_price and completion_price are "
                    "not both set, so a run could spend any amount. Enter the prices of the provider in USD "
                    f"per million tokens in {self.files.catalog_path}, or 0 if answers are free."
                )
        return llm
