"""The configuration of a command beside Snakemake: config/config.yaml and what was given with the call."""

from collections.abc import Iterable
from pathlib import Path

import yaml


def given_config(values: Iterable[str]) -> dict[str, object]:
    """Return config/config.yaml of the working directory with the `key=value` of a call in it.

    Parameters
    ----------
    values : iterable of str
        As for `snakemake --config`; a value is read as YAML.
    """
    file = Path("config/config.yaml")
    config = yaml.safe_load(file.read_text(encoding="utf-8")) if file.is_file() else None
    pairs = (one.partition("=") for one in values)
    return (config or {}) | {key: yaml.safe_load(value) for key, _, value in pairs}
