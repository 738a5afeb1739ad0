"""What jobs that run a model take, by the arithmetic of their shape; docs/plan.md has the formulae."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from contrapose.forecast.compute import (
    CONFIG,
    FEED_FORWARD,
    forward_flops,
    gpu,
    parameters,
    read_shape,
    shape_of,
    training_flops,
)
from contrapose.forecast.dag import Job
from contrapose.forecast.dictionary import fine_tunings, scorings
from contrapose.forecast.disk import CHECKPOINT, FLOAT32
from contrapose.forecast.synthetic import (
    identifications,
    language_model_parameters,
    language_model_shape,
    writings,
)
from contrapose.forecast.texts import LABELS, benchmark_texts, pair_rows
from contrapose.forecast.training import TRAINED, Work, encodings, trainings
from contrapose.plan import Plan
from contrapose.settings.recipes import ContrastiveTensionRecipe, FlowRecipe, Recipe
from contrapose.settings.worlds import (
    LanguageModelShape,
    Shape,
    SmallEncoder,
    SmallLanguageModel,
    TrainedVectors,
    VectorsFile,
)
from contrapose.tasks import Suite

# An encoder whose shape nothing tells counts as the largest that the papers train, RoBERTa-large; a language
# model as GPT-2 XL.
LARGE = Shape(
    num_hidden_layers=24, hidden_size=1024, intermediate_size=4096,
    vocab_size=50265, max_position_embeddings=514, type_vocab_size=1,
)  # fmt: skip
LARGE_LANGUAGE_MODEL = LanguageModelShape(n_layer=48, n_embd=1600, vocab_size=50257, n_positions=1024)
UNKNOWN_HOURS = 24.0  # of one GPU, for work of which nothing tells how much it is
GPU = gpu()  # whose hours are asked for: an A100 of which 30 % are reached

# Operations a second of one core.  Measured: 1.3e11 training MiniLM-L6 (docs/performance.md, on a core with
# 512-bit vectors, which older ones lack), 7e10 with the mini world's encoders of width 128.
CORE = 5e10
STEP_SECONDS, GPU_STEP_SECONDS = 0.05, 0.03  # of an optimiser step beside its operations
STATE = 16  # bytes per parameter in training: weights, gradients, two moments of AdamW, all in float32
TENSION_STATE = 2 * 12  # of two copies, with one moment of RMSprop each
BEST = 4  # the best weights so far, on the CPU
LOADED = 8  # weights that are read from a file: the file's, and the model's
# Bytes that a layer keeps of a token for the backward pass, per unit of width, and per head and token of the
# sentence, in float32: twice the 34 and 5 of half precision in Korthikanti et al. 2022 (arXiv:2205.05198).
KEPT, KEPT_ATTENTION = 68, 10
HEAD = 64  # widths of an attention head of BERT and GPT-2
PIECE_TOKENS, GPU_PIECE_TOKENS = 1024, 16384  # run at once outside training and with recompute: train/flat.py
GRAPHS = 8  # recorded with cuda_graphs, each with gradients of its own: SHAPES of train/graphs.py
LOGITS = 3  # arrays of the vocabulary's size: logits, probabilities, gradients
BLOCK_BYTES = 2 * 2**30  # of keys and values of a block of texts: generate/dino.py
WRITTEN_SENTENCES, WRITTEN_TOKENS = 16, 128  # at most in a block, and of a prompt with its text
ENCODED_TEXT = 18_000  # bytes of a text of an evaluation, its vector included: docs/performance.md
TEXT = 300  # bytes of a text that stays in memory with its tokens: 2.7 kB for five pairs, docs/performance.md
CONTEXT = 1.5e9  # bytes on a GPU of CUDA's context and of the libraries' workspaces; not measured here
CUDA_HOST = 4e9  # bytes in the host's memory of CUDA's libraries and context; not measured here
FITTED_TEXTS = 10_000  # texts whose vectors whitening holds at once: train/whitening.py
CLASSIFIED = 0.05  # seconds of a text of the transfer tasks in all folds, measured in the mini world
VECTORS_SECONDS = 1200.0  # to read 2.2 million word vectors of GloVe line by line; a guess


@dataclass(frozen=True)
class Load:
    """What one job takes, before any factor and beside Python and its imports."""

    memory: float  # bytes in the host's memory, on a CPU
    seconds: float  # of one core
    runs_model: bool = False  # with PyTorch
    gpu_seconds: float | None = None  # None: it has no use for a GPU
    gpu_memory: float = 0.0  # bytes on the GPU
    beside_gpu: float = 0.0  # bytes in the host's memory if the model is on a GPU
    may_spread: bool = False  # over several GPUs: `processes`
    goes_on: bool = False  # what is done survives the job: another attempt goes on from there


# What is asked for work of which nothing tells how much it is.
UNKNOWN = Load(
    memory=LOADED * parameters(LARGE),
    seconds=UNKNOWN_HOURS * 3600,
    runs_model=True,
    gpu_seconds=UNKNOWN_HOURS * 3600,
    gpu_memory=FLOAT32 * parameters(LARGE) + CONTEXT,
    beside_gpu=LOADED * parameters(LARGE),
)

# Of the mini world's own models, which are made before a release: minutes to half an hour each.
MADE_ONCE = Load(memory=1e9, seconds=1800.0, runs_model=True)


def activations(shape: Shape, tokens: float, sentences: float, half: bool = False) -> float:
    """Return the bytes that a training step keeps for its backward pass.

    Parameters
    ----------
    shape : Shape
    tokens : float
        Of one sentence.
    sentences : float
        In a batch.
    half : bool
        Whether the activations are fp16 or bf16.
    """
    d = shape.hidden_size
    of_token = KEPT * d + KEPT_ATTENTION * tokens * d / HEAD
    return shape.num_hidden_layers * sentences * tokens * of_token / (2 if half else 1)


def _time(work: Work, shards: int = 1) -> tuple[float, float]:
    """Return the seconds of a job on one core and on one GPU."""
    if work.flops is None or work.hours is None:
        return UNKNOWN_HOURS * 3600, UNKNOWN_HOURS * 3600
    every = work.steps or 0
    cpu = work.flops / CORE + every * STEP_SECONDS
    return cpu / shards, (work.hours * 3600 + every * GPU_STEP_SECONDS) / shards


def _trained(
    shape: Shape, state: float, saved: float, work: Work, kept: tuple[float, float], data: float
) -> Load:
    """Return what training takes; `kept` are activations on a CPU and on a GPU, `saved` a checkpoint."""
    weights, (seconds, gpu_seconds) = parameters(shape), _time(work)
    # A checkpoint is copied from the device, and once more for the file.
    beside = BEST * weights + 2 * saved + data
    return Load(
        memory=state * weights + beside + kept[0],
        seconds=seconds,
        runs_model=True,
        gpu_seconds=gpu_seconds,
        gpu_memory=state * weights + kept[1] + CONTEXT,
        beside_gpu=LOADED * weights + beside,
    )


def _training(plan: Plan, job: Job) -> Load:
    recipe = plan.recipe(job.wildcards["recipe"])
    assert isinstance(recipe, Recipe | ContrastiveTensionRecipe)
    (work,) = trainings(plan, [job], GPU)
    shape, rows = shape_of(plan, recipe.encoder) or LARGE, pair_rows(plan, job.wildcards["pairs"])
    tension = isinstance(recipe, ContrastiveTensionRecipe)
    tokens, sides = work.tokens or recipe.max_length, 2 if tension or rows is None else rows.sides
    batch = sides * recipe.batch_size
    half = getattr(recipe, "precision", "no") != "no"
    kept = (activations(shape, tokens, batch), activations(shape, tokens, batch, half))
    if plan.config.recompute and not tension:
        embeddings = 3 * FLOAT32 * shape.hidden_size * batch * tokens
        pieces = (PIECE_TOKENS / tokens, GPU_PIECE_TOKENS / tokens)
        kept = (
            min(kept[0], embeddings + activations(shape, tokens, pieces[0])),
            min(kept[1], embeddings + activations(shape, tokens, pieces[1], half)),
        )
    data = TEXT * (sum(rows.slots) * rows.sides if rows else 0)
    saved = FLOAT32 * CHECKPOINT[job.rule] * parameters(shape)
    load = _trained(shape, TENSION_STATE if tension else STATE, saved, work, kept, data)
    if plan.config.cuda_graphs and not plan.config.recompute and not tension:
        recorded = GRAPHS * FLOAT32 * parameters(shape)
        load = replace(load, gpu_memory=load.gpu_memory + recorded)
    if (role := plan.teacher(recipe)) is None:
        return replace(load, may_spread=not tension, goes_on=True)
    teacher = shape_of(plan, role) or LARGE
    held = LOADED * parameters(teacher)
    ranked = FLOAT32 * teacher.hidden_size * (sum(rows.slots) if rows else 0)
    return replace(
        load,
        memory=load.memory + held + ranked,
        gpu_memory=load.gpu_memory + held,
        beside_gpu=load.beside_gpu + held + ranked,
        may_spread=True,
        goes_on=True,
    )


def _fine_tuning(plan: Plan, job: Job) -> Load:
    (work,) = fine_tunings(plan, [job], GPU)
    spec, shape = plan.fine_tuning(job.wildcards["fine_tuning"]), shape_of(plan, work.role) or LARGE
    tokens = max(work.tokens or 0, spec.max_length)
    kept = activations(shape, tokens, spec.batch_size)
    saved = FLOAT32 * CHECKPOINT[job.rule] * parameters(shape)
    load = _trained(shape, STATE, saved, work, (kept, kept), TEXT * (work.sentences or 0) / spec.epochs)
    return replace(load, goes_on=True)


def _judging(plan: Plan, job: Job) -> Load:
    (work,) = identifications(plan, [job], GPU)
    spec = plan.identifier(job.wildcards["identifier"])
    shape = shape_of(plan, spec.encoder) or LARGE
    kept = activations(shape, min(work.tokens or spec.max_length, spec.max_length), spec.batch_size)
    saved = FLOAT32 * CHECKPOINT[job.rule] * parameters(shape)
    load = _trained(shape, STATE, saved, work, (kept, kept), TEXT * (work.sentences or 0))
    return replace(load, goes_on=True)


def _pretraining(plan: Plan, job: Job) -> Load:
    role = job.wildcards["role"]
    encoder = job.rule == "train_pretrained"
    known = plan.train_pretrained(role) if encoder else plan.train_language_model(role).language_model
    shape = _small(known)
    sentences = known.steps * known.batch
    flops = sentences * training_flops(shape, known.positions)
    flops += sentences * known.positions * 6 * known.vocabulary * known.hidden  # the output layer, and back
    work = Work(job.rule, "", 1, sentences, known.positions, known.steps, flops, GPU.hours(flops))
    logits = LOGITS * FLOAT32 * known.batch * known.positions * known.vocabulary
    kept = activations(shape, known.positions, known.batch) + logits
    return replace(_trained(shape, STATE, 0, work, (kept, kept), 0), gpu_seconds=None)  # they run on the CPU


def _small(known: SmallEncoder | SmallLanguageModel) -> Shape:
    return Shape(
        num_hidden_layers=known.layers, hidden_size=known.hidden,
        intermediate_size=FEED_FORWARD * known.hidden, vocab_size=known.vocabulary,
        max_position_embeddings=known.positions, type_vocab_size=2,
    )  # fmt: skip


def _encoder_only(work: Work, shape: Shape, held: float) -> Load:
    """Return what encoding takes; `held` are bytes of texts and vectors in the host's memory."""
    weights, (seconds, gpu_seconds) = parameters(shape), _time(work)
    width = FLOAT32 * (8 * shape.hidden_size + 2 * shape.intermediate_size)  # of a token in one layer
    return Load(
        memory=LOADED * weights + held + width * PIECE_TOKENS,
        seconds=seconds,
        runs_model=True,
        gpu_seconds=gpu_seconds,
        gpu_memory=FLOAT32 * weights + width * GPU_PIECE_TOKENS + CONTEXT,
        beside_gpu=LOADED * weights + held,
    )


