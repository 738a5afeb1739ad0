"""Check language models behind endpoints: keys, addresses, budgets.

Only `/models` is requested, which is free, unless one request like those of the jobs is to be answered.
"""

import asyncio
import json
import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import httpx2

from contrapose.errors import ConfigError, unknown
from contrapose.generate import endpoint
from contrapose.generate.ledger import PICO, Prices, used
from contrapose.generate.outcomes import ANSWER
from contrapose.generate.progress import usd
from contrapose.generate.prompts import Request, request
from contrapose.project import Project
from contrapose.retrieve.recorded import recorded_answers
from contrapose.settings.worlds import LLM, Connection
from contrapose.tools.check.findings import Finding, judged
from contrapose.tools.start import check_key

SECONDS = 15.0  # timeout of an endpoint for naming its models
SENTENCE = "The old mill by the river burned down in the winter of 1921."  # ours, for the one request


def check_llm(project: Project, role: str, ask: bool = False) -> Iterator[Finding]:
    """Check a language model that jobs will ask; with `ask` it has to answer one request like theirs."""
    model, what = project.llm(role), f"llms.{role}.endpoint"
    if model.kind == "recorded":
        yield judged(f"llms.{role}.path", lambda: f"{len(recorded_answers(model, project.data))} answers")
        return
    if endpoint.serving_module(model.endpoint):
        yield judged(what, lambda: f"served by the job: {endpoint.server(model.connection(role)).__module__}")
        return
    if model.key:
        yield judged(f"llms.{role}.key", partial(_key, project, model, role))
    if model.key and model.budget is None:
        unset = "is not set. `contrapose plan` says what answers cost."
        yield Finding("warning", f"llms.{role}.budget", unset)
    yield judged(what, partial(_answered, project, role) if ask else lambda: _address_asked(model, role))


def _key(project: Project, model: LLM, role: str) -> str:
    state = project.config.pathvars.get("state", "state")
    check_key(model.connection(role), Path(state, "generate", project.llm_requests.journal(role)))
    return f"{model.key} is set, or the journal has answers"


def _answered(project: Project, role: str) -> str:
    """Send the first try about a sentence, and say what it cost; raise a ConfigError if no answer comes."""
    connection = project.llm(role).connection(role)
    every = [each.requests for each in project.llm_requests.all() if each.requests.llm == role]
    requests = every[0] if every else project.llm_requests.paraphrases(role, "1")  # no study has the target
    one = request("", SENTENCE, requests)
    reply = asyncio.run(_sent(connection, one)).reply
    if reply.outcome is not ANSWER:
        raise ConfigError(
            f"prompt {one.prompt} was sent: {reply.outcome.says} ({reply.message or reply.outcome.name})."
        )
    cost = "it does not say how many tokens"
    if tokens := used(reply):
        prices = Prices.per_million(connection.prompt_price, connection.completion_price)
        cost = f"{sum(tokens)} tokens, {usd(prices.cost(tokens) / PICO)}"
    return f"{connection.endpoint} answered prompt {one.prompt} as '{reply.answer.model}': {cost}"


async def _sent(connection: Connection, one: Request) -> endpoint.Response:
    client = endpoint.Endpoint(connection)
    if lacking := client.locate():
        raise ConfigError(f"{connection.endpoint}: {lacking}. Start the server first (docs/llm.md).")
    try:
        return await client.send(one.body)
    finally:
        await client.close()


def _address_asked(model: LLM, role: str) -> str:
    url = model.endpoint
    if url.startswith(endpoint.FILE):
        path = Path(url.removeprefix(endpoint.FILE))
        url = path.read_text(encoding="utf-8").strip() if path.is_file() else ""
        if not url:
            raise ConfigError(f"'{path}' does not hold a base URL yet. Start the server first (docs/llm.md).")
    url = endpoint.base_url(model.connection(role).model_copy(update={"endpoint": url}))
    return _models_asked(url, model.model, os.environ.get(model.key or "", "").strip())


def _models_asked(url: str, model: str, key: str) -> str:
    asked, own = f"{url.rstrip('/')}/models", httpx2.URL(url).host in endpoint.THIS_MACHINE
    headers = {"authorization": f"Bearer {key or endpoint.NO_KEY}"}
    try:
        with httpx2.Client(headers=headers, timeout=SECONDS, trust_env=not own) as http:
            reply = http.get(asked)
    except (httpx2.TransportError, OSError) as error:
        raise ConfigError(
            f"{asked} does not answer ({type(error).__name__}: {error}). Start the server, or give its "
            "address: --config endpoint=URL."
        ) from error
    if reply.status_code in (401, 403):
        if key:
            raise ConfigError(
                f"{asked} refuses the key ({reply.status_code}). Check it; if it is right, try --ask."
            )
        return f"{asked} answers, and asks for a key"
    try:
        names = [str(each["id"]) for each in json.loads(reply.text)["data"]]
    except (ValueError, KeyError, TypeError):
        return f"{asked} answers {reply.status_code} and names no models; nothing else was asked: it may cost"
    if model not in names:
        raise unknown(f"the models of {asked}", model, names)
    return f"{asked} names '{model}'; nothing else was asked"
