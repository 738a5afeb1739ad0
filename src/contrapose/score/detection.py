"""Did a human write a text, or a machine?  A classifier's answer.  RISE, section 3."""

import logging
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import pandas as pd
from pydantic import Field

from contrapose.base.errors import TableError
from contrapose.base.seeds import generator, uniforms
from contrapose.base.tasks import Task
from contrapose.jobs.inputs import Pairs
from contrapose.jobs.status import read_pairs
from contrapose.jobs.step import Device, FromJob, Outputs, planned
from contrapose.models.given import Checkpointed
from contrapose.settings.classifiers import Detector
from contrapose.settings.encoders import EncoderSettings
from contrapose.settings.plan import Plan
from contrapose.settings.spec import Spec, Split
from contrapose.tables import BENCHMARK, DETECTIONS, HELD_OUT, SENTENCES, read_table
from contrapose.train.recipe import Recipe

if TYPE_CHECKING:
    from contrapose.models.checkpoint import Checkpoints
    from contrapose.models.classifier import Examples, Text

logger = logging.getLogger(__name__)

MACHINE, HUMAN = 0, 1  # classes
WARMUP = 0.1  # share of the steps, as in RISE's code `discrimination.py`
HELD_OUT_SHARE = 0.1  # if a pair set names no dev pairs (our choice)

# Returns the logits of texts, human minus machine: float64 of shape (n,).
Classify = Callable[[Sequence["Text"]], np.ndarray]
# Trains the classifier of a fold, given its training texts and the held-out texts.
Train = Callable[[int, "Examples", "Examples"], Classify]


class HumanTexts(Spec):
    """What stands for human texts: all sentences of a corpus, or the second ones of its pairs."""

    tasks: list[Task] = Field([], description="Sets of the pairs; empty: the sentences of the corpus's file")
    split: Split = "train"

    @classmethod
    def beside(cls, project: Plan, pairs: Any) -> "HumanTexts":
        corpus = project.corpus(project.entry("synthetic", pairs.texts).corpus)
        tasks = corpus.sets(project)
        return HumanTexts(tasks=tasks, split=corpus.split) if tasks else HumanTexts()


class Detection(EncoderSettings):
    """What telling machine from human texts depends on, beside the pairs and the files of human texts."""

    detector: Detector = Field(description="With the catalog's learning-rate factor put in")
    human: list[HumanTexts] = Field(description="In each file: of the pairs, then of their dev pairs, if any")


@planned
def plan(project: Plan, pairs: str, detector: str) -> Detection:
    """Return a detector, the human texts beside each pair set, and the revision of its encoder."""
    spec = project.entry("identifiers", detector)
    sets = project.pairs(pairs).with_dev(project, pairs)
    human = [HumanTexts.beside(project, project.pairs(each)) for each in sets]
    hub, precision = project.encoder(spec.encoder).hub, project.config.precision
    return Detection(detector=spec, human=human, encoder=hub, precision=precision)


def build(
    spec: Detection,
    pairs: Pairs,
    dev: list[str],
    human: list[str],
    folder: Annotated[str, FromJob(lambda spec, job: job.resources.encoder)],
    device: Device,
    checkpoints: Checkpointed,
) -> Annotated[tuple, Outputs(held_out=HELD_OUT, detections=DETECTIONS)]:
    """Classify the text of every pair: did a human write it, or a machine?"""
    texts, *dev_texts = map(human_texts, human, spec.human)
    held_out = Writings.of(read_pairs(dev[0]), dev_texts[0]) if dev else None
    detected, unseen = detections(
        pairs, texts, held_out, spec.detector, trainer(spec, folder, device, checkpoints)
    )
    return (unseen, detected)


@dataclass(frozen=True)
class Writings:
    """Texts of both kinds, each once, in the order of their source.  A text may be of both kinds."""

    machine: list[str]
    human: list[str]

    @classmethod
    def of(cls, pairs: pd.DataFrame, human: Sequence[str]) -> "Writings":
        """Take the machine texts from the positives of a PAIRS table."""
        return cls(list(dict.fromkeys(pairs.positive)), list(dict.fromkeys(human)))

    def among(self, texts: Set["Text"]) -> "Writings":
        return Writings(*([each for each in kind if each in texts] for kind in (self.machine, self.human)))

    def without(self, texts: Set["Text"]) -> "Writings":
        return self.among({*self.machine, *self.human} - texts)


def human_texts(path: str, which: HumanTexts) -> list[str]:
    """Read what stands for human texts from a BENCHMARK or SENTENCES file, in its order."""
    if not which.tasks:
        return read_table(path, SENTENCES).text.tolist()
    benchmarks = read_table(path, BENCHMARK)
    pairs = benchmarks[benchmarks.task.isin(which.tasks) & (benchmarks.split == which.split)]
    if pairs.empty:
        raise TableError(
            f"{path}: split {which.split} of {', '.join(which.tasks)} has no pair, but its second "
            "sentences are needed as human texts. Put the files of one of these sets into the data "
            "folder."
        )
    return pairs.sentence2.tolist()


