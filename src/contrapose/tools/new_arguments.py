"""The arguments of `contrapose new`."""

import argparse
from pathlib import Path

from contrapose.base.directory import with_directory
from contrapose.base.tasks import USER_TASKS

FORM = (
    "ORG/NAME, ORG/NAME:SPLIT or ORG/NAME:SPLIT:COLUMN, with @COMMIT behind NAME for a commit of your choice"
)
FILES = {  # of each option, where its file goes below data/
    "sentences": "sentences.txt",
    "test": "test_pairs/test.csv",
    "dev": "test_pairs/dev.csv",
    "general": "general/test.csv",  # what the encoder could do before
    "pairs": "pairs.csv",
    "phrases": "phrases.csv",
    "answers": "answers.jsonl",
}
HUB = ("sentences", "test", "dev", "general")  # options that also take a data set of the hub
HELP = {"general": ": test pairs of what the encoder could do before, to see what it forgets"}
OPTIONS = {
    "column": "of sentences in a table (.csv, .parquet, .xlsx ...); without it one a line",
    "documents": "blank_lines, if they end documents of --sentences; order, if its lines follow each other "
    "as in a text; or the column of their names. Without --test, neighbouring sentences are test pairs",
    "judge": "YAML of a language model that grades test pairs: '{endpoint: URL, model: NAME}'",
    "embedder": "URL ending in /v1, of an encoder to compare with, paid for or not",
    "embedder-model": "its name there",
    "embedder-key": "environment variable that holds its key, if it wants one",
    "separator": "of columns of CSV files: ';' or tab",
}


def new(parser: argparse.ArgumentParser) -> None:
    """Write the folder of a comparison of your own, from `examples/wiki`: files, settings with comments."""
    add = with_directory(parser).add_argument
    add("folder", type=Path, help="folder to write; must not exist yet")
    says = "its folder, or its name on the hub: NAME@COMMIT, or NAME for the latest; several are compared"
    add("--encoder", action="append", default=[], help=says)
    for name, place in FILES.items():
        several = f"; up to {len(USER_TASKS)} times, each is a column" * (name == "test")
        on_hub = f"; or a data set of the hub: {FORM}" * (name in HUB)
        kind = {"action": "append", "default": []} if several else {"action": _Once}
        says = f"copied to data/{place}{HELP.get(name, several)}{on_hub}"
        add(f"--{name}", metavar="FILE", help=says, **kind)
    for name, says in OPTIONS.items():
        add(f"--{name}", help=says, default="," if name == "separator" else None, action=_Once)


class _Once(argparse.Action):
    """Refuses an option that is given twice, of which the last one would count."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        if getattr(namespace, self.dest) != self.default:
            parser.error(f"{option_string} is given twice, and can be given once")
        setattr(namespace, self.dest, values)
