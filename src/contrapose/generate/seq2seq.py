"""Translate every sentence of the Chinese evaluation sets with a model on this machine."""

import logging
from collections.abc import Callable, Iterable, Sequence
from typing import Annotated

import pandas as pd
from tqdm import tqdm

from contrapose.generate.parsing import CHINESE, compared
from contrapose.pairs.strategy import Sentences
from contrapose.settings.spec import Spec
from contrapose.step import Device, FromJob, Project, Rows, planned
from contrapose.tables import TRANSLATIONS

AT_ONCE = 32  # texts of about equal lengths

logger = logging.getLogger(__name__)


@planned
def plan(project: Project, **names: str) -> Spec:
    """Return no settings: the models are inputs."""
    return Spec()


def build(
    spec: Spec,
    sentences: Sentences,
    folder: Annotated[str, FromJob(lambda spec, job: job.resources.folder)],
    device: Device,
) -> Annotated[pd.DataFrame, Rows(TRANSLATIONS)]:
    """Translate; left out is what is empty, did not end or holds Chinese."""
    from contrapose.generate.encoder_decoders import Seq2SeqModel

    texts = translations(sentences.text, Seq2SeqModel(folder, device)).items()
    kept = [(text, other) for text, other in texts if compared(other) and not CHINESE.search(other)]
    logger.info("%d of %d sentences are translated", len(kept), len(texts))
    return pd.DataFrame(kept, columns=TRANSLATIONS.columns, dtype="str")


def translations(texts: Iterable[str], translate: Callable[[Sequence[str]], list[str]]) -> dict[str, str]:
    """Translate each distinct text, long ones first in batches of about equal lengths; keep the order."""
    distinct = list(dict.fromkeys(texts))
    order = sorted(distinct, key=lambda text: (-len(text), text))
    batches = [order[start : start + AT_ONCE] for start in range(0, len(order), AT_ONCE)]
    progress = tqdm(batches, desc="translations", unit=f" x {AT_ONCE} texts", mininterval=5, delay=5)
    by_text = {text: other for batch in progress for text, other in zip(batch, translate(batch), strict=True)}
    return {text: by_text[text] for text in distinct}
