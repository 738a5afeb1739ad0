"""Call Snakemake with this project's workflow and environment."""

import json
import os
import shlex
import sys
from collections.abc import Sequence
from contextlib import chdir
from itertools import pairwise
from pathlib import Path

from contrapose.base.directory import NAMES, call, check_is_folder, twice
from contrapose.base.errors import ConfigError
from contrapose.base.home import HOME, PROFILE
from contrapose.settings.cli_config import CONFIG, given_config, snakemake_config
from contrapose.settings.config_folder import ConfigFolder
from contrapose.tools.child import followed
from contrapose.tools.command_line import RunArguments, check_are_no_projects, check_is_project
from contrapose.tools.listing import near_target
from contrapose.tools.parser import RUN, in_a_sentence
from contrapose.tools.unchanged import check_unchanged

WORKFLOW_PROFILE = "--workflow-profile"
DEFAULT_PROFILE = Path("profiles/default")  # which Snakemake reads by itself in the current folder
ENDING = "CONTRAPOSE_ENDING"  # variable with folder and arguments of a call that ends with what tables say
WORKFLOWS = ("Snakefile", "workflow/Snakefile")  # where Snakemake looks for the workflow of a folder
# Options that set how many jobs run at once, or that none runs.
JOBS = ("-c", "--cores", "-j", "--jobs", "--profile", "-n", "--dry-run", "--unlock")
# Options of Snakemake with which it needs no target here.
NAMES_WORKFLOW = ("-s", "--snakefile", "--configfile", "--configfiles", "--unlock")
# Usual options that the next word belongs to.
VALUED = {
    *(*NAMES, "-c", "--cores", "-j", "--jobs", "--profile", WORKFLOW_PROFILE, "--budget", "--logger"),
    *("-R", "--forcerun", "-U", "--until", "-O", "--omit-from"),
}
HELP = """usage: contrapose run [OPTIONS] [--config KEY=VALUE ...] [--methods NAME ...] \
[--directory FOLDER] [-- TARGET ...]

Build tables and figures, and everything that they need and that does not exist yet. A target is a study, or
the file of a table or figure, as `contrapose list` shows them. Without a target, the command builds the
studies of config/config.yaml. If config/catalogs/ names a paid language model, the command sends requests to
it: `contrapose plan` shows the cost, and --budget limits it.

  -d, --directory FOLDER    Use the project in this folder. By default, it is the current folder. Other paths
                            are relative to this folder.
  --config KEY=VALUE ...    Change keys of config.yaml for this call only, for example seeds=1. Put `--`
                            before targets, which would else be read as settings. Tables keep their file
                            names, so those of other settings replace them. llms.NAME.SETTING=VALUE changes
                            the language model NAME. docs/reference/configuration/config.md has all keys.
  --methods NAME ...        Compare only these methods. The baselines, Dropout and the encoder without
                            training, are always included. `contrapose list` shows all names. Put a name
                            with blanks into quotation marks.
  --budget LIMIT            A time, such as 20min, chooses seeds and steps. A sum, such as 5USD, chooses the
                            number of sentences, and limits what language models may cost. The choice, and
                            methods that --methods names, are written into config.yaml, so they also count in
                            later calls. To limit time and money, give the option twice. It cannot be
                            combined with -n.
  -c, --cores N             Use this many CPU cores. By default, all are used.
  -n, --dry-run             Show in one line for each rule which jobs would run, and why. No job runs.
  -k, --keep-going          After a failed job, run the jobs that do not need it.
  --unlock                  Free the folder after a run was killed (kill -9, power failure).
  --profile FOLDER          Run jobs on a cluster, as with profiles/slurm (docs/how-to/cluster.md). This path
                            is relative to the current folder, unlike other paths.
  --verbose                 Show all messages of Snakemake, with tracebacks.

Options for single rules. A rule is a kind of job, such as train_encoder:
  --list-rules              Show the names of all rules.
  -R, --forcerun RULE ...   Build the results of a rule again. A file can be named instead of a rule.
  -U, --until RULE ...      Run only up to a rule.
  -O, --omit-from RULE ...  Leave out a rule, and all that needs it.

For example:
  contrapose run --directory mine -- compare
  contrapose run --directory mine --config seeds=1 device=cpu -- compare
  contrapose run --directory mine --methods Dropout "Span crop" -- compare
  contrapose run -n --directory mine -- results/tables/compare_pairs.csv

Ctrl-C, SIGTERM or SIGHUP stops a run, and the same command continues it. The logs of jobs are in logs/, and
those of Snakemake in .snakemake/log/. All other options of Snakemake also work: see `snakemake --help`."""


