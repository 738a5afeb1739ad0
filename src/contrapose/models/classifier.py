"""A transformer with an output layer, fine-tuned on labelled texts or pairs of texts.  BERT, section 3.2."""

import logging
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, mse_loss
from tqdm import tqdm
from transformers import AutoModelForSequenceClassification
from transformers.models.auto.modeling_auto import MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING

from contrapose.base.errors import ConfigError
from contrapose.base.seeds import derived_seed
from contrapose.jobs.timing import computed
from contrapose.models.checkpoint import Checkpoints, RunProgress, copied, identity, run_steps
from contrapose.models.devices import chosen_device, chosen_precision, computing_in, on_device
from contrapose.models.epochs import batches, steps_per_epoch
from contrapose.models.folders import length_limit, model_folder
from contrapose.models.packed import in_pieces
from contrapose.models.schedule import adamw, learning_rate
from contrapose.models.tokens import Inputs, Text, inputs_of
from contrapose.models.transformer import model_and_tokenizer, read_config
from contrapose.settings.recipes import EncoderRecipe
from contrapose.settings.spec import Precision

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

logger = logging.getLogger(__name__)

SECONDS_BETWEEN_LINES = 5  # of the progress line

Padding = Literal["masked", "least", "attended"]
Dropout = Literal["every_epoch", "first_epoch"]


@dataclass(frozen=True)
class Examples:
    """Texts and their labels: classes from 0 (int64), or numbers (float) for a regression."""

    texts: Any  # str or pairs of them, or Inputs: tokenised by the classifier that learns from them
    labels: np.ndarray  # (n,)

    def loss(self, outputs: Tensor, rows: np.ndarray) -> Tensor:
        """Return the mean loss of the outputs (B, k) for `rows`: cross-entropy in nats, or squared error."""
        labels = torch.from_numpy(self.labels[rows]).to(outputs.device)
        if labels.is_floating_point():
            return mse_loss(outputs.squeeze(1), labels.to(outputs.dtype))
        return cross_entropy(outputs, labels)


class Classifier(nn.Module):
    """A model of `transformers` for sequence classification, and its tokenizer.

    `max_length` is the maximum of tokens per text, special tokens included; at most the model's limit.
    `padding` least: a batch is run in pieces of about equal lengths.  attended: texts attend to their
    padding, so their outputs depend on the other texts of the batch.
    """

    def __init__(
        self,
        model: "PreTrainedModel",
        tokenizer: "PreTrainedTokenizerBase",
        max_length: int,
        padding: Padding = "masked",
    ) -> None:
        super().__init__()
        self.model: PreTrainedModel = model
        self.tokenizer = tokenizer
        self.tokenizer.padding_side = "right"
        self.max_length = min(max_length, length_limit(model, tokenizer))
        self.padding = padding
        self.precision = torch.float32  # of every pass

    def inputs(self, texts: Iterable[Text] | Inputs) -> Inputs:
        return texts if isinstance(texts, Inputs) else inputs_of(texts, self.tokenizer, self.max_length)

    def forward(self, inputs: Inputs) -> Tensor:
        """Return the outputs of B texts, (B, k), before any softmax."""
        with computing_in(self.precision, self.model.device):
            if self.padding == "least":
                return in_pieces(self._outputs, inputs, self.model.device).float()
            return self._outputs(inputs).float()

    def on(self, device: str, precision: Precision) -> "Classifier":
        self.to(chosen_device(device))
        self.precision = chosen_precision(precision, self.model.device)
        return self

    def _outputs(self, inputs: Inputs) -> Tensor:
        arguments = inputs.padded(self.tokenizer)
        if self.padding == "attended":
            arguments["attention_mask"] = np.ones_like(arguments["attention_mask"])
        device = self.model.device
        computed(self.model, arguments["input_ids"].size)
        return self.model(**{name: on_device(each, device) for name, each in arguments.items()}).logits


