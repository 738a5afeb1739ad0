"""Scores of an encoder that is fine-tuned on a sentence-pair task, on its dev and test splits."""

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np
import pandas as pd
import pyarrow.compute as pc
from pydantic import Field

from contrapose.base.errors import UnavailableError, unknown
from contrapose.base.seeds import generator
from contrapose.base.tasks import FINE_TUNED_SUITES, PRODUCT_RETRIEVAL, TASKS, Task
from contrapose.evaluate.evaluation import Folder, RunSettings, run_settings
from contrapose.evaluate.influence import CORRELATIONS, Measured, f1, mean, scored
from contrapose.jobs.step import Device, Rows, planned
from contrapose.models.given import Checkpointed
from contrapose.settings.ids import seed_of
from contrapose.settings.plan import Plan
from contrapose.settings.refs import resolved
from contrapose.settings.spec import Split
from contrapose.tables import BENCHMARK, ROWS_PER_GROUP, SCORES, open_table
from contrapose.train.recipe import Recipe

if TYPE_CHECKING:
    from contrapose.models.classifier import Classifier, Examples

logger = logging.getLogger(__name__)

FORM = "raw"  # of the texts: a fine-tuned encoder reads them as they are


class FineTuned(RunSettings):
    """What the scores of one fine-tuned encoder on a task depend on, beside its folder and the benchmarks."""

    task: Task
    recipe: Recipe = Field(
        description="Of the fine-tuning, with the task's max_length and the catalog's rate"
    )
    bert_pooler: Literal["new", "kept"]
    train_pairs: int | None = Field(description="Most pairs learned from; null: every one")
    seed: int = Field(ge=0, description="Of new layers, dropout and the order of pairs")


@planned
def plan(project: Plan, fine_tuning: str, task: Task, run: str) -> FineTuned:
    """Return the fine-tuning of a run on a task; raise ConfigError for a task that is not fine-tuned on."""
    if task not in TASKS or TASKS[task].suite not in FINE_TUNED_SUITES:
        known = [name for name, about in TASKS.items() if about.suite in FINE_TUNED_SUITES]
        raise unknown("the list of tasks that encoders are fine-tuned on", task, known)
    spec = resolved(project.entry("fine_tunings", fine_tuning), project)
    recipe = {name: value for name, value in dict(spec).items() if name in Recipe.model_fields}
    if task in PRODUCT_RETRIEVAL:
        recipe["max_length"] = spec.long_max_length
    fields = {"seed": seed_of(run), "bert_pooler": spec.bert_pooler, "train_pairs": spec.train_pairs}
    return run_settings(FineTuned, project, run, task=task, recipe=Recipe(**recipe), **fields)


def build(
    spec: FineTuned, benchmarks: list[str], source: Folder, device: Device, checkpoints: Checkpointed
) -> Annotated[pd.DataFrame, Rows(SCORES)]:
    """Fine-tune an encoder on a task and score it on its dev and test splits, as far as they exist.

    Both sentences form one input, `[CLS] a [SEP] b [SEP]`.  The loss is squared error for regression and
    cross-entropy for classes.  The epoch with the lowest dev loss is kept.  Memory: ten thousand pairs of the
    file at a time; for each pair that is used, 5 bytes per token plus 20.

    Returns SCORES: Spearman and Pearson, or accuracy, micro-F1 and macro-F1; aggregation `all`.  Raises
    UnavailableError if there is no encoder, there are no train pairs or no dev pairs to select by, or a split
    has no correlation, and StoppedError, as `fine_tune`.
    """
    from contrapose.models.classifier import fine_tune, new_classifier, outputs_of

    rows: list[dict] = []
    folder, revision = spec.source(source)
    outputs, recipe = TASKS[spec.task].classes or 1, spec.recipe
    classifier = new_classifier(
        folder, outputs, spec.seed, recipe.max_length, "least", revision, spec.bert_pooler
    )
    classifier.on(device, spec.precision)
    train = examples_of(benchmarks[0], spec.task, "train", classifier, spec.train_pairs)
    held_out = {split: examples_of(benchmarks[0], spec.task, split, classifier) for split in ("dev", "test")}
    missing = [name for name, each in (("train", train), ("dev", held_out["dev"])) if not len(each.texts)]
    if missing:
        raise UnavailableError(
            f"{spec.task} has no pairs in split {' and '.join(missing)}, so no encoder can be fine-tuned "
            "on it"
        )
    fine_tune(classifier, train, held_out["dev"], recipe, spec.seed, checkpoints=checkpoints)
    for split, examples in held_out.items():
        if len(examples.texts):
            predicted = outputs_of(classifier, examples.texts, recipe.batch_size)
            about = {"run": spec.run, "task": spec.task, "form": FORM, "split": split, "aggregation": "all"}
            for metric, each in pair_scores(predicted, examples.labels, spec, split).items():
                rows.append({**about, "metric": metric, **scored(each, correlation=metric in CORRELATIONS)})
    return pd.DataFrame(rows, columns=SCORES.columns)


