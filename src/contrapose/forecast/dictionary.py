"""What candidates of a dictionary and fine-tuning on pairs of sentences will take."""

from collections import Counter
from collections.abc import Iterable
from typing import cast

from contrapose.forecast.compute import Device, forward_flops, shape_of, training_flops
from contrapose.forecast.dag import Job
from contrapose.forecast.synthetic import language_model_shape, token_flops
from contrapose.forecast.texts import (
    BYTES_PER_JAPANESE_WORD,
    BYTES_PER_PIECE,
    SPECIAL,
    corpus_texts,
    set_pairs,
)
from contrapose.forecast.training import Work
from contrapose.plan import Plan
from contrapose.settings.recipes import FineTuning
from contrapose.tasks import TASKS, Task

# UTF-8 bytes of both sentences of a pair: means of STS-B, of SNLI's and PAWS-X's dev splits (en, for PAWS),
# of JSTS, JNLI, JSICK and PAWS-X (ja); of SICK its training part.  Of product retrieval, of which we have no
# text, a guess: a query of 20 bytes and a title of 100, in Japanese 30 and 150.
PAIR_BYTES: dict[str, float] = {
    "esci_us": 120, "stsb_pairs": 122, "sick_pairs": 94, "snli": 112, "sick_nli": 94, "paws": 226,
    "esci_jp": 180, "jsts": 137, "jsick": 129, "jnli": 136, "jsick_nli": 129, "pawsx_ja": 311,
}  # fmt: skip
LONG = ("esci_us", "esci_jp")  # tasks that `long_max_length` is for


def scorings(plan: Plan, jobs: Iterable[Job], device: Device) -> list[Work]:
    """Forecast the perplexities of candidates, in float32; the shards of one entry are one work.

    At most: of every sentence as many candidates as are kept, each read from its beginning.
    """
    names = sorted({job.wildcards["rewrites"] for job in jobs if job.rule == "score_rewrites"})
    return [_scoring(plan, name, device) for name in names]


def _scoring(plan: Plan, name: str, device: Device) -> Work:
    spec = plan.rewrites(name)
    sentences, shape = corpus_texts(plan, spec.corpus), language_model_shape(plan, spec.lm)
    candidates = sentences.count * spec.at_most if sentences else None
    tokens = sentences.length / _bytes_per_piece(spec.language) if sentences else None
    flops = hours = None
    if candidates and tokens and shape:
        flops = candidates * tokens * token_flops(shape, tokens / 2)
        hours = device.hours(flops)
    return Work(f"score_rewrites {name}", spec.lm, 1, candidates, tokens, None, flops, hours)


def fine_tunings(plan: Plan, jobs: Iterable[Job], device: Device) -> list[Work]:
    """Forecast the fine-tunings, in float32; those of one encoder's role on one task are alike.

    At most: all epochs, each with three forward passes of every training pair and one of every dev pair; dev
    and test once more in the end.
    """
    known = (job.wildcards for job in jobs if job.rule.startswith("evaluate_fine_tuned"))
    alike = Counter((each["fine_tuning"], each["task"], encoder_role(plan, each)) for each in known)
    return [_fine_tuning(plan, *which, count, device) for which, count in sorted(alike.items())]


def encoder_role(plan: Plan, known: dict[str, str]) -> str:
    """Return the role of the encoder of a run, or of one as it is, by the wildcards of a job."""
    return plan.recipe(known["recipe"]).encoder if "recipe" in known else known["role"]


def _fine_tuning(plan: Plan, name: str, task: str, role: str, jobs: int, device: Device) -> Work:
    spec, shape = plan.fine_tuning(name), shape_of(plan, role)
    train, dev, test = (set_pairs(plan, cast(Task, task), split) for split in ("train", "dev", "test"))
    if spec.train_pairs is not None:
        train = min(train, plan.size(spec.train_pairs))
    tokens = pair_tokens(spec, task)
    every = spec.epochs * -(-train // spec.batch_size)
    count = spec.epochs * (train + dev) + dev + test
    flops = hours = None
    if shape:
        learning = spec.epochs * train * training_flops(shape, tokens)
        flops = learning + (spec.epochs * dev + dev + test) * forward_flops(shape, tokens)
        hours = device.hours(flops)
    return Work(f"{name} {task}", role, jobs, count, tokens, every, flops, hours)


def pair_tokens(spec: FineTuning, task: str) -> float:
    """Return the tokens of a pair of a task, expected and without padding, special ones included."""
    language = "japanese" if TASKS[cast(Task, task)].suite == "pair_tasks_japanese" else "english"
    tokens = PAIR_BYTES[task] / _bytes_per_piece(language) + SPECIAL + 1
    return min(tokens, spec.long_max_length if task in LONG else spec.max_length)


def _bytes_per_piece(language: str) -> float:
    return BYTES_PER_JAPANESE_WORD if language == "japanese" else BYTES_PER_PIECE
