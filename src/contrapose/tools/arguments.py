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

EXCHANGED = ("sentence-transformers", "flag-embedding")  # formats of `contrapose export`
ROLE = "This is the name of the language model under `llms` of the catalog."
OUT = "Write the pairs to this file: .jsonl, or .parquet for sentence-transformers."
FOLDER = "This is the folder of one language model, state/generate/NAME-MODEL."
REPORT = "Write the page to this file. By default, it is results/report.html."
# An example of each verb but `run`, whose help has some.  `mine` is a project that `init` has created.
EXAMPLES = {
    "init": "contrapose init mine --sentences sentences.txt --test test.csv "
    "--encoder sentence-transformers/all-MiniLM-L6-v2",
    "annotate": "contrapose annotate --directory mine --make 200 --out sheet.csv",
    "list": "contrapose list --directory mine",
    "plan": "contrapose plan --directory mine --device a100 -- compare",
    "preview": "contrapose preview --directory mine writer --sentences 50",
    "check": "contrapose check --directory mine -- compare",
    "download": "contrapose download --config catalog=hub -- thesis",
    "status": "contrapose status --directory mine",
    "mark-valid": 'contrapose mark-valid --directory mine --reason "a docstring changed"',
    "clean": "contrapose clean --directory mine --yes",
    "explain": "contrapose explain --directory mine --table compare_pairs Dropout",
    "report": "contrapose report --directory mine --to report.html",
    "publish": "contrapose publish --directory mine --to published --license cc-by-4.0",
    "llm-cache": "contrapose llm-cache inspect state/generate/chatgpt-gpt-3.5-turbo",
    "batch": "contrapose batch write --directory mine writer",
    "export": "contrapose export results/pairs/dropout.parquet pairs.jsonl --format flag-embedding",
}
TRIED = 200  # sentences of `contrapose preview`: twice those of the thesis, table 3.2


def parser_of(verb: str) -> argparse.ArgumentParser:
    """Return the parser of a verb that Snakemake does not parse, with `--directory`."""
    about = ARGUMENTS[verb]
    parser = argparse.ArgumentParser(
        prog=f"contrapose {verb}",
        description=cleandoc(about.__doc__ or ""),
        epilog=f"For example:\n  {EXAMPLES[verb]}",
        formatter_class=argparse.RawDescriptionHelpFormatter,  # an example stays one line
    )
    about(parser)
    for action in parser._actions:
        if action.default not in (None, False, "", [], argparse.SUPPRESS):
            action.help = f"{action.help} The default is `{action.default}`."
    return parser


