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
    """How a classifier learns to tell machine from human texts. RISE, section 3."""

    encoder: TrainableName = Field("bert-base", description="Role in the catalog")
    learning_rate: float = Field(1e-5, gt=0, description="Peak, after a tenth of the steps; then linear to 0")
    batch_size: int = Field(32, ge=2, description="Texts per step")
    epochs: int = Field(5, ge=1, description="The epoch with the lowest loss on held-out texts is kept")
    max_length: int = Field(128, ge=3, description="Longest input in word pieces; the rest is cut off")
    clip: float | None = Field(
        None, gt=0, description="Largest gradient norm; null: not clipped, as in the authors' code"
    )
    seed: int = Field(
        42, ge=0, description="Seed of the new layer, dropout, the order of texts and the folds"
    )
    folds: int = Field(
        1,
        ge=1,
        description="1: one classifier, which also scores the texts that it was trained on; more: "
        "cross-fitting",
    )
    dropout: Literal["every_epoch", "first_epoch"] = Field(
        "every_epoch",
        description="first_epoch: as in the authors' code, which turns dropout off after the first epoch",
    )
    padding: Literal["masked", "attended"] = Field(
        "masked", description="attended: as in the authors' code, where texts attend to padding"
    )


class FineTuning(WithRate):
    """How an encoder is fine-tuned on sentence pairs, both in one input. PPDB-CSE, section 4.2."""

    learning_rate: float = Field(5e-5, gt=0, description="Peak of the schedule")
    batch_size: int = Field(64, ge=2, description="Pairs per step")
    epochs: int = Field(20, ge=1, description="Most epochs; the one with the lowest dev loss is kept")
    patience: int = Field(3, ge=1, description="Early stopping: epochs without a lower dev loss")
    max_length: int = Field(
        128, ge=3, description="Longest input of both sentences in word pieces; the rest is cut off"
    )
    long_max_length: int = Field(256, ge=3, description="The same for product retrieval")
    warmup: float = Field(0.1, ge=0, lt=1, description="Share of the steps with a rising learning rate")
    schedule: Literal["linear", "cosine", "constant"] = "constant"
    weight_decay: float = Field(0.0, ge=0)
    clip: float | None = Field(
        1.0, gt=0, description="Largest gradient norm; null: gradients are not clipped"
    )
    bert_pooler: Literal["new", "kept"] = Field(
        "new",
        description="BERT's dense layer between [CLS] and the new output layer. new: initialised at random "
        "for every encoder; kept: the checkpoint's, pre-trained on next sentences, which no "
        "encoder trained here has",
    )
    train_pairs: Size | None = Field(
        None, description="Name of a size in the catalog: most training pairs of a task; null: all"
    )