def balanced(texts: Writings, seed: int, what: str) -> "Examples":
    """Take as many machine as human texts: class 0 and class 1, as RISE's code.

    A machine text that occurs verbatim among the human ones is left out.  The larger class is cut:
    machine texts at random, human ones at the end.  `what` says what the texts are for, in the log and in the
    TableError raised if a class has no text.
    """
    from contrapose.models.classifier import Examples

    machine = texts.without(set(texts.human)).machine
    logger.info(
        "%s: %d machine texts, %d of them not among the %d human ones",
        what,
        len(texts.machine),
        len(machine),
        len(texts.human),
    )
    count = min(len(machine), len(texts.human))
    if count == 0:
        raise TableError(
            f"{what}: {len(machine)} machine texts and {len(texts.human)} human texts remain, but "
            "detection needs both. Raise the size of the corpora of the texts."
        )
    order = generator("identification", "balance", seed).permutation(len(machine))
    chosen = [machine[number] for number in order[:count]]
    return Examples(chosen + texts.human[:count], np.repeat([MACHINE, HUMAN], count))


def held_apart(texts: Writings, seed: int) -> tuple[Writings, Writings]:
    """Return what is left, and a tenth that is held out: a function of each text and the seed."""
    every = list(dict.fromkeys([*texts.machine, *texts.human]))
    keys = [("identification", "held out", seed, text) for text in every]
    apart = {text for text, at in zip(every, uniforms(keys, 1)[:, 0], strict=True) if at < HELD_OUT_SHARE}
    return texts.without(apart), texts.among(apart)


def detections(
    pairs: pd.DataFrame, human: Sequence[str], held_out: Writings | None, spec: Detector, train: Train
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Classify the positive of every pair of kind dino: human or machine?  Gives DETECTIONS and HELD_OUT.

    With one fold, one classifier gets all texts, also those that it was trained on, as in the paper.  With
    more, the texts are split into folds, and the classifier of a fold is trained on the others: it has seen
    none of its texts, neither as machine nor as human ones.  All are evaluated on the same held-out texts (by
    default a tenth of all), without those that one of them was trained on.

    Includes random pairs, whose texts are those of other pairs.  In the order of the pairs.
    """
    writings = Writings.of(pairs, human)
    texts = pd.Index(writings.machine)
    if held_out is None:
        writings, held_out = held_apart(writings, spec.seed)
    keys = [("identification", "fold", spec.seed, text) for text in texts]
    folds = (uniforms(keys, 1)[:, 0] * spec.folds).astype(int)  # of a text: by it and the seed alone
    of_folds = []
    for fold in range(spec.folds):
        others = writings.without(set(texts[folds == fold])) if spec.folds > 1 else writings
        of_folds.append(balanced(others, spec.seed, f"training texts of classifier {fold}"))
    trained_on = {text for examples in of_folds for text in examples.texts}
    unseen = balanced(held_out.without(trained_on), spec.seed, "held-out texts")
    logits, seen = np.empty(len(texts)), np.empty(len(texts), bool)
    parts = []
    for fold, examples in enumerate(of_folds):
        classify = train(fold, examples, unseen)
        mine = folds == fold
        logits[mine], seen[mine] = classify(texts[mine].tolist()), texts[mine].isin(examples.texts)
        about = {"fold": fold, "number": range(len(unseen.texts)), "text": unseen.texts}
        part = {**about, "human": unseen.labels == HUMAN, "logit": classify(unseen.texts)}
        parts.append(pd.DataFrame(part, columns=HELD_OUT.columns))
    rows = texts.get_indexer(pairs.positive)
    columns = {"id": pairs.id.array, "logit": logits[rows], "fold": folds[rows], "seen": seen[rows]}
    return pd.DataFrame(columns, columns=DETECTIONS.columns), pd.concat(parts, ignore_index=True)


def trainer(job: Detection, folder: str, device: str, checkpoints: "Checkpoints | None" = None) -> Train:
    """Return a function that fine-tunes an encoder to tell the two kinds apart, always from the same start.

    Each fold has its own folder in that of the checkpoints, which is kept when the fold is done, so that it
    is not trained again.
    """
    from contrapose.models.classifier import fine_tune, new_classifier, outputs_of

    spec = job.detector
    source, revision = job.source(folder)
    shared = spec.model_dump(include={"batch_size", "learning_rate", "epochs", "max_grad_norm"})
    recipe = Recipe(**shared, warmup_ratio=WARMUP)

    def train(fold: int, examples: "Examples", held_out: "Examples") -> Classify:
        classifier = new_classifier(source, 2, spec.seed, spec.max_length, spec.padding, revision)
        classifier.on(device, job.precision)
        of_fold = checkpoints and replace(checkpoints, state=checkpoints.state / f"fold{fold}")
        fine_tune(classifier, examples, held_out, recipe, spec.seed, spec.dropout, of_fold)

        def classify(texts: Sequence["Text"]) -> np.ndarray:
            outputs = outputs_of(classifier, texts, spec.batch_size)
            return outputs[:, HUMAN] - outputs[:, MACHINE]

        return classify

    return train
