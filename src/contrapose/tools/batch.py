"""Write, submit and read batches of a project: `contrapose batch --help`."""

import argparse
import shlex
from collections.abc import Iterator
from pathlib import Path

from contrapose.base.directory import call, settings
from contrapose.base.errors import BackendError, ConfigError, counted
from contrapose.generate.batch_files import BATCHES, BatchFiles, fetch, on_disk, read, submit, write
from contrapose.generate.client_options import client_options, secret
from contrapose.generate.endpoint import base_url
from contrapose.generate.llm_requests import CorpusRequests, Texts, numbered
from contrapose.generate.masking import masked
from contrapose.project import Project
from contrapose.tables import SENTENCES, read_table
from contrapose.tools.arguments import parser_of
from contrapose.tools.command_line import connect, project_of


def main(arguments: list[str]) -> None:
    """Ask a language model by OpenAI's Batch API, at half the price: write, submit, a day later read."""
    options = parser_of("batch").parse_args(arguments)
    print("\n".join(_done(options, project_of(options.config))))


def _done(options: argparse.Namespace, project: Project) -> list[str]:
    if not project.llm(options.llm).paid:
        raise ConfigError(
            f"llms.{options.llm} has kind: recorded (a file of answers), so there is no model to send "
            f"batches to. {connect(options.llm, project.catalog_name)}"
        )
    connection = project.llm_requests.connection(options.llm)
    if not connection.endpoint.startswith("http"):
        raise ConfigError(
            f"llms.{options.llm}.endpoint: '{connection.endpoint}' has no batch API. Send live "
            "requests instead: contrapose run"
        )
    folders = {"results": "results", "state": "state"} | project.config.pathvars
    folder = Path(folders["state"]) / "generate" / project.llm_requests.journal(options.llm)
    if options.command == "write":
        pieces = write(requests_of(project, options.llm, folders["results"]), connection, folder)
        if not pieces:
            return ["No request is left to send."]
        wrote = [f"Wrote {files.input} with {counted(_count(files), 'request')}." for files in pieces]
        return [*wrote, f"Next: {_call('submit', options)}"]
    if options.command == "read" and options.files:
        return read(options.files, connection, folder)
    import openai
    from httpx import URL

    key, at = secret(connection), connection.entry
    http = openai.DefaultHttpxClient(**client_options(URL(base_url(connection)), at))
    if not on_disk(folder):
        raise ConfigError(
            f"{folder / BATCHES} has no input file of a batch. Write them first: {_call('write', options)}"
        )
    with openai.OpenAI(base_url=connection.endpoint, api_key=key, http_client=http) as client:
        try:
            return (submit if options.command == "submit" else fetch)(connection, folder, client)
        except openai.OpenAIError as error:
            message = masked(str(error), key).rstrip(".")  # some gateways repeat it
            raise BackendError(
                f"{connection.endpoint}: {message}. Batches that were sent and answers that were read "
                "are kept. Run the same command again."
            ) from None


def requests_of(project: Project, llm: str, results: str) -> Iterator[tuple[CorpusRequests, Texts]]:
    """Yield what the studies ask a language model, but for scores, and the texts that are there."""
    for one in project.llm_requests.all():
        if one.requests.llm == llm:
            path = Path(results, "corpus", f"{one.corpus}.parquet")
            if one.requests.parsed_as == "sentences":
                yield one, numbered(one.count or 0)
            elif one.count is None or path.exists():  # else they are still to be written
                if not path.exists():
                    raise ConfigError(
                        f"{path}: the sentences of this project are not prepared yet. Prepare them first: "
                        f"{call('run', '--', shlex.quote(str(path)))}"
                    )
                table = read_table(path, SENTENCES, ["id", "text"])
                yield one, zip(table.id, table.text, strict=True)


def _call(step: str, options: argparse.Namespace) -> str:
    """Return the command of another step of the same batches."""
    return call("batch", step, options.llm, settings(options.config))


def _count(files: BatchFiles) -> int:
    with files.input.open("rb") as lines:
        return sum(1 for _ in lines)
