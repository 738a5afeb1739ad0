"""What the answers have cost, from the journals: every request that was sent is counted once."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import pandas as pd
from pydantic import Field

from contrapose.base.markdown import markdown_table
from contrapose.generate.endpoint import Connections, JournalFolders, journals_of
from contrapose.generate.journal import FORGOTTEN
from contrapose.generate.ledger import PICO, SentRequest, sends
from contrapose.generate.outcomes import ANSWER, EMBEDDINGS
from contrapose.generate.progress import usd
from contrapose.generate.refused import shortened
from contrapose.jobs.step import FromJob, Outputs
from contrapose.settings.catalogs import Connection
from contrapose.settings.plan import Plan
from contrapose.settings.spec import Spec
from contrapose.tables import COMPLETIONS, COST, ROWS_PER_GROUP, open_table

ACCEPTED = "accepted"
UNUSED = "unused"  # an answer in none of the tables: of another corpus or setting, or paid twice
JUDGED = ("llm", "prompt", "sentence_id", "attempt", "answer")  # the columns that identify an answer


class CostSettings(Spec):
    """Which answers are counted; prices are in the journals."""

    codes: list[str] = Field(description="Of the jobs that ask; journals of python: endpoints belong to one")


def plan(project: Plan) -> CostSettings:
    """Return which answers are counted: those to today's requests of all studies."""
    return CostSettings(codes=project.llm_requests.codes)


@dataclass
class Sums:
    """Over the requests of a row of COST."""

    requests: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    unknown: int = 0
    known_cost: int = 0  # in pico-USD
    further_cost: int = 0  # the most that unknown requests may have cost, in pico-USD

    def add(self, send: SentRequest) -> None:
        prompt_tokens, completion_tokens = send.used or (0, 0)
        known, further = send.cost
        self.requests += 1
        self.prompt_tokens += prompt_tokens
        self.completion_tokens += completion_tokens
        self.unknown += send.used is None
        self.known_cost += known
        self.further_cost += further

    def columns(self) -> tuple[int | float, ...]:
        """Return the columns of COST after its key, in their order."""
        usd, at_most = self.known_cost / PICO, (self.known_cost + self.further_cost) / PICO
        return self.requests, self.prompt_tokens, self.completion_tokens, usd, self.unknown, at_most


AllJournals = Annotated[Path, FromJob(lambda spec, job: Path(job.resources.asked))]
Examples = Mapping[tuple[str, str, str], str]  # of refused answers, by LLM, prompt and code


def build(
    spec: CostSettings,
    completions: list[str],
    folders: JournalFolders,
    connections: Connections,
    asked: AllJournals,
) -> Annotated[tuple, Outputs(cost=COST, markdown=None)]:
    """Add up the cost of all answers of every model that was ever asked.

    `asked`: folder of all journals.  Of `python:` endpoints only those of today's code count: they are free.
    """
    every = {journal.parent for journal in asked.glob("*/*.jsonl")}
    verdicts, examples = verdicts_of(completions)
    table = cost_table(every | journals(spec.codes, connections, folders), verdicts)
    return (table, lambda draft: draft.write_text(cost_markdown(table, examples), encoding="utf-8"))


def cost_table(folders: Iterable[Path], verdicts: dict[int, str]) -> pd.DataFrame:
    """Add up the tokens and the cost of all requests, of the journals in some folders.

    The verdicts, of `verdicts_of`, say which answers the parser accepted, and why it refused the others; each
    is removed when it is used.  Tokens and USD follow the server's counts, if reported.  Requests that may
    have been billed without a count (killed, lost, without `usage`) are `unknown`, and enter `usd_at_most`
    with their worst case.
    """
    sums: dict[tuple[str, ...], Sums] = defaultdict(Sums)
    for folder in sorted(folders):
        for journal in sorted(folder.glob("*.jsonl")):
            for send in sends(journal):
                sums[_key(send, verdicts)].add(send)
    rows = [(*key, *total.columns()) for key, total in sums.items()]
    frame = pd.DataFrame(rows, columns=COST.columns)
    return frame.sort_values(list(COST.key), ignore_index=True)


