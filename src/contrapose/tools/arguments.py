"""The arguments of each verb of `contrapose`: known before a second goes into importing what it does."""

import argparse
import re
import textwrap
from collections.abc import Callable, Iterable, Sequence
from inspect import cleandoc
from pathlib import Path
from typing import Any, NoReturn

from contrapose.base.directory import NAMES, with_directory
from contrapose.base.errors import nearest
from contrapose.settings.main import Config
from contrapose.tools.boards import PEAKS
from contrapose.tools.command_line import METHODS, RunArguments, methods_setting
from contrapose.tools.new_arguments import new

EXCHANGED = ("sentence-transformers", "flag-embedding")  # formats of `contrapose export`
ROLE = "Name the language model: an entry under `llms` of the catalog, such as writer."
OUT = "Write the pairs to this file: .jsonl, or .parquet for sentence-transformers."
FOLDER = "Name the folder with the stored answers of one language model, state/generate/NAME-MODEL."
REPORT = "Write the page to this file. By default, it is results/report.html."
# An example of each verb and its parts but `run`, whose help has some.  `mine` is a project that `init` has
# created.
EXAMPLES = {
    "init": "contrapose init mine --sentences sentences.txt --test test.csv "
    "--encoder sentence-transformers/all-MiniLM-L6-v2",
    "annotate": "contrapose annotate --directory mine --make 200 --out sheet.csv",
    "list": "contrapose list --directory mine",
    "plan": "contrapose plan --directory mine --device a100 -- compare",
    "preview": "contrapose preview --directory mine writer --sentences 50",
    "check": "contrapose check --directory mine -- compare",
    "download": "contrapose download --directory mine -- compare",
    "status": "contrapose status --directory mine",
    "mark-valid": 'contrapose mark-valid --directory mine --reason "a docstring changed"',
    "clean": "contrapose clean --directory mine --yes",
    "explain": "contrapose explain --directory mine --table compare_pairs Dropout",
    "report": "contrapose report --directory mine --to report.html",
    "publish": "contrapose publish --directory mine --to published --license cc-by-4.0",
    "llm-cache": "contrapose llm-cache inspect state/generate/chatgpt-gpt-6-luna",
    "llm-cache inspect": "contrapose llm-cache inspect state/generate/chatgpt-gpt-6-luna",
    "llm-cache export": "contrapose llm-cache export state/generate/chatgpt-gpt-6-luna answers.parquet",
    "llm-cache forget": "contrapose llm-cache forget --directory mine writer talking copy",
    "batch": "contrapose batch write --directory mine writer",
    "batch write": "contrapose batch write --directory mine writer",
    "batch submit": "contrapose batch submit --directory mine writer",
    "batch read": "contrapose batch read --directory mine writer",
    "export": "contrapose export results/pairs/dropout.parquet pairs.jsonl --format flag-embedding",
}
# Options of `contrapose run` that its help has: a wrong one is compared with them before others of Snakemake.
RUN, INIT = "contrapose run", "contrapose init"
OF_RUN = (
    *(METHODS, "--budget", "--directory", "--config", "--cores", "--dry-run", "--keep-going", "--forcerun"),
    *("--until", "--unlock", "--profile", "--verbose", "--help"),
)
NEAR_SETTING = 0.8  # similarity of a wrong option to a key of config.yaml that may be meant
SHARED = ("directory", "config", "methods", "targets")  # arguments that most verbs have
TRIED = 200  # sentences of `contrapose preview`: twice those of the thesis, table 3.2


# What argparse says of wrong arguments, and our sentences: {0} is the command, then come the groups.
SENTENCES = {
    "argument (.*): expected one argument": "{1} of {0} needs a value, which is missing.",
    "argument (.*): expected at least one argument": "{1} of {0} needs at least one value, which is missing.",
    r"argument (.*): invalid choice: (.*) \(choose from (.*)\)": (
        "{1} of {0} is {2}, but one of {3} is expected."
    ),
    "argument (.*): invalid int value: (.*)": "{1} of {0} is {2}, but a whole number is expected.",
    "argument (.*): not allowed with argument (.*)": (
        "{0} does not take {1} and {2} together. Remove one of them."
    ),
    "one of the arguments (.*) is required": "{0} needs one of the options {1}.",
    "unrecognized arguments: ([^-].*)": "{0} does not take the word '{1}'.",
}
REQUIRED = re.compile("the following arguments are required: (.*)")
BUDGET = "--budget"
UNKNOWN_OPTION = re.compile("unrecognized arguments: (-[^ =]*).*")


