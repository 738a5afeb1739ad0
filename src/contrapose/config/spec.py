"""What all settings have in common: refusal of unknown keys, checking, and words that several kinds use."""

from typing import Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Discriminator, ValidationError, model_validator

from contrapose.errors import ConfigError, unknown

TextForm = Literal["senteval", "raw"]
Split = Literal["train", "dev", "test"]
SplitChoice = Literal["all", "train", "dev", "test"]
Reading = Literal["evaluated", "naive"]
Language = Literal["english", "japanese"]
Pooling = Literal["auto", "cls", "cls_before_pooler", "avg", "avg_top2", "avg_first_last"]
PlainPooler = Literal["cls_before_pooler", "avg", "avg_top2", "avg_first_last"]  # without a trained layer


class Spec(BaseModel):
    """Base of all settings: frozen, unknown keys refused with the nearest known one."""

    # Deferred: no call needs all of them, and building one takes a millisecond.
    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _only_known_keys(cls, data: object) -> object:
        for key in data if isinstance(data, dict) else ():
            if key not in cls.model_fields:
                raise ValueError(str(unknown("this section", str(key), cls.model_fields)))
        return data


S = TypeVar("S", bound=Spec)


def validated(kind: type[S], content: object, where: str) -> S:
    """Check `content` against the settings class `kind`; errors name file, key, value and what is allowed."""
    try:
        return kind.model_validate(content)
    except ValidationError as error:
        lines = []
        for one in error.errors(include_url=False):
            key = ".".join(str(part) for part in one["loc"]) or "top level"
            message = one["msg"].removeprefix("Value error, ")
            value = "" if isinstance(one["input"], dict) else f" (got {one['input']!r})"
            lines.append(f"{where}: {key}: {message}{value}")
        raise ConfigError("\n".join(lines)) from error


def by_kind(default: str) -> Discriminator:
    """Choose the class by `kind`, which may be left out for the usual one."""
    return Discriminator(lambda value: value.get("kind", default) if isinstance(value, dict) else value.kind)
