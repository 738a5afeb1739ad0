"""TSDAE: a text is written from the vector of its damaged form.  Wang et al. (2021)."""

from typing import TYPE_CHECKING, ClassVar

from contrapose.train.losses.loss_settings import LossSettings

if TYPE_CHECKING:
    from contrapose.models.sentence_encoder import SentenceEncoder
    from contrapose.train.decoder import Decoder
else:
    SentenceEncoder = Decoder = None


class TSDAE(LossSettings):
    """A decoder writes the anchor from the vector of the positive, which is a damaged copy of the anchor."""

    decodes: ClassVar[bool] = True
    # All weights are shared with the decoder, and the pairs are damaged already.
    refused: ClassVar[tuple[str, ...]] = (
        "lora",
        "repetition",
        "repetition_count",
        "token_shuffling",
        "feature_cutoff",
    )


def build(spec: TSDAE, encoder: SentenceEncoder, seed: int) -> Decoder:
    """Return a new decoder, which is trained with the encoder: its value is the loss."""
    from contrapose.train.decoder import Decoder

    return Decoder(encoder, seed)