class Formatter(argparse.RawDescriptionHelpFormatter):
    """Keeps an example on one line, and paths such as docs/how-to whole."""

    def _split_lines(self, text: str, width: int) -> list[str]:
        return textwrap.wrap(" ".join(text.split()), width, break_on_hyphens=False, break_long_words=False)


class Parser(argparse.ArgumentParser):
    """Says what is wrong with arguments in a sentence, without the usage of the command before it."""

    given: Sequence[str] = ()  # what is parsed

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        self.given = [*(args or ())]
        return super().parse_known_args(args, namespace)

    def error(self, message: str) -> NoReturn:
        options = self._option_string_actions
        if " required" in message:  # perhaps only because of an option that there is not
            words = RunArguments.of(self.given).options
            unknown = [word for word in words if word.startswith("--") and not _is_known(word, options)]
            message = f"unrecognized arguments: {unknown[0]}" if unknown else message
        self.exit(2, f"{in_a_sentence(message, self.prog, options, self.given)}\n")


def _is_known(word: str, options: Iterable[str]) -> bool:
    """Whether an option, with or without `=value`, is one of some, or the beginning of one."""
    return any(each.startswith(word.partition("=")[0]) for each in options)


# What strangers call an option of ours.
OTHER_NAMES = {"--model": "--encoder", "--models": "--encoder"}


def in_a_sentence(message: str, command: str, options: Iterable[str], given: Sequence[str] = ()) -> str:
    """Return what argparse says of wrong arguments of a command, which has some options, in our words.

    `given` are the arguments, from which a hint takes the value of an option.
    """
    return f"{_sentence(message, command, options, given)} See `{command} --help`."


def _sentence(message: str, command: str, options: Iterable[str], given: Sequence[str]) -> str:
    found = UNKNOWN_OPTION.fullmatch(message)
    if found and found[1] == "--":
        return (
            "Targets are expected after one `--` at the end of the command, and the folder of a project "
            f"after --directory, as in `{command} --directory DIR -- TARGETS`."
        )
    if found and found[1] in NAMES and command == INIT:
        folder = next(filter(None, RunArguments.of(given).values(*NAMES)), "FOLDER")
        return f"init takes the new folder without {found[1]}: {INIT} {folder}."
    if found and found[1] == BUDGET and command != RUN:
        return (
            f"{command} has no option '{BUDGET}'. Only `{RUN}` has it, and measures times before it chooses."
        )
    if found:
        near = _near_option(found[1], command, [*options], given)
        hint = f" Did you mean '{near}'?" if near else ""
        return f"{command} has no option '{found[1]}'.{hint}"
    if found := REQUIRED.fullmatch(message):
        names = [name if name.startswith("-") else name.upper() for name in found[1].split(", ")]
        return f"{command} needs {' and '.join(names)}, which {'are' if names[1:] else 'is'} missing."
    for form, sentence in SENTENCES.items():
        if found := re.fullmatch(form, message):
            return sentence.format(command, *found.groups())
    return f"{command}: {message}."


def _near_option(name: str, command: str, options: Sequence[str], given: Sequence[str]) -> str:
    """Return the option or setting of `--config` that a person may have meant; empty if none is near."""
    if OTHER_NAMES.get(name) in options:
        return OTHER_NAMES[name]
    usual = OF_RUN if command == RUN else options
    settings = (
        {f"--{key.replace('_', '-')}": key for key in Config.model_fields} if "--config" in usual else {}
    )
    near = nearest(name, [*usual, *settings], NEAR_SETTING) or nearest(name, usual) or nearest(name, options)
    if near not in settings or near in usual:
        return near
    value = next(iter(RunArguments.of(given).values(name)), "")
    return f"--config {settings[near]}={'VALUE' if not value or value.startswith('-') else value}"


def parser_of(verb: str) -> argparse.ArgumentParser:
    """Return the parser of a verb that Snakemake does not parse, with `--directory`."""
    about = ARGUMENTS[verb]
    parser = Parser(
        prog=f"contrapose {verb}",
        description=cleandoc(about.__doc__ or ""),
        epilog=f"For example:\n  {EXAMPLES[verb]}",
        formatter_class=Formatter,
    )
    about(parser)
    for each in (parser, *commands_of(parser).values()):
        each.usage = _usage(each)
    for action in parser._actions:
        if action.default not in (None, False, "", [], argparse.SUPPRESS):
            action.help = f"{action.help} The default is `{action.default}`."
    return parser


