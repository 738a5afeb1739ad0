"""Check what is not on this machine: the Hugging Face hub, and language models behind endpoints.

The hub gets one request for each data set and model, several at once; nothing is downloaded, and where it
cannot be reached the cache on this machine is searched.  Of an endpoint only `/models` is requested, which is
free, unless one request like those of the jobs is to be answered.
"""

import asyncio
import fnmatch
import json
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial, reduce
from pathlib import Path
from typing import Any

import httpx
from huggingface_hub import HfApi, constants, errors, try_to_load_from_cache

from contrapose.base.directory import fetch
from contrapose.base.errors import ConfigError, counted, one_line, unknown
from contrapose.evaluate.text_vectors import EmbeddingRequests, vectors_in
from contrapose.generate import endpoint, paraphrase
from contrapose.generate.attempts import Attempts, replayed
from contrapose.generate.client_options import NO_KEY, client_options, secret, unreached
from contrapose.generate.ledger import PICO, Prices, billed
from contrapose.generate.masking import masked
from contrapose.generate.outcomes import ANSWER, EMBEDDINGS, Reply
from contrapose.generate.progress import usd
from contrapose.generate.refused import Tally, shortened
from contrapose.generate.requests import Request, Usage, question
from contrapose.project import Project
from contrapose.retrieve.download import Download
from contrapose.retrieve.recorded import recorded_answers
from contrapose.retrieve.suites import sets_of
from contrapose.settings.catalogs import Connection, EmbeddingEndpoint, serving_module
from contrapose.settings.catalogs.model_folders import CONFIG
from contrapose.settings.hub import HubRepository
from contrapose.tools.finding import Finding, judged
from contrapose.tools.needs import Need

HUB_SECONDS = 20.0  # timeout of a request; an answer about Wikipedia's 1,100 files takes one or two
AT_ONCE = 8  # requests; the hub allows 500 API requests in five minutes without an account
ENDPOINT_SECONDS = 15.0  # timeout of an endpoint for naming its models
SENTENCE = "The old mill by the river burned down in the winter of 1921."  # ours, for the one request
OTHER = "A fire destroyed the mill in 1921."  # where two texts are asked about
TAKEN = 60  # characters of an answer that are shown
NAMELESS = (ValueError, KeyError, TypeError, RecursionError)  # of an answer that is no list of models


def on_hub(project: Project, needs: Sequence[Need]) -> dict[str, HubRepository]:
    """Return {key of the catalog: repository} of everything that jobs fetch from the hub."""
    entries: dict[str, Any] = {}
    for need in needs:
        if need.section == "suites":
            sets = sets_of(project, need.name)  # type: ignore[arg-type]
            entries |= {f"benchmarks.{each}": source for each, source in sets.items()}
        elif need.section not in ("transfer", "llms"):
            entries[need.key] = need.source(project)
    found = {key: getattr(source, "hub_repository", None) for key, source in entries.items()}
    return {key: repository for key, repository in found.items() if repository}


