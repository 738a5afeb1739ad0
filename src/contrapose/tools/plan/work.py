"""Rough estimates of hours for models that run here: training and the larger encodings."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, cast

from contrapose.pairs.dino import DinoPairs
from contrapose.project import Project
from contrapose.tasks import TASKS
from contrapose.tools.jobs import Job
from contrapose.tools.needs import TRAININGS, model_of
from contrapose.tools.plan.call import Call

# 10^12 operations per second reached in float32 and in half precision.  GPUs: 0.3 of the peak in the data
# sheets of NVIDIA's SXM boards, for TF32 and for bf16 without sparsity; 0.21 to 0.46 are published for
# language models (Chowdhery et al. 2022, Table 3).  A core: measured with the mini world's encoders; 0.13
# with MiniLM-L6.
RATES = {"a100": (47.0, 94.0), "h100": (148.0, 297.0), "core": (0.07, 0.07)}
TERA, SECONDS = 1e12, 3600.0  # of an hour
TRAINED = 3  # cost of a training step in forward passes: the backward pass counts twice
BYTES_PER_TOKEN = 4.57  # in 2,699 sentences of Wikipedia, with the tokenizer of bert-base-uncased
PAIR_BYTES = 122  # both sentences of a pair of STS-B; used for all tasks that encoders are fine-tuned on
# Names of layers, width and vocabulary in config.json of BERT and GPT-2, and for models pre-trained here.
NAMES = (
    ("num_hidden_layers", "n_layer", "layers"),
    ("hidden_size", "n_embd", "hidden"),
    ("vocab_size", "vocabulary"),
)


class Size(NamedTuple):
    """Parameters of a model whose feed-forward layers are four times as wide as the others."""

    layers: int
    embeddings: int


class Work(NamedTuple):
    """What a model reads or writes in one job."""

    texts: float | None  # None: unknown
    tokens: float  # per text
    passes: int = 1  # forward passes per text
    half: bool | None = None  # half precision; None: as in the config


def hours(call: Call, job: Job, device: str) -> float | None:
    """Return the hours of a job on a device of RATES; None if its texts or its model's size are unknown.

    A forward pass takes 2 operations per parameter and token; the embeddings of encoders take none.
    """
    work, model = WORKS[job.rule](call, job.wildcards), model_of(call.project, job)
    size = size_of(call.project, *model)
    if work.texts is None or size is None:
        return None
    parameters = size.layers + (size.embeddings if model.section == "language_models" else 0)
    operations = work.passes * work.texts * work.tokens * 2 * parameters
    half = call.project.config.precision != "float32" if work.half is None else work.half
    return operations / (RATES[device][half] * TERA * SECONDS)


def unknown(call: Call, job: Job) -> str:
    """Name what is missing for estimating the hours of a job."""
    if WORKS[job.rule](call, job.wildcards).texts is not None:
        return f"shape of {model_of(call.project, job).key}"
    section = next(name for name in ("pairs", "texts", "rewrites") if name in job.wildcards)
    return f"rows of {section} {job.wildcards[section]}"


def size_of(project: Project, section: str, role: str) -> Size | None:
    """Return the size of a model of the world if its entry or folder gives it; nothing is fetched."""
    source = project.entry(section, role)
    told = [dict(getattr(source, "shape", None) or source)]
    if source.kind == "folder":
        folder = (project.encoder if section == "encoders" else project.language_model)(role).folder
        told = [json.loads(path.read_text(encoding="utf-8")) for path in Path(folder).rglob("config.json")]
    for config in told:
        layers, width, words = (next((config[key] for key in keys if key in config), 0) for keys in NAMES)
        if layers and width and words:
            return Size(12 * layers * width**2, words * width)
    return None


def _training(call: Call, job: dict[str, str]) -> Work:
    recipe: Any = call.project.recipe(job["recipe"])
    if recipe.kind == "contrastive_tension":
        texts: float | None = 2 * recipe.batch_size * recipe.steps
    else:
        rows, sides = call.rows(job["pairs"]), call.project.pairs(job["pairs"]).sides(call.project)
        texts = rows and rows * sides * getattr(recipe, "epochs", 1)
        if steps := getattr(recipe, "steps", None):
            texts = steps * min(recipe.batch_size, rows or recipe.batch_size) * sides
    passes = 1 if recipe.kind in ("whitening", "flow") else TRAINED
    own = getattr(recipe, "precision", None)
    return Work(texts, recipe.max_length, passes, own and own != "float32")


def _fine_tuning(call: Call, job: dict[str, str]) -> Work:
    spec = call.project.fine_tuning(job["fine_tuning"])
    pairs = TASKS[job["task"]].pairs["train"]  # type: ignore[index]
    wanted = pairs if spec.train_pairs is None else min(pairs, call.project.size(spec.train_pairs))
    return Work(spec.epochs * wanted, PAIR_BYTES / BYTES_PER_TOKEN, TRAINED)


def _writing(call: Call, job: dict[str, str]) -> Work:
    spec = call.project.entry("synthetic", job["texts"])
    labels = call.project.files.instructions(spec.instructions).labels
    versions = sum(1 + len(each.counters) for each in labels)  # also read after the counter-instructions
    count = call.texts(spec.corpus).sentences
    texts = count and count * spec.entries * versions / int(job["shards"])
    return Work(texts, spec.max_tokens)


def _perplexities(call: Call, job: dict[str, str]) -> Work:
    spec = call.project.entry("rewrites", job["rewrites"])
    count, length = call.texts(spec.corpus)
    texts = count and count * spec.at_most / int(job["shards"])
    return Work(texts, length / BYTES_PER_TOKEN)


def _detection(call: Call, job: dict[str, str]) -> Work:
    spec = call.project.detector(job["detector"])
    pairs = cast(DinoPairs, call.project.pairs(job["pairs"]))
    count, length = call.texts(call.project.entry("synthetic", pairs.texts).corpus)
    # As many human texts as machine texts; with k folds, k classifiers learn from all folds but one.
    texts = count and 2 * count * spec.epochs * max(1, spec.folds - 1)
    return Work(texts, length / BYTES_PER_TOKEN, TRAINED)


WORKS: dict[str, Callable[[Call, dict[str, str]], Work]] = {
    **dict.fromkeys(TRAININGS, _training),
    "evaluate_fine_tuned": _fine_tuning,
    "generate_dino": _writing,
    "score_rewrite_perplexities": _perplexities,
    "score_detection": _detection,
}
