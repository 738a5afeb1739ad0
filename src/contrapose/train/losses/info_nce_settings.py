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
        1.0, ge=0, description="The loss of each view after the first has this weight, EdaCSE's lambda."
    )
    candidates: Candidates = Field(
        "positives",
        description="This says what an anchor is compared with. With `positives`, it is the positives of "
        "the batch, as in SimCSE. With `anchors`, it is its own positive and the other anchors, "
        "as the thesis can be read. With `gistembed`, it is the positives and the other "
        "anchors. The positive is also compared with the other positives. With `gte`, the "
        "positive is furthermore compared with all anchors, and with the hard negatives of "
        "other pairs.",
    )
    symmetric: bool = Field(
        False,
        description="If true, positives also choose among the anchors. The loss is the mean of both "
        "directions.",
    )
    hard_negative_weight: float = Field(
        0.0,
        description="This number is added to the logit of the pair's own hard negatives. It is SimCSE's "
        "`hard_negative_weight`.",
    )
    mixcse_lambda: float | None = Field(
        None,
        ge=0,
        lt=1,
        description="Further negatives are mixtures of two vectors: this share of one, and the rest of "
        "the next. MixCSE has 0.2. With null, there are none.",
    )
    soft_negative_weight: float = Field(
        0.0,
        ge=0,
        description="This is the weight of SNCSE's loss, which keeps the cosine of a hard negative "
        "below the positive's, but not far below. Hard negatives are then no candidates. "
        "SNCSE has 0.001 for BERT and 0.0005 for RoBERTa.",
    )
    soft_negative_least: float = Field(
        0.1,
        ge=0,
        description="The cosine of a hard negative is at least this far below the positive's, SNCSE's alpha.",
    )
    soft_negative_most: float = Field(
        0.3,
        ge=0,
        description="The cosine of a hard negative is at most this far below the positive's, SNCSE's beta.",
    )
    guide: TrainableName | None = Field(
        None,
        description="This is the catalog's name of a frozen encoder that detects false negatives among the "
        "candidates. GISTEmbed.",
    )
    guide_margin: float = Field(
        0.0,
        description="A candidate is a false negative if the guide finds it nearer than the positive, "
        "less this margin.",
    )
    guide_margin_kind: Literal["absolute", "relative", "threshold"] = Field(
        "absolute",
        description="With `absolute`, the margin is subtracted from the positive's cosine. With "
        "`relative`, it is first multiplied by that cosine. With `threshold`, a candidate "
        "is a false negative if its cosine exceeds `guide_margin`. MultiCSR has 0.95.",
    )
    false_negatives: Literal["removed", "zero"] = Field(
        "removed", description="False negatives are removed, or their logit is 0 (`zero`), as in MultiCSR."
    )
    momentum_queue_size: int = Field(
        0,
        ge=0,
        description="This many anchors of earlier batches are further negatives. ESimCSE has 160, which "
        "is 2.5 batches.",
    )
    momentum: float = Field(
        0.995,
        ge=0,
        lt=1,
        description="This is the momentum of the average of the encoder's weights, which computes the "
        "queue. ESimCSE.",
    )
    consistency: float = Field(
        0.0, ge=0, description="This is the weight of RankCSE's ranking consistency of two views."
    )
    distillation: float = Field(
        0.0, ge=0, description="This is the weight of RankCSE's ranking distillation."
    )
    ranking: Ranking = Field(
        "listmle",
        description="This is the loss of the distillation. `listmle_mean` is divided by the length of "
        "the list.",
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
                "hard_negative_weight is about candidates, but with soft_negative_weight, hard "
                "negatives are not candidates. Remove one of the settings"
            )
        if self.symmetric and self.candidates != "positives":
            raise ValueError(
                "symmetric works only with candidates: positives, because gte has both directions in one "
                "softmax. Remove symmetric"
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
