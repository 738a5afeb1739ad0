"""Print what the jobs that still have to run take (requests, USD, hours, disk) and could tell apart."""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

import pandas as pd

from contrapose.base import directory
from contrapose.base.tasks import UNTRANSLATED
from contrapose.corpus.draw import SampledCorpus
from contrapose.generate import chat_texts, judgements, llm_backtranslation, paraphrase, sentences, translate
from contrapose.generate.estimate import UsageStats, estimated, expected_tokens
from contrapose.generate.llm_requests import PAIR_TEXTS, LLMRequests
from contrapose.generate.pace import SHARE
from contrapose.generate.progress import usd
from contrapose.jobs.fingerprint import canonical
from contrapose.project import Project
from contrapose.project.methods import said_of_curves, said_of_skipped
from contrapose.settings.corpora import LENGTHS
from contrapose.settings.prompt_files import VERSIONS
from contrapose.settings.recipes import EncoderRecipe
from contrapose.tools.arguments import parser_of
from contrapose.tools.check_files import wrong_files
from contrapose.tools.command_line import check_is_project, project_of
from contrapose.tools.dry_run import planned_jobs, without_targets
from contrapose.tools.fetchable import fetch_command, fetchable
from contrapose.tools.forecast import beside_models
from contrapose.tools.model_work import SIZE, hours, in_half, size_of, unknown
from contrapose.tools.needs import model_of, sets_left_out, tables_of, with_and_without_numbers
from contrapose.tools.power import power
from contrapose.tools.speed import Machine, cores, machine, spelled
from contrapose.tools.workload import Call
from snakemake_logger_plugin_contrapose.running import name_of

MINUTES, SECONDS, GIGA = 60.0, 3600.0, 1e9  # of an hour, of an hour, bytes
# Bytes in a Parquet file (zstd) per byte of text: 0.41 for 1,000 articles of Wikipedia of November 2023, of
# 2,370 bytes on average, and 0.51 for 2,699 sentences that method 1 draws from them.
ARTICLE, SENTENCE = 0.41 * 2370, 0.51
FLOAT32 = 4  # bytes
JOURNAL_ROW = 805  # bytes of JSON around an answer: mean of 2,502 answers in the mini world
KIND = "kind of job"
MANY = 4  # pair sets that are not named one by one
COUNT, DECIMAL = "{:,.0f}".format, "{:,.2f}".format
FORMATS: dict[str, Callable[[float], str]] = {
    **{"jobs": COUNT, "requests": COUNT, "tokens": COUNT, "cost": usd, "at most": usd},
    **{"time": spelled, "GB": DECIMAL, "rate": lambda guesses: "estimated" if guesses else "measured"},
}
# Corpus, what is asked about each of its sentences, number of sentences; None: unknown.
Question = tuple[str, LLMRequests, int | None]


class Amounts(NamedTuple):
    """What some of the jobs take: summands in one row of a table."""

    table: str
    labels: dict[str, str]  # of the row
    amounts: dict[str, Any]  # numbers by column; None: unknown
    unknown: str = ""  # what has to be given for a complete estimate


def main(arguments: list[str]) -> bool:
    """Print the plan; the exit code is 0 only if no file that a run reads is wrong.

    Raises ContraposeError if the settings or the targets are wrong.
    """
    options = parser_of("plan").parse_args(arguments)
    check_is_project("plan", options.targets)
    project = project_of(options.config)
    of_call = said_of_skipped(project)
    targets, device = options.targets or list(project.studies), machine(project, options.device)
    jobs = without_targets(planned_jobs(project, targets, options.everything))
    call = Call(project, jobs)
    print(f"{', '.join(targets)} in catalog {project.catalog_name}, seeds: {len(project.seeds)}\n")
    print(f"{of_call}\n\n" if of_call else "", end="")
    for table, said in said_of_curves(project, call.tables).items():
        print(f"{table}: {said}\n")
    print(plan(call, device) if call.jobs else "Everything is up to date, so no job would run.")
    if call.jobs:
        print(f"\n{whole_time(call, device)}")
    print(*left_out(project, targets, options.config), sep="\n")
    failing = wrong_files(project, jobs)
    for one in failing:
        print(f"A run would fail. {one.what}: {one.text}")
    return bool(failing)


