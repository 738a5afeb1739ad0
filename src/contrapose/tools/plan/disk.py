"""Estimate, on the high side, how much disk space the results of a call's jobs take."""

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from contrapose.generate.estimate import VERSIONS
from contrapose.tools.needs import TRAININGS, model_of
from contrapose.tools.plan.call import LENGTHS, Call
from contrapose.tools.plan.llm_costs import request_counts
from contrapose.tools.plan.work import WORKS, size_of

# Bytes in a Parquet file (zstd) per byte of text: 0.41 for 1,000 articles of Wikipedia of November 2023, of
# 2,370 bytes on average, and 0.51 for 2,699 sentences that method 1 draws from them.
ARTICLE, SENTENCE = 0.41 * 2370, 0.51
FLOAT32 = 4  # bytes
JOURNAL_ROW = 805  # bytes of JSON around an answer: mean of 2,502 answers in the mini world


class FileSizes(NamedTuple):
    """Some of the files that exist in the end."""

    what: str
    size: float | None  # bytes; None: unknown
    source: str  # what the size depends on


def disk(call: Call) -> Counter[str]:
    """Return {what: bytes} of the files that exist in the end, as far as known."""
    found: Counter[str] = Counter()
    for files in disk_files(call):
        found[files.what] += round(files.size or 0)
    return found


def disk_files(call: Call) -> list[FileSizes]:
    """Return the files that exist in the end, part by part; all others are a few MB.

    A running training also keeps a checkpoint four times the size of its encoder.
    """
    return [*_texts(call), *_models(call), *_answers(call)]


def _answers(call: Call) -> Iterator[FileSizes]:
    for one in request_counts(call):
        each = JOURNAL_ROW + (1 + 2 * SENTENCE) * VERSIONS * call.texts(one.corpus).length
        size = None if one.estimate is None else one.estimate.requests * each
        yield FileSizes("journals, answers", size, one.unknown)


def _texts(call: Call) -> Iterator[FileSizes]:
    for rule, known in ((job.rule, job.wildcards) for job in call.jobs):
        if rule == "retrieve_articles":
            rows = getattr(call.project.world.articles, "rows", None)
            yield FileSizes("articles", rows and ARTICLE * rows, "rows of articles")
        elif rule.startswith("corpus_") and "corpus" in known:
            count, length = call.texts(known["corpus"])
            draws = call.project.world.draws_per_sentence if rule == "corpus_draw" else 1
            size = count and count * length * SENTENCE * draws / int(known.get("shards", 1))
            yield FileSizes("corpora", size, f"sentences of corpus {known['corpus']}")
        elif rule.startswith("pairs_"):
            spec = call.project.pairs(known["pairs"])
            rows = spec.rows(call.project)
            size = rows and rows * spec.sides(call.project) * LENGTHS["sampled"] * SENTENCE
            yield FileSizes("pairs", size, f"rows of pairs {known['pairs']}")


def _models(call: Call) -> Iterator[FileSizes]:
    project = call.project
    jobs = [job for job in call.jobs if job.rule in WORKS or "/" in job.wildcards.get("run", "")]
    used = {model_of(project, job) for job in jobs}
    models = [("cache of the hub", each) for each in sorted(used) if project.entry(*each).kind == "hub"]
    models += [("trained encoders", model_of(project, job)) for job in call.jobs if job.rule in TRAININGS]
    for what, model in models:
        size = size_of(project, *model)
        yield FileSizes(what, size and FLOAT32 * sum(size), f"shape of {model.key}")
