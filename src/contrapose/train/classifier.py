"""A transformer with an output layer, fine-tuned on labelled texts or pairs of texts.  BERT, section 3.2."""

import logging
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, mse_loss
from tqdm import tqdm
from transformers import AutoModelForSequenceClassification
from transformers.models.auto.modeling_auto import MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING

from contrapose.config.recipes import Recipe
from contrapose.errors import ConfigError
from contrapose.seeds import derived_seed
from contrapose.train.batches import batches, steps_per_epoch
from contrapose.train.checkpoint import copied
from contrapose.train.encoder import model_and_tokenizer, read_config
from contrapose.train.folders import model_folder, position_limit
from contrapose.train.schedule import adamw, learning_rate

logger = logging.getLogger(__name__)

SECONDS_BETWEEN_WORDS = 5  # of the progress line

Text = str | tuple[str, str]  # a pair is one input, in two segments


@dataclass(frozen=True)
class Examples:
    """Texts and what each is to be taken for: a class from 0 (int64), or a number (float) in a regression."""

    texts: Sequence[Text]
    labels: np.ndarray  # (n,)

    def loss(self, outputs: Tensor, rows: np.ndarray) -> Tensor:
        """Return the mean loss of outputs (B, k) of some rows: cross-entropy in nats, or squared error."""
        wanted = torch.from_numpy(self.labels[rows]).to(outputs.device)
        if wanted.is_floating_point():
            return mse_loss(outputs.squeeze(1), wanted.to(outputs.dtype))
        return cross_entropy(outputs, wanted)


class Classifier(nn.Module):
    """A model of `transformers` for sequence classification, and its tokenizer.

    Parameters
    ----------
    model : from AutoModelForSequenceClassification
    tokenizer : its tokenizer
    max_length : int
        Tokens taken of a text, special tokens included; at most the model's limit.
    padding : masked or attended
        attended: texts see the padding behind them, and so depend on what they stand beside.
    """

    def __init__(
        self, model: Any, tokenizer: Any, max_length: int, padding: Literal["masked", "attended"] = "masked"
    ) -> None:
        super().__init__()
        self.model: Any = model
        self.tokenizer = tokenizer
        self.tokenizer.padding_side = "right"
        self.max_length = min(max_length, position_limit(model, tokenizer))
        self.padding = padding

    def forward(self, texts: Sequence[Text]) -> Tensor:
        """Return the outputs of B texts, (B, k), before any softmax."""
        sides = (
            [list(texts)] if isinstance(texts[0], str) else [list(side) for side in zip(*texts, strict=True)]
        )
        inputs = self.tokenizer(
            *sides, padding=True, truncation=True, max_length=self.max_length, return_tensors="pt"
        )
        if self.padding == "attended":
            inputs["attention_mask"] = torch.ones_like(inputs["attention_mask"])
        return self.model(**inputs.to(self.model.device)).logits


def new_classifier(
    source: str | Path,
    outputs: int,
    seed: int,
    max_length: int,
    padding: Literal["masked", "attended"] = "masked",
    revision: str | None = None,
) -> Classifier:
    """Put a new output layer on a pre-trained encoder, on the CPU.

    Parameters
    ----------
    source : folder, or name on the hub if there is a revision
    outputs : int
        Classes; 1 for a regression.
    seed : int
        The weights of the output layer, and of BERT's pooler where the folder has none, follow from it alone.
    max_length, padding : as for `Classifier`
    revision : str, optional
        Commit on the hub.

    Raises
    ------
    ConfigError, BackendError
        As for `contrapose.train.encoder.load_encoder`, and if no such model can have an output layer.
    """
    folder = model_folder(source, revision)
    config = read_config(folder)
    if type(config) not in MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING:
        raise ConfigError(f"encoder '{folder}' is of type {config.model_type}, which classifies no texts.")
    config.num_labels = outputs
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(derived_seed("classifier", seed))
        model, tokenizer = model_and_tokenizer(
            AutoModelForSequenceClassification, folder, config, new_head=True
        )
    return Classifier(model, tokenizer, max_length, padding)


