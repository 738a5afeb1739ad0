"""The files under `config/` that a call names, and what its settings say where they are."""

import csv
import re
import shlex
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from contrapose.base.directory import call
from contrapose.base.errors import ConfigError, instead_of, nearest, unknown
from contrapose.settings.cli_config import CONFIG, config_file
from contrapose.settings.main import Config
from contrapose.settings.spec import validated
from contrapose.settings.yaml_files import read_yaml

SUFFIXES = {"tables": "csv", "figures": "pdf", "claims": "csv"}  # of the files that users request, by folder
# What a message on wrong settings begins with.
KEY = re.compile(r"there is no key '(?P<unknown>[^']+)'|(?:the key )?(?P<key>\w+)")
SIMCSE = ("simcse", "unsup-simcse", "unsupervised simcse")  # names of the method that is called Dropout
FORMER_FOLDER = "worlds"  # of catalogs, until version 0.4
# Keys of a study whose texts contain names of models.
LABELS = ("group", "model", "label", "baseline", "choose_among", "caption")


def checked_config(config: Mapping[str, object]) -> Config:
    """Return the settings of a call; raise a ConfigError for a wrong key or value."""
    where = "config/config.yaml or --config"
    if "world" in config:
        raise ConfigError(
            f"{where}: the key `world` has been called `catalog` since version 0.5. Write catalog: "
            f"{config['world']}, or --config catalog={config['world']}."
        )
    try:
        return validated(Config, config, where)
    except ConfigError as error:
        lines = (_with_one_place(line, f"{where}: ", config) for line in str(error).split("\n"))
        raise ConfigError("\n".join(lines)) from error


def _with_one_place(line: str, where: str, config: Mapping[str, object]) -> str:
    """Return a line on a wrong key with the place that has it: the file, or else `--config`."""
    said = line.removeprefix(where)
    found = KEY.match(said)
    key = found and (found["unknown"] or found["key"])
    if said == line or not key or key not in config:
        return line
    in_file = read_yaml(config_file())
    same = isinstance(in_file, dict) and key in in_file and repr(in_file[key]) == repr(config[key])
    return f"{CONFIG if same else '--config'}: {said}"


def check_methods(
    methods: Iterable[str], named: Iterable[tuple[str, bool]], studies: Collection[str]
) -> None:
    """Raise ConfigError for a method that comparisons of some studies cannot have as one of a few.

    `named` are the names of their rows, and whether each is trained: others are in every comparison.
    """
    every = [*named]
    known = {name for name, is_trained in every if is_trained}
    for name in methods:
        if not known:
            raise ConfigError(
                "`--methods` works only for comparisons, and these studies have none: "
                f"{', '.join(studies)}. Remove --methods (or `methods` of config.yaml), or use a project "
                "that `contrapose init` creates."
            )
        if name in known:
            continue
        if name in studies or "/" in name:
            raise ConfigError(f"--methods: {name} is a target, not a method. Write `--` before it.")
        if name in dict(every):
            raise ConfigError(f"--methods: '{name}' is always included. Remove it from the names.")
        if name.lower() in SIMCSE and "Dropout" in dict(every):
            raise ConfigError(f"--methods: {name} is called Dropout here. Write --methods Dropout.")
        if known.issuperset(parts := [part.strip() for part in name.split(",")]):
            raise ConfigError(f"Separate methods by blanks, not by commas: --methods {shlex.join(parts)}")
        near = nearest(name, known)
        hint = f" Did you mean '{near}'?" if near else ""
        hint += " Put a name with blanks into quotation marks." * near.startswith(f"{name} ")
        raise ConfigError(
            f"--methods: there is no method '{name}'.{hint} `{call('list')}` shows all {len(known)} methods."
        )


class _Shown(BaseModel):
    """What a list says of a table or figure."""

    caption: str
    costs: bool = False
    rows: Any = ()


class StudyOutline(BaseModel):
    """What a list says of a study; the rest of `study.yaml` is not looked at."""

    title: str
    prefix: str
    tables: dict[str, _Shown]
    figures: dict[str, _Shown] = {}


class _CatalogOutline(BaseModel):
    description: str
    labels: dict[str, str] = {}


