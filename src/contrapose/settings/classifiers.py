"""How encoders with an output layer are trained: detectors of machine texts, and fine-tuning on pairs."""

from typing import TYPE_CHECKING, Literal, Self

from pydantic import Field

from contrapose.settings.plan import Plan
from contrapose.settings.refs import Size, TrainableName
from contrapose.settings.spec import Spec


class WithRate(Spec):
    """A training whose learning rate a catalog scales, and nothing else."""

    if TYPE_CHECKING:
        learning_rate: float

    def scaled(self, project: Plan, own_id: str) -> Self:
        """Return the recipe with this catalog's learning rate."""
        return self.model_copy(update={"learning_rate": project.catalog.training.rate(self.learning_rate)})


class Detector(WithRate):
    """A classifier learns to detect machine texts among human ones. RISE, section 3."""

    encoder: TrainableName = Field(
        "bert-base", description="This is the catalog's name of the encoder that is fine-tuned."
    )
    learning_rate: float = Field(
        1e-5,
        gt=0,
        description="This is the peak of the learning rate. It rises for a tenth of the steps and then "
        "falls linearly to 0.",
    )
    batch_size: int = Field(32, ge=2, description="Each step reads this many texts.")
    epochs: int = Field(
        5,
        ge=1,
        description="Training has this many epochs. The epoch with the lowest loss on held-out texts is "
        "kept.",
    )
    max_length: int = Field(
        128, ge=3, description="The longest input has this many word pieces. The rest of a text is cut off."
    )
    max_grad_norm: float | None = Field(
        None,
        gt=0,
        description="The norm of gradients is at most this large. With null, gradients are not clipped, "
        "as in the authors' code.",
    )
    seed: int = Field(
        42, ge=0, description="This seed draws the new layer, dropout, the order of the texts and the folds."
    )
    folds: int = Field(
        1,
        ge=1,
        description="With 1, one classifier also scores the texts that it was trained on. With more, "
        "scores come from cross-fitting.",
    )
    dropout: Literal["every_epoch", "first_epoch"] = Field(
        "every_epoch",
        description="With `every_epoch`, dropout is always on. With `first_epoch`, it is off after the "
        "first epoch, as in the authors' code.",
    )
    padding: Literal["masked", "attended"] = Field(
        "masked",
        description="With `masked`, padding is masked. With `attended`, texts attend to padding, as in "
        "the authors' code.",
    )


class FineTuning(WithRate):
    """An encoder is fine-tuned on sentence pairs, both sentences in one input. PPDB-CSE, section 4.2."""

    learning_rate: float = Field(5e-5, gt=0, description="This is the peak of the learning rate.")
    batch_size: int = Field(64, ge=2, description="Each step reads this many pairs.")
    epochs: int = Field(
        20,
        ge=1,
        description="Training has at most this many epochs. The epoch with the lowest dev loss is kept.",
    )
    early_stopping_patience: int = Field(
        3, ge=1, description="Training stops after this many epochs without a lower dev loss."
    )
    max_length: int = Field(
        128,
        ge=3,
        description="The longest input of both sentences has this many word pieces. The rest is cut off.",
    )
    long_max_length: int = Field(256, ge=3, description="This is `max_length` for product retrieval.")
    warmup_ratio: float = Field(
        0.1,
        ge=0,
        lt=1,
        description="The learning rate rises from 0 to its peak during this share of the steps.",
    )
    lr_scheduler_type: Literal["linear", "cosine", "constant"] = Field(
        "constant", description="This is the course of the learning rate after the warm-up."
    )
    weight_decay: float = Field(0.0, ge=0, description="This is the weight decay of AdamW.")
    max_grad_norm: float | None = Field(
        1.0,
        gt=0,
        description="Gradients are clipped to this norm at each step. With null, gradients are not clipped.",
    )
    bert_pooler: Literal["new", "kept"] = Field(
        "new",
        description="This is BERT's dense layer between [CLS] and the new output layer. With `new`, it "
        "is initialised at random for every encoder. With `kept`, it is the checkpoint's, "
        "pre-trained on next sentences. Encoders that are trained here have none.",
    )
    train_pairs: Size | None = Field(
        None,
        description="At most this many training pairs of a task are used: a number, or the name of a "
        "size of the catalog. With null, all pairs are used.",
    )
