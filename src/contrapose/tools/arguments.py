"""The arguments of each verb of `contrapose`: known before a second goes into importing what it does."""

import argparse
import os
from collections.abc import Callable
from pathlib import Path

from contrapose.base.directory import with_directory
from contrapose.tools.boards import PEAKS
from contrapose.tools.new_arguments import new

EXCHANGED = ("sentence-transformers", "flag-embedding")  # formats of `contrapose exchange`
TRIED = 200  # sentences of `contrapose try`: twice those of the thesis, table 3.2


def parser_of(verb: str) -> argparse.ArgumentParser:
    """Return the parser of a verb that Snakemake does not parse, with `--directory`."""
    about = ARGUMENTS[verb]
    parser = argparse.ArgumentParser(prog=f"contrapose {verb}", description=about.__doc__)
    about(parser)
    return parser


def with_config(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    """Add `--directory` and `--config` to a parser, spelled as for `contrapose run`."""
    help = "settings for this call, as for contrapose run"
    parser.add_argument("--config", nargs="*", default=[], metavar="KEY=VALUE", help=help)
    return with_directory(parser)


def _with_targets(parser: argparse.ArgumentParser) -> None:
    with_config(parser)
    parser.add_argument("targets", nargs="*", help="after --: files or studies (default: the chosen studies)")


def _accept(parser: argparse.ArgumentParser) -> None:
    """Keep results behind which code has changed without changing them."""
    says = "why the results are known to be equal; written to the log"
    with_config(parser).add_argument("--reason", required=True, help=says)


def _batch(parser: argparse.ArgumentParser) -> None:
    """Ask a language model by OpenAI's Batch API, at half the price: write, submit, a day later read."""
    commands = parser.add_subparsers(dest="command", required=True)
    for name, says in (
        ("write", "write input files with every request of the studies that the journal lacks"),
        ("submit", "upload them and start the batches"),
        ("read", "fetch the answers of finished batches into the journal"),
    ):
        command = commands.add_parser(name, help=says, description=says)
        command.add_argument("llm", help="role in the catalog")
        if name == "read":
            command.add_argument("files", type=Path, nargs="*", help="output and error files fetched by hand")
        with_config(command)


def _check(parser: argparse.ArgumentParser) -> None:
    """Look for everything that the jobs of a call need, before the first job.

    Nothing is built, and nothing is paid without `--ask`.
    """
    profile = "as for snakemake: says where jobs run"
    parser.add_argument("--profile", default=os.environ.get("SNAKEMAKE_PROFILE"), help=profile)
    asks = "have each language model answer about one sentence as in the jobs; costs less than a cent"
    parser.add_argument("--ask", action="store_true", help=asks)
    _with_targets(parser)


def _clean(parser: argparse.ArgumentParser) -> None:
    """Remove trained encoders that no table recommends and that no job still needs; scores and cosines stay.

    Without --yes it says what it would remove, and removes nothing.
    """
    with_config(parser).add_argument("--yes", action="store_true", help="remove them")


def _exchange(parser: argparse.ArgumentParser) -> None:
    """Write a pairs table as a file that sentence-transformers or FlagEmbedding trains on.

    The way back is an entry of a catalog's `triple_files`, of the kind that is named like the format.
    """
    with_directory(parser)
    parser.add_argument("pairs", type=Path, help="results/pairs/ID.parquet")
    parser.add_argument("out", type=Path, help="to be written: .jsonl, or .parquet for sentence-transformers")
    parser.add_argument("--format", required=True, choices=EXCHANGED)
    parser.add_argument(
        "--negatives",
        type=int,
        help="columns of hard negatives for sentence-transformers; pairs with fewer are left out "
        "(default: as many as every pair has)",
    )


def _fetch(parser: argparse.ArgumentParser) -> None:
    """Bring all that some targets need from the internet to this machine, for jobs that have none.

    Models of the hub go into its cache, at their commits, of which the lock file of the catalog gets the
    whole ones; models that were released as pickles are converted; data are made by the jobs that read them
    (`retrieve`).  Afterwards jobs run with HF_HUB_OFFLINE=1.
    """
    _with_targets(parser)


def _journal(parser: argparse.ArgumentParser) -> None:
    """Look into the journals of a language model, export or forget answers."""
    commands = parser.add_subparsers(dest="command", required=True)
    for name, says in (
        ("inspect", "print what each journal holds and who writes it"),
        ("export", "write every answer as a row of a Parquet file"),
    ):
        command = with_directory(commands.add_parser(name, help=says, description=says))
        command.add_argument("folder", type=Path, help="of one language model: state/generate/ROLE-MODEL")
        if name == "export":
            command.add_argument("table", type=Path, help="FILE.parquet")
    says = "have refused answers asked for again, once the server is mended; no cost is lost"
    command = with_config(commands.add_parser("forget", help=says, description=says))
    command.add_argument("llm", help="role in the catalog")
    command.add_argument("codes", nargs="*", help="of refusals (docs/llm.md); all without any")


def _list(parser: argparse.ArgumentParser) -> None:
    """List what can be built: each study, its tables and figures, and the claims that it checks."""
    with_config(parser)


def _pairs(parser: argparse.ArgumentParser) -> None:
    """Write a sheet of pairs of held-out sentences to grade by hand, or make it the test pairs."""
    what = with_config(parser).add_mutually_exclusive_group(required=True)
    draws = "draw N pairs, as `to_grade` of recipes.yaml says"
    what.add_argument("--make", type=int, metavar="N", help=draws)
    what.add_argument("--read", type=Path, metavar="FILE", help="check its grades and make it the test pairs")
    graded = "with --read: leave out the pairs without a grade"
    parser.add_argument("--graded-only", action="store_true", help=graded)
    parser.add_argument("--out", type=Path, default=Path("sheet.csv"), help="sheet to write, sheet.csv")


def _plan(parser: argparse.ArgumentParser) -> None:
    """Print what the jobs that still have to run take (requests, USD, hours, disk) and could tell apart."""
    whose = "whose time is counted: here, this machine (default); or one of %s; or 10^12 operations a second"
    parser.add_argument("--device", default="here", help=whose % ", ".join([*PEAKS, "core"]))
    parser.add_argument("--everything", action="store_true", help="also what exists already")
    _with_targets(parser)


def _publish(parser: argparse.ArgumentParser) -> None:
    """Write the results as a folder for publication, without secrets or sentences of others."""
    default = "default: publish/contrapose-CATALOG"
    with_config(parser).add_argument("--to", type=Path, metavar="FOLDER", help=default)
    needed = "identifier of the hub, such as cc-by-4.0; needed for data of your own"
    parser.add_argument("--license", default="", help=needed)


def _report(parser: argparse.ArgumentParser) -> None:
    """Write what is built as one HTML file."""
    with_config(parser).add_argument("--to", type=Path, metavar="FILE", help="default: results/report.html")


def _try(parser: argparse.ArgumentParser) -> None:
    """Ask a language model about a few sentences: how good its paraphrases are, and what all would cost."""
    with_config(parser).add_argument("role", help="of the language model, under llms of the catalog")
    parser.add_argument("--sentences", type=int, default=TRIED, help=f"how many, {TRIED}")
    most = "prompt, may be repeated, instead of those by which the studies ask about more sentences"
    parser.add_argument("--prompt", action="append", default=[], help=most)


def _verify(parser: argparse.ArgumentParser) -> None:
    """Compare results with today's settings and code, and with what their jobs wrote.

    A second line of defence behind Snakemake's own records: it also sees files that were copied in or changed
    by hand, or whose records are lost.
    """
    with_config(parser).add_argument("--results", type=Path, default=Path("results"))


def _why(parser: argparse.ArgumentParser) -> None:
    """Say what is behind a row of a table of scores, and how to build it alone."""
    with_config(parser).add_argument("row", metavar="ROW", help="its label: MODEL, or 'GROUP: MODEL'")
    parser.add_argument("--table", help="needed where several tables have such a row")


ARGUMENTS: dict[str, Callable[[argparse.ArgumentParser], None]] = {
    **{"annotate": _pairs, "batch": _batch, "check": _check, "clean": _clean, "download": _fetch},
    **{"explain": _why, "export": _exchange, "init": new, "list": _list, "llm-cache": _journal},
    **{"mark-valid": _accept, "plan": _plan, "preview": _try, "publish": _publish, "report": _report},
    **{"status": _verify},
}
