"""`contrapose journal inspect|export|compact FOLDER`."""

import argparse
from datetime import datetime
from pathlib import Path

from contrapose.generate.journal.tools import Inspected, compact, export, inspected, journals


def main(arguments: list[str]) -> None:
    """Look into the journals of a language model, export the answers, or make the files smaller."""
    parser = argparse.ArgumentParser(prog="contrapose journal", description=main.__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, says in (
        ("inspect", "print what each journal holds and who writes it"),
        ("export", "write every answer as a row of a Parquet file"),
        ("compact", "make the files smaller; no answer and no cost is lost"),
    ):
        command = commands.add_parser(name, help=says, description=says)
        command.add_argument("folder", type=Path, help="of one language model: state/generate/ROLE-MODEL")
        if name == "export":
            command.add_argument("table", type=Path, help="FILE.parquet")
    given = parser.parse_args(arguments)
    if given.command == "inspect":
        for journal in journals(given.folder):
            print(_described(inspected(journal)))
    elif given.command == "export":
        print(f"{given.table}: {export(given.folder, given.table):,} answers")
    else:
        before, after = compact(given.folder)
        print(f"{given.folder}: {before:,} bytes before, {after:,} after")


def _described(found: Inspected) -> str:
    tries = ", ".join(f"{count:,} {name}" for name, count in found.sent.most_common()) or "nothing"
    text = [
        f"{found.writer}: {found.answers:,} answers, {found.bytes:,} bytes, held by {found.held or 'nobody'}",
        f"  sent: {tries}",
        f"  tokens: {found.prompt_tokens:,} of prompts, {found.completion_tokens:,} of answers, "
        f"those of {found.unknown:,} requests unknown",
    ]
    if found.times:
        first, last = (datetime.fromtimestamp(time).isoformat(" ", "seconds") for time in found.times)
        text.append(f"  from {first} to {last}")
    if found.damaged or found.torn:
        text.append(f"  {found.damaged} damaged lines, {found.torn} bytes of a torn end")
    return "\n".join(text)
