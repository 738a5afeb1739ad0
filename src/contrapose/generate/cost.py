"""What the answers have cost, from the journals: every request that was sent is counted once."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated

import numpy as np
import pandas as pd
from pydantic import Field

from contrapose.generate.ledger import PICO, SentRequest, sends
from contrapose.generate.llm import ASKING, Connections, JournalFolders, journals_of
from contrapose.generate.outcomes import ANSWER
from contrapose.generate.progress import usd
from contrapose.markdown import markdown_table
from contrapose.settings.spec import Spec
from contrapose.settings.worlds import Connection
from contrapose.steps import Outputs, Project, planned
from contrapose.tables import COMPLETIONS, COST, ROWS_PER_GROUP, open_table

ACCEPTED = "accepted"
UNUSED = "unused"  # an answer in none of the tables: of another corpus or setting, or paid twice
JournalsOfLLM = tuple[str, str, Sequence[Path]]  # role, model, folders
JUDGED = ("llm", "prompt", "sentence_id", "attempt", "answer")  # the columns that identify an answer


class CostSettings(Spec):
    """Which answers are counted; prices are in the journals."""

    models: dict[str, str] = Field(description="Role of each LLM that is asked, and its model")
    codes: list[str] = Field(description="Of the jobs that ask; journals of python: endpoints belong to one")


@planned
def plan(project: Project) -> CostSettings:
    from contrapose.project import steps

    llms = project.llm_requests.llm_roles
    codes = sorted({steps.code(project, rule, {"llm": llm}) for rule in ASKING for llm in llms})
    return CostSettings(models={llm: project.llm(llm).model for llm in llms}, codes=codes)


def build(
    spec: CostSettings,
    completions: list[str],
    folders: JournalFolders,
    connections: Connections,
) -> Annotated[tuple, Outputs(cost=COST, markdown=None)]:
    """Add up the cost of all answers."""
    table = cost_table(journals(spec, connections, folders), completions)
    return (table, lambda draft: draft.write_text(cost_markdown(table), encoding="utf-8"))


def cost_table(journals: Iterable[JournalsOfLLM], completions: Iterable[str | Path]) -> pd.DataFrame:
    """Add up the tokens and the cost of all requests.

    COMPLETIONS tables say which answers the parser accepted, and why it refused the others.  Tokens and USD
    follow the server's counts, if reported.  Requests that may have been billed without a count (killed,
    lost, without `usage`) are `unknown`, and enter `usd_at_most` with their worst case.
    """
    rows = []
    verdicts = _verdicts(completions)
    for llm, model, folders in journals:
        # Requests, prompt tokens, completion tokens, unknown requests; pico-USD: known, and at most besides.
        sums: dict[tuple[str, ...], np.ndarray] = defaultdict(lambda: np.zeros(6, np.int64))
        for journal in (journal for folder in folders for journal in sorted(folder.glob("*.jsonl"))):
            for send in sends(journal):
                counts = (1, *(send.used or (0, 0)), send.used is None)
                sums[_place(send, llm, verdicts)] += (*counts, *send.cost)
        rows += [
            (llm, model, *place, *counts, known / PICO, unknown, (known + perhaps) / PICO)
            for place, (*counts, unknown, known, perhaps) in ((at, sums[at].tolist()) for at in sums)
        ]
    frame = pd.DataFrame(rows, columns=COST.columns)
    return frame.sort_values(list(COST.key), ignore_index=True)


def journals(
    job: CostSettings, connections: Mapping[str, Connection], folders: Mapping[str, str]
) -> list[JournalsOfLLM]:
    """Find the journals of every language model; of a `python:` endpoint only those of today's code."""
    return [
        (llm, model, sorted({journals_of(connections[llm], folders[llm], code) for code in job.codes}))
        for llm, model in job.models.items()
    ]


def _place(send: SentRequest, llm: str, verdicts: dict[int, str]) -> tuple[str, ...]:
    outcome = send.outcome
    if outcome == ANSWER.name and send.sentence_id:
        answer = (llm, send.prompt, send.sentence_id, send.attempt, send.answer)
        outcome = verdicts.pop(hash(answer), UNUSED)
    return send.job.get("corpus", ""), send.prompt, send.job.get("shard", ""), outcome


def _verdicts(paths: Iterable[str | Path]) -> dict[int, str]:
    """Map the hash of an answer to the parser's verdict; only hashes, as there may be a million answers."""
    verdicts, columns = {}, [*JUDGED, "refused"]
    for path in paths:
        with open_table(path, COMPLETIONS) as file:
            for batch in file.iter_batches(ROWS_PER_GROUP, columns=columns):
                for *answer, refused in zip(*batch.select(columns).to_pydict().values(), strict=True):
                    verdicts[hash(tuple(answer))] = refused or ACCEPTED
    return verdicts


def cost_markdown(table: pd.DataFrame) -> str:
    """Format the COST table as Markdown: the cost by prompt and by outcome."""
    parts = [
        "# Cost",
        "What all answers in the journals cost, at the prices of the day they were asked for.",
        f"In all: {_money(table)} for {table.requests.sum()} requests.",
        markdown_table(_summary(table, ["llm", "model", "corpus", "prompt"])),
        "## By outcome",
        markdown_table(_summary(table, ["llm", "prompt", "outcome"])),
        f"`{UNUSED}` answers are in none of the tables built now. It is not known whether `unknown` requests "
        "were billed; `at most` counts the most that they can have cost.",
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
