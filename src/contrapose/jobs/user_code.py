"""Strategies and losses of a person's own, without a clone of this repository.

A file of the folder `strategies` beside `config/` is a module of `contrapose.pairs`, as if it stood there;
one of `losses`, of `contrapose.train.losses`.  An installed package names its modules in the entry point
groups `contrapose.strategies` and `contrapose.losses`; the name of an entry point is the kind.
"""

from collections.abc import Collection, Iterator
from functools import cache
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType

from contrapose.base.errors import ConfigError

FOLDERS = {"contrapose.pairs": "strategies", "contrapose.train.losses": "losses"}


def user_folders(package: str) -> list[str]:
    """Return the folder of the working directory whose files are modules of one of our packages, if there."""
    folder = Path.cwd() / FOLDERS.get(package, "")
    return [str(folder)] if package in FOLDERS and folder.is_dir() and Path("config").is_dir() else []


def user_kinds(package: str, ours: Collection[str]) -> dict[str, ModuleType]:
    """Return {kind: module} of a person's own modules of a package whose modules are `ours`.

    A file whose name begins with _ is for others to import.  Raises ConfigError if a name is taken, or a
    module cannot be imported or has no `build`.
    """
    modules: dict[str, ModuleType] = {}
    for name, module, where in _named(package):
        if name in {*ours, *modules}:
            raise ConfigError(f"{where}: the package {package} already has a module '{name}'. Rename yours.")
        modules[name] = _imported(module, where)
    return modules


def _named(package: str) -> Iterator[tuple[str, str, str]]:
    """Yield kind, module, and where it is in words."""
    for folder in user_folders(package):
        names = [each.name for each in iter_modules([folder]) if not each.name.startswith("_")]
        yield from ((name, f"{package}.{name}", f"{FOLDERS[package]}/{name}.py") for name in names)
    for point in _entry_points(package):
        yield point.name, point.module, f"entry point {point.name} = {point.value} ({point.group})"


@cache
def _entry_points(package: str) -> list[EntryPoint]:
    return list(entry_points(group=f"contrapose.{FOLDERS[package]}")) if package in FOLDERS else []


def _imported(module: str, where: str) -> ModuleType:
    try:
        imported = import_module(module)
    except Exception as error:  # whatever its code does
        raise ConfigError(
            f"{where}: the module cannot be imported: {type(error).__name__}: {error}. Correct it, or "
            "move it out of this folder."
        ) from error
    if not hasattr(imported, "build"):
        raise ConfigError(
            f"{where}: the module has no function `build`. Write one as CONTRIBUTING.md shows. If the "
            "module only helps others, begin the name of its file with _."
        )
    return imported


def user_module(module: str) -> Path | None:
    """Return where a person's own module is, without .py: in one of the folders, or in its package."""
    for package in FOLDERS:
        for folder in user_folders(package) if module.startswith(f"{package}.") else []:
            place = Path(folder, *module.removeprefix(f"{package}.").split("."))
            if place.is_dir() or place.with_suffix(".py").is_file():
                return place
    root = user_packages().get(module.split(".")[0])
    return root.joinpath(*module.split(".")) if root else None


@cache
def user_packages() -> dict[str, Path]:
    """Return {package that has entry points: the folder that it is in}."""
    points = [point for package in FOLDERS for point in _entry_points(package)]
    specs = {name: find_spec(name) for name in {point.module.split(".")[0] for point in points}}
    places = {name: _place(spec) for name, spec in specs.items() if spec}
    return {name: Path(place).parent for name, place in places.items() if place}


def _place(spec: ModuleSpec) -> str | None:
    """Return the folder of a package, or the file of a module."""
    return next(iter(spec.submodule_search_locations or []), spec.origin)


def user_files() -> list[Path]:
    """Return all files with code of a person's own."""
    folders = [Path(folder) for package in FOLDERS for folder in user_folders(package)]
    installed = [root / name for name, root in user_packages().items()]
    files = [each.with_suffix(".py") for each in installed if not each.is_dir()]
    return sorted([*files, *(path for folder in (*folders, *installed) for path in folder.rglob("*.py"))])