def main(arguments: list[str]) -> int | None:
    """Run Snakemake with all arguments, by default with all cores; return its exit code, 130 after Ctrl-C."""
    given = RunArguments.of(arguments)
    check_are_no_projects([*given.stray, *given.targets])
    given.check_config()
    arguments = given.with_methods()
    parsed = RunArguments.of(arguments)
    if {"-h", "--help"} & {*parsed.options}:
        print(HELP)
        return None
    folders = parsed.values(*NAMES)
    if len(folders) > 1:
        raise twice()
    folder = next(filter(None, folders), ".")
    check_is_folder(folder)  # Snakemake would create it, and find nothing in it
    for cores in parsed.values("-c", "--cores"):
        if cores and not cores.startswith("-") and cores != "all" and not cores.isdigit():
            raise ConfigError(
                f"--cores {cores}: the value is not a number of cores. Give a whole number "
                "of at least 1, or all."
            )
    for profile in parsed.values("--profile"):
        from contrapose.tools.check import executor_of  # takes a second to import

        executor_of(profile)  # raises for one that does not exist, of which Snakemake names its folders
    if "" in parsed.targets:  # as of a variable of the shell that is not set
        raise ConfigError(f"A target is empty. `{call('list')}` shows all studies, tables and figures.")
    if not parsed.values(*NAMES_WORKFLOW):
        _check_settings(folder, parsed)
    check_unchanged(folder, parsed)
    if budgets := parsed.values("--budget"):
        from contrapose.tools.budget import within  # all that plans takes a second to import

        arguments = parsed.without("--budget")
        if not within(budgets, folder, arguments):
            return None
    return snakemake(folder, arguments)


def _check_settings(folder: str, parsed: RunArguments) -> None:
    """Raise ConfigError for no or wrong settings; those of a workflow of the folder's own may be others."""
    own = _workflow_file(folder)
    if own is None:
        if not parsed.targets and not (Path(folder) / CONFIG).is_file():
            _check_words(folder, parsed.options)
        check_is_project("run", parsed.targets, folder)
    if own is None or own.samefile(HOME / "Snakefile"):
        with chdir(folder):
            ConfigFolder(given_config(parsed.config), HOME).check_methods()


def _check_words(folder: str, options: Sequence[str]) -> None:
    """Raise ConfigError for a long option that nothing has, and for a target without `--` before it."""
    from snakemake.cli import get_argument_parser  # takes a second

    theirs = get_argument_parser()._option_string_actions
    for word in options:
        name = word.partition("=")[0]
        known = name == "--budget" or any(each.startswith(name) for each in theirs)
        if name.startswith("--") and not known:
            raise ConfigError(in_a_sentence(f"unrecognized arguments: {name}", RUN, theirs, options))
    words = [word for before, word in pairwise(["", *options]) if before not in VALUED]
    values = [word for word in words if not word.startswith("-") and "=" not in word]
    with chdir(folder):
        targets = [word for word in values if "/" in word or near_target(word)]
    if targets:
        left = [word for word in options if word not in targets]
        corrected = shlex.join(["contrapose", "run", *left, "--", *targets])
        raise ConfigError(f"Write `--` before targets, here before '{targets[0]}':\n    {corrected}")


def snakemake(folder: str, arguments: list[str]) -> int:
    """Run Snakemake on a folder, with arguments that have it as --directory; return the exit code.

    Its process also says how a run has ended, as it has read the project.
    """
    parsed, called = RunArguments.of(arguments), arguments
    with chdir(folder):
        arguments = parsed.with_config(snakemake_config(parsed.config))
    options = [] if parsed.values(*JOBS) else ["--cores", "all"]
    options += [] if parsed.values("--logger", "--unlock") else ["--logger", "contrapose"]
    options += workflow_options(folder, parsed.values("-s", "--snakefile"))
    _say_which_profile_is_not_read(options, parsed)
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    # A Python of its own: the workflow decides which package of our name it runs.
    command = [sys.executable, "-m", "snakemake_logger_plugin_contrapose", *options, *arguments]
    code = followed(command, **({ENDING: json.dumps([folder, called])} if parsed.builds else {}))
    return code if code >= 0 else 128 - code  # killed by a signal, as shells have it


def workflow_options(folder: str, named: Sequence[str] = ()) -> list[str]:
    """Return the options that name the workflow, settings and profile of a folder, or ours if it has none.

    `named`: workflows that the user names, which replace that of the folder.
    """
    # Snakemake itself looks in the current folder alone.
    settings = [] if (Path(folder) / CONFIG).is_file() else ["--configfile", str(HOME / CONFIG)]
    own = _workflow_file(folder)
    # With our workflow only our profile is read by itself: another one can run code.
    profile = [] if own or named else [WORKFLOW_PROFILE, str(PROFILE)]
    # Last an option with one value: others would take a target that follows.
    return [*settings, *profile, "--snakefile", str(own or HOME / "Snakefile")]


def _say_which_profile_is_not_read(options: Sequence[str], parsed: RunArguments) -> None:
    if WORKFLOW_PROFILE not in options or parsed.values(WORKFLOW_PROFILE):
        return
    if DEFAULT_PROFILE.exists() and _contents(DEFAULT_PROFILE) != _contents(PROFILE.parent):
        print(
            f"{DEFAULT_PROFILE} of this folder is not read, because a Snakemake profile can run code. "
            f"If you trust it, name it: {WORKFLOW_PROFILE} {DEFAULT_PROFILE}",
            file=sys.stderr,
        )


def _contents(folder: Path) -> dict[Path, bytes]:
    """Return what each file of a folder holds, or the file itself if it is none."""
    files = [folder] if folder.is_file() else filter(Path.is_file, folder.rglob("*"))
    return {file.relative_to(folder): file.read_bytes() for file in files}


def _workflow_file(folder: str) -> Path | None:
    return next(filter(Path.exists, (Path(folder) / place for place in WORKFLOWS)), None)
