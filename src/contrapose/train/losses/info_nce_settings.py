"""The settings of InfoNCE."""

from typing import ClassVar, Literal, Self

from pydantic import Field, model_validator

from contrapose.settings.refs import TrainableName
from contrapose.train.losses.loss_settings import WithTeacher, WithTemperatures

Ranking = Literal["listmle", "listmle_mean", "listnet"]

Candidates = Literal["positives", "anchors", "gistembed", "gte"]

OF_GUIDE = ("guide_margin", "guide_margin_kind", "false_negatives")  # settings that need a guide


class InfoNCE(WithTemperatures, WithTeacher):
    """The other pairs of the batch are negatives."""

    weighted: ClassVar[bool] = True
    negatives: ClassVar[int | None] = None

    view_weight: float = Field(
        1.0, ge=0, description="Weight of the loss of views after the first: EdaCSE's lambda"
    )
    candidates: Candidates = Field(
        "positives",
        description="What an anchor chooses among: the positives of the batch, as in SimCSE; or its own "
        "positive and the other anchors, as the thesis's wording may be read; gistembed: the positives, the "
        "other anchors, and how near its positive is to the others; gte: and how near that is to all anchors "
        "and to the hard negatives of others",
    )
    symmetric: bool = Field(
        False, description="Positives choose among the anchors, too; the loss is the mean of both directions"
    )
    negative_weight: float = Field(
        0.0, description="Added to the logit of the own hard negatives. SimCSE's hard_negative_weight"
    )
    mix: float | None = Field(
        None,
        ge=0,
        lt=1,
        description="Further negatives are mixtures of this share of a vector with the next one. MixCSE: 0.2",
    )
    soft_negative_weight: float = Field(
        0.0,
        ge=0,
        description="SNCSE: hard negatives are no candidates; the weight of a loss that keeps their cosine "
        "below the positive's, but not far below. 0.001 for BERT, 0.0005 for RoBERTa",
    )
    soft_negative_least: float = Field(0.1, ge=0, description="How far below at least: SNCSE's alpha")
    soft_negative_most: float = Field(0.3, ge=0, description="How far below at most: SNCSE's beta")
    guide: TrainableName | None = Field(
        None, description="Role of a frozen encoder that says which candidates are no negatives. GISTEmbed"
    )
    guide_margin: float = Field(0.0, description="They are nearer for it than the positive, less this")
    guide_margin_kind: Literal["absolute", "relative", "threshold"] = Field(
        "absolute",
        description="relative: times the positive's cosine; threshold: they are nearer than guide_margin, "
        "wherever the positive is. MultiCSR: 0.95",
    )
    false_negatives: Literal["removed", "zero"] = Field(
        "removed", description="What becomes of them; zero: their logit is 0, as in MultiCSR"
    )
    queue: int = Field(
        0,
        ge=0,
        description="Anchors of earlier batches that are further negatives. ESimCSE: 160, 2.5 batches",
    )
    momentum: float = Field(
        0.995, ge=0, lt=1, description="Of the average of the encoder's weights that makes the queue. ESimCSE"
    )
    consistency: float = Field(0.0, ge=0, description="Weight of RankCSE's ranking consistency of two views")
    distillation: float = Field(0.0, ge=0, description="Weight of RankCSE's ranking distillation")
    ranking: Ranking = Field(
        "listmle", description="Loss of the distillation; listmle_mean: divided by the length of the list"
    )

    @model_validator(mode="after")
    def _whole_rankings(self) -> Self:
        if self.ranks and self.matryoshka:
            raise ValueError("consistency and distillation rank whole vectors: remove them, or matryoshka")
        return self

    @model_validator(mode="after")
    def _candidates_that_fit(self) -> Self:
        if self.guide is None and (unguided := self._changed(OF_GUIDE)):
            raise ValueError(f"{unguided[0]} needs a guide: name one, or remove {unguided[0]}")
        if self.soft_negative_weight and self.negative_weight:
            raise ValueError(
                "negative_weight is about candidates, which hard negatives are not with "
                "soft_negative_weight: remove one of them"
            )
        if self.symmetric and self.candidates != "positives":
            raise ValueError("symmetric is for candidates: positives; gte has both directions in one softmax")
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
        return self._changed(("soft_negative_weight", "negative_weight"))
