"""Configuration files and profiles of a call are looked at before Snakemake reads them: they can run Python.

Snakemake imports its plugins before it reads `--configfile` and profiles, and the workflow only afterwards,
so only here is it early enough.  config/config.yaml, which the workflow names, is checked by the workflow.
"""

import os
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import yaml

YTE = "__use_yte__"  # with this key Snakemake evaluates Python in a configuration file
PROFILES = (Path("default"), Path("profiles/default"))  # which Snakemake reads by itself


def refuse_code(arguments: Sequence[str]) -> None:
    """End this process with a message if a `--configfile` or a profile nobody chose would run Python."""
    for file in _given(arguments):
        content = None
        with suppress(OSError, ValueError, yaml.YAMLError, RecursionError):  # Snakemake says what is wrong
            # YTE reads it so, which makes plain objects alone.
            content = yaml.load(Path(file).read_text(encoding="utf-8"), yaml.FullLoader)
        if isinstance(content, dict) and YTE in content:
            sys.exit(
                f"{file}: the file has the key {YTE}, with which Snakemake would run Python code from "
                "the file. Contrapose does not run code from settings. Remove the key. If you trust "
                f"the file, call yte < {file} > OTHER and use the result."
            )
    _refuse_profiles(arguments)


def _refuse_profiles(arguments: Sequence[str]) -> None:
    """End if our workflow, called in another folder, would read a profile of that folder by itself.

    Also without YTE a profile can run Python, in the values of its resources, and name another workflow.
    """
    parser = ArgumentParser(add_help=False)
    parser.add_argument("-s", "--snakefile", type=Path)
    parser.add_argument("--workflow-profile")
    parser.add_argument("--mode")  # of jobs that Snakemake starts, which read no profile
    parser.add_argument("--profile", action="append", default=[])
    call = parser.parse_known_args(arguments)[0]
    home = _home_of(call.snakefile) if call.snakefile else None
    if home is None or home == Path.cwd() or call.mode:
        return
    if not call.workflow_profile and (found := next(filter(Path.exists, PROFILES), None)):
        sys.exit(
            f"{found}: Snakemake would read this file as a profile of the workflow, and a profile can "
            f"run code. If you trust it, add --workflow-profile {Path.cwd() / found}. If you do not, "
            f"add --workflow-profile {home / PROFILES[-1]}."
        )
    for name in call.profile or [os.environ.get("SNAKEMAKE_PROFILE", "")]:
        # A name without a folder means a profile of the user's own, in ~/.config/snakemake.
        if name and os.sep not in name and Path(name).exists():
            sys.exit(
                f"{name}: this is the name of a profile, but the current folder has a file or folder "
                "of that name. Snakemake would read it instead, and it could run code. If you trust "
                f"it, give its whole path: --profile {Path.cwd() / name}."
            )


def _home_of(snakefile: Path) -> Path | None:
    """Return the folder of our workflow, if a Snakefile is that of our repository or package."""
    folder = snakefile.resolve().parent
    home = folder.parent if folder.name == "workflow" else folder
    ours = (home / "src" / "contrapose").is_dir() or home.parts[-2:] == ("contrapose", "checkout")
    return home if ours else None


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
