"""Translations by a local encoder-decoder of `transformers`, such as opus-mt-zh-en."""

import logging
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import torch
from tqdm import tqdm
from transformers import AutoModelForSeq2SeqLM
from transformers.models.auto.modeling_auto import MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING

from contrapose.errors import ConfigError
from contrapose.generate.parsing import Refusal
from contrapose.generate.translation import objection, there_and_back
from contrapose.tables import TRANSLATIONS
from contrapose.train.devices import chosen_device
from contrapose.train.encoder import model_and_tokenizer, read_config
from contrapose.train.folders import model_folder

logger = logging.getLogger(__name__)


class Translator:
    """A translation model in a folder, in float32; its weights are never read from a pickle.

    Raises
    ------
    ConfigError
        The folder holds no such model, or only a pickle of its weights.
    BackendError
        `transformers` cannot read it.
    """

    def __init__(self, folder: str | Path, device: str) -> None:
        checked = model_folder(folder, what="translator")
        config = read_config(checked, "translator")
        if type(config) not in MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING:
            raise ConfigError(
                f"translator '{folder}' is of type {config.model_type}, which is not an encoder-decoder. "
                "Use one like opus-mt-zh-en."
            )
        model, self.tokenizer = model_and_tokenizer(AutoModelForSeq2SeqLM, checked, config, what="translator")
        self.model: Any = model.to(chosen_device(device)).eval()

    @torch.inference_mode()
    def __call__(self, texts: Sequence[str]) -> list[str]:
        """Translate a batch; an unfinished translation is empty.

        By greedy or beam search, as the folder's generation_config.json says; nothing is sampled.
        """
        limit = getattr(self.model.config, "max_position_embeddings", None)
        tokens = self.tokenizer(
            list(texts), padding=True, truncation=limit is not None, max_length=limit, return_tensors="pt"
        ).to(self.model.device)
        ids = self.model.generate(**tokens, do_sample=False)
        ended = (ids[:, 1:] == self.model.generation_config.eos_token_id).any(dim=1).tolist()
        found = self.tokenizer.batch_decode(ids, skip_special_tokens=True)
        return [text.strip() if whole else "" for text, whole in zip(found, ended, strict=True)]


def translated(texts: Sequence[str], translate: Translator, batch_size: int) -> pd.DataFrame:
    """Translate texts, long ones first, in batches of about equal lengths.

    Returns
    -------
    TRANSLATIONS table
        In the order of the texts, without those whose translation is empty, did not end or holds Chinese.
    """
    refused = (Refusal.BLANK, Refusal.UNTRANSLATED)
    found = _translations(texts, translate, batch_size).items()
    kept = [(text, other) for text, other in found if objection(other, text) not in refused]
    logger.info("%d of %d sentences are translated", len(kept), len(texts))
    return pd.DataFrame(kept, columns=TRANSLATIONS.columns, dtype="str")


def backtranslated(
    sentences: pd.DataFrame, there: Translator, back: Translator, batch_size: int
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Translate sentences into another language, and these translations back; each distinct text once.

    Parameters
    ----------
    sentences : SENTENCES table

    Returns
    -------
    TRANSLATIONS and PARAPHRASES table
        See `there_and_back`; without translations that are empty or did not end.
    """
    ways = _translations(sentences.text, there, batch_size)
    ways = {text: other for text, other in ways.items() if other}
    return there_and_back(sentences, ways, _translations(ways.values(), back, batch_size))


def _translations(texts: Iterable[str], translate: Translator, batch_size: int) -> dict[str, str]:
    """Translate each distinct text, long ones first; in the order of the texts."""
    distinct = list(dict.fromkeys(texts))
    order = sorted(distinct, key=lambda text: (-len(text), text))
    batches = [order[start : start + batch_size] for start in range(0, len(order), batch_size)]
    progress = tqdm(batches, desc="translations", unit=f" x {batch_size} texts", mininterval=5, delay=5)
    found = {text: other for batch in progress for text, other in zip(batch, translate(batch), strict=True)}
    return {text: found[text] for text in distinct}