def new_classifier(
    source: str | Path,
    outputs: int,
    seed: int,
    max_length: int,
    padding: Padding = "masked",
    revision: str | None = None,
    bert_pooler: Literal["kept", "new"] = "kept",
) -> Classifier:
    """Put a new output layer on a pre-trained encoder, as for `load_encoder`, on the CPU.

    As in `transformers`, its input is [CLS] of the last layer.  BERT: pooler (dense, tanh), dropout, linear;
    RoBERTa: dropout, dense, tanh, dropout, linear.  There is an output for each class, or one for a
    regression.

    `seed` alone decides the new weights.  `bert_pooler` kept: the folder's, if any, which was pre-trained on
    next-sentence prediction; new: every layer after [CLS] is initialised, whatever the folder has.  Raises as
    `load_encoder`, and a ConfigError if this kind of model cannot have an output layer.
    """
    folder = model_folder(source, revision)
    config = read_config(folder)
    if type(config) not in MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING:
        raise ConfigError(
            f"encoder '{folder}' is of type {config.model_type}, for which transformers has no text "
            "classification model. Use another encoder."
        )
    config.num_labels = outputs
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(derived_seed("classifier", seed))
        model, tokenizer = model_and_tokenizer(
            AutoModelForSequenceClassification, folder, config, new_head=True
        )
        if bert_pooler == "new":
            _draw_head(model)
    return Classifier(model, tokenizer, max_length, padding)


def load_cross_encoder(source: str | Path, revision: str | None = None) -> Classifier:
    """Load a model with an output layer of one number, on the CPU, in evaluation mode.

    Texts are truncated at the model's limit, the longer one of a pair first.  Raises as `load_encoder`, and a
    ConfigError if the model has no such layer.
    """
    folder = model_folder(source, revision, "cross-encoder")
    config = read_config(folder, "cross-encoder")
    classifies = any("SequenceClassification" in each for each in config.architectures or [])
    if config.num_labels != 1 or not classifies:
        raise ConfigError(
            f"cross-encoder '{folder}' is of type {config.architectures} with {config.num_labels} "
            "outputs. Use a model for sequence classification with one output, such as "
            "cross-encoder/ms-marco-MiniLM-L-6-v2."
        )
    model, tokenizer = model_and_tokenizer(
        AutoModelForSequenceClassification, folder, config, what="cross-encoder"
    )
    return Classifier(model, tokenizer, length_limit(model, tokenizer), "least").eval()


def _draw_head(model: "PreTrainedModel") -> None:
    """Initialise every layer after the encoder anew, as `transformers` does."""
    prefix = f"{model.base_model_prefix}."
    for name, layer in model.named_modules():
        in_head = not name.startswith(prefix) or name.startswith(f"{prefix}pooler.")
        if in_head and isinstance(layer, nn.Linear):
            nn.init.normal_(layer.weight, std=model.config.initializer_range)
            nn.init.zeros_(layer.bias)


def fine_tune(
    classifier: Classifier,
    examples: Examples,
    held_out: Examples,
    recipe: EncoderRecipe,
    seed: int,
    dropout: Dropout = "every_epoch",
    checkpoints: Checkpoints | None = None,
) -> list[float]:
    """Train a classifier in place; it ends with the weights of the epoch with the lowest held-out loss.

    All weights are trained.  Equal seeds give equal bytes on one machine with a fixed number of threads, also
    if the run is killed and resumes from its checkpoint.  Memory, in addition to the texts and their tokens:
    twice the weights for AdamW, once for the best epoch, and the activations of a batch.

    `classifier`: from `new_classifier`, already on its device; afterwards in evaluation mode.
    `recipe`: batch size, epochs, learning rate and its schedule, weight decay, clipping and patience, in
        epochs, are used.
    `dropout`: first_epoch is off from the second epoch on.

    Returns the held-out loss after each epoch.  Raises ConfigError if a loss is not finite, and StoppedError
    if SIGTERM was received and the checkpoint has been written.
    """
    known, unseen = (Examples(classifier.inputs(each.texts), each.labels) for each in (examples, held_out))
    training = _FineTuning(classifier, adamw(classifier, recipe), known, unseen, recipe, seed, dropout)
    run_steps(training, training.all_steps(), training.identity, checkpoints)
    assert training.progress.best is not None
    classifier.load_state_dict(training.progress.best)
    classifier.eval()
    return training.losses