def commands_of(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """Return the parsers of the second words of a verb."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            return dict(action.choices)
    return {}


def value_of(action: argparse.Action) -> str:
    """Return the name of the value of an argument, with dots if it takes several."""
    value = str(action.metavar or action.dest).upper()
    return f"{value} ..." if action.nargs in ("*", "+") else value


def _usage(parser: argparse.ArgumentParser) -> str:
    """Return how a verb is called, in one line: what it needs, what verbs share, and its arguments."""
    actions = [action for action in parser._actions if action.dest not in ("help", "command")]
    named = {
        action: f"{action.option_strings[-1]} {value_of(action)}"
        for action in actions
        if action.option_strings
    }
    own = [action for action in named if action.dest not in SHARED]
    needed = [named[action] for action in own if action.required]
    needed += [
        f"({' | '.join(named[action] for action in group._group_actions)})"
        for group in parser._mutually_exclusive_groups
        if group.required
    ]
    options = ["[OPTIONS]"] if any(not action.required for action in own) else []
    options += [f"[{named[action]}]" for action in named if action.dest in SHARED]
    commands = [f"{{{','.join(commands_of(parser))}}}"] if commands_of(parser) else []
    names = []
    for action in (each for each in actions if not each.option_strings):
        before = "-- " if action.dest == "targets" else ""
        several = action.nargs in ("*", "+")
        names.append(f"[{before}{value_of(action)}]" if several else value_of(action))
    return " ".join([parser.prog, *commands, *needed, *options, *names])


def with_config(parser: argparse.ArgumentParser, methods: str = "") -> argparse.ArgumentParser:
    """Add `--directory` and `--config` to a parser, spelled as for `contrapose run`.

    Also `--methods`, if the help says what it does.
    """
    help = (
        "Change keys of config.yaml for this call only, for example seeds=5 steps=32 device=cpu. "
        "docs/reference/configuration/config.md has all keys."
    )
    parser.add_argument("--config", nargs="+", default=[], action="extend", metavar="KEY=VALUE", help=help)
    if methods:
        parser.add_argument(METHODS, nargs="*", action=_Methods, metavar="NAME", help=methods)
    return with_directory(parser)


def _about(part: str, says: str) -> dict[str, Any]:
    """Return what the parser of a part of a verb says of it: a sentence, and an example."""
    return {
        "help": says,
        "description": says,
        "epilog": f"For example:\n  {EXAMPLES[part]}",
        "formatter_class": Formatter,
    }


class _Methods(argparse.Action):
    """Make names of methods a setting of `--config`."""

    def __call__(self, parser: object, namespace: Any, names: Any, option: object = None) -> None:
        namespace.config = [*namespace.config, methods_setting(names)]


def _with_targets(parser: argparse.ArgumentParser) -> None:
    with_config(parser, "Build comparisons only with these methods, by their names in the table.")
    help = (
        "Name studies, or files of tables and figures, after --. By default, these are the studies of "
        "config.yaml."
    )
    parser.add_argument("targets", nargs="*", help=help)


def _accept(parser: argparse.ArgumentParser) -> None:
    """Mark results as up to date, although the code that made them has changed.

    After an update of Contrapose, a run would build again what the changed code has made. Use this command if
    you know that the change leaves the results equal. It writes nothing if a setting or an input has changed,
    too.
    """
    says = "Say why the results stay equal. The reason is kept in a log in the results folder."
    with_config(parser).add_argument("--reason", required=True, help=says)


def _batch(parser: argparse.ArgumentParser) -> None:
    """Send requests to a language model by OpenAI's Batch API, at half the price.

    This takes three steps. `write` writes the requests into files, `submit` uploads them, and `read` stores
    the answers, which can take up to a day. Then call `contrapose run`, which uses the stored answers.
    """
    commands = parser.add_subparsers(dest="command", required=True)
    for name, says in (
        ("write", "Write input files with each request of the studies that has no stored answer yet."),
        ("submit", "Upload the input files to the provider and start the batches."),
        (
            "read",
            "Download the answers of finished batches and store them. Batches in progress are left for "
            "later.",
        ),
    ):
        command = commands.add_parser(name, **_about(f"batch {name}", says))
        command.add_argument("llm", help=ROLE)
        if name == "read":
            command.add_argument(
                "files",
                type=Path,
                nargs="*",
                help="Read these output and error files, which you have downloaded yourself. By default, "
                "the command downloads them.",
            )
        methods = "Write only requests that these methods need, by their names in the table."
        with_config(command, methods if name == "write" else "")


def _check(parser: argparse.ArgumentParser) -> None:
    """Find what a run lacks, before the first job: files, models, API keys, GPU and disk space.

    The command builds nothing, and prints one line for each thing that it finds. Without `--live`, it sends
    nothing that costs money. Its exit code is 0 only if nothing is missing.
    """
    profile = (
        "Check what a run on a cluster needs, with this profile of Snakemake, such as profiles/slurm. By "
        "default, the environment variable SNAKEMAKE_PROFILE names the profile."
    )
    parser.add_argument("--profile", help=profile)
    asks = "Also send one sentence to each language model, as the jobs do. This costs less than a cent."
    parser.add_argument("--live", action="store_true", help=asks)
    _with_targets(parser)


def _clean(parser: argparse.ArgumentParser) -> None:
    """Remove trained encoders to free disk space, except those that a table recommends or a job still needs.

    Scores and cosines stay, so tables and figures do not change. A later job that needs a removed encoder
    trains it again. Without `--yes`, the command lists the encoders and removes nothing.
    """
    with_config(parser).add_argument(
        "--yes",
        action="store_true",
        help="Remove the listed encoders. Without this option, they are only listed.",
    )


def _exchange(parser: argparse.ArgumentParser) -> None:
    """Write training pairs as a file for sentence-transformers or FlagEmbedding.

    Contrapose can also read such a file. Name it under `triplet_files` of a catalog, with the format as its
    kind.
    """
    with_directory(parser)
    parser.add_argument(
        "pairs", type=Path, help="Read this table of pairs, for example results/pairs/dropout.parquet."
    )
    parser.add_argument("out", type=Path, help=OUT)
    parser.add_argument(
        "--format", required=True, choices=EXCHANGED, help="Write the pairs in the format of this library."
    )
    parser.add_argument(
        "--negatives",
        type=int,
        help="Write this many hard negatives for each pair, each in a column, for sentence-transformers. "
        "Pairs with fewer are skipped. By default, it is the smallest number that any pair has.",
    )


def _fetch(parser: argparse.ArgumentParser) -> None:
    """Download all models and data that the targets need, for jobs without internet.

    Models go into the cache of the Hugging Face hub, at the commits that the catalog names. If the catalog
    has only the beginning of a commit, a lock file next to it keeps the whole one. Models that were
    released as pickles are saved as safetensors. Data sets are read now, too. Afterwards, a run works
    without internet, with HF_HUB_OFFLINE=1.
    """
    _with_targets(parser)


def _journal(parser: argparse.ArgumentParser) -> None:
    """Inspect, export or forget the stored answers of a language model."""
    commands = parser.add_subparsers(dest="command", required=True)
    for name, says in (
        ("inspect", "Show how many answers are stored, and which job is writing to them at present."),
        ("export", "Write all stored answers into a Parquet file, one answer in each row."),
    ):
        command = with_directory(commands.add_parser(name, **_about(f"llm-cache {name}", says)))
        command.add_argument("folder", type=Path, help=FOLDER)
        if name == "export":
            command.add_argument(
                "table", type=Path, help="Write the table to this file, whose name ends in .parquet."
            )
    says = (
        "Forget refused answers, so that the next run sends these requests again. Their cost stays counted. "
        "Use this after a change of the server, since Contrapose cannot notice it."
    )
    command = with_config(commands.add_parser("forget", **_about("llm-cache forget", says)))
    command.add_argument("llm", help=ROLE)
    command.add_argument(
        "codes",
        nargs="*",
        help="Forget only answers that were refused with these codes, such as talking. By default, these are "
        "all codes. docs/reference/outcomes.md lists them.",
    )


def _list(parser: argparse.ArgumentParser) -> None:
    """List what can be built: each study, its tables and figures, and the claims that it checks."""
    with_config(parser, "Of the methods of comparisons, list only these.")


def _pairs(parser: argparse.ArgumentParser) -> None:
    """Write a file of sentence pairs to grade by hand, or read it back as test pairs.

    With `--make`, the command writes a CSV file. Fill its column `score` with grades from 0 (nothing in
    common) to 5 (the same meaning). With `--read`, the command checks the grades and makes the pairs the
    test pairs of the project.
    """
    what = with_config(parser).add_mutually_exclusive_group(required=True)
    draws = (
        "Draw N pairs of held-out sentences and write the file. The entry `to_grade` of config/recipes.yaml "
        "says how they are drawn. `contrapose init` without --test writes it."
    )
    what.add_argument("--make", type=int, metavar="N", help=draws)
    what.add_argument(
        "--read",
        type=Path,
        metavar="FILE",
        help="Check the grades in this file, and use its pairs as test pairs.",
    )
    graded = "With --read, skip pairs without a grade. Otherwise, such a pair is an error."
    parser.add_argument("--graded-only", action="store_true", help=graded)
    parser.add_argument(
        "--out", type=Path, default=Path("sheet.csv"), help="With --make, write the pairs to this file."
    )


def _plan(parser: argparse.ArgumentParser) -> None:
    """Estimate requests, cost, hours and disk of remaining jobs, and the smallest detectable difference.

    The command builds nothing and sends nothing. The smallest detectable difference says which gain over the
    baseline the test pairs and seeds would probably show as significant.
    """
    whose = (
        "Estimate hours for this device: `here`, which is this machine, `core`, which is one CPU core, or "
        "one of %s. A number is a device of that many 10^12 operations per second."
    )
    parser.add_argument("--device", default="here", help=whose % ", ".join(PEAKS))
    parser.add_argument(
        "--everything", action="store_true", help="Also count jobs whose results exist already."
    )
    _with_targets(parser)


def _publish(parser: argparse.ArgumentParser) -> None:
    """Write the results as a folder for publication: a Data Package.

    The folder has the tables, figures and verdicts, and how they were made. It has no API keys and no texts
    that belong to others. The command prints what it leaves out, and how to upload the folder.
    """
    default = "Write the results to this folder. By default, it is publish/contrapose-CATALOG."
    with_config(parser).add_argument("--to", type=Path, metavar="FOLDER", help=default)
    needed = (
        "Name the licence of the results by the name that the Hugging Face hub uses, for example cc-by-4.0. "
        "It is required for results of your own data."
    )
    parser.add_argument("--license", default="", help=needed)


def _report(parser: argparse.ArgumentParser) -> None:
    """Write everything that is built as one HTML file: tables, figures and verdicts on claims.

    The file needs no internet and no further files, so it can be sent to others.
    """
    with_config(parser).add_argument("--to", type=Path, metavar="FILE", help=REPORT)


def _try(parser: argparse.ArgumentParser) -> None:
    """Send 200 sentences to a language model, before a run sends all of them.

    The command reports how many answers are usable, how good the paraphrases are, and what all sentences of
    the studies would cost. The option `--sentences` changes the number of sentences.
    """
    with_config(parser).add_argument("role", metavar="LLM", help=ROLE)
    help = f"Send this many sentences. The default is {TRIED}, or all of a smaller corpus."
    parser.add_argument("--sentences", type=int, help=help)
    most = (
        "Use this prompt instead of the prompts of the studies: a file of config/prompts/ without its "
        "ending. The option can be repeated."
    )
    parser.add_argument("--prompt", action="append", default=[], help=most)


def _verify(parser: argparse.ArgumentParser) -> None:
    """Report which results are out of date or were changed by hand, and why.

    The command compares each result with today's settings, code and input files, and with what its job wrote.
    Unlike Snakemake, it also finds files that were copied or changed by hand, and files whose records are
    lost. It changes nothing.
    """
    with_config(parser).add_argument(
        "--results", type=Path, default=Path("results"), help="Check the results in this folder."
    )


def _why(parser: argparse.ArgumentParser) -> None:
    """Show how one method of a table was trained, and the command that builds only this method.

    The command prints the settings, the scores of each seed, the costs, the logs and some training pairs.
    """
    with_config(parser).add_argument(
        "row",
        metavar="METHOD",
        help="Write the name of the method as in the table: METHOD, or 'GROUP: METHOD'.",
    )
    parser.add_argument("--table", help="Name the table, if several tables have a method of this name.")


ARGUMENTS: dict[str, Callable[[argparse.ArgumentParser], None]] = {
    **{"annotate": _pairs, "batch": _batch, "check": _check, "clean": _clean, "download": _fetch},
    **{"explain": _why, "export": _exchange, "init": new, "list": _list, "llm-cache": _journal},
    **{"mark-valid": _accept, "plan": _plan, "preview": _try, "publish": _publish, "report": _report},
    **{"status": _verify},
}
