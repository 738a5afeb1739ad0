"""Language models behind endpoints: keys, addresses, prices.  Only `/models` is asked for, which is free."""

import json
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from contrapose.errors import ConfigError
from contrapose.forecast.generation import Asking
from contrapose.generate.endpoint import FILE, NO_KEY, THIS_MACHINE, base_url, secret, server, serving_module
from contrapose.generate.progress import usd
from contrapose.plan import Plan
from contrapose.preflight.findings import Finding, fine, missing, unchecked, warning
from contrapose.preflight.needs import Needs
from contrapose.settings.worlds import LLM

SECONDS = 15.0  # that an endpoint may take to name its models
SHOWN = 10  # names of models in a message: OpenAI has some hundred


def check_llms(plan: Plan, needs: Needs, asked: Sequence[Asking], state: Path) -> list[Finding]:
    """Look at each language model that jobs will ask: its key, its endpoint, its prices; many at once."""
    with ThreadPoolExecutor() as pool:
        found = pool.map(partial(_check_llm, plan, asked, state), needs.llms)
        return [one for findings in found for one in findings]


def _check_llm(plan: Plan, asked: Sequence[Asking], state: Path, role: str) -> list[Finding]:
    model = plan.llm(role)
    if module := serving_module(model.endpoint):
        return [_served(model, role, module)]
    journal = state / "generate" / plan.journal_of(role)
    answered = any(path.stat().st_size for path in journal.rglob("*.jsonl"))
    findings = [*_key_and_endpoint(model, role), *check_prices(model, role, asked)]
    # With old answers it may be that nothing is asked any more; the job will know.
    because = " Some answers are in the journal; if all are, nothing is asked."
    return [
        one._replace(level="warning", found=one.found + because)
        if answered and one.level == "missing"
        else one
        for one in findings
    ]


def _served(model: LLM, role: str, module: str) -> Finding:
    what = f"llms.{role}.endpoint"
    try:
        server(model.connection(role))
    except ConfigError as error:
        return missing(what, f"{error}".removeprefix(f"{what}: "))
    return fine(what, f"the module {module} serves it, started by the job")


def _key_and_endpoint(model: LLM, role: str) -> Iterator[Finding]:
    connection = model.connection(role)
    try:
        key = secret(connection)
    except ConfigError as error:
        yield missing(f"llms.{role}.key", f"{error}".removeprefix(f"llms.{role}.key: "))
        key = ""
    else:
        if model.key:
            yield fine(f"llms.{role}.key", f"{model.key} is set")
    what, address = f"llms.{role}.endpoint", model.endpoint
    if address.startswith(FILE):
        path = Path(address.removeprefix(FILE))
        address = path.read_text(encoding="utf-8").strip() if path.is_file() else ""
        if not address:
            yield missing(
                what,
                f"'{path}' does not hold a base URL yet. Start the server first (docs/llm.md); jobs wait "
                f"{model.patience:g} s for it.",
            )
            return
        try:
            base_url(connection.model_copy(update={"endpoint": address}))
        except ConfigError as error:
            yield missing(what, f"{error}".removeprefix(f"{what}: "))
            return
    yield ask_models(what, address, model.model, key)


def ask_models(what: str, url: str, model: str, key: str) -> Finding:
    """Ask an endpoint which models it has.

    Parameters
    ----------
    what : str
        Its key in the configuration.
    url : str
        Its base URL.
    model : str
        The one that is wanted.
    key : str
        The API key; empty: it is not known, so that a refusal says nothing more.
    """
    import httpx2

    asked = f"{url.rstrip('/')}/models"
    headers = {"authorization": f"Bearer {key or NO_KEY}"}
    own = httpx2.URL(url).host in THIS_MACHINE
    try:
        with httpx2.Client(headers=headers, timeout=SECONDS, trust_env=not own) as http:
            reply = http.get(asked)
    except (httpx2.TransportError, OSError) as error:
        where = " It is an address of this machine: where jobs run on others, give one they reach." * own
        return missing(
            what,
            f"{asked} does not answer ({type(error).__name__}: {error}). Start the server, or say where it "
            f"is: --config endpoint=URL.{where}",
        )
    if reply.status_code in (401, 403):
        if not key:
            return fine(what, f"{asked} answers, and wants the key")
        return missing(what, f"{asked} refuses the key ({reply.status_code}). Check it.")
    names = _names(reply.text) if reply.status_code == 200 else None
    if names is None:
        return unchecked(
            what,
            f"{asked} answers {reply.status_code} and names no models; nothing else was asked: it may cost.",
        )
    if model not in names:
        some = ", ".join(names[:SHOWN]) + ", ..." * (len(names) > SHOWN)
        return missing(
            what, f"{asked} has no model '{model}', but: {some or 'none'}. Set `model` in the world."
        )
    return fine(what, f"{asked} names '{model}'; nothing else was asked")


def _names(text: str) -> list[str] | None:
    try:
        return [str(each["id"]) for each in json.loads(text)["data"]]
    except (ValueError, KeyError, TypeError):
        return None


def check_prices(model: LLM, role: str, asked: Sequence[Asking]) -> list[Finding]:
    """Warn of a model that is paid and has no price, or a price and no budget."""
    if not model.key:
        return []
    if not model.prompt_price and not model.completion_price:
        return [
            warning(
                f"llms.{role}",
                "has a key and no prices, so that its cost is counted as 0 and no budget holds it. Set "
                "prompt_price and completion_price.",
            )
        ]
    if model.budget is not None:
        return [fine(f"llms.{role}.budget", f"{usd(model.budget)}")]
    own = [one.estimate for one in asked if one.llm == role]
    expected, most = sum(one.dollars for one in own), sum(one.at_most for one in own)
    return [
        warning(
            f"llms.{role}.budget",
            f"is not set. The answers cost about {usd(expected)}, at most {usd(most)}, without what the "
            "journals hold. Set a budget.",
        )
    ]
