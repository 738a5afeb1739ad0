"""What jobs that run no model take: so much for each row of their tables, or for each request."""

from collections.abc import Callable, Mapping
from typing import NamedTuple, cast

from contrapose.forecast.dag import Job
from contrapose.forecast.loads import Load
from contrapose.forecast.texts import (
    LABELS,
    UNKNOWN_ROWS,
    asked_texts,
    benchmark_texts,
    corpus_texts,
    pair_rows,
    transfer_texts,
    unknown_rows,
)
from contrapose.generate.endpoint import serving_module
from contrapose.generate.estimate import expected_tokens
from contrapose.jobs import AskingJob
from contrapose.plan import Plan
from contrapose.settings.corpora import SegmentedCorpus
from contrapose.settings.worlds import HubTable
from contrapose.tasks import UNTRANSLATED, Suite

Wildcards = Mapping[str, str]

UNKNOWN_RULES = 40_000_000  # of a dictionary: a guess at PPDB 2.0 XL
TOKENS_PER_SECOND = 10  # of an answer where the world does not say; ChatGPT's were 20 in the thesis
SERVED_SECONDS = 0.002  # of an answer of a python: endpoint, measured with the mini world's: docs/stages.md
REPLACED = 0.01  # sentences that get another one: 0.3 % in the thesis
REQUEST = 4_000  # bytes of a sentence that is asked about, with its answer: docs/performance.md


class Rate(NamedTuple):
    """What a row of a job takes."""

    rows: Callable[[Plan, Wildcards], float | None]
    size: float  # bytes in memory
    seconds: float


def _articles(plan: Plan, _: Wildcards) -> float | None:
    source = plan.articles()
    return source.rows if isinstance(source, HubTable) else _mini_articles(plan)


def _collection(plan: Plan, known: Wildcards) -> float | None:
    source = plan.collection(known["collection"])
    return source.rows if isinstance(source, HubTable) else _mini_articles(plan)


def _mini_articles(plan: Plan) -> float | None:
    return plan.world.mini.articles * plan.world.scale if plan.world.mini else None


def _segmented_articles(plan: Plan, known: Wildcards) -> float | None:
    """Articles that a shard splits."""
    spec = plan.corpus(known["corpus"])
    assert isinstance(spec, SegmentedCorpus)
    articles = _collection(plan, {"collection": spec.collection})
    return articles / int(known["shards"]) if articles else None


def _draws(plan: Plan, known: Wildcards) -> float | None:
    spec = plan.sampled_corpus(known["corpus"])
    draws = plan.size(spec.size) * plan.world.draws_per_sentence
    return draws / int(known.get("shards", 1))


def _candidates(plan: Plan, known: Wildcards) -> float | None:
    return plan.corpus_segmented(known["corpus"]).candidates


def _corpus(plan: Plan, known: Wildcards) -> float | None:
    """Sentences of a corpus, of one shard if there are."""
    texts = corpus_texts(plan, known["corpus"])
    return texts.count / int(known.get("shards", 1)) if texts else None


def _candidates_of_dictionary(plan: Plan, known: Wildcards) -> float | None:
    spec = plan.rewrites(known["rewrites"])
    sentences = _corpus(plan, {**known, "corpus": spec.corpus})
    return sentences * spec.at_most if sentences else None


def _written(plan: Plan, known: Wildcards) -> float | None:
    spec = plan.synthetic(known["texts"])
    sentences = corpus_texts(plan, spec.corpus)
    return sentences.count * LABELS * spec.entries if sentences else None


def _pairs(plan: Plan, known: Wildcards) -> float | None:
    rows = pair_rows(plan, known["pairs"])
    return sum(rows.slots) * (rows.sides - 1) if rows else None


def _triples(plan: Plan, known: Wildcards) -> float | None:
    return getattr(plan.triple_source(known["source"]), "rows", None)


def _rules(plan: Plan, _: Wildcards) -> float | None:
    return None if plan.world.mini else UNKNOWN_RULES


def _glove(plan: Plan, known: Wildcards) -> float | None:
    return _corpus(plan, {"corpus": plan.train_glove(known["role"]).corpus})


def _of_suite(plan: Plan, known: Wildcards) -> float:
    return benchmark_texts(plan, cast(Suite, known.get("suite", "english"))).count


def _of(suite: Suite) -> Callable[[Plan, Wildcards], float]:
    return lambda plan, _: _of_suite(plan, {"suite": suite})


UNKNOWN_TABLE = Load(memory=UNKNOWN_ROWS * 4_000, seconds=UNKNOWN_ROWS * 0.004)  # as the dearest of a stage

ASKING = ("generate_paraphrase", "generate_translate", "generate_asked")  # they wait for an API

