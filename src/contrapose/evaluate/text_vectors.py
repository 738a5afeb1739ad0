"""Vectors of the texts of evaluation sets, by an endpoint: each is paid for once, and kept in a journal."""

import base64
import hashlib
import logging
from asyncio import Runner
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated

import numpy as np
import pandas as pd
from pydantic import Field

from contrapose.base.errors import BackendError
from contrapose.evaluate.suite import scored_pairs
from contrapose.generate.bodies import read_body
from contrapose.generate.client import Client
from contrapose.generate.endpoint import journals_of
from contrapose.generate.journal import lines
from contrapose.generate.outcomes import EMBEDDINGS, Action
from contrapose.generate.progress import Progress
from contrapose.generate.requests import FRAME_TOKENS, Request, Usage
from contrapose.generate.session import opened_client, worked_off
from contrapose.jobs.fingerprint import canonical
from contrapose.jobs.stage import SnakemakeJob
from contrapose.jobs.step import FromJob, Rows, planned
from contrapose.settings.catalogs import Connection
from contrapose.settings.plan import Plan
from contrapose.settings.spec import Spec
from contrapose.tables import BENCHMARK, TEXT_VECTORS

TRIES = 3  # paid answers without a vector for each text, as for language models

logger = logging.getLogger(__name__)


class EmbeddingRequests(Spec):
    """What an endpoint is asked for vectors of texts."""

    role: str = Field(description="Of the encoder in the catalog")
    model: str
    dimensions: int | None = Field(None, description="null: not sent")
    prompt: str = Field("", description="Before every text")

    def body(self, texts: Sequence[str]) -> dict[str, object]:
        """Return the JSON of POST {base_url}/embeddings."""
        size = {} if self.dimensions is None else {"dimensions": self.dimensions}
        return {"model": self.model, "input": [self.prompt + text for text in texts], **size}

    def digest(self, text: str) -> str:
        """Return what identifies a text's vector in the journal, whatever it was asked for with."""
        return hashlib.sha256(canonical(self.body([text])).encode()).hexdigest()[:32]


@dataclass(frozen=True)
class VectorRequest(Request):
    """A request for the vectors of some texts."""

    digests: tuple[str, ...] = ()

    @property
    def about(self) -> dict[str, object]:
        return {**super().about, "texts": self.digests}

    @property
    def greeting(self) -> dict[str, object]:
        return {"input": ["Hello"]}

    @cached_property
    def worst_case(self) -> Usage:
        texts: Sequence[str] = self.body["input"]  # type: ignore[assignment]
        return Usage(sum(len(text.encode()) + FRAME_TOKENS for text in texts), 0)


@planned
def plan(project: Plan, role: str) -> EmbeddingRequests:
    """Return how the endpoint of an encoder's role is asked for vectors."""
    source = project.entry("encoders", role)
    prompt = source.prompts.query if source.prompts else ""
    return EmbeddingRequests(role=role, model=source.model, dimensions=source.dimensions, prompt=prompt)


def _reached(spec: EmbeddingRequests, job: SnakemakeJob) -> tuple[Connection, Path, int]:
    connection = Connection.model_validate_json(job.resources.connection)
    return connection, journals_of(connection, job.resources.journal, job.params.code), job.resources.batch


Reached = Annotated[tuple[Connection, Path, int], FromJob(_reached)]  # with journals, and texts in a request


def build(
    spec: EmbeddingRequests, benchmarks: Annotated[pd.DataFrame, Rows(BENCHMARK)], reached: Reached
) -> Annotated[pd.DataFrame, Rows(TEXT_VECTORS)]:
    """Return the vector of each distinct text that is scored, sorted by text.

    Texts whose vector the journal has are not asked for, whatever requests they were in.  Raises BackendError
    if the endpoint gives some text no vector, or vectors of several lengths.
    """
    connection, folder, batch = reached
    pairs = scored_pairs(benchmarks)
    texts = sorted({*pairs.sentence1, *pairs.sentence2})
    embedded = vectors(spec, texts, connection, folder, batch)
    sizes = {len(vector) for vector in embedded}
    if len(sizes) > 1:
        raise BackendError(
            f"encoders.{spec.role}: the endpoint gives vectors of several lengths ({sorted(sizes)}). "
            "Check that it serves one model."
        )
    return pd.DataFrame({"text": texts, "vector": embedded})


