"""`contrapose llm-cache inspect|export|forget LLM`: the journals of one language model."""

import argparse
from collections import Counter
from collections.abc import Collection, Iterator
from datetime import datetime
from pathlib import Path

from contrapose.base.directory import call, seen
from contrapose.base.errors import ConfigError, counted
from contrapose.generate.attempts import Attempts, replayed
from contrapose.generate.client import known_reply
from contrapose.generate.estimate import scored_texts
from contrapose.generate.journal import Journal
from contrapose.generate.journal.tools import Inspected, export, forget, inspected, journals
from contrapose.generate.llm_requests import PAIR_TEXTS, CorpusRequests, Texts
from contrapose.generate.outcomes import Reply
from contrapose.generate.requests import Request
from contrapose.project import Project
from contrapose.project.rules import Asked
from contrapose.settings.catalogs import RECORDED
from contrapose.tools.arguments import parser_of
from contrapose.tools.batch import requests_of
from contrapose.tools.command_line import connect, project_of

WRITER = "forget"  # of a journal, which stays empty
ASKED: dict[str, Asked] = {  # what answers are that are parsed so; all others are paraphrases
    "score": "judgements",
    "sentences": "sentences",
    "continuation": "texts",
    "translation": "translations",
    "any_translation": "backtranslations",
}


def main(arguments: list[str]) -> None:
    """Look into the journals of a language model, export or forget answers."""
    options = parser_of("llm-cache").parse_args(arguments)
    if options.command == "forget":
        print(forget_refused(project_of(options.config), options.llm, options.codes))
    elif options.command == "inspect":
        files = journals(folder := _folder(options))
        print(f"{seen(folder)} has the answers of {counted(len(files), 'job')}:")
        for journal in files:
            print(_described(inspected(journal)))
    else:
        if options.table.suffix != ".parquet":
            raise ConfigError(f"{options.table}: the name of the file must end in .parquet.")
        print(f"{seen(options.table)}: {counted(export(_folder(options), options.table), 'answer')}")


def _folder(options: argparse.Namespace) -> Path:
    """Return the folder of answers that a call names: a path, or a language model of the project."""
    named = Path(options.llm)
    if named.is_dir() or len(named.parts) > 1:
        return named
    return folder_of(project_of(options.config), options.llm)


def folder_of(project: Project, llm: str) -> Path:
    """Return the folder of the answers of a language model; a ConfigError if it has none."""
    folders = {"state": "state"} | project.config.pathvars
    folder = Path(folders["state"], "generate", project.llm_requests.journal(llm))
    if not folder.is_dir() and (model := project.llm(llm)).endpoint == RECORDED:
        raise ConfigError(
            f"{llm} is a recording: it reads its answers from {model.path}, so Contrapose stores none. "
            f"{connect(llm, project.catalog_name)}"
        )
    return folder


def _described(journal: Inspected) -> str:
    sent = ", ".join(f"{name} {count:,}" for name, count in journal.sent.most_common()) or "none"
    text = [
        (
            f"Job {journal.writer}: {counted(journal.answers, 'answer')}, {journal.bytes:,} bytes. "
            f"{f'They are locked by {journal.held}' if journal.held else 'The job is not running'}."
        ),
        f"  Outcomes of requests: {sent}. docs/reference/outcomes.md explains them.",
        (
            f"  Tokens: {journal.prompt_tokens:,} in prompts and {journal.completion_tokens:,} in answers."
            + f" Those of {counted(journal.unknown, 'request')} are not known." * bool(journal.unknown)
        ),
    ]
    if journal.times:
        first, last = (datetime.fromtimestamp(time).isoformat(" ", "seconds") for time in journal.times)
        text.append(f"  Written from {first} to {last}.")
    if journal.damaged or journal.torn:
        text.append(
            f"  {counted(journal.damaged, 'damaged line')}, and {counted(journal.torn, 'byte')} of an "
            "incomplete last line."
        )
    return "\n".join(text)


def forget_refused(project: Project, llm: str, codes: Collection[str]) -> str:
    """Forget the refused answers, of some codes or of all, about what has no accepted one; say how many.

    What they cost still counts.  Raises ConfigError if there are none, and BackendError while a job asks.
    """
    results = ({"results": "results"} | project.config.pathvars)["results"]
    # Those of a server that jobs start are in a folder for its code.
    folder = max(journals(folder_of(project, llm)), key=lambda path: path.stat().st_mtime).parent
    asking = {row.asks: rule for rule, row in project.rules.items()}
    refused: dict[str, tuple[str, str]] = {}  # code and rule by key
    with Journal(folder, WRITER) as journal:
        for each, texts in _requests_and_texts(project, llm, results):
            rule = asking[ASKED.get(each.requests.parsed_as, "paraphrases")]
            for id, text in texts:
                refused |= {key: (code, rule) for key, code in _refused(id, text, each, journal)}
    wanted = {key: each for key, each in refused.items() if not codes or each[0] in codes}
    counts = Counter(code for code, _ in (wanted or refused).values())
    refusals = ", ".join(f"{code} ({count:,})" for code, count in counts.most_common()) or "none"
    if not wanted:
        names = f" with the code {' or '.join(map(repr, codes))}" if codes else ""
        raise ConfigError(
            f"{folder}: there is no refused answer{names}. Codes of the refused answers here: {refusals}."
            + " Name one of these codes, or none." * bool(counts)
        )
    forget(folder, wanted.keys())
    rules = " ".join(sorted({rule for _, rule in wanted.values()}))
    return (
        f"{folder}: these refused answers will be requested again: {refusals}. Their cost stays counted. "
        f"Next: {call('run', '--forcerun', rules)}"
    )


def _requests_and_texts(project: Project, llm: str, results: str) -> Iterator[tuple[CorpusRequests, Texts]]:
    yield from requests_of(project, llm, results)
    for each in project.llm_requests.scores():
        path = Path(results, "pairs", f"{each.corpus.removeprefix(PAIR_TEXTS)}.parquet")
        if each.requests.llm == llm and path.is_file():
            texts = scored_texts(path)
            yield each, zip(texts.id, texts.text, strict=True)


def _refused(id: str, text: str, of_corpus: CorpusRequests, journal: Journal) -> Iterator[tuple[str, str]]:
    """Yield key and code of each refused answer about a text that has no accepted one."""
    keys, codes = list[str](), list[str]()

    def known(request: Request) -> Reply | None:
        keys.append(request.key)
        return known_reply(journal, request.key)

    if of_corpus.source:
        before = replayed(id, text, of_corpus.source, known)
        if not isinstance(before, Attempts) or not before.items:
            return
        text = before.items[0]
        keys.clear()
    attempts = replayed(id, text, of_corpus.requests, known, lambda answer: codes.append(answer["refused"]))
    if not isinstance(attempts, Attempts) or not attempts.items:
        yield from zip(keys, codes, strict=False)  # of the last key there may be no answer