def examples_of(
    benchmarks: str | Path, task: Task, split: Split, classifier: "Classifier", most: int | None = None
) -> "Examples":
    """Read and tokenise the pairs of a split, in the order of the file.

    Labels are classes, or gold scores on a scale from 0 to 1.  If there are more pairs, `most` are sampled:
    the same for every encoder, and part of any larger sample.
    """
    from contrapose.models.classifier import Examples

    gold: list[np.ndarray] = []

    def texts() -> Iterator[tuple[str, str]]:
        done = 0
        for some in _rows(benchmarks, task, split):
            rows = some if chosen is None else some[chosen[done : done + len(some)]]
            done += len(some)
            gold.append(rows.score.to_numpy())
            yield from zip(rows.sentence1, rows.sentence2, strict=True)

    chosen = None
    if most is not None:
        count = sum(map(len, _rows(benchmarks, task, split, ["task", "form", "split"])))
        order = generator("fine-tuned", "pairs", task, split).permutation(count)
        chosen = np.isin(np.arange(count), order[:most])
    inputs = classifier.inputs(texts())
    scores, about = np.concatenate(gold or [np.empty(0)]), TASKS[task]
    logger.info("%s/%s: %d pairs", task, split, len(scores))
    if about.classes:
        return Examples(inputs, scores.astype(np.int64))
    return Examples(inputs, (scores - about.low) / (about.high - about.low))


def _rows(
    benchmarks: str | Path, task: Task, split: Split, columns: list[str] = BENCHMARK.columns
) -> Iterator[pd.DataFrame]:
    wanted = (pc.field("task") == task) & (pc.field("form") == FORM) & (pc.field("split") == split)
    with open_table(benchmarks, BENCHMARK) as file:
        for batch in file.iter_batches(ROWS_PER_GROUP, columns=columns):
            yield batch.filter(wanted).to_pandas()


def pair_scores(predicted: np.ndarray, gold: np.ndarray, job: FineTuned, split: str) -> dict[str, Measured]:
    """Return the scores of a model's outputs for pairs, by metric.

    `predicted` has the shape (n, k): one output per class, or a single one for a regression.  Raises
    UnavailableError if there is no correlation.
    """
    if TASKS[job.task].classes:
        return class_scores(gold, predicted.argmax(axis=1))
    values = predicted[:, 0]
    if len(gold) < 3 or np.ptp(gold) == 0 or np.ptp(values) == 0:  # two pairs correlate by 1 or -1
        raise UnavailableError(
            f"{job.run}: the {len(gold)} pairs of {job.task}/{split} give no correlation. There are "
            "fewer than three pairs, or all gold scores or outputs are equal. Complete the files of "
            "the set, or lower the learning_rate"
        )
    return {metric: function(values, gold) for metric, function in CORRELATIONS.items()}


def class_scores(gold: np.ndarray, predicted: np.ndarray) -> dict[str, Measured]:
    """Return accuracy, micro-F1 and macro-F1 by name, each in [0, 1].

    A pair has one gold and one predicted class, so micro-F1 equals accuracy.  Macro-F1 is the mean over the
    classes that occur, as gold or predicted.  `gold` and `predicted` are classes from 0, int of shape (n,).
    """
    accuracy = mean((gold == predicted).astype(float))
    of_classes = [f1(predicted == each, gold == each) for each in np.union1d(gold, predicted)]
    values, influences = zip(*of_classes, strict=True)
    macro = Measured(float(np.mean(values)), np.mean(influences, axis=0))
    return {"accuracy": accuracy, "micro_f1": accuracy, "macro_f1": macro}
