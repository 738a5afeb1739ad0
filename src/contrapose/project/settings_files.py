"""The settings files of a project, read and checked one by one."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

from contrapose.base.errors import TO_UTF8, ConfigError
from contrapose.base.home import source_of
from contrapose.project.documents import Catalog, Recipes, Study
from contrapose.project.lock import SUFFIX, locked, read_lock
from contrapose.project.methods import with_methods
from contrapose.settings.catalogs import changed_llm
from contrapose.settings.config_folder import ConfigFolder, relabelled
from contrapose.settings.deviations import Claim
from contrapose.settings.ids import named
from contrapose.settings.instructions import Instructions
from contrapose.settings.prompt_files import Prompt
from contrapose.settings.spec import Spec, validated
from contrapose.settings.yaml_files import read_yaml

S = TypeVar("S", bound=Spec)


class SettingsFiles(ConfigFolder):
    """Everything under `config/` for one call of the workflow, each file checked by itself."""

    def __init__(self, config: Mapping[str, object], home: Path) -> None:
        super().__init__(config, home)
        self.recipes_file = self.file("config/recipes.yaml")
        self.lock_file = Path(self.catalog_path).with_suffix(SUFFIX)  # in the working directory
        self.catalog = self._catalog()
        if self.config.precision == "auto":
            self.config = self.config.model_copy(update={"precision": self.catalog.precision})
        self.recipes = self._read(Recipes, self.recipes_file)
        every = {name: self._study(name) for name in self.config.studies}
        self.studies = with_methods(every, self.config.methods)
        self._instructions: dict[str, Instructions] = {}

    @property
    def lacks_recipes(self) -> bool:
        """Whether a folder has studies of its own but no recipes, which its studies may need."""
        own = [name for name in self.config.studies if not self.study_folder(name).is_relative_to(self.home)]
        return bool(own) and self.recipes_file.is_relative_to(self.home)

    def _catalog(self) -> Catalog:
        lock = self.existing(str(self.lock_file))
        content = locked(read_yaml(self.catalog_file), read_lock(lock) if lock else {})
        changes = self.config.llms
        if not changes or not isinstance(content, dict):
            return validated(Catalog, content, str(self.catalog_file))
        llms = {**(content.get("llms") or {})}
        for role, change in changes.items():
            where = f"llms of config/config.yaml or --config: llms of {self.catalog_path}"
            before = named(llms, role, where)
            llms[role] = changed_llm(before or {}, change)
        where = f"{self.catalog_file} with llms of config/config.yaml or --config"
        return validated(Catalog, content | {"llms": llms}, where)

    def _study(self, name: str) -> Study:
        path = self.study_file(name)
        return validated(Study, relabelled(read_yaml(path), self.catalog.labels), str(path))

    def study_folder(self, name: str) -> Path:
        """Return the folder of a study: study.yaml, and what the paper prints and claims."""
        return self.study_file(name).parent

    def instructions(self, name: str) -> Instructions:
        if name not in self._instructions:
            path = self.file(f"config/prompts/dino/{name}.yaml")
            self._instructions[name] = self._read(Instructions, path)
        return self._instructions[name]

    def prompt(self, name: str) -> Prompt:
        """Return the instructions of `NAME.yaml`, or the one of `NAME.txt`."""
        path = self.file(*(f"config/prompts/{name}.{ending}" for ending in ("txt", "yaml")))
        prompt = self._read(Prompt, path) if path.suffix == ".yaml" else Prompt(one_of=[_text(path)])
        about_one = prompt.asked_for != "sentences"
        if any(("{sentence}" in each) != about_one for each in prompt.texts):
            has = (
                "no {sentence}. Write {sentence} where the sentence goes."
                if about_one
                else "{sentence}, but it requests new sentences and is about no given one. Remove {sentence}."
            )
            raise ConfigError(f"config/prompts/{path.name} has {has}")
        return prompt

    def published(self, study: str, file: str) -> str:
        return self._relative(self.file(f"config/studies/{study}/published/{file}"))

    def is_printed(self, study: str, table: str) -> bool:
        return self.existing(f"config/studies/{study}/published/{table}.csv") is not None

    def claims(self, study: str) -> list[Claim]:
        """Return what a study's paper claims; nothing if there is no claims.csv beside study.yaml."""
        # The header is line 1; a claim is one line.
        rows, path = enumerate(self.claim_rows(study), 2), self.claims_file(study)
        claims = [validated(Claim, row, f"{path}, line {number}") for number, row in rows]
        names = [claim.claim_id for claim in claims]
        for number, name in enumerate(names):
            if name in names[:number]:
                raise ConfigError(
                    f"{path}, line {number + 2}: claim_id '{name}' occurs twice. Give each claim a "
                    "different id."
                )
        return claims

    def claim_functions(self, study: str) -> Path:
        path = source_of(self.home) / "contrapose" / "report" / "claims" / f"{study}.py"
        if not path.is_file():
            raise ConfigError(
                f"config/studies/{study}/claims.csv needs the module "
                f"src/contrapose/report/claims/{study}.py, which checks each claim. Write it, or "
                "remove claims.csv."
            )
        return path

    def below_home(self, folder: Path) -> Path:
        return Path(self._relative(self.home / folder))

    @staticmethod
    def _relative(path: Path) -> str:
        """Return a path relative to the working directory: a copy of the folder then has the same inputs."""
        return os.path.relpath(path)

    @staticmethod
    def _read(kind: type[S], path: Path) -> S:
        return validated(kind, read_yaml(path), str(path))


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig").strip()  # some editors add a byte order mark
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: the file is not in UTF-8 ({error.reason}). {TO_UTF8}") from error
