"""Sentences and their paraphrases, as they are scored."""

from typing import TYPE_CHECKING, Annotated, Any

import pandas as pd

from contrapose.errors import UnavailableError
from contrapose.pairs.paraphrase import paraphrase_pairs
from contrapose.settings.encoders import EncoderSettings
from contrapose.status import read_pairs, read_status
from contrapose.step import FromJob, Project, planned
from contrapose.tables import PARAPHRASES, SENTENCES, read_table

if TYPE_CHECKING:
    from contrapose.encoders.sentence_encoder import SentenceEncoder


@planned
def plan(project: Project, scorer: str, **others: str) -> EncoderSettings:
    """Return the settings of the encoder of a role."""
    model = project.encoder(scorer)
    precision = project.config.precision
    return EncoderSettings(
        pooling=model.pooling, prompts=model.prompts, encoder=model.hub, precision=precision
    )


@planned
def exact(project: Project, scorer: str) -> dict[str, Any]:
    """Return them with `auto` as float32, so that what cosines choose is the same on every machine."""
    settings = dict(plan(project, scorer))
    return settings | ({"precision": "float32"} if settings["precision"] == "auto" else {})


def _scorer(spec: EncoderSettings, job: Any) -> "SentenceEncoder":
    from contrapose.encoders.sentence_encoder import encoder_of

    return encoder_of(spec, job.resources.encoder, job.resources.device)


Scorer = Annotated["SentenceEncoder", FromJob(_scorer)]


def read_texts(files: list[str]) -> pd.DataFrame:
    """Read a PAIRS table of sentences and paraphrases: of one file, or a language model's.

    The latter are in two files, SENTENCES and PARAPHRASES.  Raises an UnavailableError if there are none.
    """
    if len(files) == 1:
        return by_sentence(read_pairs(files[0]))
    sentences = read_table(files[0], SENTENCES)
    pairs = paraphrase_pairs(sentences, read_table(files[1], PARAPHRASES))
    if why := read_status(pairs.attrs).unavailable:
        raise UnavailableError(why)
    return pairs


Texts = Annotated[pd.DataFrame, read_texts]


def by_sentence(pairs: pd.DataFrame) -> pd.DataFrame:
    """Make pairs with the same anchor paraphrases of one sentence: one id, and slots 0, 1 ... in their order.

    So sentences may differ in their number of paraphrases.  Takes and returns PAIRS.
    """
    of_anchor = pairs.groupby("anchor", sort=False)
    return pairs.assign(id=of_anchor.id.transform("first"), slot=of_anchor.cumcount().astype("int16"))
