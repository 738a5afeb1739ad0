"""The command `contrapose`: the entry point of all programs around the workflow."""

import errno
import gc
import logging
import os
import shlex
import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import chdir
from importlib import import_module
from pathlib import Path

from contrapose import __version__
from contrapose.base.directory import given, named_directory
from contrapose.base.errors import ConfigError, ContraposeError, nearest, printable
from contrapose.base.home import HOME
from contrapose.settings.cli_config import given_config
from contrapose.settings.config_folder import checked_config
from contrapose.tools.arguments import parser_of
from contrapose.tools.command_line import STUDIES, check_are_no_projects, with_first

# From this folder of the working directory Snakemake imports every plugin by itself.
PLUGINS = Path(".snakemake/pip-deployments")
# By what they are for, as the help groups them.  Modules are imported when called: some take seconds.
GROUPS: dict[str, dict[str, tuple[str, str]]] = {
    "Start": {
        "init": ("tools.new", "create a project that compares methods on your sentences"),
        "annotate": ("tools.sheet", "write a file of sentence pairs to grade by hand, or read the grades"),
    },
    "Before a run": {
        "list": ("tools.listing", "list the studies, tables and figures that a run can build"),
        "check": ("tools.check", "find what a run lacks: files, models, API keys, GPU, disk space"),
        "plan": ("tools.plan", "estimate hours, money and disk of a run, and which gain it can detect"),
        "download": ("tools.fetch", "download models and data, for jobs without internet"),
    },
    "Run": {
        "run": ("tools.run", "train, evaluate and compare encoders, and continue a run that was stopped"),
    },
    "Look at results": {
        "report": ("tools.report_file", "write all results as one HTML file, results/report.html"),
        "explain": ("tools.why", "show how one method was trained: settings, scores, costs, logs, pairs"),
        "status": ("tools.verify", "list results that are out of date or were changed by hand, and why"),
        "mark-valid": ("tools.accept", "keep results after an update of Contrapose that leaves them valid"),
        "clean": ("tools.clean", "remove trained encoders that no table recommends; scores stay"),
    },
    "Answers of language models": {
        "preview": ("tools.trial", "test a language model on 200 sentences: quality and cost of answers"),
        "batch": ("tools.batch", "send requests by OpenAI's Batch API, at half the price"),
        "llm-cache": ("tools.journal", "inspect, export or forget stored answers"),
    },
    "Share": {
        "publish": ("tools.publish.package", "write all results as a folder to publish (a Data Package)"),
        "export": ("tools.exchange", "write training pairs for sentence-transformers or FlagEmbedding"),
    },
}
ABOUT = (
    "Contrapose trains your sentence encoder with many methods, such as dropout (SimCSE), shuffled words or\n"
    "paraphrases by a language model, and tests on your test pairs which of them improve it."
)
WORDS = {  # of the groups above, and of messages
    "method": "a way to make training pairs and to train on them, such as Dropout",
    "baseline": "what each method is compared with: Dropout, and the encoder without training",
    "study": "what a run builds: tables and figures over some methods, such as compare",
    "catalog": "a file of config/catalogs/, which names encoders, sentences, test pairs and models",
    "recipe": "the settings of a training, in config/recipes.yaml",
    "claim": "a statement of a paper, which the study of the paper tests with its numbers",
}
VERBS = {verb: about for verbs in GROUPS.values() for verb, about in verbs.items()}
# Verbs and options of version 0.4, which are understood until 0.6.
FORMER = {
    "new": "init",
    "pairs": "annotate",
    "try": "preview",
    "fetch": "download",
    "verify": "status",
    "accept": "mark-valid",
    "why": "explain",
    "journal": "llm-cache",
    "exchange": "export",
}
FORMER_OPTIONS = {  # by the verb of today
    "init": {
        "--general": "--retention-test",
        "--phrases": "--paraphrase-dict",
        "--answers": "--llm-responses",
        "--embedder": "--embedding-endpoint",
        "--embedder-model": "--embedding-model",
        "--embedder-key": "--embedding-key",
    },
    "check": {"--ask": "--live"},
    "annotate": {"--out": "--to"},
}
# What strangers call `run`: a verb of its own in other programs.
LIKE_RUN = ("train", "compare", "evaluate", "build")
ADVICE: Mapping[int, str] = {  # by the number of the system's error
    **dict.fromkeys(
        (errno.EACCES, errno.EPERM, errno.EROFS),
        "Change its permissions, or name another one that you may read and write.",
    ),
    errno.ENOSPC: "Free disk space, and run the same command again.",
}
LIKE_REPORT = ("result", "results", "show", "table", "tables")


def main(arguments: list[str] | None = None) -> None:
    """Call the program of a verb; end with its exit code, or with the message of an error.

    It ends in silence if what reads its output has ended, as `head` does.
    """
    try:
        try:
            _main((sys.argv[1:] if arguments is None else arguments) or ["--help"])
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for what is left to be written
        sys.exit(128 + signal.SIGPIPE)