def _encoding(plan: Plan, job: Job) -> Load:
    (work,) = encodings(plan, [job], GPU)
    shape, count = shape_of(plan, work.role), work.sentences or 0
    held = ENCODED_TEXT * count
    source = plan.world.encoders[work.role]
    if isinstance(source, VectorsFile | TrainedVectors):
        return Load(held, VECTORS_SECONDS if isinstance(source, VectorsFile) else 0.0, runs_model=True)
    load = _encoder_only(work, shape or LARGE, held)
    if job.rule.startswith("evaluate_transfer"):  # classifiers of every fold, on the CPU
        seconds = CLASSIFIED * count
        load = replace(load, seconds=load.seconds + seconds, gpu_seconds=(load.gpu_seconds or 0) + seconds)
    return load


def _folder(plan: Plan, job: Job) -> Load:
    suite = cast(Suite, job.wildcards["suite"])
    texts, files = benchmark_texts(plan, suite), plan.scored_encoder_inputs()
    configs = (read_shape(path, Shape) for path in files if Path(path).name == CONFIG)
    shape = next(filter(None, configs), LARGE)
    flops = texts.count * forward_flops(shape, texts.tokens)
    work = Work("evaluate_folder", "", 1, texts.count, texts.tokens, None, flops, GPU.hours(flops))
    return _encoder_only(work, shape, ENCODED_TEXT * texts.count)