def left_out(project: Project, targets: Sequence[str], config: Sequence[str]) -> Iterator[str]:
    """Yield how much the targets of a call lack, and the command that brings what can be fetched of it."""
    names = tables_of(project, targets)
    counts = {
        "method": with_and_without_numbers(project, names)[1],
        "test set": len(sets_left_out(project, targets)),
    }
    some = [f"{number} {what}{'s' * (number > 1)}" for what, number in counts.items() if number]
    if some:
        checked = directory.call("check", directory.settings(config), "--", *targets)
        yield f"\nNo sum includes {' and '.join(some)}, whose input is missing. `{checked}` names them."
    if wanted := len(fetchable(project, targets)):
        yield f"{wanted} models and files can be downloaded: {fetch_command(config, targets)}"


def plan(call: Call, device: Machine) -> str:
    """Return all tables as text, and what is unknown."""
    rules = sorted(job.rule for job in call.jobs)
    every = [*(Amounts("Jobs", {KIND: name_of(rule, {})}, {"jobs": 1}) for rule in rules)]
    every += [*llm_estimates(call), *_work(call, device), *disk_files(call)]
    parts = [f"{title}\n{_summed(list(lines))}" for title, lines in groupby(every, lambda one: one.table)]
    parts += filter(None, [power(call), *(f"batch_size: {said}" for said in large_batches(call))])
    names = _in_one(list(dict.fromkeys(one.unknown for one in every if one.unknown)))
    if names := [*names, *prices_to_set(call)]:
        parts.append("\n  ".join(["Not known, so no sum includes them:", *names]))
    return "\n\n".join(parts)


def _in_one(unknown: Sequence[str]) -> list[str]:
    """Return what is unknown, all pair sets in one line if there are many."""
    sets = [each for each in unknown if each.startswith("number of rows of pairs ")]
    if len(sets) < MANY:
        return [*unknown]
    return [*(each for each in unknown if each not in sets), f"number of rows of {len(sets)} pair sets"]


def prices_to_set(call: Call) -> list[str]:
    """Return a sentence for each language model that is asked and may cost money, but has no price."""
    asked = dict.fromkeys(one.labels["llm"] for one in llm_estimates(call))
    place = f"config/catalogs/{call.project.catalog_name}.yaml"
    return [
        f"prices of llms.{role}. Set prompt_price and completion_price in {place}, 0 if it is free."
        for role in asked
        if call.project.llm(role).unpriced
    ]


def _summed(lines: Sequence[Amounts]) -> str:
    """Return a row for each combination of labels, and one of all."""
    labels, names = list(lines[0].labels), list(lines[0].amounts)
    cells = pd.DataFrame([one.labels | one.amounts for one in lines])
    rows = [
        dict(zip(labels, key, strict=True)) | {name: _sum(some[name], FORMATS[name]) for name in names}
        for key, some in cells.groupby(labels, sort=False)
    ]
    rows.append({labels[0]: "all"} | {name: _sum(cells[name], FORMATS[name]) for name in names})
    return pd.DataFrame(rows).fillna("").to_string(index=False)


def _sum(values: pd.Series, form: Callable[[float], str]) -> str:
    """Return a sum as text: a lower bound if some values are unknown, `?` if all are."""
    known = values.dropna()
    at_least = "at least " if len(known) < len(values) else ""
    return f"{at_least}{form(known.sum())}" if len(known) else "?"


def llm_estimates(call: Call) -> list[Amounts]:
    """Estimate everything that the jobs of a call ask; answers in the journals are not subtracted."""
    kinds = (_sentences, asked_paraphrases, _translations, _texts, _backtranslations, _judgements)
    every = (one for kind in kinds for one in kind(call))
    return [_estimated(call, *one) for one in every if call.project.llm(one[1].llm).paid]


def _sentences(call: Call) -> Iterator[Question]:
    for corpus in (job["corpus"] for job in call.asking("sentences")):
        requests = sentences.plan(call.project, corpus)
        yield corpus, requests, requests.count


def asked_paraphrases(call: Call) -> Iterator[Question]:
    """Of corpora of one method and seed a smaller is the head of a larger, which asks only for the rest."""
    project = call.project
    left: dict[tuple[str, str, str], float] = defaultdict(float)  # share of the shards
    for job in call.asking("paraphrases"):
        left[job["corpus"], job["llm"], job["prompt"]] += 1 / int(job["shards"])
    questions = project.llm_requests.questions
    answered = [one for one in questions if call.made(project.paths.generated(*one, "completions"))]
    counts = {question: call.texts(question[0]).sentences for question in [*left, *answered]}
    known: dict[str, int] = defaultdict(int)
    for question in sorted(counts, key=lambda one: (*one[1:], counts[one] or math.inf)):
        corpus, llm, prompt = question
        family = canonical([llm, prompt, project.corpus(corpus).model_dump(exclude={"size"})])
        count = counts[question]
        new, known[family] = count and count - known[family], count or known[family]
        if question in left:
            share = new and round(left[question] * new)
            yield corpus, paraphrase.plan(project, corpus, llm, prompt), share


