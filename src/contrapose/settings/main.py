"""`config/config.yaml`: what to build with."""

import json
import re
from fnmatch import fnmatchcase
from typing import Annotated, Literal

from pydantic import (
    Field,
    JsonValue,
    ValidationError,
    ValidatorFunctionWrapHandler,
    field_validator,
    model_validator,
)

from contrapose.settings.spec import EndpointText, Name, PathText, PoolingName, Precision, Spec

REFUSED_AT_MOST = Field(
    0.5,
    ge=0,
    le=1,
    description="A job stops if a significantly larger share of its answers than this is refused. It reads "
    "at least 20 answers before it stops. The value 1 never stops a job. This key never changes "
    "a result.",
)
MOST_USD = 1e9
# What people change most often in a training: no keys of config.yaml.
OF_RECIPES = frozenset(
    {"batch_size", "dev", "dev_every", "dropout", "early_stopping_patience", "epochs", "learning_rate"}
    | {"loss", "lr_scheduler_type", "max_length", "temperature", "warmup_ratio", "weight_decay"}
)
ON_GPU = ("auto", "cuda")  # values of `device` that may take a GPU
Processes = Annotated[int, Field(ge=1, le=1024)]  # more than the cores and GPUs of any machine


class Shards(Spec):
    """These numbers say into how many jobs a stage is split. They never change a result, and a finished
    set keeps its shards.
    """

    corpus: int = Field(2, ge=1, le=10_000, description="This many jobs sample one corpus.")
    generate: int = Field(
        2, ge=1, le=10_000, description="This many jobs send requests about one corpus to a language model."
    )
    synthetic: int = Field(
        2, ge=1, le=10_000, description="This many jobs write the texts of one entry of `synthetic`."
    )
    rewrites: int = Field(
        2, ge=1, le=10_000, description="This many jobs make and score one entry of `rewrites`."
    )