def _fitting(plan: Plan, job: Job) -> Load:
    recipe = plan.recipe(job.wildcards["recipe"])
    (work,) = trainings(plan, [job], GPU)
    shape = shape_of(plan, recipe.encoder) or LARGE
    d, epochs = shape.hidden_size, recipe.epochs if isinstance(recipe, FlowRecipe) else 1
    held = TEXT * (work.sentences or 0) / epochs + FLOAT32 * FITTED_TEXTS * d + 8 * FLOAT32 * d * d
    return _encoder_only(work, shape, held)


def _reading(plan: Plan, job: Job) -> Load:
    """Return what a shard of texts of a language model takes, or of the perplexities of candidates."""
    writes, shards = job.rule == "generate_dino", int(job.wildcards["shards"])
    (work,) = (writings if writes else scorings)(plan, [job], GPU)
    shape = language_model_shape(plan, work.role) or LARGE_LANGUAGE_MODEL
    weights, (seconds, gpu_seconds) = language_model_parameters(shape), _time(work, shards)
    rows = LABELS * plan.synthetic(job.wildcards["texts"]).entries * WRITTEN_SENTENCES if writes else 1
    keys = 2 * FLOAT32 * shape.n_layer * shape.n_embd * rows * WRITTEN_TOKENS
    kept = min(keys, BLOCK_BYTES) + LOGITS * FLOAT32 * shape.vocab_size * rows
    held = TEXT * (work.sentences or 0) / shards
    return Load(
        memory=LOADED * weights + kept + held,
        seconds=seconds,
        runs_model=True,
        gpu_seconds=gpu_seconds,
        gpu_memory=FLOAT32 * weights + kept + CONTEXT,
        beside_gpu=LOADED * weights + held,
        goes_on=True,
    )