def _translations(call: Call) -> Iterator[Question]:
    jobs = call.asking("translations")
    if jobs:
        count = call.texts(UNTRANSLATED).sentences
        left = sum(1 / int(job["shards"]) for job in jobs)
        requests = translate.plan(call.project, jobs[0]["llm"])
        yield UNTRANSLATED, requests, count and round(left * count)


def _texts(call: Call) -> Iterator[Question]:
    for job in call.asking("texts"):
        corpus = call.project.entry("synthetic", job["texts"]).corpus
        for each in chat_texts.plan(call.project, job["texts"]).instructions:
            yield corpus, each, call.texts(corpus).sentences


def _backtranslations(call: Call) -> Iterator[Question]:
    """The translations, which are translated back, are about as many and as long as the sentences."""
    for job in call.asking("backtranslations"):
        ways = llm_backtranslation.plan(call.project, **job)
        for each in (ways.there, ways.back):
            yield job["corpus"], each, call.texts(job["corpus"]).sentences


def _judgements(call: Call) -> Iterator[Question]:
    for job in call.asking("judgements"):
        texts = PAIR_TEXTS + job["pairs"]
        requests = judgements.plan(call.project, **job)
        yield texts, requests, call.texts(texts).sentences


def _estimated(call: Call, corpus: str, requests: LLMRequests, count: int | None) -> Amounts:
    """Estimate one prompt; the hours are unknown if the catalog gives neither a rate limit nor a speed."""
    labels = {"llm": requests.llm, "prompt": requests.prompt, "corpus": corpus}
    title, names = (
        "Language models at endpoints; the time follows from their speed and limits in the catalog",
        ("requests", "tokens", "cost", "at most", "time"),
    )
    if count is None:
        return Amounts(title, labels, dict.fromkeys(names), f"number of sentences of corpus {corpus}")
    model, length = call.project.llm(requests.llm), round(call.texts(corpus).length)
    estimate = estimated(0, ["x" * length] * count, UsageStats(), requests, model.connection(requests.llm))
    paced = estimate.minutes / MINUTES / SHARE
    completion = estimate.requests * expected_tokens(1, length, requests).completion
    paced = max(paced, served_hours(call.project, requests.llm, completion))
    costs = (None, None) if model.unpriced else (estimate.dollars, estimate.at_most)
    known = (estimate.requests, estimate.tokens, *costs)
    is_paced = paced or not estimate.requests
    amounts = dict(zip(names, (*known, paced if is_paced else None), strict=True))
    return Amounts(
        title,
        labels,
        amounts,
        "" if is_paced else f"tokens_per_second of llms.{requests.llm}",
    )


def served_hours(project: Project, llm: str, tokens: float) -> float:
    """Return the hours in which a model writes some tokens with all requests in flight; 0 if not known."""
    model = project.llm(llm)
    at_once = model.concurrency * project.config.shards.generate
    speed = model.server_tokens_per_second or (model.tokens_per_second or 0) * at_once
    return tokens / speed / SECONDS if speed else 0.0


def _work(call: Call, device: Machine) -> Iterator[Amounts]:
    source = f" ({device.source})" if device.source else ""
    title = f"Computation of models, training included; time on {device.name}{source}"
    for job in sorted((job for job in call.jobs if call.rule(job).work), key=lambda job: job.rule):
        estimate = hours(call, job, device.rates)
        reason = unknown(call, job) if estimate is None else ""
        guessed = not (call.rule(job).work == "training" and device.measured[in_half(call, job)])
        amounts = {"jobs": 1, "time": estimate, "rate": guessed}
        yield Amounts(title, {KIND: name_of(job.rule, {})}, amounts, reason)


