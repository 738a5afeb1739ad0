"""How much the jobs of a call work on, and rough estimates of hours for the models that run here."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, cast

import pyarrow.compute as pc

from contrapose.generate.llm import PAIR_TEXTS
from contrapose.generate.queries import queries_per_document
from contrapose.pairs.dino import DinoPairs
from contrapose.project import Project
from contrapose.tables import SENTENCES, open_table
from contrapose.tasks import TASKS, TRANSLATED, UNTRANSLATED
from contrapose.tools.dry_run import Job
from contrapose.tools.needs import TRAININGS, model_of

# UTF-8 bytes of a sentence.  Sampled and published: 25.9 and 22.6 words (thesis, Table 4.5) of 5.39 bytes, as
# 2,699 sentences that method 1 draws from 1,000 articles of Wikipedia of November 2023 have.  Segmented:
# 3,000 of these sentences; Japanese ones of PAWS-X.  Evaluation sets: STS test splits; Chinese ones.
LENGTHS: Mapping[str, float] = {
    "sampled": 140, "published": 122, "english": 111, "japanese": 144, "tasks": 61, "chinese": 45,
}  # fmt: skip
DISTINCT = {"tasks": 0.74, "chinese": 0.48}  # share of distinct sentences in the same sets
# 10^12 operations per second reached in float32 and in half precision.  GPUs: 0.3 of the peak in the data
# sheets of NVIDIA's SXM boards, for TF32 and for bf16 without sparsity; 0.21 to 0.46 are published for
# language models (Chowdhery et al. 2022, Table 3).  A core: measured with the mini world's encoders; 0.13
# with MiniLM-L6.
RATES = {"a100": (47.0, 94.0), "h100": (148.0, 297.0), "core": (0.07, 0.07)}
TERA, SECONDS = 1e12, 3600.0  # of an hour
TRAINED = 3  # cost of a training step in forward passes: the backward pass counts twice
BYTES_PER_TOKEN = 4.57  # in 2,699 sentences of Wikipedia, with the tokenizer of bert-base-uncased
QUERY_TOKENS = 12  # of a query by doc2query-t5: a guess, between five words and what it may write, 64
PAIR_BYTES = 122  # both sentences of a pair of STS-B; used for all tasks that encoders are fine-tuned on
# Names of layers, width and vocabulary in config.json of BERT, GPT-2 and T5, and for models pre-trained here.
NAMES = (
    ("num_hidden_layers", "n_layer", "layers", "num_layers"),
    ("hidden_size", "n_embd", "hidden", "d_model"),
    ("vocab_size", "vocabulary"),
)


class Texts(NamedTuple):
    """The sentences of a corpus."""

    sentences: int | None  # None: unknown before the corpus is made
    length: float  # mean UTF-8 bytes of a sentence


@dataclass(frozen=True)
class Call:
    """Jobs that still have to run."""

    project: Project
    jobs: list[Job]

    @cached_property
    def _outputs(self) -> set[str]:
        return {path for job in self.jobs for path in job.outputs}

    def of(self, rule: str) -> list[dict[str, str]]:
        return [job.wildcards for job in self.jobs if job.rule == rule]

    def made(self, place: str) -> Path | None:
        """Return a file of `<results>` that exists and that no job makes again."""
        path = place.replace("<results>", self.project.results)
        return Path(path) if path not in self._outputs and Path(path).is_file() else None

    def texts(self, corpus: str) -> Texts:
        """Return the sentences of a corpus, or of `untranslated`: counted in its file, else estimated.

        Of `pairs/X` an anchor with each positive and hard negative, as if no two rows shared them.
        """
        if path := self.made(self.project.places.corpus(corpus)):
            with open_table(path, SENTENCES) as file:
                lengths = pc.binary_length(file.read(columns=["text"])["text"])
            return Texts(len(lengths), pc.mean(lengths).as_py() or 0.0)
        if corpus.startswith(PAIR_TEXTS):
            rows = (spec := self.project.pairs(corpus.removeprefix(PAIR_TEXTS))).rows(self.project)
            sides = spec.sides(self.project) - 1
            return Texts(None if rows is None else round(rows * sides), 2 * LENGTHS["sampled"])
        if corpus == UNTRANSLATED:
            size = getattr(self.project.world.translator, "size", None)
            pairs = (self.project.size(size) if size else TASKS[task].pairs["test"] for task in TRANSLATED)
            return Texts(2 * sum(pairs), LENGTHS["chinese"])
        spec, count = self.project.corpus(corpus), self.project.sentences(corpus)
        if spec.kind == "tasks":
            kind = "chinese" if TASKS[spec.tasks[0]].suite == "chinese" else "tasks"
            every = round(DISTINCT[kind] * 2 * sum(TASKS[task].pairs[spec.split] for task in spec.tasks))
            fewer = count is None or (spec.at_most and 0 < every < count)
            return Texts((every if fewer else count) or None, LENGTHS[kind])
        if spec.kind == "published":
            rows = getattr(self.project.entry("sentence_files", spec.file), "rows", None)
            return Texts(count or rows, LENGTHS["published"])
        return Texts(count, LENGTHS.get(getattr(spec, "language", ""), LENGTHS["sampled"]))

    def rows(self, pairs: str) -> float | None:
        """Return the rows of a pair set in one slot, which an epoch trains on; None if unknown."""
        spec: Any = self.project.pairs(pairs)
        rows = spec.rows(self.project)
        if rows is None and getattr(spec, "size", "") is None and hasattr(spec, "corpus"):
            return self.texts(spec.corpus).sentences
        return rows and rows / spec.slot_count(self.project)


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
    section = next(name for name in ("pairs", "texts", "rewrites", "corpus") if name in job.wildcards)
    return f"rows of {section} {job.wildcards[section]}"


def size_of(project: Project, section: str, role: str) -> Size | None:
    """Return the size of a model of the world if its entry or folder gives it; nothing is fetched."""
    source = project.entry(section, role)
    configs = [dict(getattr(source, "shape", None) or source)]
    if source.kind == "folder":
        folder = (project.encoder if section == "encoders" else project.language_model)(role).folder
        configs = [json.loads(path.read_text(encoding="utf-8")) for path in Path(folder).rglob("config.json")]
    for config in configs:
        layers, width, words = (next((config[key] for key in keys if key in config), 0) for keys in NAMES)
        if layers and width and words:
            # Attention has 4 and what is behind it 8; a decoder beside an encoder attends twice.
            each = 12 + 16 if config.get("is_encoder_decoder") else 12
            return Size(each * layers * width**2, words * width)
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
    precision = getattr(recipe, "precision", None)
    return Work(texts, recipe.max_length, passes, precision and precision != "float32")


def _fine_tuning(call: Call, job: dict[str, str]) -> Work:
    spec = call.project.fine_tuning(job["fine_tuning"])
    pairs = TASKS[job["task"]].pairs["train"]  # type: ignore[index]
    rows = pairs if spec.train_pairs is None else min(pairs, call.project.size(spec.train_pairs))
    return Work(spec.epochs * rows, PAIR_BYTES / BYTES_PER_TOKEN, TRAINED)


def _writing(call: Call, job: dict[str, str]) -> Work:
    spec = call.project.entry("synthetic", job["texts"])
    labels = call.project.files.instructions(spec.instructions).labels
    versions = sum(1 + len(each.counters) for each in labels)  # also read after the counter-instructions
    count = call.texts(spec.corpus).sentences
    texts = count and count * spec.entries * versions / int(job["shards"])
    return Work(texts, spec.max_tokens)


def _queries(call: Call, job: dict[str, str]) -> Work:
    """Half of an encoder-decoder reads the document, and half writes a query, here of twelve tokens."""
    count, length = call.texts(job["corpus"])
    auto = job["queries"] == "auto"
    each = (count and queries_per_document(count)) if auto else int(job["queries"])
    return Work(count and each and count * each, (length / BYTES_PER_TOKEN + QUERY_TOKENS) / 2, half=False)


def _entailments(call: Call, job: dict[str, str]) -> Work:
    """A sentence is read twice to write two texts of its length, and twice with one of them to judge it."""
    count, length = call.texts(job["corpus"])
    return Work(count, (2 + 2 + 4) * length / BYTES_PER_TOKEN / 2, half=False)


def _filled(call: Call, job: dict[str, str]) -> Work:
    count, length = call.texts(job["corpus"])
    return Work(count and count * int(job["slots"]), length / BYTES_PER_TOKEN, half=False)


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
    "generate_queries": _queries,
    "generate_entailments": _entailments,
    "generate_masked_words": _filled,
    "score_rewrite_perplexities": _perplexities,
    "score_detection": _detection,
}