def _converting(plan: Plan, job: Job) -> Load:
    """Return what bringing a model into another form takes: twice its file, and itself."""
    role = job.wildcards["role"]
    if job.rule == "retrieve_rinna_encoder":
        weights = parameters(shape_of(plan, role) or LARGE)
    else:
        weights = language_model_parameters(language_model_shape(plan, role) or LARGE_LANGUAGE_MODEL)
    return Load((LOADED + FLOAT32) * weights, 60.0, runs_model=True)


# What a job of a rule takes that runs a model.
MODELS: dict[str, Callable[[Plan, Job], Load]] = {
    **dict.fromkeys(TRAINED, _training),
    **dict.fromkeys(("train_pretrained", "train_language_model"), _pretraining),
    **dict.fromkeys(("train_whitening", "train_flow"), _fitting),
    **dict.fromkeys(("evaluate_fine_tuned", "evaluate_fine_tuned_released"), _fine_tuning),
    **dict.fromkeys(("generate_dino", "score_rewrites"), _reading),
    **dict.fromkeys(("score_similarities", "score_parascores"), _encoding),
    **{
        f"evaluate_{what}{of}": _encoding
        for what in ("geometry", "length_bias", "similarities", "transfer")
        for of in ("", "_released")
    },
    **dict.fromkeys(("evaluate_run", "evaluate_released"), _encoding),
    "evaluate_folder": _folder,
    "score_identification": _judging,
    "generate_seq2seq": lambda _, __: UNKNOWN,
    **dict.fromkeys(("retrieve_rinna_encoder", "retrieve_rinna_language_model"), _converting),
    **dict.fromkeys(("mini_encoder", "mini_language_model"), lambda _, __: MADE_ONCE),
}
