"""The lock file beside a catalog: whole commits for shortened ones, and the SHA-256 of downloads without one.

`contrapose download` writes it: `{model of the hub: commit, address: SHA-256}` as YAML.
"""

from collections.abc import Mapping
from pathlib import Path

import yaml

from contrapose.base.errors import ConfigError
from contrapose.settings.yaml_files import read_yaml
from contrapose.tables import written

SUFFIX = ".lock"  # hub.lock beside hub.yaml
HEAD = """# By `contrapose download`: what shortened commits and addresses of the catalog stood for at first.
# Keep it with the results: with it, others get the same files, or an error.
"""


def read_lock(path: Path) -> dict[str, str]:
    """Return the content of a lock file; raise a ConfigError if it is none."""
    content = read_yaml(path)
    if not isinstance(content, dict) or not all(isinstance(each, str) for each in content.values()):
        raise ConfigError(
            f"{path}: the file is not a mapping of names to texts. Remove it and call contrapose download."
        )
    return content


def write_lock(path: Path, known: Mapping[str, str]) -> None:
    """Add to a lock file, which is created if missing."""
    content = {**(read_lock(path) if path.is_file() else {}), **known}
    with written(path) as draft:
        draft.write_text(HEAD + yaml.safe_dump(content), encoding="utf-8")


def locked(catalog: object, lock: Mapping[str, str]) -> object:
    """Return the content of a catalog file with what its lock file knows; the catalog's values go first."""
    for section in ("encoders", "language_models"):
        for entry in _entries(catalog, section):
            commit = lock.get(str(entry.get("model")), "")
            if commit.startswith(str(entry.get("revision", "-"))):
                entry["revision"] = commit
    for entry in _entries(catalog, "downloads"):
        if entry.get("sha256") is None and entry.get("url") in lock:
            entry["sha256"] = lock[entry["url"]]
    return catalog


def _entries(catalog: object, section: str) -> list[dict]:
    entries = catalog.get(section) if isinstance(catalog, dict) else None
    return [each for each in entries.values() if isinstance(each, dict)] if isinstance(entries, dict) else []
