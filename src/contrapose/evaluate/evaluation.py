"""What all evaluations have about the encoder of a run: its settings, where it is, and its vectors."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, NamedTuple, TypeVar

import numpy as np
from pydantic import Field

from contrapose.base.errors import TableError, counted
from contrapose.jobs.stage import SnakemakeJob
from contrapose.jobs.step import FromJob, planned
from contrapose.settings.catalogs import VectorForm
from contrapose.settings.encoders import EncoderSettings
from contrapose.settings.plan import Plan
from contrapose.tables import TEXT_VECTORS, read_table

if TYPE_CHECKING:
    from contrapose.models.sentence_encoder import SentenceEncoder


class RunSettings(EncoderSettings):
    """What an evaluation depends on, beside the encoder's folder and the evaluation sets."""

    run: str = Field(description="{pairs}/{recipe}/seed{seed}, or released/{role}/{pooling} or /seed{seed}")


S = TypeVar("S", bound=RunSettings)


@planned
def run_settings(kind: type[S], project: Plan, run: str, **others: object) -> S:
    """Return the settings of an evaluation of a run, with `others`, which it has besides."""
    scored, precision = project.runs.scored(run), project.config.precision
    others |= {"run": scored.id, "pooling": scored.pooling, "prompts": scored.prompts}
    return kind(encoder=scored.hub, precision=precision, **others)


@planned
def plan(project: Plan, run: str, **others: str) -> RunSettings:
    """Return the settings of an evaluation that has none of its own."""
    return run_settings(RunSettings, project, run)


class VectorSource(NamedTuple):
    """What gives the vectors of texts."""

    path: str  # folder of an encoder, file of word vectors, or TEXT_VECTORS; empty: an encoder of the hub
    form: VectorForm = "encoder"


def folder_of(spec: EncoderSettings, job: SnakemakeJob) -> str:
    """Return the folder of a run's encoder, or its file of word vectors; empty if it is one of the hub."""
    return job.resources.get("folder") or job.input.get("encoder") or ""


def _encoder(spec: EncoderSettings, job: SnakemakeJob) -> "SentenceEncoder":
    from contrapose.models.sentence_encoder import encoder_of

    return encoder_of(spec, folder_of(spec, job), job.resources.device)


Folder = Annotated[str, FromJob(folder_of)]
Source = Annotated[
    VectorSource, FromJob(lambda spec, job: VectorSource(folder_of(spec, job), job.resources.form))
]
RunEncoder = Annotated["SentenceEncoder", FromJob(_encoder)]


def sentence_vectors(
    job: EncoderSettings, source: VectorSource, texts: Sequence[str], device: str
) -> tuple[np.ndarray, str]:
    """Return the vectors of texts, float32 of shape (n, D), and their pooling: `mean + Dense + Normalize`."""
    from contrapose.evaluate.word_vectors import word_averages
    from contrapose.models.embeddings import embeddings
    from contrapose.models.sentence_encoder import encoder_of

    if source.form == "endpoint":
        return _looked_up(source.path, texts), "vectors of an endpoint"
    if source.form == "words":
        return word_averages(source.path, texts), "mean of word vectors"
    encoder = encoder_of(job, source.path, device)
    pooling = " + ".join([encoder.pooler, *(type(module).__name__ for module in encoder.head)])
    return embeddings(encoder, texts), pooling


def _looked_up(path: str, texts: Sequence[str]) -> np.ndarray:
    """Return the vectors of texts, float32 of shape (n, D), from a TEXT_VECTORS table."""
    table = read_table(path, TEXT_VECTORS)
    vectors = dict(zip(table.text, table.vector, strict=True))
    missing = [text for text in texts if text not in vectors]
    if missing:
        raise TableError(
            f"{path}: the table lacks the vectors of {counted(len(missing), 'text')}. The first is "
            f"'{missing[0][:60]}'. Vectors are requested from an encoder at an endpoint only for the "
            "pairs of tables of kind sts. Remove this encoder from other tables."
        )
    return np.stack([vectors[text] for text in texts])
