"""What the jobs of a call leave on the disk, roughly, and rather too much than too little."""

from collections import Counter
from collections.abc import Iterator

from contrapose.generate.estimate import VERSIONS
from contrapose.tools.plan.asking import asked
from contrapose.tools.plan.call import LENGTHS, Call
from contrapose.tools.plan.work import WORKS, role_of_run, size_of

# Bytes in a Parquet file (zstd) for one of text: 0.41 of 1,000 articles of Wikipedia of November 2023, whose
# mean is 2,370 bytes, and 0.51 of 2,699 sentences that method 1 draws from them.
ARTICLE, SENTENCE = 0.41 * 2370, 0.51
FLOAT32 = 4  # bytes
JOURNAL_ROW = 805  # bytes of JSON around an answer, of 2,502 in the mini world


def disk(call: Call) -> Counter[str]:
    """Return {what: bytes} of what is there in the end, as far as it is known; all else is a few MB.

    A training under way also keeps a checkpoint of four times its encoder.
    """
    found: Counter[str] = Counter()
    for what, size in [*_texts(call), *_models(call)]:
        found[what] += round(size or 0)
    for one in asked(call):
        answer = VERSIONS * call.texts(one.corpus).length
        found["journals, answers"] += round(
            one.estimate.requests * (JOURNAL_ROW + (1 + 2 * SENTENCE) * answer)
        )
    return found


def _texts(call: Call) -> Iterator[tuple[str, float | None]]:
    for rule, known in ((job.rule, job.wildcards) for job in call.jobs):
        if rule == "retrieve_articles":
            yield "articles", ARTICLE * (getattr(call.project.world.articles, "rows", None) or 0)
        elif rule.startswith("corpus_") and "corpus" in known:
            count, length = call.texts(known["corpus"])
            draws = call.project.world.draws_per_sentence if rule == "corpus_draw" else 1
            yield "corpora", (count or 0) * length * SENTENCE * draws / int(known.get("shards", 1))
        elif rule.startswith("pairs_"):
            spec = call.project.pairs(known["pairs"])
            rows = spec.rows(call.project) or 0
            yield "pairs", rows * spec.sides(call.project) * LENGTHS["sampled"] * SENTENCE


def _models(call: Call) -> Iterator[tuple[str, float | None]]:
    project = call.project
    used = {WORKS[job.rule](call, job.wildcards)[:2] for job in call.jobs if job.rule in WORKS}
    runs = {job.wildcards.get("run", "") for job in call.jobs if job.rule.startswith("evaluate_")}
    used |= {("encoders", role_of_run(project, run)) for run in runs if "/" in run}
    for section, role in sorted(used):
        if project.entry(section, role).kind == "hub":
            size = size_of(project, section, role)
            yield "cache of the hub", size and FLOAT32 * sum(size)
    for job in call.jobs:
        if job.rule.startswith("train_") and "recipe" in job.wildcards:
            size = size_of(project, "encoders", project.recipe(job.wildcards["recipe"]).encoder)
            yield "trained encoders", size and FLOAT32 * sum(size)
