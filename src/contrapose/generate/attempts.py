"""The attempts at a sentence: requests until an answer is usable, whatever is asked for."""

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol

import pandas as pd

from contrapose.generate.llm_requests import LLMRequests, Texts
from contrapose.generate.outcomes import CUT, UNSAID, Action, Reply
from contrapose.generate.parsing import PARSERS, Refusal, five_paraphrases, some_paraphrases
from contrapose.generate.requests import Request, Usage, request
from contrapose.tables import COMPLETIONS, Table


class Attempts(NamedTuple):
    """All attempts at one sentence."""

    id: str
    items: tuple[str, ...]  # five paraphrases, one text of another kind, a triplet, some sentences, or none
    completions: tuple[dict, ...]  # rows of COMPLETIONS

    @property
    def reason(self) -> str:
        """Why the last attempt was not accepted; empty if it was."""
        return self.completions[-1]["refused"]

    @property
    def tokens(self) -> Usage:
        """Tokens of all attempts, as far as the server reported them."""
        counts = ("prompt_tokens", "completion_tokens")
        return Usage(*(sum(one[name] or 0 for one in self.completions) for name in counts))


class AskAll(Protocol):
    """Asks a language model about texts; returns the attempts in their order.  The log has the `note`."""

    def __call__(self, requests: LLMRequests, texts: Texts, note: str = "") -> list[Attempts]: ...


OnAnswer = Callable[[dict], object]  # gets the row of COMPLETIONS of each answer as it is read


def attempts_of(
    id: str, text: str, requests: LLMRequests, on_answer: OnAnswer = bool
) -> Generator[Request, Reply, Attempts]:
    """Yield requests until an answer is accepted, the tries are used up or another would be pointless."""
    completions: list[dict] = []
    sampling, before = requests.sampling, None
    max_tokens = sampling.max_tokens
    for attempt in range(sampling.max_attempts):
        reply = yield request(id, text, requests, attempt, max_tokens)
        items = _parsed(reply, text, requests)
        refused = items if isinstance(items, str) else ""
        completions.append(_completion(id, requests, attempt, reply, refused))
        on_answer(completions[-1])
        if not refused:
            return Attempts(id, tuple(items), tuple(completions))
        if reply.outcome.action is Action.GIVE_UP:
            break
        if reply.outcome in (CUT, UNSAID):
            max_tokens *= 2
        else:
            greedy = sampling.temperature == 0 and not sampling.send_seed
            if greedy or (reply.answer.text.strip() and reply.answer.text == before):
                break  # a server that decodes greedily gives the same bad answer again
        before = reply.answer.text
    return Attempts(id, (), tuple(completions))


def replayed(
    id: str,
    text: str,
    requests: LLMRequests,
    known: Callable[[Request], Reply | None],
    on_answer: OnAnswer = bool,
) -> Attempts | Request:
    """Return all attempts at a sentence if they are known, else the first unknown request."""
    attempts = attempts_of(id, text, requests, on_answer)
    try:
        unknown = next(attempts)
        while (reply := known(unknown)) is not None:
            unknown = attempts.send(reply)
    except StopIteration as end:
        return end.value
    return unknown


def _parsed(reply: Reply, source: str, requests: LLMRequests) -> list[str] | str:
    """Return the items of the answer, or a short code for why it is unusable."""
    if reply.outcome.action is not Action.ACCEPT:
        return reply.outcome.name
    parse = PARSERS[requests.parsed_as]
    if requests.sampling.accept == "some" and parse is five_paraphrases:
        parse = some_paraphrases
    items = parse(reply.answer.text, reply.answer.finish_reason, source)
    return items.value if isinstance(items, Refusal) else items


def _completion(id: str, requests: LLMRequests, attempt: int, reply: Reply, refused: str) -> dict:
    return {
        "sentence_id": id,
        "prompt": requests.prompt,
        "llm": requests.llm,
        "attempt": attempt,
        "answer": reply.answer.text,
        "finish_reason": reply.answer.finish_reason,
        "prompt_tokens": reply.answer.prompt_tokens,
        "completion_tokens": reply.answer.completion_tokens,
        "model": reply.answer.model,
        "refused": refused,
    }


def completions_of(attempts: Iterable[Attempts]) -> pd.DataFrame:
    """Return the COMPLETIONS table of all attempts."""
    return table_of([row for one in attempts for row in one.completions], COMPLETIONS)


def table_of(rows: Sequence[Mapping[str, object]], table: Table) -> pd.DataFrame:
    """Return a table from its rows; missing counts stay missing and whole numbers whole."""
    kinds = {"int16": "Int16", "int32": "Int32", "string": "str"}
    types = zip(table.columns, table.schema.types, strict=True)
    return pd.DataFrame(
        {name: pd.array([row[name] for row in rows], dtype=kinds[str(kind)]) for name, kind in types}
    )