def journals(
    codes: Iterable[str], connections: Mapping[str, Connection], folders: Mapping[str, str]
) -> set[Path]:
    """Return the folders of the models that are asked today, with the code of their jobs."""
    return {journals_of(connections[llm], folders[llm], code) for llm in folders for code in codes}


def _key(send: SentRequest, verdicts: dict[int, str]) -> tuple[str, ...]:
    outcome, llm = send.outcome, send.job.get("llm", "")
    if outcome == ANSWER.name and send.prompt == EMBEDDINGS:
        outcome = ACCEPTED
    elif outcome == ANSWER.name and send.sentence_id:
        answer = (llm, send.prompt, send.sentence_id, send.attempt, send.answer)
        outcome = verdicts.pop(hash(answer), UNUSED)
    return llm, send.model, send.job.get("corpus", ""), send.prompt, send.job.get("shard", ""), outcome


def verdicts_of(paths: Iterable[str | Path]) -> tuple[dict[int, str], Examples]:
    """Map the hash of an answer to the parser's verdict, with the first refused answer of each code.

    Only hashes, as there may be a million answers.
    """
    verdicts, examples = dict[int, str](), dict[tuple[str, str, str], str]()
    columns = [*JUDGED, "refused"]
    for path in paths:
        with open_table(path, COMPLETIONS) as file:
            for batch in file.iter_batches(ROWS_PER_GROUP, columns=columns):
                for *about, text, refused in zip(*batch.select(columns).to_pydict().values(), strict=True):
                    verdicts[hash((*about, text))] = refused or ACCEPTED
                    if refused:
                        llm, prompt, *_ = about
                        examples.setdefault((llm, prompt, refused), text)
    return verdicts, examples


def cost_markdown(table: pd.DataFrame, examples: Examples) -> str:
    """Format the COST table as Markdown: by prompt, and by outcome with an example of each refusal."""
    outcomes = _summary(table, ["llm", "model", "prompt", "outcome"])
    places = zip(outcomes.llm, outcomes.prompt, outcomes.outcome, strict=True)
    parts = [
        "# Cost",
        (
            "This page lists the cost of all stored answers, from every model that was ever called in "
            "this project, at the prices of the day of each request."
        ),
        f"Total: {_money(table)} for {table.requests.sum()} requests.",
        markdown_table(_summary(table, ["llm", "model", "corpus", "prompt"])),
        "## By outcome",
        markdown_table(outcomes.assign(example=[shortened(examples.get(place, "")) for place in places])),
        (
            f"No table that is built now uses the `{UNUSED}` answers. Requests with `{FORGOTTEN}` answers "
            "are sent again. It is not known whether `unknown` requests were billed; `at most` counts "
            "the most that they can have cost. All other outcomes are listed in "
            "docs/reference/outcomes.md."
        ),
    ]
    return "\n\n".join(parts) + "\n"


def _summary(table: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    rows = []
    for values, group in table.groupby(by, sort=True):
        counts = [group[name].sum() for name in ("requests", "prompt_tokens", "completion_tokens", "unknown")]
        accepted = group.requests[group.outcome == ACCEPTED].sum()
        each = usd(1000 * group.usd.sum() / accepted) if accepted else ""
        rows.append([*values, *(f"{count:,}" for count in counts), _money(group), each])
    names = ["requests", "prompt tokens", "completion tokens", "unknown", "cost", "per 1000 accepted"]
    return pd.DataFrame(rows, columns=[*by, *names])


def _money(rows: pd.DataFrame) -> str:
    spent, at_most = rows.usd.sum(), rows.usd_at_most.sum()
    return usd(spent) + (f", at most {usd(at_most)}" if rows.unknown.any() else "")
