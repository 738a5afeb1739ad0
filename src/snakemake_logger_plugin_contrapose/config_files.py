"""Configuration files of a call, looked at before Snakemake reads them, as YTE in them would run Python.

Snakemake imports its plugins before it reads `--configfile`, and the workflow only afterwards, so only here
is it early enough.  config/config.yaml, which the workflow names, is checked by the workflow.
"""

import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import yaml

YTE = "__use_yte__"  # with this key Snakemake evaluates Python in a configuration file


def refuse_code(arguments: Sequence[str]) -> None:
    """End this process with a message if a file of `--configfile` would run Python."""
    for file in _given(arguments):
        content = None
        with suppress(OSError, ValueError, yaml.YAMLError, RecursionError):  # Snakemake says what is wrong
            # YTE reads it so, which makes plain objects alone.
            content = yaml.load(Path(file).read_text(encoding="utf-8"), yaml.FullLoader)
        if isinstance(content, dict) and YTE in content:
            sys.exit(
                f"{file}: has the key {YTE}, with which Snakemake would run Python that is in it. Settings "
                f"run no code where contrapose is installed. Remove the key, or call yte < {file} > OTHER "
                "if you trust the file."
            )


def _given(arguments: Sequence[str]) -> list[str]:
    """Return the values of `--configfile`, which may be shortened, up to the next option."""
    found, inside = list[str](), False
    for word in arguments:
        option, _, value = word.partition("=")
        if word.startswith("-"):
            inside = option.startswith("--configf")
            found += [value] if inside and value else []
        elif inside:
            found.append(word)
    return found
