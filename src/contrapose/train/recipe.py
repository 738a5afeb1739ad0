"""Recipes of trainings: a contrastive one has the settings of its loss, and there are other kinds."""

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

from pydantic import (
    Field,
    SerializerFunctionWrapHandler,
    create_model,
    model_serializer,
    model_validator,
)

import contrapose.train.losses
from contrapose.base.errors import ConfigError
from contrapose.jobs.step import kinds_of, planned, settings_class
from contrapose.settings.plan import Plan
from contrapose.settings.recipes import (
    AveragedRecipe,
    ContrastiveTensionRecipe,
    EncoderRecipe,
    FlowRecipe,
    WhiteningRecipe,
)
from contrapose.settings.spec import ByKind
from contrapose.train.losses.info_nce_settings import InfoNCE
from contrapose.train.losses.loss_settings import LossSettings

LOSSES = kinds_of(contrapose.train.losses)


def _settings() -> dict[str, type[LossSettings]]:
    """Return {loss: its settings}; raise a ConfigError for a module that has none."""
    classes = {name: settings_class(module) for name, module in LOSSES.items()}
    for name, kind in classes.items():
        if not (isinstance(kind, type) and issubclass(kind, LossSettings)):
            raise ConfigError(
                f"{LOSSES[name].__file__}: the first parameter of `build` must have as type a "
                "settings class of a loss. Write one; its base class is in "
                "contrapose.train.losses.loss_settings."
            )
    return classes


SETTINGS = _settings()


class _OfLoss(EncoderRecipe):
    """What a recipe does with the settings of its loss."""

    loss: str = "info_nce"
    _common: ClassVar[set[str]] = {*EncoderRecipe.model_fields, "loss"}  # settings of every loss
    if TYPE_CHECKING:  # of info_nce and of losses with a teacher
        distillation: float = 0.0
        guide: str | None = None
        momentum_queue_size: int = 0

        @property
        def teachers(self) -> list[str]: ...
        @property
        def ranks(self) -> bool: ...

    @property
    def of_loss(self) -> type[LossSettings]:
        """What the loss needs of pairs."""
        return SETTINGS[self.loss]

    @property
    @planned
    def frozen_encoders(self) -> list[str]:
        """Roles of the encoders that training reads and does not change."""
        return [*self.teachers, *filter(None, [self.guide])]

    def passes(self, project: Plan) -> float:
        return super().passes(project) + (
            1 / 2 if self.momentum_queue_size else 0
        )  # the anchors once more, of two sides

    def check_pairs(self, project: Plan, pairs: str, where: str) -> None:
        spec = project.pairs(pairs)
        if self.ranks and not spec.same_text:
            raise ConfigError(
                f"{where}: consistency and distillation rank two dropout views of a sentence, but "
                f"these pairs are of kind {spec.kind}. Name pairs of kind dropout."
            )
        if spec.labelled != self.of_loss.labelled:
            raise ConfigError(
                f"{where}: the loss {self.loss} needs pairs {'without' if spec.labelled else 'with'} "
                "labels. Pairs of kind dino, reweighted, scored and margins have labels, and so do "
                "triplets with scored: true. For all other pairs, use info_nce or a loss with a "
                "teacher."
            )
        if self.of_loss.labelled and spec.labels(project) != self.of_loss.labels:
            labels = spec.labels(project)
            fitting = [name for name, each in SETTINGS.items() if each.labelled and each.labels == labels]
            raise ConfigError(
                f"{where}: the loss {self.loss} does not fit the labels of these pairs, which are of kind "
                f"{spec.kind}. Set loss to {' or '.join(fitting)}."
            )
        if self.dev == "pairs":
            project.runs.own_dev(pairs)

    @property
    def idle(self) -> set[str]:
        values, fields = dict(self), self.of_loss.model_fields
        return {name for name in fields if name != "temperature" and values[name] == fields[name].default}

    @property
    def selects_by_loss(self) -> bool:
        """Whether InfoNCE on dev pairs selects the checkpoint; otherwise a correlation of two sides does."""
        return self.dev == "pairs" and self.of_loss.negatives != 0

    @model_validator(mode="after")
    def _settings_of_its_loss(self) -> Self:
        """Refuse settings that the loss does not have, if they differ from their defaults."""
        known = self._common - {*self.of_loss.refused} | self.of_loss.model_fields.keys()
        for name, value in self:
            if name not in known and value != type(self).model_fields[name].default:
                raise ValueError(
                    f"{name} has no effect with loss {self.loss}. Remove it. Keys for this loss: "
                    f"{', '.join(sorted(known))}"
                )
        return self

    @model_validator(mode="after")
    def _a_teacher(self) -> Self:
        if self.of_loss.distils and not self.teachers:
            raise ValueError(
                f"loss {self.loss} distils a teacher, but teacher is not set. Name an entry under "
                "`encoders` of the catalog"
            )
        if not self.of_loss.distils and bool(self.teachers) != (self.distillation > 0):
            raise ValueError("set both teacher and distillation, or neither of them")
        return self

    @model_serializer(mode="wrap")
    def _without_settings_of_others(self, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Leave out what only other losses have: one loss more, perhaps a person's own, reruns nothing."""
        known = self._common | self.of_loss.model_fields.keys()
        return {name: value for name, value in dump(self).items() if name in known}


if TYPE_CHECKING:

    class Recipe(InfoNCE, _OfLoss):
        """Type checkers know the settings of the default loss."""
else:
    Recipe = create_model(
        "Recipe",
        __base__=(*SETTINGS.values(), _OfLoss),
        __doc__="An encoder is trained on pairs. The defaults are SimCSE's for unsupervised BERT-base.",
        loss=(
            Literal[tuple(LOSSES)],
            Field("info_nce", description="This is the loss. Each loss has keys of its own."),
        ),
    )

AnyRecipe = Annotated[
    Recipe | WhiteningRecipe | FlowRecipe | ContrastiveTensionRecipe | AveragedRecipe,
    ByKind("contrastive"),
]
