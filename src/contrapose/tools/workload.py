"""How much the jobs of a call work on, and rough estimates of hours for the models that run here."""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, cast

import pyarrow.compute as pc

from contrapose.corpus.published_lines import SentenceFile, published_lines
from contrapose.errors import ContraposeError
from contrapose.generate.llm import PAIR_TEXTS
from contrapose.generate.queries import queries_per_document
from contrapose.pairs.dino import DinoPairs
from contrapose.project import Project
from contrapose.retrieve.benchmarks import read_benchmarks
from contrapose.retrieve.made_pairs import MadePairs
from contrapose.tables import BENCHMARK, PAIRS, SENTENCES, open_table, read_table
from contrapose.tasks import TASKS, TRANSLATED, UNTRANSLATED, Task
from contrapose.tools.dry_run import Job
from contrapose.tools.needs import SCORINGS, TRAININGS, Need, model_of
from contrapose.tools.speed import RATES, TERA

# UTF-8 bytes of a sentence.  Sampled and published: 25.9 and 22.6 words (thesis, Table 4.5) of 5.39 bytes, as
# 2,699 sentences that method 1 draws from 1,000 articles of Wikipedia of November 2023 have.  Segmented:
# 3,000 of these sentences; Japanese ones of PAWS-X.  Evaluation sets: STS test splits; Chinese ones.
LENGTHS: Mapping[str, float] = {
    "sampled": 140, "published": 122, "english": 111, "japanese": 144, "tasks": 61, "chinese": 45,
}  # fmt: skip
DISTINCT = {"tasks": 0.74, "chinese": 0.48}  # share of distinct sentences in the same sets
SECONDS = 3600.0  # of an hour
SLOWER = 4  # than an A100: see `minutes_of_work`
COUNTED = (
    50e6  # bytes of the largest file whose sentences are counted, which takes a second; as `check` reads
)
SPECIAL_TOKENS = 2  # at both ends of a text
PARAPHRASES = 5  # of a sentence
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

    @cached_property
    def _counts(self) -> dict[str, Texts | None]:
        return {}

    def counted(self, corpus: str) -> Texts | None:
        """Return the sentences of a corpus that is made, or comes from a file of the user; else None."""
        if corpus not in self._counts:
            self._counts[corpus] = self._counted(corpus)
        return self._counts[corpus]

    def _counted(self, corpus: str) -> Texts | None:
        if path := self.made(self.project.places.corpus(corpus)):
            with open_table(path, SENTENCES) as file:
                lengths = pc.binary_length(file.read(columns=["text"])["text"])
            return Texts(len(lengths), pc.mean(lengths).as_py() or 0.0)
        known = corpus in self.project.recipes.corpora
        spec: Any = self.project.corpus(corpus) if known else None
        source = spec and spec.kind == "published" and self.project.entry("sentence_files", spec.file)
        if not isinstance(source, SentenceFile) or self.project.makes_data or not self.project.data:
            return None
        file = self.project.data / source.path
        if not file.is_file() or file.stat().st_size > COUNTED:
            return None
        try:
            texts = published_lines(source, self.project.data).text
        except ContraposeError:  # `check` says what is wrong
            return None
        if not spec.as_published:
            texts = texts.str.strip().loc[lambda each: each != ""].drop_duplicates()
        count = len(texts) if spec.size is None else min(len(texts), self.project.size(spec.size))
        return Texts(count, texts.str.encode("utf-8").str.len().mean())

    def texts(self, corpus: str) -> Texts:
        """Return the sentences of a corpus, or of `untranslated`: counted in its file, else estimated.

        Of `pairs/X` an anchor with each positive and hard negative, as if no two rows shared them.
        """
        if counted := self.counted(corpus):
            return counted
        if corpus.startswith(PAIR_TEXTS):
            name = corpus.removeprefix(PAIR_TEXTS)
            rows, sides = self.all_rows(name), self.project.pairs(name).sides(self.project) - 1
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
        if spec.kind == "divided":
            whole, length = self.texts(spec.corpus)
            if whole is None:
                return Texts(None, length)
            held_out = min(whole, self.project.size(spec.held_out))
            left = held_out if spec.part == "test" else whole - held_out
            return Texts(min(left, count or left), length)
        return Texts(count, LENGTHS.get(getattr(spec, "language", ""), LENGTHS["sampled"]))

    def all_rows(self, pairs: str) -> float | None:
        """Return the rows of a pair set in all slots and one view; None if unknown.

        They are counted if the pairs are made, and follow from the settings if its sentences are known.
        """
        spec: Any = self.project.pairs(pairs)
        if path := self.made(self.project.places.pairs(pairs)):
            with open_table(path, PAIRS) as file:
                return file.metadata.num_rows / spec.views(self.project)
        return spec.rows(_Counting(self))

    def rows(self, pairs: str) -> float | None:
        """Return the rows of a pair set in one slot, which an epoch trains on; None if unknown."""
        rows = self.all_rows(pairs)
        return rows and rows / self.project.pairs(pairs).slot_count(self.project)

    def tokens(self, pairs: str) -> float:
        """Return the word pieces of a text of a pair set, if its sentences can be counted; else infinity."""
        spec: Any = self.project.pairs(pairs)
        while hasattr(spec, "pairs"):
            spec = self.project.pairs(spec.pairs)
        name = getattr(spec, "corpus", None) or ""
        whole = getattr(self.project.recipes.corpora.get(name), "corpus", name)  # of one that is divided
        counted = self.counted(whole)
        return counted.length / BYTES_PER_TOKEN + SPECIAL_TOKENS if counted else math.inf

    def scored_pairs(self, task: Task, form: str, split: str) -> int | None:
        """Return the pairs of a set: counted in its file, else as published; None if neither is known."""
        about = TASKS[task]
        made = self.made(self.project.places.benchmarks(about.suite))
        if not made and about.pairs.get(split):
            return about.pairs[split]
        sources = {name: each for name, each in self.project.world.benchmarks.items() if each.task == task}
        if not made and (makes := [each for each in sources.values() if isinstance(each, MadePairs)]):
            return makes[0].expected(self.project)
        folder = self.project.data and Path(self.project.data)
        try:
            table = read_table(made, BENCHMARK) if made else read_benchmarks(folder, sources)[0]
        except ContraposeError:  # `check` says what is missing
            return None
        return len(table[(table.task == task) & (table.form == form) & (table.split == split)]) or None


