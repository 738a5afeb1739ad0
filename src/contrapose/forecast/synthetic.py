"""What synthetic pairs will take: a language model that writes texts, and classifiers that judge them."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from contrapose.forecast.compute import CONFIG, Device, forward_flops, read_shape, shape_of, training_flops
from contrapose.forecast.dag import Job
from contrapose.forecast.texts import BYTES_PER_PIECE, LABELS, corpus_texts, set_pairs
from contrapose.forecast.training import Work
from contrapose.ids import named
from contrapose.plan import Plan
from contrapose.settings.corpora import DinoTexts, TaskCorpus
from contrapose.settings.pairs import DinoPairs
from contrapose.settings.worlds import (
    LanguageModelHub,
    LanguageModelShape,
    PretrainedLanguageModel,
    RinnaLanguageModel,
)


def writings(plan: Plan, jobs: Iterable[Job], device: Device) -> list[Work]:
    """Forecast the texts of causal language models, in float32; the shards of one corpus are one work.

    At most: of every text all tokens that its instruction may have are counted, and most end before.
    """
    names = sorted({job.wildcards["texts"] for job in jobs if job.rule == "generate_dino"})
    return [_writing(plan, name, device) for name in names]


def _writing(plan: Plan, name: str, device: Device) -> Work:
    spec = plan.synthetic(name)
    assert isinstance(spec, DinoTexts)
    sentences, shape = corpus_texts(plan, spec.corpus), language_model_shape(plan, spec.lm)
    instructions = plan.instructions(spec.instructions)
    rows = spec.entries * sum(1 + len(each.counters) for each in instructions.labels)
    texts = sentences.count * spec.entries * len(instructions.labels) if sentences else None
    flops = None
    if sentences and shape:
        prompts = [len(instructions.prompt(each.label, "").encode()) for each in instructions.labels]
        before = [(length + sentences.length) / BYTES_PER_PIECE for length in prompts]
        reading = sum(tokens * token_flops(shape, tokens / 2, head=False) for tokens in before)
        longest = max(before) + spec.max_tokens / 2
        flops = sentences.count * (reading + rows * spec.max_tokens * token_flops(shape, longest))
    hours = device.hours(flops) if flops is not None else None
    return Work(f"generate_dino {name}", spec.lm, 1, texts, float(spec.max_tokens), None, flops, hours)


def token_flops(shape: LanguageModelShape, before: float, head: bool = True) -> float:
    """Return the operations of one token of a model like GPT-2 behind `before` others.

    Per layer of width d 24 d^2 for the weights and 4 d per token before for the attention; 2 V d for the
    output layer, which a prompt needs once.  A multiplication and an addition are two operations.
    """
    d = shape.n_embd
    return shape.n_layer * (24 * d * d + 4 * before * d) + head * 2 * shape.vocab_size * d


def language_model_parameters(shape: LanguageModelShape) -> int:
    """Return the parameters of GPT-2's architecture, whose output layer is that of its input."""
    d = shape.n_embd
    layer = 12 * d * d + 13 * d
    return (shape.vocab_size + shape.n_positions) * d + shape.n_layer * layer + 2 * d


def language_model_shape(plan: Plan, role: str) -> LanguageModelShape | None:
    """Return the shape of the language model of a role; None if neither world file nor folder says it."""
    source = named(plan.world.language_models, role, "language_models of the world")
    if isinstance(source, PretrainedLanguageModel):
        return LanguageModelShape(
            n_layer=source.layers,
            n_embd=source.hidden,
            vocab_size=source.vocabulary,
            n_positions=source.positions,
        )
    if isinstance(source, LanguageModelHub):
        return source.shape
    if isinstance(source, RinnaLanguageModel) and source.shape:
        return source.shape
    if isinstance(source, RinnaLanguageModel):
        folder = plan.rinna_language_model_folder(role)
    else:
        folder = plan.language_model(role).folder or ""
    return read_shape(str(Path(folder) / CONFIG), LanguageModelShape) if folder else None


def identifications(plan: Plan, jobs: Iterable[Job], device: Device) -> list[Work]:
    """Forecast the classifiers of machine and human texts, in float32.

    An epoch teaches twice as many texts as there are of the rarer kind; with k folds k classifiers learn
    from all but one k-th of them.  Every machine text is judged once.  Held-out texts are left out.
    """
    known = (job.wildcards for job in jobs if job.rule == "score_identification")
    alike = Counter((each["pairs"], each["identifier"]) for each in known)
    return [_identification(plan, *which, count, device) for which, count in sorted(alike.items())]


def _identification(plan: Plan, name: str, identifier: str, jobs: int, device: Device) -> Work:
    pairs, spec = plan.pairs(name), plan.identifier(identifier)
    assert isinstance(pairs, DinoPairs)
    corpus = plan.corpus(plan.synthetic(pairs.texts).corpus)
    sentences = corpus_texts(plan, plan.synthetic(pairs.texts).corpus)
    what, shape = f"score_identification {name}/{identifier}", shape_of(plan, spec.encoder)
    if sentences is None:
        return Work(what, spec.encoder, jobs, None, None, None, None, None)
    machine = sentences.count * LABELS * pairs.kept
    if isinstance(corpus, TaskCorpus):
        human = sum(set_pairs(plan, task, corpus.split) for task in corpus.tasks)
    else:
        human = sentences.count
    teachings = max(1, spec.folds - 1)  # k folds: k times all but one k-th
    taught = 2 * min(machine, human) * teachings
    tokens = min(sentences.tokens, spec.max_length)
    steps = spec.epochs * -(-taught // (spec.batch_size * teachings)) * teachings
    flops = hours = None
    if shape:
        flops = spec.epochs * taught * training_flops(shape, tokens) + machine * forward_flops(shape, tokens)
        hours = device.hours(flops)
    return Work(what, spec.encoder, jobs, spec.epochs * taught + machine, tokens, steps, flops, hours)
