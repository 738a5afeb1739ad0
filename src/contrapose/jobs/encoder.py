"""What every job with an encoder is set to."""

from pydantic import Field

from contrapose.config.spec import Pooling, Spec
from contrapose.config.worlds import EncoderHub


class EncoderJob(Spec):
    """What every job with an encoder is told about it, beside its folder."""

    encoder: EncoderHub | None = Field(
        None, description="Where a hub encoder is from; null: the input folder"
    )


class ScorerJob(EncoderJob):
    """The encoder that scores paraphrases, beside its folder."""

    pooling: Pooling = Field("auto", description="auto is what the folder itself says")
