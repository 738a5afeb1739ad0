"""What will lie on the disk."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from contrapose.forecast.compute import parameters, shape_of
from contrapose.forecast.dag import Job
from contrapose.forecast.dictionary import encoder_role
from contrapose.forecast.generation import Asking
from contrapose.forecast.synthetic import language_model_parameters, language_model_shape
from contrapose.forecast.texts import Texts, asked_texts, corpus_of, corpus_texts, pair_rows
from contrapose.generate.estimate import VERSIONS
from contrapose.plan import Plan
from contrapose.settings.worlds import ArticleFiles, HubTable

# Bytes in a Parquet file (zstd) for a byte of text.  Articles and sentences: 1,000 random articles of the
# 20231101 dump and 2,699 sentences that method 1 draws from them.  Variants of a sentence that stand
# together: the five of each of 1,950 answers of ChatGPT.
ARTICLE, SENTENCE, VARIANT = 0.41, 0.51, 0.27
ARTICLE_BYTES = 2370  # of text: the mean of these articles
MARKER_BYTES = 4  # around each variant in an answer: the same answers have 3.8
# Bytes of ids and numbers in a row.  Draws and sentences: those above; the others: the mini world's.
DRAW_ROW, SENTENCE_ROW, PARAPHRASE_ROW, ANSWER_ROW, PAIR_ROW = 5.4, 8, 2, 11, 2
JOURNAL_ROW = 805  # bytes of JSON around an answer: of 2,502 in the mini world
TAKEN = {1: 0.26, 2: 0.58, 3: 0.87}  # sentences that a draw takes, by method: docs/reproduction.md
FLOAT32 = 4  # bytes
# Times the weights: they, two moments of AdamW, and the best so far; two copies, a moment of RMSprop of each,
# and the best so far.
CHECKPOINT = {
    "train_encoder": 4,
    "train_contrastive_tension": 5,
    "evaluate_fine_tuned": 4,
    "evaluate_fine_tuned_released": 4,
    "score_identification": 4,
}

Size = float | None  # bytes; None: not known


@dataclass(frozen=True)
class Space:
    """What files of one kind take together."""

    size: float = 0.0  # bytes, of those that are known
    unknown: int = 0  # how many files, or sets of files, are not

    def __add__(self, other: "Space") -> "Space":
        """Return the space of both."""
        return Space(self.size + other.size, self.unknown + other.unknown)


def disk(
    plan: Plan,
    jobs: Iterable[Job],
    asked: Iterable[Asking],
    roles: Iterable[str],
    language_models: Iterable[str] = (),
) -> dict[str, Space]:
    """Return {what: space} of what lies there in the end; `roles` are those of all encoders that are used.

    The text of a table is its sentences times the share that compression leaves, and ids and numbers per
    row.  Benchmarks, scores, training logs, tables, figures and logs are left out: they are a few MB.
    Checkpoints are gone in the end: `checkpoint`.
    """
    found: dict[str, Space] = defaultdict(Space)
    fetched = [*_fetched(plan, roles), *_fetched_language_models(plan, language_models)]
    for what, size in [*_files(plan, jobs), *_journals(plan, asked), *fetched]:
        found[what] += Space(unknown=1) if size is None else Space(size)
    return dict(found)


def checkpoint(plan: Plan, jobs: Iterable[Job]) -> Size:
    """Return the bytes of the largest checkpoint; there is one for each training that is under way.

    Those of all folds of an identification, which stay until all are done, count as one.
    """
    sizes = [_checkpoint(plan, job) for job in jobs if job.rule in CHECKPOINT]
    known = [size for size in sizes if size is not None]
    return None if len(known) < len(sizes) else max(known, default=0.0)


def _checkpoint(plan: Plan, job: Job) -> Size:
    times, known = CHECKPOINT[job.rule], job.wildcards
    if job.rule == "score_identification":
        identifier = plan.identifier(known["identifier"])
        times, role = times * identifier.folds, identifier.encoder
    else:
        role = encoder_role(plan, known)
    weights = _weights(plan, role)
    return None if weights is None else times * weights


def _files(plan: Plan, jobs: Iterable[Job]) -> Iterator[tuple[str, Size]]:
    for rule, known in ((job.rule, job.wildcards) for job in jobs):
        if rule == "retrieve_articles":
            yield "articles", _articles(plan, plan.articles(), "articles")
        elif rule == "corpus_draw":
            yield "draws of corpora", _draws(plan, known["corpus"]) / int(known["shards"])
        elif rule == "retrieve_collection":
            name = known["collection"]
            yield "articles", _articles(plan, plan.collection(name), f"collections.{name}")
        elif rule == "corpus_segments":
            yield "draws of corpora", _segments(plan, known["corpus"])
        elif rule.startswith("corpus_") and "corpus" in known:
            texts = corpus_texts(plan, known["corpus"])
            yield "corpora", _sentences(texts) if texts else None
        elif rule == "generate_merge":
            yield "answers and paraphrases", _generated(plan, known["corpus"])
        elif rule.startswith("pairs_"):
            yield "pairs", _pairs(plan, known["pairs"])
        elif rule.startswith("train_") and "recipe" in known:
            yield "trained encoders", _weights(plan, plan.recipe(known["recipe"]).encoder)


def _articles(plan: Plan, source: ArticleFiles | HubTable, key: str) -> Size:
    if isinstance(source, HubTable):
        return source.rows * ARTICLE_BYTES * ARTICLE if source.rows else None
    if plan.world.mini:
        return round(plan.world.mini.articles * plan.world.scale) * ARTICLE_BYTES * ARTICLE
    if plan.data is None:
        return None
    return ARTICLE * sum(Path(path).stat().st_size for path in plan.article_files(source, key))


def _sentences(texts: Texts) -> float:
    return texts.count * (SENTENCE_ROW + SENTENCE * texts.length)


def _draws(plan: Plan, corpus: str) -> float:
    spec = plan.sampled_corpus(corpus)
    taken = TAKEN[spec.method] * SENTENCE * asked_texts(plan, corpus).length
    return plan.size(spec.size) * plan.world.draws_per_sentence * (DRAW_ROW + taken)


def _segments(plan: Plan, corpus: str) -> Size:
    """At most: every shard keeps as many as could come from it alone."""
    texts, spec = corpus_texts(plan, corpus), plan.corpus_segmented(corpus)
    return spec.candidates * (DRAW_ROW + SENTENCE * texts.length) if texts else None


def _generated(plan: Plan, corpus: str) -> float:
    """Answers and paraphrases lie there twice, by shard and together."""
    texts = asked_texts(plan, corpus)
    answers = ANSWER_ROW + VARIANT * _answer(texts.length)
    paraphrases = VERSIONS * (PARAPHRASE_ROW + VARIANT * texts.length)
    return _sentences(texts) + 2 * texts.count * (answers + paraphrases)


def _answer(length: float) -> float:
    """Return the bytes of an answer from those of its sentence."""
    return VERSIONS * (length + MARKER_BYTES)


def _journals(plan: Plan, asked: Iterable[Asking]) -> Iterator[tuple[str, Size]]:
    for one in asked:
        answer = _answer(asked_texts(plan, one.corpus).length)
        yield "journals of answers", one.estimate.requests * (JOURNAL_ROW + answer)


def _pairs(plan: Plan, pairs: str) -> Size:
    """A sentence and its positives stand together: the anchor counts once, and so do copies of it."""
    corpus, rows = corpus_of(plan, pairs), pair_rows(plan, pairs)
    texts = corpus_texts(plan, corpus) if corpus else None
    if texts is None or rows is None:
        return None
    others = len(rows.slots) * (rows.sides - 1)
    other = SENTENCE if others == 1 else VARIANT
    return rows.slots[0] * (others * PAIR_ROW + (SENTENCE + others * other) * texts.length)


def _fetched(plan: Plan, roles: Iterable[str]) -> Iterator[tuple[str, Size]]:
    for role in roles:
        if plan.encoder(role).hub:
            yield "encoders in the hub's cache", _weights(plan, role)


def _fetched_language_models(plan: Plan, roles: Iterable[str]) -> Iterator[tuple[str, Size]]:
    for role in roles:
        if plan.language_model(role).hub:
            shape = language_model_shape(plan, role)
            size = FLOAT32 * language_model_parameters(shape) if shape else None
            yield "language models in the hub's cache", size


def _weights(plan: Plan, role: str) -> Size:
    shape = shape_of(plan, role)
    return FLOAT32 * parameters(shape) if shape else None