class ConfigFolder:
    """The folder `config/` of a call, of which the working directory goes before the repository, `home`."""

    def __init__(self, config: Mapping[str, object], home: Path) -> None:
        self.home, self.config = home, checked_config(config)
        self.catalog_name = Path(self.config.catalog).stem
        self.catalog_file = self._catalog_file()

    @property
    def catalog_path(self) -> str:
        """The file that `catalog:` gives by its name under config/catalogs/ or by its path."""
        by_path = self.config.catalog.endswith((".yaml", ".yml"))
        return self.config.catalog if by_path else f"config/catalogs/{self.config.catalog}.yaml"

    def _catalog_file(self) -> Path:
        known = {path.stem for base in self._bases() for path in base.glob("config/catalogs/*.yaml")}
        if self.catalog_path != self.config.catalog and self.config.catalog not in known:
            former = Path("config", FORMER_FOLDER, f"{self.config.catalog}.yaml")
            if former.is_file():
                raise ConfigError(
                    f"{former}: the folder has been called config/catalogs since version 0.5. Rename "
                    f"it: mv {former.parent} config/catalogs"
                )
            where = "config/config.yaml or --config: catalog: the folder config/catalogs"
            raise unknown(where, self.config.catalog, known)
        return self.file(self.catalog_path)

    def outlines(self) -> tuple[str, dict[str, StudyOutline]]:
        """Return the catalog's description, and what a list says of the chosen studies."""
        catalog = validated(_CatalogOutline, read_yaml(self.catalog_file), str(self.catalog_file))
        studies = {}
        for name in self.config.studies:
            path = self.study_file(name)
            studies[name] = validated(StudyOutline, relabelled(read_yaml(path), catalog.labels), str(path))
        return catalog.description, studies

    def check_methods(self) -> None:
        """Raise ConfigError if `methods` names one that no comparison of the chosen studies has."""
        if self.config.methods:
            tables = [table for about in self.outlines()[1].values() for table in about.tables.values()]
            rows = [row for table in tables if table.costs for row in table.rows]
            named = [(name, "recipe" in row) for row in rows for name in (row["model"], grouped(row))]
            check_methods(self.config.methods, named, self.config.studies)

    def study_file(self, name: str) -> Path:
        known = {
            path.parent.name for base in self._bases() for path in base.glob("config/studies/*/study.yaml")
        }
        if name not in known:
            raise unknown("config/studies", name, known)
        return self.file(f"config/studies/{name}/study.yaml")

    def claims_file(self, study: str) -> Path | None:
        return self.existing(f"config/studies/{study}/claims.csv")

    def claim_rows(self, study: str) -> list[dict[str, str]]:
        """Return the lines of a study's claims.csv; nothing if it is not there."""
        path = self.claims_file(study)
        if path is None:
            return []
        try:
            with path.open(encoding="utf-8-sig", newline="") as file:
                return list(csv.DictReader(file))
        except (OSError, UnicodeDecodeError, csv.Error) as error:
            raise ConfigError(f"{path}: the file is not CSV in UTF-8 ({error}). Correct the file.") from error

    def _bases(self) -> list[Path]:
        return [Path(), self.home]

    def file(self, *names: str) -> Path:
        """Return the file of one of some names; raise a ConfigError if there is none."""
        path = self.existing(*names)
        if path is None:
            beside = {each for base in self._bases() for name in names for each in _beside(base / name)}
            raise ConfigError(
                f"'{names[0]}' does not exist, neither in the current folder nor in the repository of "
                f"Contrapose.{instead_of(Path(names[0]).stem, beside)}"
            )
        return path

    def existing(self, *names: str) -> Path | None:
        """Return the file of one of some names, in the working directory before the repository."""
        paths = (base / name for base in self._bases() for name in names)
        return next((path for path in paths if path.is_file()), None)


def _beside(path: Path) -> list[str]:
    """Return the names of the files of the same kind in a folder, without their ending."""
    return [each.stem for each in path.parent.glob(f"*{path.suffix}")]


def grouped(row: Mapping[str, str]) -> str:
    """Return the label of a row with its group before it, as `contrapose.report.about.row_label`."""
    return f"{row['group']}: {row['model']}" if row.get("group") else row["model"]


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
