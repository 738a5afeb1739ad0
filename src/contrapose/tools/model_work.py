"""What the models of jobs compute, by the `work` of their rule: operations, and rough estimates of hours."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, cast

from contrapose.base.tasks import TASKS, Task
from contrapose.evaluate.fine_tuned import FORM
from contrapose.evaluate.suite import scores_dev
from contrapose.generate.llm_requests import PAIR_TEXTS
from contrapose.generate.queries import queries_per_document
from contrapose.pairs.dino import DinoPairs
from contrapose.project import Project
from contrapose.project.rules import Need, WorkKind
from contrapose.settings.catalogs import MASKED_SHARE
from contrapose.settings.corpora import LENGTHS
from contrapose.settings.prompt_files import VERSIONS
from contrapose.settings.recipes import TRAINED
from contrapose.tools.dry_run import Job
from contrapose.tools.needs import model_of
from contrapose.tools.speed import RATES, TERA
from contrapose.tools.workload import BYTES_PER_TOKEN, SPECIAL_TOKENS, Call

SIZE = "size of"  # begins what is unknown of a model that is not downloaded yet
SECONDS = 3600.0  # of an hour
SLOWER = 4  # than an A100: see `minutes_of_work`
WIDEST = 1024  # numbers of a vector: of RoBERTa-large, the widest encoder of the papers
QUERY_TOKENS = 12  # of a query by doc2query-t5: a guess, between five words and what it may write, 64
PAIR_BYTES = 122  # both sentences of a pair of STS-B; used for all tasks that encoders are fine-tuned on
# Names of layers, width and vocabulary in config.json of BERT, GPT-2, DistilBERT, T5 and XLNet, and for
# models pre-trained here.
NAMES = (
    ("num_hidden_layers", "n_layer", "n_layers", "layers", "num_layers"),
    ("hidden_size", "n_embd", "dim", "hidden", "d_model"),
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
    passes: float = 1  # forward passes per text
    half: bool | None = None  # half precision; None: as in the config
    frozen: Sequence[str] = ()  # roles of further encoders that read each text once
    more: float = 0  # operations besides


def _work_of(call: Call, job: Job) -> Work:
    kind = call.rule(job).work
    assert kind is not None, job.rule
    return WORKS[kind](call, {"section": model_of(call.project, job).section, **job.wildcards})


def readers(call: Call, job: Job) -> list[tuple[Need, float]]:
    """Return the models of a job, and how often each reads a text."""
    work = _work_of(call, job)
    frozen = [(Need("encoders", role), 1.0) for role in work.frozen]
    return [(model_of(call.project, job), work.passes), *frozen]


def operations(call: Call, job: Job) -> float | None:
    """Return the operations of a job; None if its texts or the size of a model are unknown.

    A forward pass takes 2 operations per parameter and token; the embeddings of encoders take none.
    """
    work, total = _work_of(call, job), 0.0
    for model, passes in readers(call, job):
        size = size_of(call.project, *model)
        if work.texts is None or size is None:
            return None
        parameters = size.layers + (size.embeddings if model.section == "language_models" else 0)
        total += passes * work.texts * work.tokens * 2 * parameters
    return total + work.more


def hours(call: Call, job: Job, rates: Sequence[Any]) -> float | None:
    """Return the hours of a job at 10^12 operations a second in float32 and in half precision."""
    total = operations(call, job)
    return None if total is None else total / (rates[in_half(call, job)] * TERA * SECONDS)


def in_half(call: Call, job: Job) -> bool:
    """Return whether a job computes in half precision."""
    half = _work_of(call, job).half
    return call.project.config.precision != "float32" if half is None else bool(half)


def minutes_of_work(project: Project, rule: str, wildcards: Mapping[str, str]) -> float:
    """Return the minutes that the model of a job asks a scheduler for: those of an A100, times four.

    A V100, of 2017, has 125 x 10^12 operations a second in half precision by its data sheet, an A100 312; the
    rest is for small batches.  0 for other jobs, and where it is not known.
    """
    if not project.rules.of(rule).work:
        return 0.0
    return 60 * SLOWER * (hours(Call(project, []), Job(rule, dict(wildcards)), RATES["a100"]) or 0.0)


def unknown(call: Call, job: Job) -> str:
    """Name what is missing for estimating the hours of a job."""
    if _work_of(call, job).texts is not None:
        sizes = ((model, size_of(call.project, *model)) for model, _ in readers(call, job))
        return next(f"{SIZE} {model.key}" for model, size in sizes if size is None)
    section = next(
        name for name in ("pairs", "texts", "rewrites", "corpus", "suite") if name in job.wildcards
    )
    return f"number of rows of {section} {job.wildcards[section]}"


def size_of(project: Project, section: str, role: str) -> Size | None:
    """Return the size of a model of the catalog if its entry or folder gives it; nothing is fetched."""
    for config in project.entry(section, role).configs(project):
        layers, width, words = (next((config[key] for key in keys if key in config), 0) for keys in NAMES)
        if layers and width and words:
            # Attention has 4 and what is behind it 8; a decoder beside an encoder attends twice.
            each = 12 + 16 if config.get("is_encoder_decoder") else 12
            return Size(each * layers * width**2, words * width)
    return None


def _training(call: Call, job: dict[str, str]) -> Work:
    recipe: Any = call.project.recipe(job["recipe"])
    rows, sides = call.rows(job["pairs"]), call.project.pairs(job["pairs"]).sides(call.project)
    tokens = min(recipe.max_length, call.tokens(job["pairs"]))
    passes, half = recipe.passes(call.project), recipe.in_half(call.project)
    texts = None if call.is_unreadable(job["pairs"]) else recipe.texts_read(call.project, rows, sides)
    return Work(texts, tokens, passes, half, recipe.frozen_encoders)


def _scored(call: Call, job: dict[str, str]) -> Work:
    """Both texts of each distinct pair of texts, in one input or in two."""
    texts = call.texts(PAIR_TEXTS + job["pairs"])
    return Work(texts.sentences, min(2 * call.tokens(job["pairs"]), texts.length / BYTES_PER_TOKEN))


def _neighbours(call: Call, job: dict[str, str]) -> Work:
    """Anchors and positives, and the sentences of another corpus; each anchor is compared with all."""
    rows, corpus = call.all_rows(job["pairs"]), job["within"].removeprefix("-")
    more = call.texts(corpus).sentences if corpus else 0
    texts = None if rows is None or more is None else 2 * rows + more
    compared = 0.0 if rows is None or more is None else rows * (rows + more) * 2 * WIDEST
    # Precision auto is float32 here, so that negatives do not depend on the machine.
    half = None if call.project.config.precision != "auto" else False
    return Work(texts, min(_sampled(), call.tokens(job["pairs"])), half=half, more=compared)


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
    return Work(count and count * (1 + VERSIONS), length / BYTES_PER_TOKEN)


def _sampled() -> float:
    return LENGTHS["sampled"] / BYTES_PER_TOKEN


def _evaluation(call: Call, job: dict[str, str]) -> Work:
    """Both sides of all pairs of a suite: of its test splits, and of the dev splits that are scored."""
    sets = [
        each for each in call.project.catalog.benchmarks.values() if TASKS[each.task].suite == job["suite"]
    ]
    dev = scores_dev(call.project, job["suite"])
    splits = [(each, split) for each in sets for split in ("test", *["dev"] * (dev and TASKS[each.task].dev))]
    counts = [call.scored_pairs(each.task, each.form, split) for each, split in splits]
    texts = 2 * sum(filter(None, counts)) if any(counts) else None
    return Work(texts, PAIR_BYTES / 2 / BYTES_PER_TOKEN + SPECIAL_TOKENS)


def _pretraining(call: Call, job: dict[str, str]) -> Work:
    """All steps; of encoders the layer that predicts words sees the masked tokens alone."""
    spec = call.project.entry(job["section"], job["role"])
    texts = spec.steps * spec.batch
    longest = spec.longest(call.project)
    length = call.texts(spec.corpus).length / BYTES_PER_TOKEN if spec.corpus else longest
    tokens = min(longest, length + SPECIAL_TOKENS)
    size = size_of(call.project, job["section"], job["role"])
    masked = MASKED_SHARE * texts * tokens * 2 * TRAINED if job["section"] == "encoders" else 0
    half = spec.in_half(call.project)
    return Work(texts, tokens, TRAINED, half, more=size.embeddings * masked if size else 0)


def _fine_tuning(call: Call, job: dict[str, str]) -> Work:
    spec = call.project.entry("fine_tunings", job["fine_tuning"])
    pairs = call.scored_pairs(cast(Task, job["task"]), FORM, "train")
    rows = (
        pairs
        if spec.train_pairs is None or pairs is None
        else min(pairs, call.project.size(spec.train_pairs))
    )
    return Work(rows and spec.epochs * rows, PAIR_BYTES / BYTES_PER_TOKEN, TRAINED)


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
    texts = count and count * spec.max_candidates / int(job["shards"])
    return Work(texts, length / BYTES_PER_TOKEN)


def _detection(call: Call, job: dict[str, str]) -> Work:
    spec = call.project.entry("identifiers", job["detector"])
    pairs = cast(DinoPairs, call.project.pairs(job["pairs"]))
    count, length = call.texts(call.project.entry("synthetic", pairs.texts).corpus)
    # As many human texts as machine texts; with k folds, k classifiers learn from all folds but one.
    texts = count and 2 * count * spec.epochs * max(1, spec.folds - 1)
    return Work(texts, length / BYTES_PER_TOKEN, TRAINED)


WORKS: dict[WorkKind, Callable[[Call, dict[str, str]], Work]] = {
    "training": _training,
    "pretraining": _pretraining,
    "fine_tuning": _fine_tuning,
    "detection": _detection,
    "evaluation": _evaluation,
    "paraphrases": _paraphrases,
    "pair_encoding": _scored,
    "cross_encoding": _scored,
    "neighbours": _neighbours,
    "reranking": _reranked,
    "writing": _writing,
    "queries": _queries,
    "entailments": _entailments,
    "masked_words": _filled,
    "perplexities": _perplexities,
}