class _Counting:
    """A project whose corpora have as many sentences as their files."""

    def __init__(self, call: Call) -> None:
        self._call = call

    def __getattr__(self, name: str) -> Any:
        return getattr(self._call.project, name)

    def sentences(self, corpus: str) -> int | None:
        return self._call.texts(corpus).sentences


class Size(NamedTuple):
    """Parameters of a model whose feed-forward layers are four times as wide as the others."""

    layers: int
    embeddings: int


class Work(NamedTuple):
    """What a model reads or writes in one job."""

    texts: float | None  # None: unknown
    tokens: float  # per text
    passes: float = 1  # forward passes per text
    half: bool | None = None  # half precision; None: as in the config
    frozen: Sequence[str] = ()  # roles of further encoders that read each text once


def readers(call: Call, job: Job) -> list[tuple[Need, float]]:
    """Return the models of a job, and how often each reads a text."""
    work = WORKS[job.rule](call, job.wildcards)
    frozen = [(Need("encoders", role), 1.0) for role in work.frozen]
    return [(model_of(call.project, job), work.passes), *frozen]


def operations(call: Call, job: Job) -> float | None:
    """Return the operations of a job; None if its texts or the size of a model are unknown.

    A forward pass takes 2 operations per parameter and token; the embeddings of encoders take none.
    """
    work, total = WORKS[job.rule](call, job.wildcards), 0.0
    for model, passes in readers(call, job):
        size = size_of(call.project, *model)
        if work.texts is None or size is None:
            return None
        parameters = size.layers + (size.embeddings if model.section == "language_models" else 0)
        total += passes * work.texts * work.tokens * 2 * parameters
    return total


def hours(call: Call, job: Job, rates: tuple[float, float]) -> float | None:
    """Return the hours of a job at 10^12 operations a second in float32 and in half precision."""
    total, half = operations(call, job), WORKS[job.rule](call, job.wildcards).half
    half = call.project.config.precision != "float32" if half is None else half
    return None if total is None else total / (rates[half] * TERA * SECONDS)


