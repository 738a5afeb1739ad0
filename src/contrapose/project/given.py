"""The configuration of a command beside Snakemake: config/config.yaml and what was given with the call."""

from collections.abc import Iterable
from pathlib import Path

from contrapose.errors import ConfigError
from contrapose.project.yaml_files import read_yaml, yaml_value


def given_config(values: Iterable[str]) -> dict[str, object]:
    """Return config/config.yaml of the working directory with the `key=value` of a call in it.

    Values are read as YAML, as by `snakemake --config`.  Raises ConfigError if the file or a value is no
    YAML, or the file is no mapping.
    """
    file = Path("config/config.yaml")
    config = read_yaml(file) if file.is_file() else {}
    if not isinstance(config, dict):
        raise ConfigError(f"{file}: holds a {type(config).__name__}, expected `key: value` lines.")
    pairs = (one.partition("=") for one in values)
    return config | {key: yaml_value(value, f"--config {key}") for key, _, value in pairs}