class Config(Spec):
    """These are the keys of `config/config.yaml`, which `--config key=value` can replace for one call."""

    catalog: PathText = Field(
        "mini",
        description="This names a file under config/catalogs/. It says where texts and models come from.",
    )
    studies: list[str] = Field(
        ["thesis"], min_length=1, description="These are the studies to build, folders under config/studies/."
    )
    seeds: int = Field(
        1,
        ge=1,
        le=10_000,
        description="Each training is repeated with this many seeds: 42, 43 and so on. With a larger "
        "number, finished trainings stay, and only the new seeds are trained. The note names the stages that "
        "work for the new seeds. The stage pairs is among them, because methods with `resample_per_seed` "
        "have pairs of their own for each seed. Other methods keep their pairs.",
    )
    learning_curve_methods: list[str] = Field(
        [], description="Tables of kind `learning_curve` also show the methods with these names."
    )
    methods: list[str] = Field(
        [],
        description="Comparisons, which are tables with `costs: true`, have only the methods with these "
        "names. The encoder without training and the baselines are always included. With [], they have all "
        "methods. On the command line, write `--methods NAME ...`.",
    )
    steps: int | None = Field(
        None,
        ge=1,
        description="Every recipe that gives `steps` trains for this many optimiser steps, with as many "
        "dev scores as before. With null, the recipe decides. `contrapose run --budget` "
        "writes this key.",
    )
    sentences: int | None = Field(
        None,
        ge=2,
        description="Every corpus has at most this many sentences. Of a larger file, a random sample is "
        "drawn by the seed of the corpus. With null, the recipes decide. `contrapose run --budget` "
        "writes this key.",
    )
    llm_budget: dict[str, Annotated[float, Field(ge=0, le=MOST_USD)]] = Field(
        {},
        description="Each entry is the budget of a language model in US dollars, by its name, as in "
        "`{writer: 5}`. Of this and a budget in the catalog, the lower one counts.",
    )
    search: bool = Field(
        False,
        description="If true, every setting of the methods' grids is trained, and dev sets, mostly STS-B, "
        "select among them.",
    )
    bootstrap: int = Field(
        1000,
        ge=100,
        le=100_000,
        description="Comparisons and claims use this many resamples of the test pairs.",
    )
    folds: int = Field(
        10,
        ge=2,
        le=100,
        description="Cross-validation on transfer tasks has this many folds. It scores the tasks without "
        "splits of their own, and selects the penalty of the classifier. SentEval's fast mode has 5.",
    )
    data: PathText | None = Field(
        None, description="This folder holds the original files. The catalog `files` needs it."
    )
    encoder: PathText | None = Field(
        None, description="The table `results/tables/score.csv` evaluates the encoder in this folder."
    )
    pooling: PoolingName = Field(
        "auto",
        description="This says how the token vectors of that encoder become the vector of a text. With "
        "`auto`, its folder decides. With `cls`, the vector of [CLS] passes the encoder's dense "
        "layer. With `cls_before_pooler`, it is the vector of [CLS] in the last layer. With "
        "`mean`, it is the mean over the tokens of the last layer. With `avg_top2`, it is the "
        "mean over the tokens of the last two layers. With `avg_first_last`, it is that of the "
        "first and the last layer. With `lasttoken`, it is the vector of the last token, as in "
        "decoders.",
    )
    endpoint: EndpointText | None = Field(
        None,
        description="This base URL, or `file:PATH`, replaces the endpoint of every language model. No "
        "key is sent to it.",
    )
    llms: dict[Name, dict[str, JsonValue]] = Field(
        {},
        description="Each entry changes settings of an entry of the catalog's `llms`: `{chatgpt: "
        "{model: qwen}}`, or `--config llms.chatgpt.model=qwen`. A new endpoint clears the "
        "catalog's key, prices and limits. With `kind`, the whole entry is replaced.",
    )
    max_invalid_ratio: float = REFUSED_AT_MOST
    pathvars: dict[Literal["results", "logs", "state"], PathText] = Field(
        {},
        description="Outputs go into these folders inside the project, for example `{results: "
        "results-files}`.",
    )
    shards: Shards = Field(Shards(), description="These numbers say into how many jobs a stage is split.")
    device: Literal["auto", "cpu", "cuda", "mps"] = Field(
        "auto",
        description="Encoders run on this device. A change runs nothing again, but with `precision: auto`, "
        "new results may then be in another precision than old ones, such as bf16 on a GPU and float32 on "
        "a CPU. A table with results of both is an error. So fix the key `precision` if you use two "
        "devices.",
    )
    precision: Precision = Field(
        "auto",
        description="This is the precision of all models except translators. With `auto`, the catalog's "
        "key `precision` decides, and if that is `auto`, too, the device does. On a GPU that supports "
        "bf16, models run in bf16. On a CPU, encoders run in bf16 if that is at least 1.25 times as fast "
        "on this processor, except to mine negatives. All else runs in float32. The first job that runs a "
        "model on a CPU measures this in 0.3 seconds, and stores the result in `~/.cache/contrapose`. Only "
        "processors with instructions for bf16 (AVX512_BF16 or AMX) can be faster: see [measured "
        "processors](../../dev/performance.md#matrix-products-on-a-cpu). The value `fp16` needs a GPU. On "
        "a GPU, float32 uses TF32 in matrix products. A recipe can have a precision of its own. Trained "
        "weights are saved in float32.",
    )
    save_models: bool = Field(
        True,
        description="If false, an encoder is deleted once all its results exist. It is trained again, "
        "with the same result, if something needs it later.",
    )
    nproc_per_node: Processes | dict[str, Processes] = Field(
        1,
        description="One training runs in this many processes, each with a GPU or a core of the same "
        "machine. A map gives the number by recipe, as in `{'*roberta-large*epochs=15*': 2}`. A pattern is "
        "matched against the whole id of the recipe, such as `simcse+encoder=roberta-large+epochs=15`. The "
        "changes in an id are sorted by key. In a pattern, `*` stands for any text. The first "
        "matching pattern counts, and other recipes have one process.",
    )
    gradient_checkpointing: bool = Field(
        False,
        description="If true, gradient checkpointing trains large batches in less memory, and needs "
        "up to 1.25 times as long.",
    )
    container: PathText | None = Field(
        None,
        description="This is the image of envs/Containerfile for `--sdm apptainer`: a file, or "
        "`docker://...`.",
    )

    def processes_of(self, recipe: str) -> int:
        """Return how many processes the trainings by a recipe have."""
        if isinstance(self.nproc_per_node, int):
            return self.nproc_per_node
        return next((count for name, count in self.nproc_per_node.items() if fnmatchcase(recipe, name)), 1)

    @model_validator(mode="before")
    @classmethod
    def _no_keys_of_recipes(cls, data: object) -> object:
        for key in OF_RECIPES.intersection(data if isinstance(data, dict) else ()):
            raise ValueError(f"{key} is a key of recipes. Change it in config/recipes.yaml, under recipes")
        return data

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
            raise ValueError(
                "give settings under the name of a language model, for example {chatgpt: {model: NAME}}"
            ) from error

    @field_validator("nproc_per_node", mode="wrap")
    @classmethod
    def _counts(cls, value: object, validated: ValidatorFunctionWrapHandler) -> object:
        try:
            return validated(value)
        except ValidationError:
            raise ValueError(
                "give a whole number from 1 to 1024, or such a number for each pattern of recipes, for "
                "example {'compare*': 2}"
            ) from None

    @field_validator("studies")
    @classmethod
    def _once(cls, studies: list[str]) -> list[str]:
        if len(set(studies)) < len(studies):
            raise ValueError("a study occurs twice. Remove one of them")
        return studies

    @field_validator("pathvars")
    @classmethod
    def _folders(cls, pathvars: dict[str, str]) -> dict[str, str]:
        if empty := [name for name, folder in pathvars.items() if not folder.strip(" /")]:
            raise ValueError(f"{empty[0]} is empty. Name a folder inside the project")
        for name, folder in pathvars.items():
            if folder.startswith(("/", "~")) or ".." in folder.split("/"):
                raise ValueError(
                    f"{name} is '{folder}', which is outside the project. Name a folder inside it, "
                    f"such as {name}-files. This can be a link to another disk"
                )
            if re.search(r"[{}<>]|(^|/)\.(/|$)", folder):
                raise ValueError(
                    f"{name} is '{folder}'. Name a folder without `.` between slashes, and without "
                    "{ } < >, which Snakemake takes for wildcards"
                )
        return pathvars
