"""The configuration of commands other than Snakemake: config/config.yaml and the arguments of the call."""

import json
import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path

from contrapose.base.errors import ConfigError, nearest
from contrapose.base.home import HOME
from contrapose.settings.main import Config
from contrapose.settings.yaml_files import read_yaml, yaml_value

CONFIG = "config/config.yaml"
LLMS = "llms"  # whose settings are given one by one: llms.ROLE.SETTING=VALUE
MAPPINGS = ("llm_budget", "pathvars", "shards")  # further keys of config.yaml that have keys below them
STEPS = "steps"  # of all recipes, the key that people look for first
YTE = "__use_yte__"  # with this key Snakemake evaluates Python in a configuration file


def config_file() -> Path:
    """Return the configuration file of the working directory, or of this repository if it has none."""
    file = Path(CONFIG)
    return file if file.is_file() else HOME / CONFIG


def given_config(values: Iterable[str]) -> dict[str, object]:
    """Return the configuration of the working directory, updated with the `key=value` of a call.

    Values are read as YAML, as by `snakemake --config`; `llms.ROLE.SETTING=VALUE` adds to `llms`.  Raises
    ConfigError if the file or a value is not valid YAML, or the file is empty, not a mapping, or would run
    code as Snakemake reads it.
    """
    file = config_file()
    config = read_yaml(file)
    if not isinstance(config, dict):
        raise ConfigError(
            f"{file}: the file contains a {type(config).__name__}, but lines of the form `key: value` are "
            "expected."
        )
    if not config:  # Snakemake takes no such file either
        raise ConfigError(
            f"{file} is empty. Restore it, or copy it from a new project, which `contrapose init FOLDER` "
            "creates."
        )
    if YTE in config:
        raise ConfigError(
            f"{file}: with the key {YTE}, Snakemake would run Python code from the file. Remove the key."
        )
    changed = dict(config)
    for key, equals, text in (one.partition("=") for one in values):
        if not equals:
            raise without_value(key)
        value, (section, *path) = yaml_value(text, f"--config {key}"), key.split(".")
        if key == "llm_budget" and not isinstance(value, dict):
            mapping = shlex.quote(f"{{writer: {text}}}")
            raise ConfigError(
                f"--config {key}={text}: each language model has a budget of its own. Write --config "
                f"{key}={mapping}, with the name under `llms` of the catalog."
            )
        if path and section != LLMS:
            raise _with_dots(key, text)
        changed |= {section: _with_llm(changed.get(LLMS), path, value, key)} if path else {key: value}
    return changed


def without_value(word: str) -> ConfigError:
    """Build the error for a word behind `--config` that has no `=`: a key of the settings, or another."""
    if word.partition(".")[0] in Config.model_fields:
        return ConfigError(
            f"--config {word}: the value of this key is missing. Write key and value as one word with `=` "
            f"between them: --config {word}=VALUE"
        )
    near = nearest(word, Config.model_fields)
    hint = f" Did you mean {near}=VALUE?" if near else ""
    return ConfigError(
        f"--config {word}: this word is not a setting, because a setting has the form KEY=VALUE, such as "
        f"seeds=3.{hint} If {word} is a target, write `--` before it."
    )


def _with_dots(key: str, text: str) -> ConfigError:
    """Build the error for a key with dots that is none of a language model, such as one of a recipe."""
    section, *path = key.split(".")
    says = f"--config {key}: only a setting of a language model can be named with dots."
    if section in MAPPINGS and len(path) == 1:
        return ConfigError(f"{says} Write --config {section}={shlex.quote(f'{{{path[0]}: {text}}}')}.")
    steps = text if path[-1] == STEPS else 32
    return ConfigError(
        f"{says} `--config` takes the keys of config.yaml without dots, as in `--config {STEPS}={steps}`. "
        "All other settings are edited in their file, such as config/recipes.yaml."
    )


def _with_llm(llms: object, path: Sequence[str], value: object, key: str) -> dict[str, object]:
    """Return the section `llms` with another value of the setting at a path, `ROLE, SETTING`."""
    known = llms or {}
    if len(path) != 2 or not isinstance(known, dict):
        raise ConfigError(
            f"--config {key}: only a setting of a language model can be named with dots. Write "
            "llms.NAME.SETTING=VALUE, for example llms.chatgpt.model=NAME."
        )
    role, setting = path
    return {**known, role: {**known.get(role, {}), setting: value}}


def snakemake_config(values: Sequence[str]) -> list[str]:
    """Return the `key=value` of a call as Snakemake takes them.

    It has no keys with dots, and reads numbers within a mapping as text.  `llms` becomes one text, with an
    `@` before it, with which no YAML begins.
    """
    others = [one for one in values if not one.startswith((f"{LLMS}.", f"{LLMS}="))]
    if len(others) == len(values):
        return others
    return [*others, f"{LLMS}=@{json.dumps(given_config(values)[LLMS])}"]
