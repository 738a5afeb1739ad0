"""The settings of InfoNCE."""

from typing import ClassVar, Literal, Self

from pydantic import Field, model_validator

from contrapose.settings.refs import TrainableName
from contrapose.train.losses.loss_settings import WithTeacher, WithTemperatures

Ranking = Literal["listmle", "listmle_mean", "listnet"]

Candidates = Literal["positives", "anchors", "gistembed", "gte"]

OF_GUIDE = ("guide_margin", "guide_margin_kind", "false_negatives")  # settings that need a guide


class InfoNCE(WithTemperatures, WithTeacher):
    """Each anchor should find its positive among the other texts of the batch. In sentence-transformers, this
    is MultipleNegativesRankingLoss.
    """

    weighted: ClassVar[bool] = True
    negatives: ClassVar[int | None] = None

    view_weight: float = Field(
        1.0,
        ge=0,
        description="Pair sets such as `punctuation` have several positives of an anchor, each in a "
        "view. The loss of each view after the first is multiplied by this weight, EdaCSE's lambda. "
        "With one view, the key has no effect.",
    )
    candidates: Candidates = Field(
        "positives",
        description="An anchor has to find its positive among the candidates, and this key chooses "
        "these. The table of [candidates](training.md#candidates-of-infonce) shows which texts they "
        "are. The value `gistembed` removes no false negatives: that takes a `guide`.",
    )
    symmetric: bool = Field(
        False,
        description="If false, an anchor has to find its positive. If true, a positive also has to find "
        "its anchor, and the loss is the mean of both directions.",
    )
    hard_negative_weight: float = Field(
        0.0,
        description="This number is added to the logit of an anchor's own hard negatives. With 1.0, they "
        "count e times as much in the softmax. With 0, they count like all other candidates. It is "
        "SimCSE's key of the same name.",
    )
    mixcse_lambda: float | None = Field(
        None,
        ge=0,
        lt=1,
        description="With a number, mixtures of two vectors are further negatives. A mixture is this "
        "share of one vector, and the rest of the next vector in the batch. MixCSE has 0.2. With null, "
        "there are no mixtures.",
    )
    soft_negative_weight: float = Field(
        0.0,
        ge=0,
        description="A number above 0 turns on SNCSE's additional loss, and is its weight. This loss "
        "keeps the cosine of anchor and hard negative below that of anchor and positive, but not far "
        "below. Hard negatives are then no candidates. SNCSE has 0.001 for BERT and 0.0005 for RoBERTa.",
    )
    soft_negative_least: float = Field(
        0.1,
        ge=0,
        description="This is alpha in SNCSE's additional loss, max(0, d + alpha) + max(0, -d - beta). "
        "There, d is the cosine of anchor and hard negative, less that of anchor and positive. The loss "
        "is 0 if the hard negative is between alpha and beta below the positive.",
    )
    soft_negative_most: float = Field(
        0.3,
        ge=0,
        description="This is beta in SNCSE's additional loss, which `soft_negative_least` explains.",
    )
    guide: TrainableName | None = Field(
        None,
        description="This is the catalog's name of a frozen encoder that finds false negatives: "
        "candidates that are too similar to count as negatives. With null, all candidates count as "
        "negatives. The method GISTEmbed needs this key. `candidates: gistembed` only adds candidates, "
        "as GISTEmbed's loss does, and either key works without the other.",
    )
    guide_margin: float = Field(
        0.0,
        description="A candidate is a false negative if its cosine by the guide exceeds a bound. The "
        "bound is the guide's cosine of anchor and positive, less this margin.",
    )
    guide_margin_kind: Literal["absolute", "relative", "threshold"] = Field(
        "absolute",
        description="This key decides how the bound follows from `guide_margin`. With `absolute`, the "
        "margin is subtracted from the positive's cosine. With `relative`, the margin times that cosine "
        "is subtracted. With `threshold`, the bound is `guide_margin` itself, whatever the positive's "
        "cosine is. MultiCSR has a threshold of 0.95.",
    )
    false_negatives: Literal["removed", "zero"] = Field(
        "removed",
        description="This key decides what happens to the false negatives that the guide finds. With "
        "`removed`, they are no candidates. With `zero`, they remain candidates with the logit 0, as "
        "in MultiCSR.",
    )
    momentum_queue_size: int = Field(
        0,
        ge=0,
        description="A queue keeps the vectors of this many anchors of earlier batches, which are "
        "further negatives. ESimCSE has 160, which is 2.5 batches of 64. With 0, there is no queue.",
    )
    momentum: float = Field(
        0.995,
        ge=0,
        lt=1,
        description="A moving average of the encoder computes the vectors of the queue. At each step, it "
        "keeps this share of its weights and takes the rest from the encoder. The default is ESimCSE's.",
    )
    consistency: float = Field(
        0.0,
        ge=0,
        description="A number above 0 turns on RankCSE's ranking consistency, and is its weight. "
        "Each sentence of the batch passes the encoder twice with different dropout. Both times, the "
        "cosines with the other sentences should have the same distribution.",
    )
    distillation: float = Field(
        0.0,
        ge=0,
        description="A number above 0 turns on RankCSE's ranking distillation, and is its weight. "
        "The cosines within a batch should have the same order as those of the teacher. It needs the "
        "key `teacher`.",
    )
    ranking: Ranking = Field(
        "listmle",
        description="This key chooses the loss of the ranking distillation. With `listmle`, it is the "
        "likelihood of the teacher's order. With `listmle_mean`, that is divided by the length of the "
        "list. With `listnet`, two distributions are compared.",
    )

    @model_validator(mode="after")
    def _whole_rankings(self) -> Self:
        if self.ranks and self.matryoshka:
            raise ValueError(
                "consistency and distillation rank whole vectors, so they exclude matryoshka. Remove one "
                "of the settings"
            )
        return self

    @model_validator(mode="after")
    def _candidates_that_fit(self) -> Self:
        if self.guide is None and (unguided := self._changed(OF_GUIDE)):
            raise ValueError(
                f"{unguided[0]} needs a guide, but guide is not set. Set it, or remove {unguided[0]}"
            )
        if self.soft_negative_weight and self.hard_negative_weight:
            raise ValueError(
                "hard_negative_weight has no effect with soft_negative_weight. Remove one of the two"
            )
        if self.symmetric and self.candidates != "positives":
            raise ValueError(
                f"with candidates: {self.candidates}, the loss is symmetric already. Remove symmetric"
            )
        return self

    def _changed(self, names: tuple[str, ...]) -> list[str]:
        fields = InfoNCE.model_fields
        return [name for name in names if getattr(self, name) != fields[name].default]

    @property
    def ranks(self) -> bool:
        """Whether RankCSE's terms are added to the loss."""
        return self.consistency > 0 or self.distillation > 0

    @property
    def about_negatives(self) -> list[str]:
        """Settings that have no effect on pairs without hard negatives."""
        return self._changed(("soft_negative_weight", "hard_negative_weight"))
