"""How a job uses an encoder."""

from pydantic import Field

from contrapose.settings.catalogs import PinnedEncoder, Prompts
from contrapose.settings.spec import PoolingName, Precision, Spec


class EncoderSettings(Spec):
    """Settings of a job with an encoder, beside its folder."""

    encoder: PinnedEncoder | None = Field(
        None, description="Where a hub encoder is from; null: the input folder"
    )
    pooling: PoolingName = Field("auto", description="auto is what the folder itself says")
    prompts: Prompts | None = Field(None, description="null is what the folder itself says")
    precision: Precision = Field("auto", description="The config's precision")

    def source(self, folder: str) -> tuple[str, str | None]:
        """Return name and commit of an encoder of the hub; else `folder` and None."""
        return (self.encoder.model, self.encoder.revision) if self.encoder else (folder, None)