def with_config(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    """Add `--directory`, `--config` and `--methods` to a parser, spelled as for `contrapose run`."""
    help = "Change keys of config.yaml for this call."
    parser.add_argument("--config", nargs="*", default=[], action="extend", metavar="KEY=VALUE", help=help)
    help = "Build comparisons only with these methods, by their names in the table."
    parser.add_argument(METHODS, nargs="*", action=_Methods, metavar="NAME", help=help)
    return with_directory(parser)


class _Methods(argparse.Action):
    """Make names of methods a setting of `--config`."""

    def __call__(self, parser: object, namespace: Any, names: Any, option: object = None) -> None:
        namespace.config = [*namespace.config, methods_setting(names)]


def _with_targets(parser: argparse.ArgumentParser) -> None:
    with_config(parser)
    help = "Name files or studies after --. By default, these are the studies of config.yaml."
    parser.add_argument("targets", nargs="*", help=help)


def _accept(parser: argparse.ArgumentParser) -> None:
    """Mark results as up to date, although the code that made them has changed.

    Use it if you know that the change leaves the results equal.
    """
    says = "Say why the results are equal. The log keeps the reason."
    with_config(parser).add_argument("--reason", required=True, help=says)


def _batch(parser: argparse.ArgumentParser) -> None:
    """Send requests to a language model by OpenAI's Batch API, at half the price.

    First write the requests, then submit them, and read the answers up to a day later.
    """
    commands = parser.add_subparsers(dest="command", required=True)
    for name, says in (
        ("write", "Write input files with every request of the studies that has no stored answer."),
        ("submit", "Upload the input files and start the batches."),
        ("read", "Download the answers of finished batches and store them."),
    ):
        command = commands.add_parser(name, help=says, description=says)
        command.add_argument("llm", help=ROLE)
        if name == "read":
            command.add_argument(
                "files",
                type=Path,
                nargs="*",
                help="Read these output and error files instead of downloading them.",
            )
        with_config(command)


def _check(parser: argparse.ArgumentParser) -> None:
    """Find what a run lacks, before the first job: files, models, API keys, GPU and disk space.

    The command builds nothing. Without `--live` it sends nothing that costs money.
    """
    profile = (
        "Check for a run with this Snakemake profile, such as profiles/slurm. By default, the environment "
        "variable SNAKEMAKE_PROFILE names it."
    )
    parser.add_argument("--profile", help=profile)
    asks = "Send one sentence to each language model, as the jobs do. This costs less than a cent."
    parser.add_argument("--live", action="store_true", help=asks)
    _with_targets(parser)


def _clean(parser: argparse.ArgumentParser) -> None:
    """Remove trained encoders, except those that a table recommends or a job still needs.

    Scores and cosines stay.

    Without `--yes` the command lists the encoders, and removes nothing.
    """
    with_config(parser).add_argument(
        "--yes",
        action="store_true",
        help="Remove the listed encoders. Without this option, they are only listed.",
    )


def _exchange(parser: argparse.ArgumentParser) -> None:
    """Write a pair set as a file for training with sentence-transformers or FlagEmbedding.

    To use such a file here, name it under `triplet_files` of a catalog, with the format as its kind.
    """
    with_directory(parser)
    parser.add_argument(
        "pairs", type=Path, help="Read this table of pairs, for example results/pairs/dropout.parquet."
    )
    parser.add_argument("out", type=Path, help=OUT)
    parser.add_argument(
        "--format", required=True, choices=EXCHANGED, help="Write the format of this library."
    )
    parser.add_argument(
        "--negatives",
        type=int,
        help="Write this many columns of hard negatives for sentence-transformers. Pairs with fewer are "
        "skipped. By default, it is the smallest number that any pair has.",
    )


def _fetch(parser: argparse.ArgumentParser) -> None:
    """Download all that some targets need, for jobs without internet.

    Models go into the cache of the Hugging Face hub, at pinned commits. The lock file of the catalog keeps
    commits that were shortened. Models that were released as pickles are saved as safetensors. The jobs that
    read data sets run now. Afterwards, jobs run with HF_HUB_OFFLINE=1.
    """
    _with_targets(parser)


def _journal(parser: argparse.ArgumentParser) -> None:
    """Inspect, export or forget the stored answers of a language model."""
    commands = parser.add_subparsers(dest="command", required=True)
    for name, says in (
        ("inspect", "Show how many answers are stored, and which job is writing to them."),
        ("export", "Write every answer as a row of a Parquet file."),
    ):
        command = with_directory(commands.add_parser(name, help=says, description=says))
        command.add_argument("folder", type=Path, help=FOLDER)
        if name == "export":
            command.add_argument("table", type=Path, help="Write the table to this file, FILE.parquet.")
    says = (
        "Send the requests with refused answers again in the next run. The cost of the refused answers "
        "stays counted."
    )
    command = with_config(commands.add_parser("forget", help=says, description=says))
    command.add_argument("llm", help=ROLE)
    command.add_argument(
        "codes", nargs="*", help="Forget only refusals with these codes. By default, these are all codes."
    )


def _list(parser: argparse.ArgumentParser) -> None:
    """List what can be built: each study, its tables and figures, and the claims that it checks."""
    with_config(parser)


def _pairs(parser: argparse.ArgumentParser) -> None:
    """Write a sheet of sentence pairs to grade by hand, or read it back as test pairs."""
    what = with_config(parser).add_mutually_exclusive_group(required=True)
    draws = (
        "Draw N pairs of held-out sentences for a sheet, as the entry `to_grade` of recipes.yaml describes."
    )
    what.add_argument("--make", type=int, metavar="N", help=draws)
    what.add_argument(
        "--read",
        type=Path,
        metavar="FILE",
        help="Check the grades of this sheet, and use its pairs as test pairs.",
    )
    graded = "With --read, skip pairs without a grade."
    parser.add_argument("--graded-only", action="store_true", help=graded)
    parser.add_argument("--out", type=Path, default=Path("sheet.csv"), help="Write the sheet to this file.")


def _plan(parser: argparse.ArgumentParser) -> None:
    """Estimate requests, cost, hours and disk of remaining jobs, and the smallest detectable difference."""
    whose = (
        "Estimate hours for this device. `here` is this machine. Others are %s, or a number of 10^12 "
        "operations per second."
    )
    parser.add_argument("--device", default="here", help=whose % ", ".join([*PEAKS, "core"]))
    parser.add_argument(
        "--everything", action="store_true", help="Also count jobs whose results exist already."
    )
    _with_targets(parser)


def _publish(parser: argparse.ArgumentParser) -> None:
    """Write the results as a folder for publication, without secrets or texts of others."""
    default = "Write the results to this folder. By default, it is publish/contrapose-CATALOG."
    with_config(parser).add_argument("--to", type=Path, metavar="FOLDER", help=default)
    needed = "Name the licence as the hub does, for example cc-by-4.0. Results of your own data need one."
    parser.add_argument("--license", default="", help=needed)


def _report(parser: argparse.ArgumentParser) -> None:
    """Write everything that is built as one HTML file."""
    with_config(parser).add_argument("--to", type=Path, metavar="FILE", help=REPORT)


def _try(parser: argparse.ArgumentParser) -> None:
    """Send 200 sentences to a language model; report the quality of its paraphrases and the cost of all.

    The option `--sentences` changes their number.
    """
    with_config(parser).add_argument("role", metavar="LLM", help=ROLE)
    parser.add_argument("--sentences", type=int, default=TRIED, help="Send this many sentences.")
    most = "Use this prompt instead of the prompts of the studies. The option can be repeated."
    parser.add_argument("--prompt", action="append", default=[], help=most)


def _verify(parser: argparse.ArgumentParser) -> None:
    """Compare results with today's settings and code, and with what their jobs wrote.

    Unlike Snakemake, the command also finds files that were copied or changed by hand, and files whose
    records are lost.
    """
    with_config(parser).add_argument(
        "--results", type=Path, default=Path("results"), help="Check the results in this folder."
    )


def _why(parser: argparse.ArgumentParser) -> None:
    """Show how one method of a table was trained, and the command that builds only this method."""
    with_config(parser).add_argument(
        "row",
        metavar="METHOD",
        help="This is the name of the method in the table: METHOD, or 'GROUP: METHOD'.",
    )
    parser.add_argument("--table", help="Name the table, if several tables have such a method.")


ARGUMENTS: dict[str, Callable[[argparse.ArgumentParser], None]] = {
    **{"annotate": _pairs, "batch": _batch, "check": _check, "clean": _clean, "download": _fetch},
    **{"explain": _why, "export": _exchange, "init": new, "list": _list, "llm-cache": _journal},
    **{"mark-valid": _accept, "plan": _plan, "preview": _try, "publish": _publish, "report": _report},
    **{"status": _verify},
}