# Bytes and seconds of a row.  "Performance" is the table of stages in docs/performance.md; "mini" was
# measured in the mini world, one job; the others are bounds that the mini world keeps (docs/plan.md).
RATES = {
    "mini_world": Rate(_articles, 100_000, 0.06),  # mini: 21 s for 400 articles
    "retrieve_archive": Rate(lambda *_: 1, 1e8, 600.0),  # a download of some MB
    "retrieve_articles": Rate(_articles, 154, 0.0005),  # performance; a hub's download at 5 MB/s
    "retrieve_collection": Rate(_collection, 154, 0.0005),
    "retrieve_benchmarks": Rate(_of_suite, 2_000, 0.001),
    "retrieve_translated": Rate(_of("chinese"), 2_000, 0.001),
    "retrieve_naive": Rate(_of("english"), 2_000, 0.001),
    "retrieve_transfer": Rate(lambda plan, _: transfer_texts(plan).count, 2_000, 0.001),
    "retrieve_triples": Rate(_triples, 1_000, 0.0001),
    "retrieve_dictionary": Rate(_rules, 40, 0.0001),  # 35 bytes a rule, 60 MB of rules held at once
    "corpus_punkt": Rate(lambda plan, _: plan.world.punkt_articles, 40_000, 0.01),  # mini: 4 s, 130 MB
    "corpus_draw": Rate(_draws, 561, 0.0001),  # performance: 51 to 110 us
    "corpus_sample": Rate(_draws, 454, 0.00002),  # performance: 0.95 us
    "corpus_segments": Rate(_segmented_articles, 600, 0.002),
    "corpus_segmented": Rate(_candidates, 1_000, 0.003),
    "corpus_published": Rate(_corpus, 606, 0.00004),  # performance
    "corpus_tasks": Rate(_corpus, 2_000, 0.0002),
    "corpus_untranslated": Rate(lambda plan, _: asked_texts(plan, UNTRANSLATED).count, 2_000, 0.0002),
    "generate_merge": Rate(_corpus, 4_000, 0.0007),  # performance
    "generate_synthetic": Rate(_written, 1_000, 0.0001),
    "generate_rewrites": Rate(_candidates_of_dictionary, 254, 0.0001),
    "pairs_dropout": Rate(_pairs, 600, 0.00002),  # performance: 2.5 kB and 9 us for five pairs
    "pairs_paraphrase": Rate(_pairs, 600, 0.00002),
    "pairs_triples": Rate(_pairs, 600, 0.00002),
    "pairs_punctuation": Rate(_pairs, 1_000, 0.0001),
    "pairs_prefix": Rate(_pairs, 1_000, 0.0001),
    "pairs_dino": Rate(_pairs, 2_000, 0.0001),
    "pairs_reweighted": Rate(_pairs, 1_000, 0.0001),
    "pairs_dictionary": Rate(_pairs, 2_000, 0.0002),
    "score_paraphrases": Rate(_corpus, 3_500, 0.0011),  # performance
    "score_linguistics": Rate(_pairs, 4_000, 0.002),
    "score_rewrite_statistics": Rate(_candidates_of_dictionary, 300, 0.00001),
    "train_glove": Rate(_glove, 30_000, 0.01),
}


def row_load(plan: Plan, job: Job) -> Load:
    """Return what a job that runs no model takes: its rows times those of its rule in RATES, or its requests.

    `plan` is from nothing, so that no table is opened.
    """
    rule, known = job.rule, job.wildcards
    if rule in ASKING:
        return _asking(plan, rule, known)
    rate = RATES[rule]
    rows = rate.rows(plan, known)
    if rows is None:
        rows = unknown_rows(plan) or 0
    seconds = rows * rate.seconds
    if rule == "generate_merge":
        asked = plan.generate_merge(**known)
        seconds += _seconds(plan, asked, REPLACED * rows, asked_texts(plan, known["corpus"]).length)
    return Load(rows * rate.size, seconds, goes_on=rule == "generate_merge")


def _asking(plan: Plan, rule: str, known: Wildcards) -> Load:
    """Return what asking about one shard takes: the time is that of the answers."""
    if rule == "generate_asked":
        spec = plan.synthetic(known["texts"])
        jobs: list[AskingJob] = [*plan.generate_asked(known["texts"]).instructions]
        texts = corpus_texts(plan, spec.corpus)
        assert texts is not None  # written for a sampled corpus or for evaluation sets
    elif rule == "generate_translate":
        jobs, texts = [plan.generate_translate(known["llm"])], asked_texts(plan, UNTRANSLATED)
    else:
        jobs = [plan.generate_paraphrase(known["corpus"], known["llm"], known["prompt"])]
        texts = asked_texts(plan, known["corpus"])
    count = texts.count / int(known.get("shards", 1))
    seconds = sum(_seconds(plan, job, count, texts.length) for job in jobs)
    return Load(len(jobs) * count * REQUEST, seconds, goes_on=True)


def _seconds(plan: Plan, job: AskingJob, count: float, length: float) -> float:
    """Return the seconds of `count` requests about sentences of so many bytes, at the limits of the key."""
    llm, tokens = plan.llm(job.llm), expected_tokens(1, round(length), job)
    if serving_module(llm.endpoint):
        return count * SERVED_SECONDS
    answered = count * tokens.completion / (llm.tokens_per_second or TOKENS_PER_SECOND) / llm.concurrency
    # The limits are those of all jobs together, which may all run at once.
    together = count * plan.config.shards.generate
    requests = 60 * together / llm.requests_per_minute if llm.requests_per_minute else 0
    counted = tokens.prompt + (
        job.asked.max_tokens if llm.tokens_counted == "reserved" else tokens.completion
    )
    limited = 60 * together * counted / llm.tokens_per_minute if llm.tokens_per_minute else 0
    return max(answered, requests, limited)