def check_hub(entries: Mapping[str, HubRepository]) -> list[Finding]:
    """Look for what a catalog names on the hub, or in the cache where the hub cannot be reached."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(lambda one: judged(one[0], partial(_checked, one[1])), entries.items()))


def _checked(repository: HubRepository) -> str:
    kind, id, revision, file = repository
    api = HfApi(constants.ENDPOINT)
    names = [file] if kind == "dataset" else [CONFIG, "model.safetensors"]
    try:
        info = api.repo_info(id, revision=revision, repo_type=kind, timeout=HUB_SECONDS)
        if info.gated:
            api.auth_check(id, repo_type=kind)
    except errors.GatedRepoError as error:
        page = f"{constants.ENDPOINT}/{'datasets/' * (kind == 'dataset')}{id}"
        raise ConfigError(f"{id} is gated. Request access on {page}, then set HF_TOKEN.") from error
    except errors.RevisionNotFoundError as error:
        commit = "Name one of its commits in the catalog."
        raise ConfigError(f"{id} has no revision {revision}. {commit}") from error
    except (errors.RepositoryNotFoundError, errors.HFValidationError) as error:
        advice = "Correct the name, or set HF_TOKEN."
        raise ConfigError(f"{id} does not exist on the hub, or is private. {advice}") from error
    except Exception as error:  # a lost connection raises an error of the hub's HTTP library
        return _cached(id, revision, kind, names, f"{constants.ENDPOINT} does not answer: {error}")
    files = [each.rfilename for each in info.siblings or []]
    if file and file not in files:
        raise unknown(f"files of {id}", file, files)
    if kind == "model" and not (CONFIG in files and fnmatch.filter(files, "*.safetensors")):
        raise ConfigError(
            f"{id} has no {CONFIG}, or no weights in safetensors format. Choose a revision that has both."
        )
    return f"{id}, revision {revision[:7]}, is on the hub"


def addresses(project: Project, needs: Sequence[Need]) -> dict[str, Download]:
    """Return {key: entry of the catalog} of everything that jobs fetch from an address."""
    entries = {need.key: need.source(project) for need in needs if need.section not in ("suites", "llms")}
    return {key: source for key, source in entries.items() if isinstance(source, Download)}


def check_addresses(entries: Mapping[str, Download]) -> Iterator[Finding]:
    """Ask for each file, without its content."""
    for key, source in entries.items():
        yield judged(key, partial(_answering, source.url))


def _answering(url: str) -> str:
    try:
        reply = httpx.head(url, follow_redirects=True, timeout=HUB_SECONDS)
    except (httpx.TransportError, OSError) as error:
        raise ConfigError(f"{url} does not answer ({type(error).__name__}: {error}). {fetch()}") from error
    if reply.is_error:
        raise ConfigError(
            f"{url} answers with status {reply.status_code}. Find the new address of the file. {fetch()}"
        )
    return f"{url} answers"


def _cached(id: str, revision: str, kind: str, names: Sequence[str], why: str) -> str:
    folder = constants.HF_HUB_CACHE  # passed on, as the function's default is fixed at its import
    paths = [try_to_load_from_cache(id, name, folder, revision, kind) for name in names if name]
    if not paths or not all(isinstance(path, str) for path in paths):
        raise ConfigError(
            f"{why}, and the needed files are not in the cache. Set HF_HOME to another cache, or "
            f"check the network. {fetch()}"
        )
    return f"{id}, revision {revision[:7]}, is in the cache; {why}"


def check_llm(
    project: Project, role: str, ask: bool = False, prompts: Container[str] = ()
) -> Iterator[Finding]:
    """Check a language model that jobs ask by some prompts; with `ask` it has to answer one of these."""
    model, what = project.llm(role), f"llms.{role}.endpoint"
    if not model.paid:
        yield judged(f"llms.{role}.path", lambda: f"{len(recorded_answers(model, project.data))} answers")
        return
    if serving_module(model.endpoint):
        yield judged(
            what, lambda: f"the job starts the server {endpoint.server(model.connection(role)).__module__}"
        )
        return
    if model.key:
        yield judged(f"llms.{role}.key", lambda: _key(model.connection(role)))
    if model.key and model.budget is None:
        unset = "is not set, so a run can spend any amount. `contrapose plan` estimates the cost of answers."
        yield Finding("warning", f"llms.{role}.budget", unset)
    if model.unpriced:
        unset = (
            "and completion_price are not both set, so costs are unknown and a budget has no effect. Enter "
            "the prices of the provider in USD per million tokens, or 0 if answers are free."
        )
        yield Finding("warning", f"llms.{role}.prompt_price", unset)
    reached = partial(_endpoint_checked, model.connection(role), model.model)
    yield judged(what, partial(_answered, project, role, prompts) if ask else reached)


def check_embedder(source: EmbeddingEndpoint, role: str, ask: bool = False) -> Iterator[Finding]:
    """Check an encoder behind an endpoint; with `ask` it has to give one sentence its vector."""
    connection, what = source.connection(role), f"encoders.{role}.endpoint"
    if serving_module(source.endpoint):
        yield judged(what, lambda: f"the job starts the server {endpoint.server(connection).__module__}")
        return
    if source.key:
        yield judged(f"encoders.{role}.key", partial(_key, connection))
    look = partial(_embedded, source, role) if ask else partial(_endpoint_checked, connection, source.model)
    yield judged(what, look)


def _embedded(source: EmbeddingEndpoint, role: str) -> str:
    requests = EmbeddingRequests(role=role, model=source.model, dimensions=source.dimensions)
    response = asyncio.run(
        _sent(source.connection(role), Request("", EMBEDDINGS, 0, requests.body([SENTENCE])))
    )
    (vector,) = vectors_in(response.body) or [None]
    if vector is None:
        raise ConfigError(
            f"the endpoint gave no vector: {response.reply.outcome.says} ({response.reply.message})."
        )
    return f"{source.endpoint} answers as '{response.reply.answer.model}' with {len(vector)} numbers"


def _key(connection: Connection) -> str:
    secret(connection)
    return f"{connection.key} is set"


def _answered(project: Project, role: str, prompts: Container[str]) -> str:
    """Ask about a sentence as a job does, and say what was taken and what it cost.

    Raises ConfigError if no answer comes, or none that the parser takes in all tries.
    """
    connection = project.llm(role).connection(role)
    questions = [*project.llm_requests.all(), *project.llm_requests.scores()]
    every = [each.requests for each in questions if each.requests.llm == role and not each.source]
    every.sort(key=lambda each: each.prompt not in prompts)
    requests = every[0] if every else paraphrase.plan(project, "", role, "1")  # no study has the target
    texts, tally = {"score": question(SENTENCE, OTHER)[1], "sentences": "0"}, Tally()
    replies: list[Reply] = []

    def answer(one: Request) -> Reply:
        replies.append(reply := asyncio.run(_sent(connection, one)).reply)
        if reply.outcome is not ANSWER:
            why = f"{reply.outcome.says} ({reply.message or reply.outcome.name})"
            raise ConfigError(
                f"{connection.endpoint} gave no answer to prompt {one.prompt}: {why}. Correct llms.{role} in "
                "the catalog, or the server. See docs/reference/outcomes.md for this outcome."
            )
        return reply

    attempts = replayed("", texts.get(requests.parsed_as, SENTENCE), requests, answer, tally.count)
    assert isinstance(attempts, Attempts)
    replied = f"{connection.endpoint} answered prompt {requests.prompt} as '{replies[0].answer.model}'"
    cost = "the server does not report the number of tokens"
    if any(tokens := reduce(Usage.plus, filter(None, map(billed, replies)), Usage(0, 0))):
        prices = Prices.per_million(connection.prompt_price, connection.completion_price)
        price = "price unknown" if project.llm(role).unpriced else usd(prices.cost(tokens) / PICO)
        cost = f"{sum(tokens)} tokens, {price}"
    if not attempts.items:
        raise ConfigError(f"{replied}, but {tally}. See docs/reference/outcomes.md for these codes. ({cost})")
    return (
        f"{replied}: {cost}. The answer has {counted(len(attempts.items), 'text')}. The first is "
        f'"{shortened(attempts.items[0], TAKEN)}"'
    )


async def _sent(connection: Connection, one: Request) -> endpoint.Response:
    client = endpoint.Endpoint(connection)
    if lacking := client.locate():
        raise ConfigError(f"{connection.endpoint}: {lacking}. Start the server first.")
    try:
        return await client.send(one.body)
    finally:
        await client.close()


def _endpoint_checked(connection: Connection, model: str) -> str:
    url = connection.endpoint
    if url.startswith(endpoint.FILE):
        path = Path(url.removeprefix(endpoint.FILE))
        url = path.read_text(encoding="utf-8").strip() if path.is_file() else ""
        if not url:
            raise ConfigError(f"'{path}' does not contain a base URL yet. Start the server first.")
    located, key = connection.model_copy(update={"endpoint": url}), ""
    with suppress(ConfigError):  # which is a finding of its own
        key = secret(connection) if connection.key else ""
    return _models_checked(located, model, key)


def _page(connection: Connection, key: str = "") -> httpx.Response:
    """Ask an endpoint which models it serves."""
    url = endpoint.base_url(connection)
    headers = {"authorization": f"Bearer {key or NO_KEY}"}
    options = client_options(httpx.URL(url), connection.entry)
    with httpx.Client(headers=headers, timeout=ENDPOINT_SECONDS, **options) as http:
        return http.get(f"{url.rstrip('/')}/models")


def _names(reply: httpx.Response, key: str = "") -> list[str]:
    """Return the models that an answer names; raise one of `NAMELESS` if it names none."""
    listed = json.loads(masked(reply.text, key) if key else reply.text)["data"]
    return [one_line(str(each["id"])) for each in listed]


def check_not_shared(project: Project, roles: Iterable[str]) -> None:
    """Raise ConfigError if the server of `--config endpoint=` would play several roles as one other model.

    Some servers take any name of a model, and answers would be kept under the name in the catalog.  One that
    does not answer, or names no models, is left to the jobs.
    """
    url, models = project.config.endpoint or "", {role: project.llm(role) for role in roles}
    by_role = {role: llm.model for role, llm in models.items() if llm.endpoint == url}
    if len({*by_role.values()}) < 2 or not url.startswith("http"):
        return
    first = next(iter(by_role))
    try:
        served = _names(_page(models[first].connection(first)))
    except (httpx.TransportError, OSError, *NAMELESS):
        return
    if lacking := {role: name for role, name in by_role.items() if name not in served}:
        names, other = ", ".join(f"{name} ({role})" for role, name in lacking.items()), next(iter(lacking))
        raise ConfigError(
            f"endpoint: {url} serves {', '.join(served) or 'no model'}, but not {names}. "
            f"{len(by_role)} entries under `llms` would use this one model under other names. In "
            f"place of endpoint=, name the model of each entry: --config llms.{other}.endpoint={url} "
            f"llms.{other}.model={next(iter(served), 'NAME')}"
        )


def _models_checked(connection: Connection, model: str, key: str) -> str:
    page = f"{connection.endpoint.rstrip('/')}/models"
    try:
        reply = _page(connection, key)
    except (httpx.TransportError, OSError) as error:
        raise ConfigError(
            f"{page} does not answer ({type(error).__name__}: {error}). {unreached(httpx.URL(page))} A "
            "comparison also runs without this model, with methods that do not need it: --methods."
        ) from error
    if reply.status_code in (401, 403):
        if key:
            raise ConfigError(
                f"{page} refuses the key in {connection.key} ({reply.status_code}). Set it again. If "
                "it is right, call this command with --live."
            )
        return f"{page} answers, and needs a key"
    try:
        names = _names(reply, key)
    except NAMELESS:
        return (
            f"{page} answers with status {reply.status_code}, but names no models. No other request was "
            "sent, because it could cost money"
        )
    if model not in names:
        raise unknown(f"the models of {page}", model, names)
    return f"{page} names '{model}'. No other request was sent"