def fine_tune(
    classifier: Classifier,
    examples: Examples,
    held_out: Examples,
    recipe: Recipe,
    seed: int,
    dropout: Literal["every_epoch", "first_epoch"] = "every_epoch",
) -> list[float]:
    """Train a classifier in place; in the end it has the weights of the epoch of lowest held-out loss.

    All weights are trained.  Equal seeds give equal bytes on one machine with one number of threads.  A
    killed training starts anew.  Memory: beside the texts, twice the weights for AdamW and once for the best
    epoch, and the activations of a batch.

    Parameters
    ----------
    classifier : Classifier
        From `new_classifier`, where it is to run; afterwards in evaluation mode.
    examples, held_out : Examples
    recipe : Recipe
        Batch size, epochs, learning rate and its schedule, weight decay and clipping; the rest does not
        count.
    seed : int
        Of the order of the examples and of dropout.
    dropout : every_epoch or first_epoch
        first_epoch: off from the second epoch on.

    Returns
    -------
    list of float
        The held-out loss after each epoch.

    Raises
    ------
    ConfigError
        A loss is not finite.
    """
    optimiser = adamw(classifier, recipe)
    slots = [np.arange(len(examples.texts))]
    counts = steps_per_epoch(slots, recipe.batch_size, recipe.epochs)
    ends = set(np.cumsum(counts).tolist())
    losses: list[float] = []
    best: dict[str, Tensor] = {}
    total = recipe.epochs * len(examples.texts)
    with tqdm(total=total, unit="text", mininterval=SECONDS_BETWEEN_WORDS, desc="fine-tune") as bar:
        for step, (epoch, rows) in enumerate(batches(slots, recipe.batch_size, recipe.epochs, seed), 1):
            classifier.train(epoch == 0 or dropout == "every_epoch")
            for group in optimiser.param_groups:
                group["lr"] = learning_rate(step - 1, sum(counts), recipe)
            torch.manual_seed(derived_seed("classifier", "dropout", seed, step))
            loss = examples.loss(classifier([examples.texts[row] for row in rows]), rows)
            loss.backward()
            nn.utils.clip_grad_norm_(classifier.parameters(), recipe.clip)
            optimiser.step()
            optimiser.zero_grad()
            bar.update(len(rows))
            if step in ends:
                found = held_out_loss(classifier, held_out, recipe.batch_size)
                logger.info("epoch %d of %d: held-out loss %.4f", epoch + 1, recipe.epochs, found)
                if not math.isfinite(found):
                    raise ConfigError(
                        f"the held-out loss is {found} after epoch {epoch + 1} (learning rate "
                        f"{recipe.learning_rate:g}). Lower the learning_rate."
                    )
                if found < min(losses, default=math.inf):
                    best = copied(classifier.state_dict().items())
                losses.append(found)
    classifier.load_state_dict(best)
    classifier.eval()
    return losses


def held_out_loss(classifier: Classifier, held_out: Examples, batch_size: int) -> float:
    """Return the mean loss over examples, in evaluation mode."""
    outputs = torch.from_numpy(outputs_of(classifier, held_out.texts, batch_size, quiet=True))
    return float(held_out.loss(outputs, np.arange(len(held_out.texts))))


@torch.inference_mode()
def outputs_of(
    classifier: Classifier, texts: Sequence[Text], batch_size: int, quiet: bool = False
) -> np.ndarray:
    """Return the outputs of texts in evaluation mode: float64 of shape (n, k), in their order.

    Texts of about equal lengths share a batch.  With attended padding, whose outputs depend on that, a batch
    holds texts that follow each other.  `quiet` shows no progress line.
    """
    was_training = classifier.training
    classifier.eval()
    lengths = [len(text) if isinstance(text, str) else sum(map(len, text)) for text in texts]
    order = np.argsort(lengths, kind="stable") if classifier.padding == "masked" else np.arange(len(texts))
    outputs = np.empty((len(texts), classifier.model.config.num_labels))
    bar = tqdm(total=len(texts), unit="text", mininterval=SECONDS_BETWEEN_WORDS, desc="judge", disable=quiet)
    with bar:
        for start, end in pairwise([*range(0, len(texts), batch_size), len(texts)]):
            rows = order[start:end]
            outputs[rows] = classifier([texts[row] for row in rows]).double().cpu().numpy()
            bar.update(len(rows))
    classifier.train(was_training)
    return outputs
