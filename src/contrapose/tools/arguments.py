"""The arguments of each verb of `contrapose`: known before a second goes into importing what it does."""

import argparse
from collections.abc import Callable
from inspect import cleandoc
from pathlib import Path
from typing import Any

from contrapose.base.directory import with_directory
from contrapose.tools.boards import PEAKS
from contrapose.tools.command_line import METHODS, methods_setting
from contrapose.tools.new_arguments import new
from contrapose.tools.parser import Formatter, Parser, commands_of, usage

EXCHANGED = ("sentence-transformers", "flag-embedding")  # formats of `contrapose export`
ONLY = (
    "Compare only these methods. The baselines, Dropout and the encoder without training, are always "
    "included. `contrapose list` shows the names."
)
ROLE = (
    "Name the language model: an entry under `llms` of config/catalogs/own.yaml, or of the catalog that you "
    "use, such as writer."
)
OUT = "Write the pairs to this file: .jsonl, or .parquet for sentence-transformers."
CACHED = f"{ROLE} The folder of its answers, state/generate/NAME-MODEL, is also accepted."
REPORT = "Write the page to this file. By default, it is results/report.html."
# An example of each verb and its parts but `run`, whose help has some.  `mine` is a project that `init` has
# created.
EXAMPLES = {
    "init": "contrapose init mine --sentences sentences.txt --test test.csv "
    "--encoder sentence-transformers/all-MiniLM-L6-v2",
    "annotate": "contrapose annotate --directory mine --make 200 --to sheet.csv",
    "list": "contrapose list --directory mine",
    "plan": "contrapose plan --directory mine --device a100 -- compare",
    "preview": "contrapose preview --directory mine writer --sentences 50",
    "check": "contrapose check --directory mine -- compare",
    "download": "contrapose download --directory mine -- compare",
    "status": "contrapose status --directory mine",
    "mark-valid": 'contrapose mark-valid --directory mine --reason "update from 0.5.0"',
    "clean": "contrapose clean --directory mine --yes",
    "explain": "contrapose explain --directory mine --table compare_pairs Dropout",
    "report": "contrapose report --directory mine --to report.html",
    "publish": "contrapose publish --directory mine --to published --license cc-by-4.0",
    "llm-cache": "contrapose llm-cache inspect --directory mine writer",
    "llm-cache inspect": "contrapose llm-cache inspect --directory mine writer",
    "llm-cache export": "contrapose llm-cache export --directory mine writer answers.parquet",
    "llm-cache forget": "contrapose llm-cache forget --directory mine writer talking copy",
    "batch": "contrapose batch write --directory mine writer",
    "batch write": "contrapose batch write --directory mine writer",
    "batch submit": "contrapose batch submit --directory mine writer",
    "batch read": "contrapose batch read --directory mine writer",
    "export": "contrapose export --directory mine results/pairs/dropout.parquet data/pairs.jsonl "
    "--format sentence-transformers",
}
KEYS = "docs/reference/configuration/config.md has all keys."
CHANGE = (
    "Change keys of config.yaml for this call only, for example seeds=5 steps=32 device=cpu. --config takes "
    f"all words up to the next option, so put `--` before a target or name that follows. {KEYS}"
)
REPEAT = f"Repeat the --config of the run whose results you mean, for example seeds=5 steps=32. {KEYS}"
SAME_METHODS = "Repeat the --methods of the run whose results you mean."
NEEDED = (
    "Repeat the --config of your run, for example seeds=5 steps=32. Otherwise, encoders that only this run "
    f"still needs are listed for removal. {KEYS}"
)
TRIED = 200  # sentences of `contrapose preview`: twice those of the thesis, table 3.2


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
        each.usage = usage(each)
        each._positionals.title = "arguments"
        each._actions[0].help = "Show this help."  # --help
    for action in parser._actions:
        if action.default not in (None, False, "", [], argparse.SUPPRESS):
            action.help = f"{action.help} The default is `{action.default}`."
    return parser


def with_config(
    parser: argparse.ArgumentParser, methods: str = "", says: str = CHANGE
) -> argparse.ArgumentParser:
    """Add `--directory` and `--config` to a parser, spelled as for `contrapose run`.

    Also `--methods`, if the help says what it does.  `says` is the help of `--config`.
    """
    parser.add_argument("--config", nargs="+", default=[], action="extend", metavar="KEY=VALUE", help=says)
    if methods:
        parser.add_argument(METHODS, nargs="+", action=_Methods, metavar="NAME", help=methods)
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
    with_config(parser, ONLY)
    help = (
        "Name studies, or files of tables and figures, after --. By default, these are the studies of "
        "config.yaml."
    )
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=help)


