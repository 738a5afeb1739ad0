"""`config/config.yaml`: what to build with."""

import json
import re
from fnmatch import fnmatchcase
from typing import Annotated, Literal

from pydantic import Field, JsonValue, ValidationError, ValidatorFunctionWrapHandler, field_validator

from contrapose.settings.spec import EndpointText, Name, PathText, PoolingName, Precision, Spec

REFUSED_AT_MOST = Field(
    0.5,
    ge=0,
    le=1,
    description="A job stops asking a language model once more of its answers, 20 or more, are refused, "
    "beyond chance; 1 never stops. Never changes a result",
)
MOST_USD = 1e9
ON_GPU = ("auto", "cuda")  # values of `device` that may take a GPU
Processes = Annotated[int, Field(ge=1, le=1024)]  # more than the cores and GPUs of any machine


class Shards(Spec):
    """Number of jobs that a stage is split into.  Never changes a result; a finished set keeps its shards."""

    corpus: int = Field(2, ge=1, le=10_000, description="Jobs that sample one corpus")
    generate: int = Field(2, ge=1, le=10_000, description="Jobs that ask a language model about one corpus")
    synthetic: int = Field(
        2, ge=1, le=10_000, description="Jobs that write the texts of one entry of synthetic"
    )
    rewrites: int = Field(2, ge=1, le=10_000, description="Jobs that make and score one entry of rewrites")


class Config(Spec):
    """`config/config.yaml`, and what `--config key=value` may replace."""

    catalog: PathText = Field(
        "mini", description="Where everything comes from: a file under config/catalogs/"
    )
    studies: list[str] = Field(["thesis"], min_length=1, description="Folders under config/studies/")
    seeds: int = Field(1, ge=1, le=10_000, description="Trainings per run, with the seeds 42, 43, ...")
    curve_rows: list[str] = Field(
        [], description="Labels of rows that tables of kind learning_curve show besides their own"
    )
    steps: int | None = Field(
        None,
        ge=1,
        description="Optimiser steps of every recipe that gives `steps`, in place of its own, with as many "
        "dev scores; null: its own. `contrapose run --budget` writes it",
    )
    sentences: int | None = Field(
        None,
        ge=2,
        description="Most sentences of every corpus, a seeded sample of a published one; null: as the "
        "recipes say. `contrapose run --budget` writes it",
    )
    llm_budget: dict[str, Annotated[float, Field(ge=0, le=MOST_USD)]] = Field(
        {}, description="USD by role of an LLM, where the catalog's budget is null or more: {writer: 5}"
    )
    search: bool = Field(
        False, description="Also train every setting of the rows' grids, and select on dev sets, mostly STS-B"
    )
    bootstrap: int = Field(
        1000, ge=100, le=100_000, description="Resamples of test pairs for comparisons and claims"
    )
    folds: int = Field(
        10, ge=2, le=100, description="Folds of the transfer tasks; SentEval's fast mode has 5"
    )
    data: PathText | None = Field(None, description="Folder with the original files; needed by catalog=files")
    encoder: PathText | None = Field(
        None, description="Folder of the encoder that results/tables/score.csv evaluates"
    )
    pooling: PoolingName = Field("auto", description="Its pooling; auto: as the folder says")
    endpoint: EndpointText | None = Field(
        None, description="Base URL or file:PATH that replaces every LLM endpoint; no key is sent to it"
    )
    llms: dict[Name, dict[str, JsonValue]] = Field(
        {},
        description="Other settings of roles under the catalog's llms, {chatgpt: {model: qwen}} or `--config "
        "llms.chatgpt.model=qwen`. A new endpoint comes without the catalog's key, prices and limits; with "
        "`kind` the whole entry is replaced",
    )
    refused_at_most: float = REFUSED_AT_MOST
    pathvars: dict[Literal["results", "logs", "state"], PathText] = Field(
        {}, description="Other folders for outputs inside the project, e.g. {results: results-files}"
    )
    shards: Shards = Field(Shards(), description="Jobs per sharded stage")
    device: Literal["auto", "cpu", "cuda", "mps"] = Field("auto", description="Where encoders run")
    precision: Precision = Field(
        "auto",
        description="Precision of all models but translators. auto: that of the catalog; if it says auto, "
        "bf16 on a GPU that supports it, and for encoders on a CPU that was measured to be faster in it "
        "(not to mine negatives); else float32, with TF32 in matrix products on a GPU. fp16 needs a GPU. "
        "Trained weights are float32. A recipe's own precision takes precedence in training",
    )
    keep: Literal["encoders", "scores"] = Field(
        "encoders",
        description="What stays of a training. scores: its encoder is deleted once all that was asked for is "
        "made of it, and trained again, equally, for whatever needs it later",
    )
    processes: Processes | dict[str, Processes] = Field(
        1,
        description="Processes of one training, each with a GPU or a core of the same machine; by recipe, as "
        "{'*roberta-large*epochs=15*': 2}: the first pattern that fits, others have one",
    )
    recompute: bool = Field(
        False, description="Gradient checkpointing: large batches in less memory, in a third more time"
    )
    container: PathText | None = Field(
        None, description="Image of envs/Containerfile for `--sdm apptainer`: a file, or docker://..."
    )

    def processes_of(self, recipe: str) -> int:
        """Return how many processes the trainings by a recipe have."""
        if isinstance(self.processes, int):
            return self.processes
        return next((count for name, count in self.processes.items() if fnmatchcase(recipe, name)), 1)

    @field_validator("data", "encoder", "endpoint", "container", mode="before")
    @classmethod
    def _null(cls, value: object) -> object:
        return None if value == "null" else value  # Snakemake passes `--config endpoint=null` as text

    @field_validator("llms", mode="before")
    @classmethod
    def _as_text(cls, llms: object) -> object:
        if not isinstance(llms, str):
            return llms
        try:
            return json.loads(llms.removeprefix("@"))  # as `snakemake_config` writes it
        except ValueError as error:
            raise ValueError("expected settings by role, {chatgpt: {model: NAME}}") from error

    @field_validator("processes", mode="wrap")
    @classmethod
    def _counts(cls, value: object, validated: ValidatorFunctionWrapHandler) -> object:
        try:
            return validated(value)
        except ValidationError:
            raise ValueError("expected a whole number, 1 to 1024, or {pattern of recipes: number}") from None

    @field_validator("studies")
    @classmethod
    def _once(cls, studies: list[str]) -> list[str]:
        if len(set(studies)) < len(studies):
            raise ValueError("a study occurs twice. Keep one of them")
        return studies

    @field_validator("pathvars")
    @classmethod
    def _folders(cls, pathvars: dict[str, str]) -> dict[str, str]:
        if empty := [name for name, folder in pathvars.items() if not folder.strip(" /")]:
            raise ValueError(f"{empty[0]} is empty. Name a folder")
        for name, folder in pathvars.items():
            if folder.startswith(("/", "~")) or ".." in folder.split("/"):
                raise ValueError(
                    f"{name} is '{folder}', which leaves the project. Name a folder inside it, such as "
                    f"{name}-files, or a link to another disk that you put there"
                )
            if re.search(r"[{}<>]|(^|/)\.(/|$)", folder):
                raise ValueError(
                    f"{name} is '{folder}'. Name a folder without `.` between slashes, and without "
                    "{ } < >, which Snakemake takes for wildcards"
                )
        return pathvars
