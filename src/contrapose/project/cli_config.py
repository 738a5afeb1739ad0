"""The configuration of commands other than Snakemake: config/config.yaml and the arguments of the call."""

from collections.abc import Iterable
from pathlib import Path

from contrapose.errors import ConfigError
from contrapose.home import HOME
from contrapose.project.yaml_files import read_yaml, yaml_value

CONFIG = "config/config.yaml"
YTE = "__use_yte__"  # with this key Snakemake evaluates Python in a configuration file


def config_file() -> Path:
    """Return the configuration file of the working directory, or of this repository if it has none."""
    own = Path(CONFIG)
    return own if own.is_file() else HOME / CONFIG


def given_config(values: Iterable[str]) -> dict[str, object]:
    """Return the configuration of the working directory, updated with the `key=value` of a call.

    Values are read as YAML, as by `snakemake --config`.  Raises ConfigError if the file or a value is not
    valid YAML, or the file is not a mapping, or would run code as Snakemake reads it.
    """
    file = config_file()
    config = read_yaml(file)
    if not isinstance(config, dict):
        raise ConfigError(f"{file}: holds a {type(config).__name__}, expected `key: value` lines.")
    if YTE in config:
        raise ConfigError(f"{file}: the key {YTE} would run Python that is in the file. Remove it.")
    pairs = (one.partition("=") for one in values)
    return config | {key: yaml_value(value, f"--config {key}") for key, _, value in pairs}