def _accept(parser: argparse.ArgumentParser) -> None:
    """Mark results as up to date, although the code that made them has changed.

    After an update of Contrapose, a run would build again what the changed code has made. Use this command if
    you know that the change does not affect the results. The command marks every result that an existing
    table or figure depends on. If a setting or an input file of any of them has changed as well, it marks
    none.
    """
    says = "Say why the results stay equal. The reason is kept in a log in the results folder."
    with_config(parser, SAME_METHODS, REPEAT).add_argument("--reason", required=True, help=says)


def _batch(parser: argparse.ArgumentParser) -> None:
    """Send requests to a language model by OpenAI's Batch API, at half the price.

    This takes three steps. `write` writes the requests into files, `submit` uploads them, and `read` stores
    the answers. The provider may need up to a day to write them, so call `read` again until none is left.
    Then call `contrapose run`, which uses the stored answers.
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
        command.add_argument("llm", metavar="LLM", help=ROLE)
        if name == "read":
            command.add_argument(
                "files",
                type=Path,
                nargs="*",
                metavar="FILE",
                help="Read these output and error files, which you have downloaded yourself. By default, "
                "the command downloads them.",
            )
        methods = "Write only requests that these methods need, by their names in the table."
        with_config(command, methods if name == "write" else "")


def _check(parser: argparse.ArgumentParser) -> None:
    """Find what a run lacks, before the first job: files, models, API keys, GPU and disk space.

    The command builds nothing, and prints one line for each thing that it finds. Without --live, it sends
    nothing that costs money. Its exit code is 0 if a run can start. Optional input that is missing only skips
    methods.
    """
    profile = (
        "Check what a run on a cluster needs, with this profile of Snakemake, such as profiles/slurm. Its "
        "path is relative to the current folder, unlike other paths. By default, the environment variable "
        "SNAKEMAKE_PROFILE names the profile."
    )
    parser.add_argument("--profile", metavar="FOLDER", help=profile)
    asks = (
        "Also send one sentence to each language model and to each encoder at an endpoint. This costs less "
        "than a cent."
    )
    parser.add_argument("--live", action="store_true", help=asks)
    _with_targets(parser)


def _clean(parser: argparse.ArgumentParser) -> None:
    """Remove trained encoders to free disk space, except those that a table recommends or a job still needs.

    Scores and cosines stay, so tables and figures do not change. A later job that needs a removed encoder
    trains it again. Without --yes, the command lists the encoders and removes nothing.
    """
    with_config(parser, says=NEEDED).add_argument(
        "--yes",
        action="store_true",
        help="Remove the listed encoders. Without this option, they are only listed.",
    )


def _exchange(parser: argparse.ArgumentParser) -> None:
    """Write training pairs as a file for sentence-transformers or FlagEmbedding.

    Contrapose can also train on such a file. To do so, write it below data/. Then replace the entry `pairs`
    under triplet_files in config/catalogs/own.yaml by `pairs: {kind: sentence-transformers, path:
    pairs.jsonl}`. This path is relative to data/.
    """
    with_directory(parser)
    says = "Read this table of pairs, for example results/pairs/dropout.parquet."
    parser.add_argument("pairs", type=Path, metavar="PAIRS", help=says)
    parser.add_argument("out", type=Path, metavar="FILE", help=OUT)
    parser.add_argument(
        "--format", required=True, choices=EXCHANGED, help="Write the pairs in the format of this library."
    )
    parser.add_argument(
        "--negatives",
        type=int,
        metavar="N",
        help="Write this many hard negatives for each pair, each in a column, for sentence-transformers. "
        "Pairs with fewer are skipped. By default, it is the smallest number that any pair has.",
    )


def _fetch(parser: argparse.ArgumentParser) -> None:
    """Download all models and data that the targets need, for jobs without internet.

    Models go into the cache of the Hugging Face hub, at the commits that config/catalogs/ names. Models that
    were released as pickles are saved as safetensors. Data sets are downloaded, too. Afterwards, a run works
    without internet: set the environment variable HF_HUB_OFFLINE=1.
    """
    _with_targets(parser)


def _journal(parser: argparse.ArgumentParser) -> None:
    """Inspect, export or forget the stored answers of a language model."""
    commands = parser.add_subparsers(dest="command", required=True)
    for name, says in (
        ("inspect", "Show how many answers are stored, and which job is writing to them at present."),
        ("export", "Write all stored answers into a Parquet file, one answer in each row."),
    ):
        command = with_config(commands.add_parser(name, **_about(f"llm-cache {name}", says)))
        command.add_argument("llm", metavar="LLM", help=CACHED)
        if name == "export":
            says = "Write the table to this file, whose name ends in .parquet."
            command.add_argument("table", type=Path, metavar="FILE", help=says)
    says = (
        "Forget answers that Contrapose could not use, so that the next run sends these requests again.\n\n"
        "Their cost stays counted. Use this if you have changed the server. Contrapose does not notice that."
    )
    command = with_config(commands.add_parser("forget", **_about("llm-cache forget", says)))
    command.add_argument("llm", metavar="LLM", help=ROLE)
    command.add_argument(
        "codes",
        nargs="*",
        metavar="CODE",
        help="Forget only answers that Contrapose refused with these codes, such as talking. By default, "
        "answers with any code are forgotten. docs/reference/outcomes.md lists them.",
    )


def _list(parser: argparse.ArgumentParser) -> None:
    """List what can be built: each study, its tables and figures, and the claims that it checks."""
    with_config(parser, "List only these methods, by their names in the table.")


def _pairs(parser: argparse.ArgumentParser) -> None:
    """Write a file of sentence pairs to grade by hand, or read it back as test pairs.

    With --make, the command writes a CSV file. Fill its column "score" with grades from 0 (nothing in
    common) to 5 (the same meaning). With --read, the command checks the grades and makes the pairs the
    test pairs of the project.
    """
    what = with_config(parser).add_mutually_exclusive_group(required=True)
    draws = (
        "Draw N pairs of held-out sentences and write the file. This needs a project that was created "
        "without --test. The entry to_grade of config/recipes.yaml says how the pairs are drawn."
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
    says = "With --make, write the pairs to this file."
    parser.add_argument("--to", type=Path, metavar="FILE", default=Path("sheet.csv"), help=says)


def _plan(parser: argparse.ArgumentParser) -> None:
    """Estimate requests, cost, hours and disk of remaining jobs, and the smallest detectable difference.

    The command builds nothing and sends nothing. The smallest detectable difference is
    the smallest true difference from a baseline that 80 % of such runs would find. The output names this
    baseline.
    """
    whose = (
        "Estimate hours for this device: 'here' is this machine, and 'core' is one CPU core. GPUs are %s. A "
        "number is a device on which a job reaches that many TFLOPS."
    )
    parser.add_argument("--device", metavar="DEVICE", default="here", help=whose % ", ".join(PEAKS))
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
    with_config(parser, SAME_METHODS, REPEAT).add_argument("--to", type=Path, metavar="FOLDER", help=default)
    needed = (
        "Name the licence of the results by the name that the Hugging Face hub uses, for example cc-by-4.0. "
        "It is required for results of your own data."
    )
    parser.add_argument("--license", metavar="LICENCE", default="", help=needed)


def _report(parser: argparse.ArgumentParser) -> None:
    """Write everything that is built as one HTML file: tables, figures and verdicts on claims.

    The file needs no internet and no further files, so it can be sent to others.
    """
    with_config(parser, SAME_METHODS, REPEAT).add_argument("--to", type=Path, metavar="FILE", help=REPORT)


def _try(parser: argparse.ArgumentParser) -> None:
    """Send 200 sentences to a language model, before a run sends all of them.

    Without --prompt, each sentence is sent with every prompt for paraphrases that the studies use, and the
    provider bills all these requests. A later run uses the stored answers free of charge. The command reports
    how many answers are usable, how good the paraphrases are, and what all sentences of the studies would
    cost.
    """
    with_config(parser).add_argument("role", metavar="LLM", help=ROLE)
    help = f"Send this many sentences. The default is {TRIED}, or all of a smaller corpus."
    parser.add_argument("--sentences", type=int, metavar="N", help=help)
    most = (
        "Use this prompt instead of the prompts of the studies: a file of config/prompts/ without its "
        "ending. The option can be repeated."
    )
    parser.add_argument("--prompt", action="append", metavar="NAME", default=[], help=most)


def _verify(parser: argparse.ArgumentParser) -> None:
    """Report which results are out of date or were changed by hand, and why.

    The command compares each result with today's settings, code and input files, and with what its job wrote.
    Unlike Snakemake, it also finds files that were copied or changed by hand, and files whose records are
    lost. It changes nothing.
    """
    says = "Check the results in this folder."
    with_config(parser, SAME_METHODS, REPEAT).add_argument(
        "--results", type=Path, metavar="FOLDER", default=Path("results"), help=says
    )


def _why(parser: argparse.ArgumentParser) -> None:
    """Show how one method of a table was trained, and the command that builds only this method.

    The command prints the settings, the mean scores over the seeds, the costs, the logs and some training
    pairs.
    """
    with_config(parser, SAME_METHODS, REPEAT).add_argument(
        "row",
        metavar="METHOD",
        help="Write the name of the method as in the table. Put `--` before it after --config or --methods. "
        "If the table has groups, you can put the group before the name, as in 'GROUP: METHOD'.",
    )
    says = "Name the table, if several tables have a method of this name."
    parser.add_argument("--table", metavar="TABLE", help=says)


ARGUMENTS: dict[str, Callable[[argparse.ArgumentParser], None]] = {
    **{"annotate": _pairs, "batch": _batch, "check": _check, "clean": _clean, "download": _fetch},
    **{"explain": _why, "export": _exchange, "init": new, "list": _list, "llm-cache": _journal},
    **{"mark-valid": _accept, "plan": _plan, "preview": _try, "publish": _publish, "report": _report},
    **{"status": _verify},
}
