"""What training, evaluating and scoring will take: steps, operations and hours."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, cast

from contrapose.forecast.compute import Device, forward_flops, shape_of, training_flops
from contrapose.forecast.dag import Job
from contrapose.forecast.texts import (
    BYTES_PER_PIECE,
    BYTES_PER_WORD,
    SPECIAL,
    PairRows,
    Texts,
    asked_texts,
    benchmark_texts,
    corpus_of,
    corpus_texts,
    dev_texts,
    geometry_texts,
    given_texts,
    own_dev_texts,
    pair_rows,
    probe_texts,
    transfer_texts,
)
from contrapose.generate.estimate import VERSIONS
from contrapose.plan import Plan
from contrapose.settings.pairs import PrefixPairs
from contrapose.settings.recipes import ContrastiveTensionRecipe, FlowRecipe, Recipe
from contrapose.tasks import Suite

# Rules that train an encoder; other rules of the stage fit something small.
TRAINED = ("train_encoder", "train_contrastive_tension")
SCORED = ("score_similarities", "score_parascores")  # rules of the stage that run an encoder


@dataclass(frozen=True)
class Work:
    """Jobs that are alike for an encoder.  Numbers are of one job, and None if they are not known."""

    what: str  # rule, or pairs/recipe
    role: str  # of the encoder
    jobs: int
    sentences: int | None  # encoded in all
    tokens: float | None  # of a sentence
    steps: int | None  # of the optimiser
    flops: float | None
    hours: float | None  # on the device


def steps(rows: PairRows, batch_size: int, epochs: int) -> int:
    """Return the optimiser steps: ceil(rows / batch) in every epoch; epoch e takes slot e mod n."""
    return sum(-(-rows.slots[epoch % len(rows.slots)] // batch_size) for epoch in range(epochs))


def encoded(rows: PairRows, epochs: int) -> int:
    """Return the sentences encoded for training: all sides of every row."""
    return rows.sides * sum(rows.slots[epoch % len(rows.slots)] for epoch in range(epochs))


def distinct(rows: PairRows, kind: str) -> int:
    """Return the sentences of a pair set that differ: anchors come once in every slot, some as positives."""
    others = rows.sides - 1 - (kind in ("dropout", "punctuation"))
    return rows.slots[0] + others * sum(rows.slots)


def dev_scores(steps: int, dev_every: int | Literal["epoch"], epochs: int = 1) -> int:
    """Return how often the dev pairs are scored: every `dev_every` steps or epoch, and after the last one."""
    return epochs if dev_every == "epoch" else -(-steps // dev_every)


def batch_tokens(most_words: int | None, max_length: int) -> int:
    """Return the tokens of a sentence in a batch, padding included.

    A batch is as wide as its longest sentence, and of 128 one nearly always has the most words that the
    corpus lets in.  Measured on sentences of 10 to 50 words: 32.0 of 32 tokens, 63.8 of 64.

    Parameters
    ----------
    most_words : int or None
        None if nothing limits them.
    max_length : int
        Of the recipe.
    """
    if most_words is None:
        return max_length
    return min(max_length, round(most_words * BYTES_PER_WORD / BYTES_PER_PIECE) + SPECIAL)


def trainings(plan: Plan, jobs: Iterable[Job], device: Device) -> list[Work]:
    """Forecast the trainings; the seeds of one recipe are alike.

    One takes three forward passes of every sentence of every epoch, in the recipe's precision, and one of
    the dev pairs for each dev score, in float32; its teacher takes one of every sentence.  One that may end
    early takes so much at most.  A fitted recipe encodes the sentences of its pairs once, a flow in every
    epoch, and what it fits is small beside that.  Word vectors need no encoder, and seconds.
    """
    of_stage = (job for job in jobs if job.rule.startswith("train_") and "recipe" in job.wildcards)
    alike = Counter((job.rule, job.wildcards["pairs"], job.wildcards["recipe"]) for job in of_stage)
    return [
        _training(plan, pairs, recipe, count, device) if rule in TRAINED
        else _fitting(plan, pairs, recipe, count, device)
        for (rule, pairs, recipe), count in sorted(alike.items())
    ]  # fmt: skip


def _training(plan: Plan, pairs: str, identifier: str, jobs: int, device: Device) -> Work:
    recipe = plan.recipe(identifier)
    assert isinstance(recipe, Recipe | ContrastiveTensionRecipe)
    rows, shape = pair_rows(plan, pairs), shape_of(plan, recipe.encoder)
    # Behind a prefix a sentence is longer than its corpus lets it be.
    limit = None if isinstance(plan.pairs(pairs), PrefixPairs) else corpus_of(plan, pairs)
    most_words = getattr(plan.corpus(limit), "max_words", None) if limit else None
    tokens: float = batch_tokens(most_words, recipe.max_length)
    if limit and plan.dino_pairs_of(plan.pairs(pairs)) and (sentences := corpus_texts(plan, limit)):
        tokens = min(tokens, sentences.tokens)  # texts as long as what they are written for; nothing padded
    count: int | None
    every: int | None
    if isinstance(recipe, ContrastiveTensionRecipe):  # whatever the pairs, and two encoders to select from
        count, every, encoders = 2 * recipe.batch_size * recipe.steps, recipe.steps, 2
    else:
        count = encoded(rows, recipe.epochs) if rows else None
        every = steps(rows, recipe.batch_size, recipe.epochs) if rows else None
        encoders = 1
    patient = isinstance(recipe, Recipe) and recipe.patience is not None
    teacher = plan.teacher(recipe)
    taught = shape_of(plan, teacher) if teacher else None
    dev = own_dev_texts(plan, pairs) if recipe.dev == "pairs" else dev_texts(plan, recipe.dev)
    flops = hours = None
    if shape and dev and count is not None and every is not None:
        learning = count * training_flops(shape, tokens)
        scores = encoders * dev_scores(every, recipe.dev_every, getattr(recipe, "epochs", 1))
        selecting = scores * dev.count * forward_flops(shape, dev.tokens)
        if taught and rows:  # sentences that are their own positives, each once
            selecting += sum(rows.slots) * forward_flops(taught, tokens)
        flops = learning + selecting
        precision = recipe.precision if isinstance(recipe, Recipe) else "no"
        hours = device.hours(learning, precision) + device.hours(selecting)
    what = f"{pairs}/{identifier}{' (at most)' * patient}"
    return Work(what, recipe.encoder, jobs, count, tokens, every, flops, hours)


def _fitting(plan: Plan, pairs: str, identifier: str, jobs: int, device: Device) -> Work:
    recipe = plan.recipe(identifier)
    rows, corpus = pair_rows(plan, pairs), corpus_of(plan, pairs)
    epochs = recipe.epochs if isinstance(recipe, FlowRecipe) else 1
    count = epochs * distinct(rows, plan.pairs(pairs).kind) if rows else None
    texts = corpus_texts(plan, corpus) if corpus else None
    tokens = texts.tokens if texts else None
    return _encoding(plan, f"{pairs}/{identifier}", recipe.encoder, jobs, count, tokens, device)


def encodings(plan: Plan, jobs: Iterable[Job], device: Device) -> list[Work]:
    """Forecast what encoders do beside training; jobs of one rule with one encoder are alike.

    An evaluation encodes every distinct sentence of the benchmarks or of the transfer tasks once, for
    alignment and uniformity of STS-B alone, for the length bias every text of the probe; a scorer of
    paraphrases each sentence with its five.  In float32.
    """
    alike = Counter(
        _alike(plan, job)
        for job in jobs
        if job.rule in SCORED
        or (job.rule.startswith("evaluate_") and not job.rule.startswith("evaluate_fine_tuned"))
    )
    found = []
    for (rule, role, of, suite), count in sorted(alike.items()):
        texts = _encoded_texts(plan, rule, of, suite)
        sentences = texts.count * (1 + VERSIONS if rule in SCORED else 1)
        found.append(_encoding(plan, _named(rule, of, suite), role, count, sentences, texts.tokens, device))
    return found


def _encoded_texts(plan: Plan, rule: str, of: str, suite: Suite) -> Texts:
    """Return the sentences that a job of a rule encodes; see `_alike`."""
    if rule in SCORED:
        return asked_texts(plan, of)
    if rule.startswith("evaluate_geometry"):
        return geometry_texts(plan)
    if rule.startswith("evaluate_transfer"):
        return transfer_texts(plan)
    if rule.startswith("evaluate_length_bias"):
        return probe_texts(plan, of)
    return given_texts(plan, of) if rule.startswith("evaluate_similarities") else benchmark_texts(plan, suite)


def _named(rule: str, of: str, suite: Suite) -> str:
    return " ".join(filter(None, [rule, of, "" if suite == "english" else suite]))


def _alike(plan: Plan, job: Job) -> tuple[str, str, str, Suite]:
    """Return rule, role of the encoder, what it is about, and the suite that is scored.

    A scorer is about a corpus, length bias about a probe, similarities about a table, a score about a suite.
    """
    known = job.wildcards
    of = known.get("corpus") or known.get("probe") or known.get("table") or ""
    suite = cast(Suite, known.get("suite", "english"))
    if "recipe" in known:
        return job.rule, plan.recipe(known["recipe"]).encoder, of, suite
    return job.rule, known.get("role") or known["scorer"], of, suite


def _encoding(
    plan: Plan, what: str, role: str, jobs: int, count: int | None, tokens: float | None, device: Device
) -> Work:
    shape = shape_of(plan, role)
    flops = count * forward_flops(shape, tokens) if shape and count is not None and tokens else None
    hours = device.hours(flops) if flops is not None else None
    return Work(what, role, jobs, count, tokens, None, flops, hours)