def minutes_of_work(project: Project, rule: str, wildcards: Mapping[str, str]) -> float:
    """Return the minutes that a training asks a scheduler for: those of an A100, times four.

    A V100, of 2017, has 125 x 10^12 operations a second in half precision by its data sheet, an A100 312; the
    rest is for small batches.  0 for other jobs, and where it is not known.
    """
    if rule not in TRAININGS:
        return 0.0
    return 60 * SLOWER * (hours(Call(project, []), Job(rule, dict(wildcards)), RATES["a100"]) or 0.0)


def unknown(call: Call, job: Job) -> str:
    """Name what is missing for estimating the hours of a job."""
    if WORKS[job.rule](call, job.wildcards).texts is not None:
        sizes = ((model, size_of(call.project, *model)) for model, _ in readers(call, job))
        return next(f"shape of {model.key}" for model, size in sizes if size is None)
    section = next(
        name for name in ("pairs", "texts", "rewrites", "corpus", "suite") if name in job.wildcards
    )
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
    passes: float = 1 if recipe.kind in ("whitening", "flow") else TRAINED
    if getattr(recipe, "queue", 0):  # another forward pass of the anchors, one of two sides
        passes += 1 / 2
    precision = getattr(recipe, "precision", None)
    tokens = min(recipe.max_length, call.tokens(job["pairs"]))
    half, frozen = precision and precision != "float32", getattr(recipe, "frozen_encoders", ())
    return Work(texts, tokens, passes, half, frozen)


def _scored(call: Call, job: dict[str, str]) -> Work:
    """Both texts of each distinct pair of texts, in one input or in two."""
    texts = call.texts(PAIR_TEXTS + job["pairs"])
    return Work(texts.sentences, min(2 * call.tokens(job["pairs"]), texts.length / BYTES_PER_TOKEN))


def _neighbours(call: Call, job: dict[str, str]) -> Work:
    """Anchors and positives, and the sentences of another corpus."""
    rows, corpus = call.all_rows(job["pairs"]), job["within"].removeprefix("-")
    more = call.texts(corpus).sentences if corpus else 0
    texts = None if rows is None or more is None else 2 * rows + more
    # Precision auto is float32 here, so that negatives do not depend on the machine.
    half = None if call.project.config.precision != "auto" else False
    return Work(texts, min(_sampled(), call.tokens(job["pairs"])), half=half)


def _reranked(call: Call, job: dict[str, str]) -> Work:
    """Each anchor with each neighbour and its positive, in one input."""
    rows = call.rows(job["pairs"])
    texts = rows and rows * (int(job["nearest"]) + 1)
    return Work(texts, 2 * min(_sampled(), call.tokens(job["pairs"])))


def _paraphrases(call: Call, job: dict[str, str]) -> Work:
    """A sentence and its five paraphrases, or the two sides of pairs."""
    if pairs := job.get("pairs"):
        rows = call.all_rows(pairs)
        return Work(rows and 2 * rows, min(_sampled(), call.tokens(pairs)))
    count, length = call.texts(job["corpus"])
    return Work(count and count * (1 + PARAPHRASES), length / BYTES_PER_TOKEN)


def _sampled() -> float:
    return LENGTHS["sampled"] / BYTES_PER_TOKEN


def _evaluation(call: Call, job: dict[str, str]) -> Work:
    """Both sides of all pairs of a suite: of its test splits, and of the dev splits that are scored."""
    sets = [each for each in call.project.world.benchmarks.values() if TASKS[each.task].suite == job["suite"]]
    splits = [(each, split) for each in sets for split in ("test", *(["dev"] * TASKS[each.task].dev))]
    counts = [call.scored_pairs(each.task, each.form, split) for each, split in splits]
    texts = 2 * sum(filter(None, counts)) if any(counts) else None
    return Work(texts, PAIR_BYTES / 2 / BYTES_PER_TOKEN + SPECIAL_TOKENS)


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
    **dict.fromkeys(
        [each for each in SCORINGS if "paraphrase" in each or "parascores" in each], _paraphrases
    ),
    **dict.fromkeys(("score_relevance", "score_pair_cosines"), _scored),
    "score_neighbours": _neighbours,
    "score_reranked": _reranked,
    "evaluate_suite": _evaluation,
    "evaluate_fine_tuned": _fine_tuning,
    "generate_dino": _writing,
    "generate_queries": _queries,
    "generate_entailments": _entailments,
    "generate_masked_words": _filled,
    "score_rewrite_perplexities": _perplexities,
    "score_detection": _detection,
}
