"""Translate every sentence of the Chinese evaluation sets with a model on this machine."""

import logging
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import pandas as pd
from tqdm import tqdm

from contrapose.generate.parsing import CHINESE, compared
from contrapose.jobs.inputs import Sentences
from contrapose.jobs.state import made_once
from contrapose.jobs.step import Device, FromJob, Rows, State, planned
from contrapose.settings.plan import Plan
from contrapose.settings.spec import Spec
from contrapose.tables import TRANSLATIONS

if TYPE_CHECKING:
    from contrapose.generate.encoder_decoders import Seq2SeqModel

AT_ONCE = 32  # texts of about equal lengths

logger = logging.getLogger(__name__)


@planned
def plan(project: Plan, **names: str) -> Spec:
    """Return no settings: the models are inputs."""
    return Spec()


def build(
    spec: Spec,
    sentences: Sentences,
    folder: Annotated[str, FromJob(lambda spec, job: job.resources.folder)],
    device: Device,
    state: State,
) -> Annotated[pd.DataFrame, Rows(TRANSLATIONS)]:
    """Translate; left out is what is empty, did not end or holds Chinese.  `state` keeps finished batches."""
    from contrapose.generate.encoder_decoders import Seq2SeqModel

    texts = translations(sentences.text, Seq2SeqModel(folder, device), state).items()
    kept = [(text, other) for text, other in texts if compared(other) and not CHINESE.search(other)]
    logger.info("%d of %d sentences are translated", len(kept), len(texts))
    return pd.DataFrame(kept, columns=TRANSLATIONS.columns, dtype="str")


def translations(texts: Iterable[str], model: "Seq2SeqModel", state: Path) -> dict[str, str]:
    """Translate each distinct text, long ones first in batches of about equal lengths; keep the order.

    `state` keeps finished batches, so that a killed job resumes there and gives the same translations.
    """
    distinct = list(dict.fromkeys(texts))
    order = sorted(distinct, key=lambda text: (-len(text), text))
    batches = [order[start : start + AT_ONCE] for start in range(0, len(order), AT_ONCE)]
    by_text: dict[str, str] = {}
    for batch in tqdm(batches, desc="translations", unit=f" x {AT_ONCE} texts", mininterval=5, delay=5):
        file = state / f"{model.identity(*batch)}.parquet"
        kept = made_once(file, TRANSLATIONS, partial(_translated, model, batch))
        by_text |= dict(zip(kept.text, kept.translation, strict=True))
    return {text: by_text[text] for text in distinct}


def _translated(model: "Seq2SeqModel", batch: list[str]) -> pd.DataFrame:
    return pd.DataFrame({"text": batch, "translation": model(batch)}, dtype="str")