def _main(arguments: list[str]) -> None:
    if arguments[0] == "help":
        arguments = [*arguments[1:2], "--help"]
    verb, *rest = FORMER.get(arguments[0], arguments[0]), *arguments[1:]
    for at, option in enumerate(rest):
        name, *value = option.split("=", 1)
        rest[at] = "=".join([FORMER_OPTIONS.get(verb, {}).get(name, name), *value])
    if verb in ("-h", "--help"):
        print("\n".join(_help()))
        return
    if verb == "--version":
        print(f"contrapose {__version__}")
        return
    os.environ["PYTHONSAFEPATH"] = "1"  # no Python that is started from here imports files of the folder
    gc.set_threshold(50_000)  # objects; what is read stays, and looking for garbage in it takes 8 %
    logging.basicConfig(level=logging.ERROR)  # messages of file readers are for the logs of jobs
    try:
        for number in (signal.SIGINT, signal.SIGTERM):  # who started this process may ignore them
            signal.signal(number, signal.default_int_handler)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})  # which tools.child blocks
        if verb not in VERBS:
            raise _verb_is_not_first(arguments) if verb.startswith("-") else _unknown_verb(verb)
        _check_no_plugins()
        if verb != "run":  # whose arguments are Snakemake's
            _check_arguments(verb, rest)
        folder = named_directory(rest)
        with chdir(folder):  # whose own strategies and losses are found by the import
            _check_no_plugins()
            module = import_module(f"contrapose.{VERBS[verb][0]}")
        with given(folder):
            sys.exit(module.main(rest))
    except BrokenPipeError:
        raise
    except (ContraposeError, OSError) as error:  # a disk may be full
        said = _of_system(error) if isinstance(error, OSError) else str(error)
        print("\n".join(map(printable, said.split("\n"))), file=sys.stderr)
        sys.exit(getattr(error, "exit_code", 1))
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)


def _of_system(error: OSError) -> str:
    """Return what the system's error says in sentences: which file or folder, what is wrong, what to do."""
    if not error.filename or not error.strerror:
        return str(error)
    advice = ADVICE.get(error.errno or 0, "Check this path.")
    return f"{error.filename}: this file or folder cannot be used ({error.strerror}). {advice}"


def _help() -> Iterator[str]:
    """Yield the lines of `contrapose --help`: what it is for, an example, the verbs in groups, and words."""
    yield ABOUT
    yield "\nusage: contrapose VERB [OPTIONS]"
    yield "\nFor example:"
    yield "  contrapose init mine --sentences sentences.txt --test test.csv --encoder ORG/NAME"
    yield "  contrapose run --directory mine -- compare"
    for group, verbs in GROUPS.items():
        yield f"\n{group}:"
        yield from (f"  {verb:12}{says}" for verb, (_, says) in verbs.items())
    yield "\nWords:"
    yield from (f"  {word:12}{says}" for word, says in WORDS.items())
    yield "\n`contrapose VERB --help` shows the options of a verb, `contrapose --version` the version."
    yield f"The documentation, to which docs/ in messages refers, is in {HOME / 'docs'}."


def _check_arguments(verb: str, arguments: list[str]) -> None:
    """End the call for --help and for wrong arguments or settings, before all that the verb imports."""
    with chdir("."):  # parsing enters --directory
        options = parser_of(verb).parse_args(arguments)
        if verb in ("check", "download", "explain", "plan"):
            check_are_no_projects(options.targets if "targets" in options else [options.row])
        if "config" in options and verb != "check":  # which has them among its findings
            checked_config(given_config(options.config))


def _verb_is_not_first(arguments: list[str]) -> ConfigError:
    """Build the error for a call that begins with an option: its verb, if it has one, goes first."""
    moved = with_first(arguments, {*VERBS, *FORMER})
    if not moved:
        return ConfigError(f"'{arguments[0]}' is no verb. Write a verb first: contrapose VERB [OPTIONS].")
    return ConfigError(f"Write the verb first: {shlex.join(['contrapose', *moved])}")


def _unknown_verb(verb: str) -> ConfigError:
    """Build the error for a word that is no verb: the nearest one, or what trains and compares here."""
    near = nearest(verb, VERBS)
    hint = f" Did you mean '{near}'?" if near else ""
    if nearest(verb, [*VERBS, *LIKE_RUN]) in LIKE_RUN:
        hint = " `contrapose run` builds tables: it trains, evaluates and compares encoders."
    if (
        any((place / STUDIES / verb / "study.yaml").is_file() for place in (Path(), HOME))
        or verb == "compare"
    ):
        hint = f" Did you mean `contrapose run -- {verb}`?"
    if verb in LIKE_REPORT:
        hint = " `contrapose list` shows the tables, and `contrapose report` writes them into one page."
    return ConfigError(f"contrapose has no verb '{verb}'.{hint} `contrapose --help` lists all verbs.")


def _check_no_plugins() -> None:
    if PLUGINS.exists():
        raise ConfigError(
            f"{PLUGINS.absolute()}: Snakemake would import every plugin in this folder, and so run "
            "code that nobody installed. Remove the folder, and install the plugins that you need "
            "with pip."
        )