def vectors(
    spec: EmbeddingRequests, texts: Sequence[str], connection: Connection, folder: Path, batch: int
) -> list[np.ndarray]:
    """Return the vectors of texts, float32 of shape (D,) each, from the journal or else from the endpoint."""
    digests = {spec.digest(text): text for text in texts}
    known, reasons = known_vectors(folder), set[str]()
    for attempt in range(TRIES):
        missing = [digest for digest in digests if digest not in known]
        logger.info("%s: %d texts, %d of them to request", spec.role, len(digests), len(missing))
        if not missing:
            return [known[digest] for digest in digests]
        parts = [missing[start : start + batch] for start in range(0, len(missing), batch)]
        requests = [
            VectorRequest(_joined(part), EMBEDDINGS, attempt, spec.body([digests[each] for each in part]),
                          digests=tuple(part))
            for part in parts
        ]  # fmt: skip
        job = {"llm": spec.role, "corpus": EMBEDDINGS, "prompt": EMBEDDINGS, "shard": "0-of-1"}
        with Runner() as runner, opened_client(connection, folder, job, runner) as client:
            reasons = runner.run(_failures(requests, client))
        known = known_vectors(folder)
    text = next(text for digest, text in digests.items() if digest not in known)
    raise BackendError(
        f"encoders.{spec.role}: {TRIES} attempts gave no vector of '{text[:60]}' "
        f"({'; '.join(sorted(reasons))}). Check that the model accepts texts of this length. All "
        "other vectors are kept."
    )


def _joined(digests: Sequence[str]) -> str:
    return hashlib.sha256("".join(digests).encode()).hexdigest()[:16]


async def _failures(requests: Sequence[VectorRequest], client: Client) -> set[str]:
    """Send requests, several at a time; return why some gave no vectors."""
    outcomes: set[str] = set()
    progress = Progress(client.connection.entry, sum(len(each.digests) for each in requests), client)

    async def ask(place: int) -> None:
        reply = await client.ask(requests[place])
        failed = reply.outcome.action is not Action.ACCEPT
        outcomes.add(f"{reply.outcome.says} {reply.message}".strip() if failed else "too few vectors")
        for number in range(len(requests[place].digests)):
            progress.count(0 if number else reply.answer.prompt_tokens or 0, failed)

    with progress:
        client.ledger.check()
        await worked_off(ask, range(len(requests)), client.connection.concurrency)
    return outcomes


def known_vectors(folder: Path) -> dict[str, np.ndarray]:
    """Return all vectors in the journals of a folder by the digest of their text: float32 of shape (D,)."""
    by_digest: dict[str, np.ndarray] = {}
    for journal in sorted(folder.glob("*.jsonl")):
        for record in lines(journal):
            if "key" in record and "texts" in record and record["status"] == 200:
                for digest, vector in zip(record["texts"], vectors_in(record["body"]), strict=False):
                    if vector is not None:
                        by_digest.setdefault(digest, vector)
    return by_digest


def vectors_in(body: str) -> list[np.ndarray | None]:
    """Return the vectors of an answer in the order of its texts; None where there is none."""
    try:
        data = {each["index"]: each["embedding"] for each in read_body(body).value["data"]}
    except (ValueError, KeyError, TypeError):
        return []
    return [_vector(data.get(place)) for place in range(len(data))]


def _vector(value: object) -> np.ndarray | None:
    """Return a vector from a list of numbers, or from base64 of float32; None if it is neither."""
    try:
        if isinstance(value, str):
            vector = np.frombuffer(base64.b64decode(value, validate=True), "<f4")
        else:
            vector = np.asarray(value, np.float32)
    except (ValueError, TypeError):
        return None
    return vector if vector.ndim == 1 and len(vector) and np.isfinite(vector).all() else None