def large_batches(call: Call) -> Iterator[str]:
    """Yield a sentence for each batch size of trainings that is larger than some of their pair sets."""
    fewer: dict[int, dict[str, float]] = defaultdict(dict)
    for job in call.jobs:
        recipe = call.project.recipe(job.wildcards["recipe"]) if call.rule(job).work == "training" else None
        if not isinstance(recipe, EncoderRecipe):
            continue
        rows = call.rows(job.wildcards["pairs"])
        if rows and rows < recipe.batch_size:
            fewer[recipe.batch_size][job.wildcards["pairs"]] = rows
    for size, sets in sorted(fewer.items()):
        count = " to ".join(dict.fromkeys(COUNT(end(sets.values())) for end in (min, max)))
        one = f"The pair set {next(iter(sets))} has only {count} pairs"
        which = one if len(sets) == 1 else f"{len(sets)} pair sets have only {count} pairs each"
        yield (
            f"{which}, so every batch has {count} instead of {size}. No change is needed. More sentences "
            "make larger batches."
        )


def total_time(parts: pd.Series) -> str:
    """Return in words how long the parts of a call from `times` take together."""
    total = _sum(parts, spelled)
    return total if total.startswith("at least") else f"about {total}"


def times(call: Call, device: Machine) -> pd.Series:
    """Return the hours of each part of a call, its start and end included; NaN: not known."""
    works = [one.amounts["time"] for one in _work(call, device)]
    return pd.Series([*works, beside_models(len(call.jobs), cores()) / SECONDS], dtype=float)


def whole_time(call: Call, device: Machine) -> str:
    """Return in a sentence how long all jobs of a call take on a device."""
    starts = spelled(beside_models(len(call.jobs), cores()) / SECONDS)
    waits = " Waiting for language models is not included." if llm_estimates(call) else ""
    total = total_time(times(call, device))
    return (
        f"All {len(call.jobs)} jobs take {total} on {device.name}. Of this, {starts} pass "
        f"because each job has to start, read and write.{waits}"
    )


def disk(call: Call) -> Counter[str]:
    """Return {what: bytes} of the files that exist in the end, as far as known."""
    sizes: Counter[str] = Counter()
    for one in disk_files(call):
        sizes[one.labels["files"]] += round((one.amounts["GB"] or 0) * GIGA)
    return sizes


def disk_files(call: Call) -> Iterable[Amounts]:
    """Return the files that exist in the end, part by part; all others are a few MB.

    On the high side.  A running training also keeps a checkpoint four times the size of its encoder.
    """
    for what, size, source in [*_text_files(call), *_model_files(call), *_journals(call)]:
        yield Amounts("Disk", {"files": what}, {"GB": size and size / GIGA}, source if size is None else "")


# What files hold, bytes or None if unknown, and what these depend on.
FileSize = tuple[str, float | None, str]


def _journals(call: Call) -> Iterator[FileSize]:
    for one in llm_estimates(call):
        requests = one.amounts["requests"]
        each = JOURNAL_ROW + (1 + 2 * SENTENCE) * VERSIONS * call.texts(one.labels["corpus"]).length
        yield "journals, answers", None if requests is None else requests * each, one.unknown


def _text_files(call: Call) -> Iterator[FileSize]:
    for job in call.jobs:
        rule, known = job.rule, job.wildcards
        if call.rule(job).uses == "articles":
            rows = call.project.source("articles").rows
            yield "articles", rows and ARTICLE * rows, "rows of articles"
        elif rule.startswith("corpus_") and "corpus" in known:
            count, length = call.texts(known["corpus"])
            drawn = "shard" in known and isinstance(call.project.corpus(known["corpus"]), SampledCorpus)
            draws = call.project.catalog.draws_per_sentence if drawn else 1
            size = count and count * length * SENTENCE * draws / int(known.get("shards", 1))
            yield "corpora", size, f"sentences of corpus {known['corpus']}"
        elif rule.startswith("pairs_"):
            spec = call.project.pairs(known["pairs"])
            rows = call.all_rows(known["pairs"])
            size = rows and rows * spec.sides(call.project) * LENGTHS["sampled"] * SENTENCE
            yield "pairs", size, f"number of rows of pairs {known['pairs']}"


def _model_files(call: Call) -> Iterator[FileSize]:
    project = call.project
    jobs = [job for job in call.jobs if call.rule(job).work or "/" in job.wildcards.get("run", "")]
    used = {model_of(project, job) for job in jobs}
    models = [("cache of the hub", each) for each in sorted(used) if project.entry(*each).cached]
    trainings = [job for job in call.jobs if call.rule(job).work == "training"]
    models += [("trained encoders", model_of(project, job)) for job in trainings]
    for what, model in models:
        size = size_of(project, *model)
        yield what, size and FLOAT32 * sum(size), f"{SIZE} {model.key}"
