"""The settings files of a project, read and checked one by one."""

import csv
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from contrapose.base.errors import ConfigError, unknown
from contrapose.base.home import source_of
from contrapose.project.documents import Catalog, Recipes, Study
from contrapose.project.lock import SUFFIX, locked, read_lock
from contrapose.project.yaml_files import read_yaml
from contrapose.settings.catalogs import changed_llm
from contrapose.settings.deviations import Claim
from contrapose.settings.ids import named
from contrapose.settings.instructions import Instructions
from contrapose.settings.main import Config
from contrapose.settings.prompt_files import Prompt
from contrapose.settings.spec import Spec, validated

S = TypeVar("S", bound=Spec)
FORMER_FOLDER = "worlds"  # of catalogs, until version 0.4
# Keys of a study whose texts contain names of models.
LABELS = ("group", "model", "label", "baseline", "choose_among", "caption")


class SettingsFiles:
    """Everything under `config/` for one call of the workflow, each file checked by itself."""

    def __init__(self, config: Mapping[str, object], home: Path) -> None:
        self.home = home
        if "world" in config:
            raise ConfigError(
                "config/config.yaml or --config: world is called catalog since version 0.5. Write "
                f"catalog: {config['world']}, or --config catalog={config['world']}."
            )
        self.config = validated(Config, config, "config/config.yaml or --config")
        self.catalog_name = Path(self.config.catalog).stem
        self.catalog_file, self.recipes_file = self._catalog_file(), self._file("config/recipes.yaml")
        self.lock_file = Path(self._catalog_name()).with_suffix(SUFFIX)  # in the working directory
        self.catalog = self._catalog()
        if self.config.precision == "auto":
            self.config = self.config.model_copy(update={"precision": self.catalog.precision})
        self.recipes = self._read(Recipes, self.recipes_file)
        self.studies = {name: self._study(name) for name in self.config.studies}
        self._instructions: dict[str, Instructions] = {}

    def _catalog_file(self) -> Path:
        known = {path.stem for base in self._bases() for path in base.glob("config/catalogs/*.yaml")}
        if self._catalog_name() != self.config.catalog and self.config.catalog not in known:
            former = Path("config", FORMER_FOLDER, f"{self.config.catalog}.yaml")
            if former.is_file():
                raise ConfigError(
                    f"{former}: the folder is called config/catalogs since version 0.5. Rename it: "
                    f"mv {former.parent} config/catalogs"
                )
            raise unknown("catalogs", self.config.catalog, known)
        return self._file(self._catalog_name())

    def _catalog_name(self) -> str:
        """The file that `catalog:` gives by its name under config/catalogs/ or by its path."""
        by_path = self.config.catalog.endswith((".yaml", ".yml"))
        return self.config.catalog if by_path else f"config/catalogs/{self.config.catalog}.yaml"

    def _catalog(self) -> Catalog:
        lock = self._existing(str(self.lock_file))
        content = locked(read_yaml(self.catalog_file), read_lock(lock) if lock else {})
        changes = self.config.llms
        if not changes or not isinstance(content, dict):
            return validated(Catalog, content, str(self.catalog_file))
        llms = {**(content.get("llms") or {})}
        for role, change in changes.items():
            before = named(llms, role, "llms of config/config.yaml or --config: llms of the catalog")
            llms[role] = changed_llm(before or {}, change)
        where = f"{self.catalog_file} with llms of config/config.yaml or --config"
        return validated(Catalog, content | {"llms": llms}, where)

    def _study_file(self, name: str) -> Path:
        known = {
            path.parent.name for base in self._bases() for path in base.glob("config/studies/*/study.yaml")
        }
        if name not in known:
            raise unknown("studies", name, known)
        return self._file(f"config/studies/{name}/study.yaml")

    def _study(self, name: str) -> Study:
        path = self._study_file(name)
        return validated(Study, relabelled(read_yaml(path), self.catalog.labels), str(path))

    def study_folder(self, name: str) -> Path:
        """Return the folder of a study: study.yaml, and what the paper prints and claims."""
        return self._study_file(name).parent

    def instructions(self, name: str) -> Instructions:
        if name not in self._instructions:
            path = self._file(f"config/prompts/dino/{name}.yaml")
            self._instructions[name] = self._read(Instructions, path)
        return self._instructions[name]

    def prompt(self, name: str) -> Prompt:
        """Return the instructions of `NAME.yaml`, or the one of `NAME.txt`."""
        path = self._file(*(f"config/prompts/{name}.{ending}" for ending in ("txt", "yaml")))
        prompt = self._read(Prompt, path) if path.suffix == ".yaml" else Prompt(one_of=[_text(path)])
        about_one = prompt.asked_for != "sentences"
        if any(("{sentence}" in each) != about_one for each in prompt.texts):
            goes = "no {sentence}: say where the sentence goes"
            has = goes if about_one else "{sentence}, but asks for sentences: it is about none"
            raise ConfigError(f"config/prompts/{path.name} has {has}.")
        return prompt

    def published(self, study: str, file: str) -> str:
        return self._relative(self._file(f"config/studies/{study}/published/{file}"))

    def is_printed(self, study: str, table: str) -> bool:
        return self._existing(f"config/studies/{study}/published/{table}.csv") is not None

    def claims(self, study: str) -> list[Claim]:
        """Return what a study's paper claims; nothing if there is no claims.csv beside study.yaml."""
        path = self._existing(f"config/studies/{study}/claims.csv")
        if path is None:
            return []
        try:
            with path.open(encoding="utf-8-sig", newline="") as file:
                rows = list(csv.DictReader(file))
        except (OSError, UnicodeDecodeError, csv.Error) as error:
            raise ConfigError(f"{path}: is not a CSV file in UTF-8 ({error}). Correct the file.") from error
        # The header is line 1; a claim is one line.
        claims = [validated(Claim, row, f"{path}, line {number}") for number, row in enumerate(rows, 2)]
        names = [claim.claim_id for claim in claims]
        for number, name in enumerate(names):
            if name in names[:number]:
                raise ConfigError(
                    f"{path}, line {number + 2}: claim_id '{name}' occurs twice. Give each claim its own id."
                )
        return claims

    def claim_functions(self, study: str) -> Path:
        path = source_of(self.home) / "contrapose" / "report" / "claims" / f"{study}.py"
        if not path.is_file():
            raise ConfigError(
                f"config/studies/{study}/claims.csv needs src/contrapose/report/claims/{study}.py, which "
                "says how each claim is checked. Write it, or remove claims.csv."
            )
        return path

    def _bases(self) -> list[Path]:
        return [Path(), self.home]

    def _file(self, *names: str) -> Path:
        path = self._existing(*names)
        if path is None:
            raise ConfigError(
                f"'{names[0]}' does not exist. Searched the working directory and the repository."
            )
        return path

    def _existing(self, *names: str) -> Path | None:
        """Return the file of one of some names, in the working directory before the repository."""
        paths = (base / name for base in self._bases() for name in names)
        return next((path for path in paths if path.is_file()), None)

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
        raise ConfigError(f"{path}: not UTF-8 ({error.reason}). Convert the file.") from error


def relabelled(settings: Any, labels: Mapping[str, str], key: str = "") -> Any:
    """Return a study's settings with a catalog's names of models in captions and row labels.

    Parts of a label that are in `labels` are replaced, the longest first.  The paper's own labels are kept.
    """
    if isinstance(settings, dict):
        return {name: relabelled(value, labels, name) for name, value in settings.items()}
    if isinstance(settings, list):
        return [relabelled(value, labels, key) for value in settings]
    if not labels or key not in LABELS or not isinstance(settings, str):
        return settings
    names = "|".join(map(re.escape, sorted(labels, key=len, reverse=True)))
    return re.sub(names, lambda match: labels[match[0]], settings)