@dataclass
class _FineTuning:
    """The state of a fine-tuning run; its history has a row for each epoch."""

    classifier: Classifier
    optimiser: torch.optim.Optimizer
    examples: Examples
    held_out: Examples
    recipe: EncoderRecipe
    seed: int
    dropout: Dropout
    progress: RunProgress = field(default_factory=RunProgress)

    def __post_init__(self) -> None:
        self.slots = [np.arange(len(self.examples.texts))]
        epochs = steps_per_epoch(self.slots, self.recipe.batch_size, self.recipe.epochs)
        self.ends = np.cumsum(epochs).tolist()  # of epochs
        self.steps = self.ends[-1]

    @property
    def losses(self) -> list[float]:
        return [row["held_out_loss"] for row in self.progress.history]

    @property
    def out_of_patience(self) -> bool:
        losses, patience = self.losses, self.recipe.early_stopping_patience
        return bool(losses) and patience is not None and len(losses) - 1 - int(np.argmin(losses)) >= patience

    def kept(self) -> tuple[Classifier, Any, None]:
        return self.classifier, self.optimiser, None

    def identity(self) -> str:
        device = f"{self.classifier.model.device.type} {self.classifier.precision}"
        made_by = f"{self.recipe.model_dump_json()} {self.seed} {self.dropout} {torch.__version__} {device}"
        parts = (self.examples, self.held_out)
        arrays = (each for part in parts for each in (*part.texts.arrays, part.labels))
        weights = self.classifier.state_dict().values()
        return identity(made_by, self.classifier.padding, *(each.tobytes() for each in arrays), *weights)

    def all_steps(self) -> Iterator[None]:
        batch_size, epochs, done = self.recipe.batch_size, self.recipe.epochs, self.progress.step
        with tqdm(
            total=epochs * len(self.examples.texts),
            initial=done * batch_size,
            unit="text",
            mininterval=SECONDS_BETWEEN_LINES,
            desc="fine-tune",
        ) as bar:
            for epoch, rows in batches(self.slots, batch_size, epochs, self.seed, done):
                if self.out_of_patience:
                    break
                self._step(epoch, rows)
                bar.update(len(rows))
                if self.progress.step in self.ends:
                    self._end_epoch(epoch)
                yield

    def _step(self, epoch: int, rows: np.ndarray) -> None:
        number = self.progress.step
        self.classifier.train(epoch == 0 or self.dropout == "every_epoch")
        for group in self.optimiser.param_groups:
            group["lr"] = learning_rate(number, self.steps, self.recipe)
        # So a step needs only weights and moments from earlier steps.
        torch.manual_seed(derived_seed("classifier", "dropout", self.seed, number + 1))
        loss = self.examples.loss(self.classifier(self.examples.texts.take(rows)), rows)
        loss.backward()
        if self.recipe.max_grad_norm is not None:
            nn.utils.clip_grad_norm_(self.classifier.parameters(), self.recipe.max_grad_norm)
        self.optimiser.step()
        self.optimiser.zero_grad()
        self.progress.step += 1

    def _end_epoch(self, epoch: int) -> None:
        """Keep the weights if their held-out loss is strictly the lowest so far."""
        loss = held_out_loss(self.classifier, self.held_out, self.recipe.batch_size)
        logger.info("epoch %d of %d: held-out loss %.4f", epoch + 1, self.recipe.epochs, loss)
        if not math.isfinite(loss):
            raise ConfigError(
                f"the held-out loss is {loss} after epoch {epoch + 1} (learning rate "
                f"{self.recipe.learning_rate:g}). Lower the learning_rate of this fine-tuning in the catalog."
            )
        if loss < min(self.losses, default=math.inf):
            self.progress.best_score = -loss
            self.progress.best = copied(self.classifier.state_dict().items())
        self.progress.history.append({"epoch": epoch, "held_out_loss": loss})


def held_out_loss(classifier: Classifier, held_out: Examples, batch_size: int) -> float:
    """Return the mean loss over examples, in evaluation mode."""
    outputs = torch.from_numpy(outputs_of(classifier, held_out.texts, batch_size, quiet=True))
    return float(held_out.loss(outputs, np.arange(len(held_out.texts))))


@torch.inference_mode()
def outputs_of(
    classifier: Classifier, texts: Sequence[Text] | Inputs, batch_size: int, quiet: bool = False
) -> np.ndarray:
    """Return the outputs of texts in evaluation mode: float64 of shape (n, k), in their order.

    Texts of about equal lengths share a batch.  With attended padding, where outputs depend on the batch,
    batches keep the order of the texts.
    """
    was_training = classifier.training
    classifier.eval()
    inputs = classifier.inputs(texts)
    attended = classifier.padding == "attended"
    order = np.arange(len(inputs)) if attended else np.argsort(inputs.characters, kind="stable")
    outputs = np.empty((len(inputs), classifier.model.config.num_labels))
    bar = tqdm(total=len(inputs), unit="text", mininterval=SECONDS_BETWEEN_LINES, desc="judge", disable=quiet)
    with bar:
        for start, end in pairwise([*range(0, len(inputs), batch_size), len(inputs)]):
            rows = order[start:end]
            outputs[rows] = classifier(inputs.take(rows)).double().cpu().numpy()
            bar.update(len(rows))
    classifier.train(was_training)
    return outputs
