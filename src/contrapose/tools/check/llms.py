"""Language models behind endpoints: keys, addresses, budgets.  Only `/models` is asked for, which is free."""

import json
from collections.abc import Iterator
from pathlib import Path

from contrapose.errors import ConfigError
from contrapose.generate.endpoint import FILE, NO_KEY, THIS_MACHINE, base_url, secret, server, serving_module
from contrapose.project import Project
from contrapose.settings.worlds import LLM
from contrapose.tools.check.findings import Finding, judged

SECONDS = 15.0  # that an endpoint may take to name its models
SHOWN = 10  # names of models in a message: OpenAI has some hundred


def check_llm(project: Project, role: str) -> list[Finding]:
    """Look at a language model that jobs will ask."""
    model, what = project.llm(role), f"llms.{role}.endpoint"
    if serving_module(model.endpoint):
        served = f"served by the job, {model.endpoint}"
        return [judged(what, lambda: served if server(model.connection(role)) else "")]
    findings = list(_asked(model, role))
    journal = Path(project.config.pathvars.get("state", "state"), "generate", project.asking.journal(role))
    if any(path.stat().st_size for path in journal.rglob("*.jsonl")):
        # With old answers it may be that nothing is asked any more; the job will know.
        because = " Some answers are in the journal; if all are, nothing is asked."
        findings = [
            one._replace(level="warning", found=one.found + because) if one.level == "missing" else one
            for one in findings
        ]
    return findings


def _asked(model: LLM, role: str) -> Iterator[Finding]:
    connection, what, key = model.connection(role), f"llms.{role}.endpoint", ""
    yield judged(f"llms.{role}.key", lambda: f"{model.key} is set" if secret(connection) else "")
    try:
        key = secret(connection)
    except ConfigError:
        pass
    if model.key and model.budget is None:
        yield Finding("warning", f"llms.{role}.budget", "is not set. make plan says what the answers cost.")
    address = model.endpoint
    if address.startswith(FILE):
        path = Path(address.removeprefix(FILE))
        address = path.read_text(encoding="utf-8").strip() if path.is_file() else ""
        if not address:
            found = f"'{path}' does not hold a base URL yet. Start the server first (docs/llm.md)."
            yield Finding("missing", what, found)
            return
    yield judged(
        what,
        lambda: ask_models(base_url(connection.model_copy(update={"endpoint": address})), model.model, key),
    )


def ask_models(url: str, model: str, key: str) -> str:
    """Ask an endpoint which models it has.

    Parameters
    ----------
    url : str
        Its base URL.
    model : str
        The one that is wanted.
    key : str
        The API key; empty: it is not known, so that a refusal says nothing more.

    Raises
    ------
    ConfigError
        There is no answer, the key is refused, or the model is not among those that are named.
    """
    import httpx2

    asked = f"{url.rstrip('/')}/models"
    headers = {"authorization": f"Bearer {key or NO_KEY}"}
    own = httpx2.URL(url).host in THIS_MACHINE
    try:
        with httpx2.Client(headers=headers, timeout=SECONDS, trust_env=not own) as http:
            reply = http.get(asked)
    except (httpx2.TransportError, OSError) as error:
        raise ConfigError(
            f"{asked} does not answer ({type(error).__name__}: {error}). Start the server, or say where it "
            "is: --config endpoint=URL."
        ) from error
    if reply.status_code in (401, 403):
        if key:
            raise ConfigError(f"{asked} refuses the key ({reply.status_code}). Check it.")
        return f"{asked} answers, and wants the key"
    try:
        names = [str(each["id"]) for each in json.loads(reply.text)["data"]]
    except (ValueError, KeyError, TypeError):
        return f"{asked} answers {reply.status_code} and names no models; nothing else was asked: it may cost"
    if model not in names:
        some = ", ".join(names[:SHOWN]) + ", ..." * (len(names) > SHOWN)
        raise ConfigError(f"{asked} has no model '{model}', but: {some or 'none'}. Set `model` in the world.")
    return f"{asked} names '{model}'; nothing else was asked"
